//! Whom a pool asks: the closest first, spares in place of those that fail or
//! are slow; and when it needs nobody any more.

use ant_pacing::{Moment, Peer};

use super::state::Collection;
use crate::{
    Dialect, Finish, Lookup, POOL_SIZE, PoolId,
    memory::Known,
    parts::{End, ExchangeKey, Phase, RequestPhase, State},
};

/// How often one request is repeated at most: where one answer in twenty is lost,
/// one exchange in 160,000 stays without any.
const REASKS_EACH: usize = 3;

impl<C> Collection<C> {
    /// Asks peers that are slow again, and spares in their place if that does not
    /// help at once.
    pub(super) fn replace_slow(&mut self, now: Moment) {
        while let Some(key) = self.slowness.take_slow(now) {
            let first = self.exchanges[key].attempts.len() == 1;
            if self.ask_again(key, now) {
                if !first {
                    self.replace(key, now);
                }
                continue;
            }
            let exchange = &self.exchanges[key];
            if let Some(permit) = &exchange.permit {
                permit.slow(now);
            }
            if self.peers.known(exchange.peer) == Known::Nothing {
                self.slowness.stranger(exchange.peer, key);
            }
            self.replace(key, now);
        }
    }

    /// A peer has shown that it speaks the versioned form: what it has left
    /// unanswered so far is probably lost.
    pub(super) fn became_known(&mut self, peer: Peer, now: Moment) {
        for key in self.slowness.take_strangers(peer) {
            self.ask_again(key, now);
        }
    }

    /// Asks a spare in place of a peer that has failed.
    pub(super) fn replace_failed(&mut self, key: ExchangeKey, now: Moment) {
        if self.exchanges[key].failed() {
            self.replace(key, now);
        }
    }

    /// Repeats a slow peer's request in the versioned form, if it is known to
    /// speak that and the budget lasts. Returns whether it did.
    fn ask_again(&mut self, key: ExchangeKey, now: Moment) -> bool {
        let exchange = &self.exchanges[key];
        let last = exchange.attempts.last();
        let last = last.and_then(|attempt| self.requests.get(attempt.request));
        let sent = last.is_some_and(|request| {
            request.dialect == Dialect::Versioned
                && matches!(request.phase, RequestPhase::Waiting { .. })
        });
        let again = sent
            && exchange.attempts.len() <= REASKS_EACH
            && matches!(exchange.state, State::Out)
            // A repeat is no reason to dial.
            && self.dials.is_connected(exchange.peer)
            && self.peers.known(exchange.peer) == Known::Versioned;
        if !again || self.report.reasks >= u64::from(self.plan.reasks) {
            return false;
        }
        self.report.reasks += 1;
        self.start_request(key, Dialect::Versioned, now);
        true
    }

    fn replace(&mut self, key: ExchangeKey, now: Moment) {
        let exchange = &mut self.exchanges[key];
        if std::mem::replace(&mut exchange.replaced, true) {
            return;
        }
        let pool = exchange.pool;
        if let Some(spare) = self.pools[pool].take_spare() {
            self.report.spares += 1;
            self.queue(pool, spare, now);
        }
    }

    /// Decides the pools that nobody who is still awaited could change.
    pub(super) fn decide_pools(&mut self, now: Moment) {
        for id in self.pools.keys() {
            if !self.pools[id].take_changed() {
                continue;
            }
            let pool = &mut self.pools[id];
            let over = pool.is_over();
            if over && pool.how != Lookup::Stock && pool.valid() < POOL_SIZE {
                // Those it has found do not fill it: look again, thoroughly.
                pool.how = Lookup::Stock;
                pool.phase = Phase::Waiting;
            } else if over || (self.plan.finish == Finish::Decided && self.is_settled(id)) {
                self.pools[id].decided();
                self.cancel_queued(id, now);
            }
        }
    }

    /// Whether a pool is full, and no more peers that are closer than its
    /// farthest candidate are still awaited than the plan lets be missing.
    fn is_settled(&self, pool: PoolId) -> bool {
        let pool = &self.pools[pool];
        if pool.valid() < POOL_SIZE {
            return false;
        }
        let own = || pool.exchanges().iter().map(|key| &self.exchanges[*key]);
        let valid = own().filter(|exchange| exchange.valid());
        let mut valid: Vec<_> = valid.map(|exchange| exchange.distance).collect();
        valid.sort_unstable();
        let farthest = valid[POOL_SIZE - 1];
        let closer = own().filter(|exchange| !exchange.ended() && exchange.distance < farthest);
        closer.count() <= self.plan.substitutes
    }

    /// Asks nobody for a decided pool who has not been asked yet.
    fn cancel_queued(&mut self, id: PoolId, now: Moment) {
        let pool = &mut self.pools[id];
        let own = pool.exchanges().iter().copied();
        let cancelled: Vec<_> = own.filter(|key| self.exchanges[*key].waits()).collect();
        for key in &cancelled {
            let exchange = &mut self.exchanges[*key];
            // Dropped, so that its place in the queue is free.
            exchange.permit = None;
            exchange.state = State::Ended(End::Unneeded);
            pool.ended(false);
        }
        self.needs_no_dial(&cancelled, now);
    }
}
