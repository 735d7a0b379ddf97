//! Warm connections: a peer without one is dialled by the first request to it, a
//! few peers at a time, and its other requests wait for that.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ant_pacing::{Moment, Peer};

use super::Collection;
use crate::{FoundPeer, exchange::State};

/// Who is connected, and who waits to be.
#[derive(Debug, Default)]
pub(super) struct Dials {
    connected: BTreeSet<Peer>,
    /// Peers being dialled, and the exchange that does it.
    dialling: BTreeMap<Peer, u64>,
    /// Exchanges that wait for a connection, in the order of asking.
    waiting: VecDeque<u64>,
}

impl Dials {
    pub(super) fn connected(&mut self, peers: &[FoundPeer]) {
        self.connected.extend(peers.iter().map(|found| found.peer));
    }

    pub(super) fn is_connected(&mut self, peer: Peer) {
        self.connected.insert(peer);
    }

    pub(super) fn disconnected(&mut self, peer: Peer) {
        self.connected.remove(&peer);
    }

    pub(super) fn wait(&mut self, key: u64) {
        self.waiting.push_back(key);
    }

    /// The exchange has dialled, or given up.
    pub(super) fn ended(&mut self, key: u64) {
        self.dialling.retain(|_, by| *by != key);
    }

    /// Whether an exchange with this peer need wait for nobody to dial it; if it
    /// is to do that itself, it is noted.
    fn may_start(&mut self, key: u64, peer: Peer, most: usize) -> bool {
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

impl<C> Collection<C> {
    /// Lets exchanges queue whose peers are connected, or whose turn it is to
    /// dial.
    pub(super) fn start_dials(&mut self, now: Moment) {
        if self.dials.waiting.is_empty() {
            return;
        }
        let waiting = std::mem::take(&mut self.dials.waiting);
        for key in waiting {
            let Some(exchange) = self.exchanges.get(key) else {
                continue;
            };
            let peer = exchange.peer;
            if !matches!(exchange.state, State::Queued) {
                // Its pool needs nobody any more.
            } else if self.dials.may_start(key, peer, self.plan.dials) {
                self.enqueue(key, now);
            } else {
                self.dials.wait(key);
            }
        }
    }
}
