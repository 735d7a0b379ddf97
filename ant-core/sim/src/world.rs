//! The nodes of a modelled network: their identities, addresses, distances and
//! faults, all drawn from the scenario's seed.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

use ant_collect::FoundPeer;
use ant_pacing::{Peer, queue_of};
use rand::{Rng, SeedableRng, rngs::StdRng, seq::SliceRandom};

use crate::Scenario;

/// What a node does with candidate requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Answers,
    Slow,
    Silent,
    Legacy,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) found: FoundPeer,
    /// The receive queue that its answers share.
    pub(crate) queue: usize,
    /// How long a packet takes one way.
    pub(crate) way: Duration,
    pub(crate) manner: Manner,
}

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) nodes: Vec<Node>,
    by_peer: HashMap<Peer, usize>,
    /// How many receive queues they share.
    pub(crate) queues: usize,
}

impl World {
    pub(crate) fn new(scenario: &Scenario, random: &mut StdRng) -> Self {
        let population = &scenario.population;
        let faults = population.faults;
        let mut manners = vec![Manner::Answers; population.nodes];
        let kinds = [
            (Manner::Silent, faults.silent),
            (Manner::Slow, faults.slow),
            (Manner::Legacy, faults.legacy),
        ];
        let mut at = 0;
        for (manner, count) in kinds {
            manners[at..at + count].fill(manner);
            at += count;
        }
        manners.shuffle(random);
        let addresses = population.addresses.unwrap_or(population.nodes);
        let nodes: Vec<_> = manners
            .into_iter()
            .enumerate()
            .map(|(index, manner)| {
                let address = address(index % addresses);
                let queue = queue_of(Some(address)).0;
                Node {
                    found: FoundPeer {
                        peer: Peer(random.r#gen()),
                        address: Some(address),
                    },
                    queue: usize::try_from(queue).unwrap_or(0),
                    way: population.round_trip.at(random.r#gen()) / 2,
                    manner,
                }
            })
            .collect();
        let by_peer = nodes.iter().map(|node| node.found.peer).zip(0..).collect();
        let mut used: Vec<_> = nodes.iter().map(|node| node.queue).collect();
        used.sort_unstable();
        used.dedup();
        Self {
            queues: used.len(),
            nodes,
            by_peer,
        }
    }

    pub(crate) fn index(&self, peer: Peer) -> Option<usize> {
        self.by_peer.get(&peer).copied()
    }

    /// Returns the `count` nodes closest to `target`, the closest first.
    pub(crate) fn closest(&self, target: &[u8; 32], count: usize) -> Vec<FoundPeer> {
        // Identities are random: their first eight bytes are enough to compare.
        let first = |bytes: &[u8; 32]| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&bytes[..8]);
            u64::from_be_bytes(eight)
        };
        let goal = first(target);
        let mut keyed: Vec<_> = (0..)
            .zip(&self.nodes)
            .map(|(index, node)| (first(&node.found.peer.0) ^ goal, index))
            .collect();
        if count < keyed.len() {
            keyed.select_nth_unstable(count);
            keyed.truncate(count);
        }
        keyed.sort_unstable();
        let nodes = keyed
            .into_iter()
            .map(|(_, index): (u64, usize)| &self.nodes[index]);
        nodes.map(|node| node.found).collect()
    }
}

/// Returns the `index`th address of 10.0.0.0/8.
fn address(index: usize) -> IpAddr {
    let host = u32::try_from(index + 1).unwrap_or(u32::MAX) & 0x00ff_ffff;
    IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0000 | host))
}

/// Returns a generator for this seed and these numbers, independent of the
/// generators for others.
pub(crate) fn random(seed: u64, numbers: [u64; 2]) -> StdRng {
    let mut bytes = [0; 32];
    for (chunk, number) in bytes
        .chunks_exact_mut(8)
        .zip([seed, numbers[0], numbers[1], 0])
    {
        chunk.copy_from_slice(&number.to_le_bytes());
    }
    StdRng::from_seed(bytes)
}
