//! The few fields of an IPv4 packet that a router looks at.

use std::net::Ipv4Addr;

const UDP: u8 = 17;

/// Where a packet is going.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Destination {
    pub(crate) address: Ipv4Addr,
    /// Of UDP, and of a first fragment.
    pub(crate) port: Option<u16>,
}

impl Destination {
    /// Reads a packet; nothing if it is not of IPv4.
    pub(crate) fn of(packet: &[u8]) -> Option<Self> {
        let first = *packet.first()?;
        let header = usize::from(first & 0x0f) * 4;
        if first >> 4 != 4 || header < 20 || packet.len() < header {
            return None;
        }
        let octets: [u8; 4] = packet.get(16..20)?.try_into().ok()?;
        let fragment = u16::from_be_bytes([packet[6], packet[7]]) & 0x1fff;
        let port = packet
            .get(header + 2..header + 4)
            .filter(|_| packet[9] == UDP && fragment == 0)
            .map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]));
        Some(Self {
            address: Ipv4Addr::from(octets),
            port,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(protocol: u8) -> Vec<u8> {
        let mut packet = vec![0; 28];
        packet[0] = 0x45;
        packet[9] = protocol;
        packet[16..20].copy_from_slice(&[10, 77, 1, 2]);
        packet[22..24].copy_from_slice(&20_001_u16.to_be_bytes());
        packet
    }

    #[test]
    fn the_destination_is_read() {
        let address = Ipv4Addr::new(10, 77, 1, 2);
        let port = Some(20_001);
        assert_eq!(
            Destination::of(&packet(UDP)),
            Some(Destination { address, port })
        );
        let port = None;
        assert_eq!(
            Destination::of(&packet(1)),
            Some(Destination { address, port })
        );
        let mut later_fragment = packet(UDP);
        later_fragment[7] = 1;
        assert_eq!(
            Destination::of(&later_fragment),
            Some(Destination { address, port })
        );
    }

    #[test]
    fn what_is_no_packet_is_none() {
        for bytes in [&[][..], &[0x45; 19], &[0x60; 40], &[0x4f; 30], &[0x41; 30]] {
            assert_eq!(Destination::of(bytes), None);
        }
    }
}
