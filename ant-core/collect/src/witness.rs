//! What several witnesses say of who is close, where one of them may lie.

use std::collections::BTreeMap;

use ant_pacing::Peer;

use crate::POOL_SIZE;

/// A peer is believed to be close when this many witnesses name it: one more than
/// may lie.
const WITNESSES: usize = 2;

/// The peers that are believed to be close, by what witnesses say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Believed<T> {
    /// The peers, the closest first, each with what was said of it first.
    pub peers: Vec<(Peer, T)>,
    /// Whether a peer that only one witness names would be among the closest
    /// [`POOL_SIZE`]. The others may not know it, or it may not exist.
    pub in_doubt: bool,
}

/// Returns the peers that at least two witnesses name, and those that this client
/// knows itself (`own`), the closest to `target` first. Each comes with what was
/// said of it first. A view is what one witness said; a peer that a witness names
/// twice counts once.
///
/// With four witnesses or more, one that lies cannot add a peer, and cannot keep
/// out a peer that the others agree on. It can only put the outcome in doubt.
pub fn named_twice<T>(
    target: &[u8; 32],
    own: Vec<(Peer, T)>,
    views: impl IntoIterator<Item = Vec<(Peer, T)>>,
) -> Believed<T> {
    let known = |(peer, said)| (peer, (WITNESSES, 0, said));
    let mut named: BTreeMap<Peer, (usize, usize, T)> = own.into_iter().map(known).collect();
    for (witness, view) in (1..).zip(views) {
        for (peer, said) in view {
            let (times, last, _) = named.entry(peer).or_insert((0, 0, said));
            if *last != witness {
                *last = witness;
                *times += 1;
            }
        }
    }
    let mut sorted: Vec<_> = named.into_iter().collect();
    sorted.sort_by_key(|(peer, _)| peer.distance(target));
    let believed = |(_, (times, ..)): &(Peer, (usize, usize, T))| *times >= WITNESSES;
    let closest = sorted.iter().take(POOL_SIZE);
    let in_doubt = !closest.clone().all(believed);
    sorted.retain(believed);
    let peers = sorted.into_iter().map(|(peer, (_, _, said))| (peer, said));
    Believed {
        peers: peers.collect(),
        in_doubt,
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

    fn view(peers: impl IntoIterator<Item = u8>, by: u8) -> Vec<(Peer, u8)> {
        peers.into_iter().map(|n| (peer(n), by)).collect()
    }

    fn named(views: Vec<Vec<(Peer, u8)>>) -> Vec<u8> {
        let named = named_twice(&[0; 32], Vec::new(), views);
        named.peers.into_iter().map(|(peer, _)| peer.0[0]).collect()
    }

    #[test]
    fn who_is_named_twice_is_believed_closest_first() {
        assert_eq!(named(vec![view([3, 1], 0), view([1, 2, 3], 1)]), [1, 3]);
        assert_eq!(named(vec![view([1, 1, 1], 0)]), Vec::<u8>::new());
        assert_eq!(named(Vec::new()), Vec::<u8>::new());
    }

    #[test]
    fn one_liar_puts_nobody_in_and_keeps_nobody_out() {
        let honest = || view(1..20, 0);
        // It names strangers, however often, and none of the others.
        let liar = view((100..120).chain(100..120), 9);
        for at in 0..4 {
            let mut views = vec![honest(), honest(), honest()];
            views.insert(at, liar.clone());
            assert_eq!(named(views), (1..20).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_the_first_witness_said_is_kept() {
        let views = vec![view([1], 7), view([1], 8)];
        assert_eq!(
            named_twice(&[0; 32], Vec::new(), views).peers,
            [(peer(1), 7)]
        );
    }

    #[test]
    fn whom_the_client_knows_itself_needs_no_witness() {
        let own = view([2, 30], 7);
        let believed = named_twice(&[0; 32], own, vec![view(0..20, 0), view(3..20, 1)]);
        let peers: Vec<_> = believed.peers.iter().map(|(peer, _)| peer.0[0]).collect();
        assert_eq!(
            peers,
            [2].into_iter().chain(3..20).chain([30]).collect::<Vec<_>>()
        );
        assert!(believed.in_doubt, "one witness names two others");
    }

    #[test]
    fn one_named_once_among_the_closest_puts_it_in_doubt() {
        let doubt = |views| named_twice(&[0; 32], Vec::new(), views).in_doubt;
        assert!(!doubt(vec![view(0..20, 0), view(0..20, 1)]));
        assert!(
            !doubt(vec![view(0..20, 0), view(0..16, 1)]),
            "too far to matter"
        );
        assert!(doubt(vec![view(0..20, 0), view(0..15, 1)]));
        assert!(doubt(vec![view(0..20, 0), view(3..20, 1)]));
    }
}
