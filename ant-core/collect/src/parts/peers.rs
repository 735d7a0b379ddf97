//! What peers have shown: in this tree, and to this client before.

use std::collections::BTreeSet;

use ant_pacing::Peer;

use crate::{PeerMemory, SettlementRefusal, memory::Known};

/// What a collection knows of its peers.
#[derive(Debug)]
pub(crate) struct Peers {
    memory: PeerMemory,
    answered: BTreeSet<Peer>,
    /// Peers that ignored the versioned form and then answered the legacy one.
    seemed_old: BTreeSet<Peer>,
}

impl Peers {
    pub(crate) const fn new(memory: PeerMemory) -> Self {
        Self {
            memory,
            answered: BTreeSet::new(),
            seemed_old: BTreeSet::new(),
        }
    }

    pub(crate) fn known(&self, peer: Peer) -> Known {
        self.memory.known(peer)
    }

    /// Notes that the peer answered, whatever and whenever.
    pub(crate) fn answered(&mut self, peer: Peer) {
        self.answered.insert(peer);
    }

    pub(crate) fn has_answered(&self, peer: Peer) -> bool {
        self.answered.contains(&peer)
    }

    pub(crate) fn answered_versioned(&self, peer: Peer) {
        self.memory.answered_versioned(peer);
    }

    /// Notes that the peer answered the legacy form after it was silent on the
    /// versioned one. That is one piece of evidence a tree at most: one burst
    /// may lose a peer's answers for several pools.
    pub(crate) fn seemed_old(&mut self, peer: Peer) {
        if self.seemed_old.insert(peer) {
            self.memory.answered_legacy_only(peer);
        }
    }

    pub(crate) fn settlement_refused(&self, peer: Peer, minimum: u32) {
        self.memory.settlement_refused(peer, minimum);
    }

    pub(crate) fn refusal(&self) -> Option<SettlementRefusal> {
        self.memory.refusal()
    }
}
