//! Connections: a request to a peer without one waits for the peer's dial before
//! it waits for its slot.

use ant_pacing::{Moment, Peer};

use super::state::Collection;
use crate::{
    FoundPeer,
    parts::{Exchange, ExchangeKey, State, Turn},
};

impl<C> Collection<C> {
    /// Goes on with an exchange whose next request may leave as far as its pool
    /// is concerned: it waits for its peer's dial, then for its slot, and leaves.
    /// Called again when each of the two is there, since the peer may have been
    /// disconnected meanwhile.
    pub(super) fn proceed(&mut self, key: ExchangeKey, now: Moment) {
        let request = self.exchanges[key].request();
        match self.dials.ask(key, &request, now) {
            Turn::Now => self.leave(key, now),
            Turn::Later { dialled } => {
                self.exchanges[key].state = State::Unconnected;
                if dialled {
                    self.slowness.awaits(key, now);
                }
                self.start_dials(now);
                let exchange = &mut self.exchanges[key];
                if matches!(exchange.state, State::Unconnected) {
                    // A slot held meanwhile could be the one that the dial
                    // waited for needs.
                    exchange.permit = None;
                }
            }
        }
    }

    /// The exchange's peer may be sent to. With a slot its request leaves, else
    /// it waits for one.
    fn leave(&mut self, key: ExchangeKey, now: Moment) {
        let exchange = &mut self.exchanges[key];
        if exchange.permit.is_some() {
            self.start_attempt(key, now);
        } else {
            exchange.state = State::Queued;
            exchange.permit = Some(self.gate.wait(&exchange.request(), key, now));
        }
    }

    /// Goes on with those whose turn to dial has come.
    pub(super) fn start_dials(&mut self, now: Moment) {
        while let Some(key) = self.dials.next(now) {
            self.leave(key, now);
        }
    }

    /// An exchange's request leaves. Whoever waits for it to connect the peer is
    /// awaited like itself, so that a spare may be asked in either's place.
    pub(super) fn dialled(&mut self, key: ExchangeKey, peer: Peer, now: Moment) {
        for waits in self.dials.left(key, peer) {
            self.slowness.awaits(waits, now);
        }
    }

    pub(super) fn connected(&mut self, peer: Peer, now: Moment) {
        for key in self.dials.connected(peer) {
            // It waits for its slot now, and not for its peer.
            if self.exchanges[key].attempts.is_empty() {
                self.slowness.forget(key);
            }
            self.leave(key, now);
        }
        self.start_dials(now);
    }

    pub(super) fn all_connected(&mut self, peers: &[FoundPeer], now: Moment) {
        for found in peers {
            self.connected(found.peer, now);
        }
    }

    /// An exchange's request could not be sent. Returns whose dial has failed
    /// with it.
    pub(super) fn not_sent(
        &mut self,
        key: ExchangeKey,
        peer: Peer,
        now: Moment,
    ) -> impl Iterator<Item = ExchangeKey> + use<C> {
        let sharing = self.dials.failed(key, peer);
        self.start_dials(now);
        sharing.into_iter()
    }

    /// Exchanges that were not sent are not needed any more: others dial in
    /// their place.
    pub(super) fn needs_no_dial(&mut self, keys: &[ExchangeKey], now: Moment) {
        for key in keys {
            self.slowness.forget(*key);
            let Exchange { peer, .. } = self.exchanges[*key];
            if let Some(next) = self.dials.cancel(*key, peer) {
                self.leave(next, now);
            }
        }
        self.start_dials(now);
    }

    /// The peer's last connection has ended, and with it the answers it owes.
    pub(super) fn answers_lost(&mut self, peer: Peer, now: Moment) {
        for request in self.requests.awaited_from(peer) {
            self.attempt_failed(request, "disconnected before it answered", now);
        }
    }
}
