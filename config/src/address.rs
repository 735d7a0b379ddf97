//! Network addresses, as far as their form and whether they are on loopback:
//! enough to refuse a mixture before anything is sent.

use std::net::{IpAddr, SocketAddr};

/// Whether this is an address to join through, in either form.
pub(crate) fn check(text: &str) -> Result<(), String> {
    socket(text).map(|_| ()).ok_or_else(|| {
        format!(
            "`{text}` is not an address to join through; write 127.0.0.1:20000 or \
             /ip4/127.0.0.1/udp/20000/quic"
        )
    })
}

/// Whether the address is on this host.
pub(crate) fn is_loopback(text: &str) -> bool {
    socket(text).is_some_and(|socket| socket.ip().is_loopback())
}

fn socket(text: &str) -> Option<SocketAddr> {
    let socket = text.parse().ok().or_else(|| {
        let mut parts = text.strip_prefix('/')?.split('/');
        let ip: IpAddr = match parts.next()? {
            "ip4" => IpAddr::V4(parts.next()?.parse().ok()?),
            "ip6" => IpAddr::V6(parts.next()?.parse().ok()?),
            _ => return None,
        };
        parts.next().filter(|part| *part == "udp")?;
        let port = parts.next()?.parse().ok()?;
        parts.next().filter(|part| *part == "quic")?;
        // Nothing may follow but the peer's identity.
        match (parts.next(), parts.next(), parts.next()) {
            (None, ..) => {}
            (Some("p2p"), Some(peer), None) if is_peer(peer) => {}
            _ => return None,
        }
        Some(SocketAddr::new(ip, port))
    });
    socket.filter(|socket: &SocketAddr| socket.port() != 0)
}

fn is_peer(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether it is one of IPv6.
pub(crate) fn is_ipv6(text: &str) -> bool {
    socket(text).is_some_and(|socket| socket.is_ipv6())
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
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
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
            assert!(check(text).is_err(), "{text}");
        }
    }
}
