//! Each host's address, and how far it is to every other host.

use std::{net::Ipv4Addr, time::Duration};

use rand::{Rng, SeedableRng, rngs::StdRng};

use crate::Scenario;

/// Hosts beside the nodes: one for the client in this process, one for programs
/// outside.
pub(crate) const CLIENTS: usize = 2;

/// The port of the first node; the others follow it. Nodes that share an
/// address are told apart by it.
const FIRST_PORT: u16 = 20_000;

/// The map of a scenario, drawn from its seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    addresses: Vec<Ipv4Addr>,
    nodes: usize,
    /// One way, for each pair, in the order of [`Self::pair`].
    delays: Vec<Duration>,
}

impl Map {
    /// Draws the map of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let population = &scenario.population;
        let nodes = population.nodes;
        let shared = population.addresses.unwrap_or(nodes);
        let of_node = |index: usize| address(1, index % shared);
        let of_client = |index: usize| address(200, index);
        let addresses: Vec<_> = (0..nodes)
            .map(of_node)
            .chain((0..CLIENTS).map(of_client))
            .collect();
        let hosts = addresses.len();
        let mut random = StdRng::seed_from_u64(population.seed);
        let delays = (0..hosts * hosts.saturating_sub(1) / 2)
            .map(|_| population.round_trip.at(random.r#gen()) / 2)
            .collect();
        Self {
            addresses,
            nodes,
            delays,
        }
    }

    /// Returns how many hosts there are: the nodes, then the clients.
    pub fn hosts(&self) -> usize {
        self.addresses.len()
    }

    /// Returns how many of them are nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Returns a host's address.
    pub fn address(&self, host: usize) -> Ipv4Addr {
        self.addresses[host]
    }

    /// Returns the UDP port that a node is to use; clients take any.
    pub fn port(&self, host: usize) -> u16 {
        FIRST_PORT + u16::try_from(host).unwrap_or(0)
    }

    /// Returns whether other hosts have this host's address too.
    pub fn is_shared(&self, host: usize) -> bool {
        let same = |other: &&Ipv4Addr| **other == self.addresses[host];
        self.addresses.iter().filter(same).count() > 1
    }

    /// Returns how long a packet takes from one host to another.
    pub fn delay(&self, from: usize, to: usize) -> Duration {
        if from == to {
            return Duration::ZERO;
        }
        let (low, high) = (from.min(to), from.max(to));
        self.delays[high * (high - 1) / 2 + low]
    }

    /// Returns the host that a packet to this address and port is for.
    pub(crate) fn host_at(&self, address: Ipv4Addr, port: Option<u16>) -> Option<usize> {
        let first = self.addresses.iter().position(|own| *own == address)?;
        if !self.is_shared(first) {
            return Some(first);
        }
        let by_port = usize::from(port?.checked_sub(FIRST_PORT)?);
        (self.addresses.get(by_port) == Some(&address)).then_some(by_port)
    }
}

/// Returns the `index`th address of a block of 10.77.0.0/16.
fn address(block: u8, index: usize) -> Ipv4Addr {
    let third = usize::from(block) + index / 250;
    let fourth = index % 250 + 1;
    let octet = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
    Ipv4Addr::new(10, 77, octet(third), octet(fourth))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(seed: u64, addresses: Option<usize>) -> Scenario {
        let mut scenario = Scenario::find("residential").unwrap();
        scenario.population.addresses = addresses;
        scenario.population.seed = seed;
        scenario
    }

    #[test]
    fn the_seed_decides_the_delays() {
        let map = |seed| Map::new(&scenario(seed, None));
        assert_eq!(map(1), map(1));
        assert_ne!(map(1), map(2));
    }

    #[test]
    fn delays_are_half_the_round_trip_and_the_same_both_ways() {
        let map = Map::new(&scenario(1, None));
        let mut all = Vec::new();
        for from in 0..map.hosts() {
            for to in 0..from {
                assert_eq!(map.delay(from, to), map.delay(to, from));
                all.push(map.delay(from, to) * 2);
            }
        }
        all.sort();
        assert_eq!(all.len(), 37 * 36 / 2);
        let median = all[all.len() / 2].as_millis();
        assert!((145..=170).contains(&median), "{median} ms");
        assert_eq!(map.delay(3, 3), Duration::ZERO);
    }

    #[test]
    fn packets_find_their_host_on_shared_addresses_too() {
        for shared in [None, Some(2)] {
            let map = Map::new(&scenario(1, shared));
            assert_eq!(map.hosts(), 37);
            for host in 0..map.nodes() {
                assert_eq!(map.is_shared(host), shared.is_some());
                let found = map.host_at(map.address(host), Some(map.port(host)));
                assert_eq!(found, Some(host));
            }
            for client in map.nodes()..map.hosts() {
                let address = map.address(client);
                assert_eq!(map.host_at(address, Some(5)), Some(client));
                assert_eq!(map.host_at(address, None), Some(client));
            }
            assert_eq!(map.host_at(Ipv4Addr::new(10, 77, 9, 9), Some(20_000)), None);
            assert_eq!(map.host_at(Ipv4Addr::new(8, 8, 8, 8), Some(20_000)), None);
        }
        let map = Map::new(&scenario(1, Some(2)));
        assert_eq!(
            map.host_at(map.address(0), Some(20_001)),
            None,
            "another's port"
        );
        assert_eq!(map.host_at(map.address(0), Some(9)), None);
        assert_eq!(map.host_at(map.address(0), None), None);
    }
}
