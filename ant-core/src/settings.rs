//! From settings to a client, so that a program that embeds the client gets the
//! profile's pacing and plan in one line.

use ant_config::{Settings, read_address};
use ant_protocol::transport::MultiAddr;

use crate::{ClientConfig, Error};

impl TryFrom<&Settings> for ClientConfig {
    type Error = Error;

    /// Takes what the settings say of joining, pacing and plan.
    fn try_from(settings: &Settings) -> Result<Self, Error> {
        let network = &settings.network;
        Ok(Self {
            bootstrap: addresses(&network.bootstrap)?,
            local: network.local,
            ipv6: network.ipv6,
            join_within: network.join_within.0,
            pacing: settings.arms(),
            seed: settings.payment.seed.map(u64::from),
            plan: settings.plan,
        })
    }
}

/// Reads addresses, in the network's own form or as IP and port.
fn addresses(texts: &[String]) -> Result<Vec<MultiAddr>, Error> {
    let read = |text: &String| -> Result<_, Error> {
        let socket = read_address(text)?;
        // The network's own form may name the peer too.
        Ok(text.parse().unwrap_or_else(|_| MultiAddr::quic(socket)))
    };
    texts.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_in_both_forms() {
        let read = |text: &str| addresses(&[text.to_owned()]);
        let plain = read("127.0.0.1:20000").unwrap();
        assert_eq!(plain, read("/ip4/127.0.0.1/udp/20000/quic").unwrap());
        assert!(plain[0].is_loopback());
        for bad in [
            "",
            "127.0.0.1",
            "localhost:1",
            "/ip4/127.0.0.1/tcp/1",
            "127.0.0.1:70000",
        ] {
            assert!(
                matches!(read(bad), Err(Error::BadBootstrap { .. })),
                "{bad}"
            );
        }
    }
}
