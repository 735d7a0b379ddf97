//! What a client remembers of its peers across trees: who speaks which form,
//! and who refused to be paid by it.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ant_pacing::Peer;

use crate::SettlementRefusal;

/// How many distinct peers must refuse this client's settlement version before
/// it is believed. One peer's word is not signed by anybody else; two are what
/// the published client asks for.
const REFUSALS_TO_LATCH: usize = 2;

/// How many peers are remembered. The oldest is forgotten first, at the cost of
/// one more probe.
const MOST_PEERS: usize = 65_536;

/// How often a peer must have ignored the versioned form and then answered the
/// legacy one to count as old. Once may be a lost answer.
const SILENCES_TO_BE_LEGACY: u8 = 2;

/// What is known of the forms a peer reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// Nothing yet.
    Nothing,
    /// It has answered the versioned form. Never forgotten for a silence.
    Versioned,
    /// It has shown more than once that it reads the legacy form alone.
    LegacyOnly,
}

/// A client's memory of its peers; cloning gives another handle to the same.
#[derive(Clone, Debug, Default)]
pub struct PeerMemory {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    peers: BTreeMap<Peer, Record>,
    order: VecDeque<Peer>,
    refused: BTreeSet<Peer>,
    minimum: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Record {
    versioned: bool,
    silences: u8,
}

impl PeerMemory {
    /// A memory of nobody.
    pub fn new() -> Self {
        Self::default()
    }

    /// What is known of a peer.
    pub(crate) fn known(&self, peer: Peer) -> Known {
        match self.lock().peers.get(&peer) {
            Some(record) if record.versioned => Known::Versioned,
            Some(record) if record.silences >= SILENCES_TO_BE_LEGACY => Known::LegacyOnly,
            _ => Known::Nothing,
        }
    }

    /// The peer answered a versioned request, whatever it said.
    pub fn answered_versioned(&self, peer: Peer) {
        self.lock().record(peer).versioned = true;
    }

    /// The peer let a versioned request time out and then answered the legacy
    /// retry.
    pub(crate) fn answered_legacy_only(&self, peer: Peer) {
        let mut inner = self.lock();
        let record = inner.record(peer);
        record.silences = record.silences.saturating_add(1);
    }

    /// The peer refused this client's settlement version, asking for `minimum`.
    pub fn settlement_refused(&self, peer: Peer, minimum: u32) {
        let mut inner = self.lock();
        // Past the latch more names change nothing, and the set stays small.
        if inner.refused.len() < REFUSALS_TO_LATCH && inner.refused.insert(peer) {
            inner.minimum = inner.minimum.max(minimum);
        }
    }

    /// The refusal, once enough distinct peers agree. From then on this client
    /// must not pay.
    pub fn refusal(&self) -> Option<SettlementRefusal> {
        let inner = self.lock();
        (inner.refused.len() >= REFUSALS_TO_LATCH).then(|| SettlementRefusal {
            peers: inner.refused.iter().copied().collect(),
            minimum: inner.minimum,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Every change is one assignment: a poisoned lock holds a whole state.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn record(&mut self, peer: Peer) -> &mut Record {
        if !self.peers.contains_key(&peer) {
            self.order.push_back(peer);
            if self.order.len() > MOST_PEERS
                && let Some(oldest) = self.order.pop_front()
            {
                self.peers.remove(&oldest);
            }
        }
        self.peers.entry(peer).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(n: u32) -> Peer {
        let mut id = [0; 32];
        id[..4].copy_from_slice(&n.to_be_bytes());
        Peer(id)
    }

    #[test]
    fn one_silence_does_not_make_a_peer_old() {
        let memory = PeerMemory::new();
        memory.answered_legacy_only(peer(1));
        assert_eq!(memory.known(peer(1)), Known::Nothing);
        memory.answered_legacy_only(peer(1));
        assert_eq!(memory.known(peer(1)), Known::LegacyOnly);
        memory.answered_versioned(peer(1));
        assert_eq!(memory.known(peer(1)), Known::Versioned);
        (0..10).for_each(|_| memory.answered_legacy_only(peer(1)));
        assert_eq!(memory.known(peer(1)), Known::Versioned, "never demoted");
    }

    #[test]
    fn two_distinct_peers_latch_a_refusal_and_one_does_not() {
        let memory = PeerMemory::new();
        (0..5).for_each(|_| memory.settlement_refused(peer(1), 2));
        assert_eq!(memory.refusal(), None);
        memory.settlement_refused(peer(2), 3);
        let refusal = memory.refusal().unwrap();
        assert_eq!(refusal.peers, [peer(1), peer(2)]);
        assert_eq!(refusal.minimum, 3);
    }

    #[test]
    fn the_table_does_not_grow_for_ever() {
        let memory = PeerMemory::new();
        let most = u32::try_from(MOST_PEERS).unwrap();
        (0..most + 10).for_each(|n| memory.answered_versioned(peer(n)));
        assert_eq!(memory.lock().peers.len(), MOST_PEERS);
        assert_eq!(memory.lock().order.len(), MOST_PEERS);
        assert_eq!(memory.known(peer(9)), Known::Nothing);
        assert_eq!(memory.known(peer(10)), Known::Versioned);
    }
}
