//! Network addresses to join through: read here alone, so that there is one check
//! and one message, before anything is sent.

use std::{
    error::Error,
    fmt,
    net::{IpAddr, SocketAddr},
};

/// A text that is not an address to join through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    text: String,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not an address to join through; write 127.0.0.1:20000 or \
             /ip4/127.0.0.1/udp/20000/quic",
            self.text
        )
    }
}

impl Error for AddressError {}

/// Reads where an address to join through leads. It is an IP and a port, or the
/// network's own form, which may name the peer too.
///
/// # Errors
///
/// When the text is neither.
pub fn read_address(text: &str) -> Result<SocketAddr, AddressError> {
    let plain = text.parse().ok().or_else(|| of_network(text));
    let socket = plain.filter(|socket: &SocketAddr| socket.port() != 0);
    socket.ok_or_else(|| AddressError {
        text: text.to_owned(),
    })
}

/// Reads `/ip4/127.0.0.1/udp/20000/quic`, or that with `/p2p/` and a peer behind.
fn of_network(text: &str) -> Option<SocketAddr> {
    let mut parts = text.strip_prefix('/')?.split('/');
    let ip: IpAddr = match parts.next()? {
        "ip4" => IpAddr::V4(parts.next()?.parse().ok()?),
        "ip6" => IpAddr::V6(parts.next()?.parse().ok()?),
        _ => return None,
    };
    parts.next().filter(|part| *part == "udp")?;
    let port = parts.next()?.parse().ok()?;
    parts.next().filter(|part| *part == "quic")?;
    match (parts.next(), parts.next(), parts.next()) {
        (None, ..) => {}
        (Some("p2p"), Some(peer), None) if is_peer(peer) => {}
        _ => return None,
    }
    Some(SocketAddr::new(ip, port))
}

fn is_peer(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether the address is on this host.
pub(crate) fn is_loopback(text: &str) -> bool {
    read_address(text).is_ok_and(|socket| socket.ip().is_loopback())
}

/// Returns whether the address is one of IPv6.
pub(crate) fn is_ipv6(text: &str) -> bool {
    read_address(text).is_ok_and(|socket| socket.is_ipv6())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        for (text, loopback) in [
            ("127.0.0.1:20000", true),
            ("[::1]:20000", true),
            ("/ip4/127.0.0.1/udp/20000/quic", true),
            ("/ip6/::1/udp/20000/quic", true),
            ("/ip4/207.148.94.42/udp/10000/quic", false),
            ("207.148.94.42:10000", false),
            (
                &format!("/ip4/1.2.3.4/udp/1/quic/p2p/{}", "ab".repeat(32)),
                false,
            ),
        ] {
            assert!(read_address(text).is_ok(), "{text}");
            assert_eq!(is_loopback(text), loopback, "{text}");
        }
        for text in [
            "",
            " 127.0.0.1:1",
            "127.0.0.1",
            "127.0.0.1:0",
            "127.0.0.1:70000",
            "localhost:1",
            "/ip4/127.0.0.1/tcp/1",
            "/ip4/127.0.0.1/udp/1",
            "/ip4/::1/udp/1/quic",
            "/ip4/127.0.0.1/udp/1/quic/",
            "/ip4/127.0.0.1/udp/1/quic/xyz",
            "/ip4/127.0.0.1/udp/1/quic/p2p/12",
        ] {
            assert!(read_address(text).is_err(), "{text}");
        }
    }
}
