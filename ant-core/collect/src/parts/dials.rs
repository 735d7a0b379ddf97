//! Warm connections: a peer without one is dialled by the first request to it, a
//! few peers at a time, and its other requests wait for that.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ant_pacing::Peer;

use super::exchange::ExchangeKey;
use crate::FoundPeer;

/// Who is connected, and who waits to be.
#[derive(Debug, Default)]
pub(crate) struct Dials {
    connected: BTreeSet<Peer>,
    /// Peers being dialled, and the exchange that does it.
    dialling: BTreeMap<Peer, ExchangeKey>,
    /// Exchanges that wait for a connection, in the order of asking.
    waiting: VecDeque<ExchangeKey>,
}

impl Dials {
    pub(crate) fn connected(&mut self, peers: &[FoundPeer]) {
        self.connected.extend(peers.iter().map(|found| found.peer));
    }

    pub(crate) fn is_connected(&mut self, peer: Peer) {
        self.connected.insert(peer);
    }

    pub(crate) fn disconnected(&mut self, peer: Peer) {
        self.connected.remove(&peer);
    }

    pub(crate) fn wait(&mut self, key: ExchangeKey) {
        self.waiting.push_back(key);
    }

    pub(crate) fn take_waiting(&mut self) -> VecDeque<ExchangeKey> {
        std::mem::take(&mut self.waiting)
    }

    /// The exchange has dialled, or given up.
    pub(crate) fn ended(&mut self, key: ExchangeKey) {
        self.dialling.retain(|_, by| *by != key);
    }

    /// Whether an exchange with this peer need wait for nobody to dial it; if it
    /// is to do that itself, it is noted.
    pub(crate) fn may_start(&mut self, key: ExchangeKey, peer: Peer, most: usize) -> bool {
        if most == 0 || self.connected.contains(&peer) {
            return true;
        }
        let free = self.dialling.len() < most && !self.dialling.contains_key(&peer);
        if free {
            self.dialling.insert(peer, key);
        }
        free
    }
}
