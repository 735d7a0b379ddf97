//! Whether pools hold the peers they should, where every node of the network is
//! known: how close the chosen 16 are among all that would have answered.

use ant_core::PreparedMerkleBatch;
use ant_pacing::Peer;
use ant_testnet::{Fault, Testnet};

/// How close a tree's candidates are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Closeness {
    /// How many pools hold other candidates than the closest 16.
    pub(crate) pools_other: usize,
    /// The share of all candidates that are among the closest 16 of their pool.
    pub(crate) closest_share: f64,
    /// The mean rank of the candidates by distance, from 0: 7.5 at best.
    pub(crate) mean_rank: f64,
}

/// Returns the nodes of a testnet that answer with candidates.
pub(crate) fn answering(testnet: &Testnet) -> Vec<Peer> {
    let answers = |fault| !matches!(fault, Some(Fault::Silent | Fault::Refuses));
    let peers = testnet.peers().into_iter();
    let peers = peers.filter(|(_, fault)| answers(*fault));
    peers.map(|(peer, _)| Peer(*peer.as_bytes())).collect()
}

/// Returns how close the candidates of these trees are among `nodes`.
pub(crate) fn closeness(batches: &[PreparedMerkleBatch], nodes: &[Peer]) -> Option<Closeness> {
    let pools = batches.iter().flat_map(|prepared| prepared.batch.chosen());
    Closeness::of(pools, nodes)
}

impl Closeness {
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of candidates are far below 2^52"
    )]
    fn of(pools: impl Iterator<Item = ([u8; 32], Vec<Peer>)>, nodes: &[Peer]) -> Option<Self> {
        let (mut pools_other, mut ranks, mut close) = (0, Vec::new(), 0);
        for (target, chosen) in pools {
            let mut sorted = nodes.to_vec();
            sorted.sort_by_key(|peer| peer.distance(&target));
            let of = |peer: &Peer| sorted.iter().position(|other| other == peer);
            // A candidate that is not one of the nodes ranks behind them all.
            let own: Vec<_> = chosen
                .iter()
                .map(|peer| of(peer).unwrap_or(nodes.len()))
                .collect();
            let closest = own.iter().filter(|rank| **rank < chosen.len()).count();
            pools_other += usize::from(closest < chosen.len());
            close += closest;
            ranks.extend(own);
        }
        let all = ranks.len() as f64;
        (!ranks.is_empty()).then(|| Self {
            pools_other,
            closest_share: close as f64 / all,
            mean_rank: ranks.iter().sum::<usize>() as f64 / all,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(n: u8) -> Peer {
        let mut id = [0; 32];
        id[0] = n;
        Peer(id)
    }

    #[test]
    fn the_closest_are_all_there_and_a_stranger_ranks_last() {
        let nodes: Vec<_> = (0..40).map(peer).collect();
        let of = |chosen: Vec<u8>| {
            let pool = ([0; 32], chosen.into_iter().map(peer).collect());
            Closeness::of(std::iter::once(pool), &nodes).unwrap()
        };
        let best = of((0..16).collect());
        assert_eq!(
            (best.pools_other, best.closest_share, best.mean_rank),
            (0, 1.0, 7.5)
        );
        let near = of((1..17).collect());
        assert_eq!((near.pools_other, near.mean_rank), (1, 8.5));
        assert!((near.closest_share - 15.0 / 16.0).abs() < 1e-9);
        let stranger = of((0..15).chain([200]).collect());
        assert!((stranger.mean_rank - (105.0 + 40.0) / 16.0).abs() < 1e-9);
        assert_eq!(Closeness::of(std::iter::empty(), &nodes), None);
    }
}
