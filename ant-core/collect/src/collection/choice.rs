//! Whom a pool asks: the closest first, spares in place of those that fail or
//! are slow; and when it needs nobody any more.

use std::time::Duration;

use ant_pacing::{Moment, Peer};

use super::{Collection, RequestPhase};
use crate::{
    Dialect, Finish, Known, Lookup, POOL_SIZE, PoolId,
    exchange::{End, State},
    pool::Phase,
};

/// From so many answers on, a tree knows how long its answers take: half of what
/// its first pool needs.
const ANSWERS_KNOWN: usize = POOL_SIZE / 2;

/// A peer is slow when it has taken so many times what nine of ten answers of
/// its tree took. Twice the ninth decile is beyond nearly all answers of peers
/// that are merely far away.
const SLOW_TIMES: u32 = 2;

/// Nobody is slow before this: on a quick network the moods of a busy host are
/// longer than any answer's way.
const SLOW_AT_LEAST: Duration = Duration::from_millis(250);

/// How often one request is repeated at most: where one answer in twenty is lost,
/// one exchange in 160,000 stays without any.
const REASKS_EACH: usize = 3;

impl<C> Collection<C> {
    /// An exchange's request leaves, and is awaited from now on. A retry does not
    /// start its time anew.
    pub(super) fn awaits(&mut self, key: u64, now: Moment) {
        if let Some(exchange) = self.exchanges.get_mut(key)
            && exchange.awaited.is_none()
        {
            exchange.awaited = Some(now);
            self.awaited.insert((now, key));
        }
    }

    /// An exchange's request is out. How long it took to send, dialling included,
    /// is no part of how long its answer takes.
    pub(super) fn await_answer(&mut self, key: u64, now: Moment) {
        let retried = self.exchanges.get(key).is_none_or(|e| e.attempts.len() > 1);
        if retried {
            return;
        }
        self.no_longer_awaited(key);
        self.awaits(key, now);
    }

    /// Since when it was.
    pub(super) fn no_longer_awaited(&mut self, key: u64) -> Option<Moment> {
        let since = self.exchanges.get_mut(key)?.awaited.take()?;
        self.awaited.remove(&(since, key));
        Some(since)
    }

    /// An exchange's answer has come: what that teaches of the others.
    pub(super) fn answer_took(&mut self, key: u64, now: Moment) {
        if let Some(since) = self.no_longer_awaited(key) {
            let took = now.since(since);
            let at = self.answer_times.partition_point(|other| *other < took);
            self.answer_times.insert(at, took);
        }
    }

    /// How long an answer may take before its peer counts as slow, once that can
    /// be known.
    fn slow_after(&self) -> Option<Duration> {
        let known = self.answer_times.len();
        let ninth_decile = *self.answer_times.get(known * 9 / 10)?;
        (known >= ANSWERS_KNOWN).then(|| (ninth_decile * SLOW_TIMES).max(SLOW_AT_LEAST))
    }

    /// When the next peer will count as slow.
    pub(super) fn next_slow(&self) -> Option<Moment> {
        let (since, _) = self.awaited.first()?;
        Some(*since + self.slow_after()?)
    }

    /// Asks peers that are slow again, and spares in their place if that does not
    /// help at once.
    pub(super) fn replace_slow(&mut self, now: Moment) {
        while let Some(at) = self.next_slow()
            && at <= now
            && let Some((_, key)) = self.awaited.first().copied()
        {
            self.no_longer_awaited(key);
            let Some(exchange) = self.exchanges.get(key) else {
                return;
            };
            let (peer, first) = (exchange.peer, exchange.attempts.len() == 1);
            if self.ask_again(key, now) {
                if !first {
                    self.replace(key, now);
                }
                continue;
            }
            let Some(exchange) = self.exchanges.get(key) else {
                return;
            };
            if let Some(permit) = &exchange.permit {
                permit.slow(now);
            }
            if self.memory.known(peer) == Known::Nothing {
                self.slow_unknown.push((peer, key));
            }
            self.replace(key, now);
        }
    }

    /// A peer has shown that it speaks the versioned form: what it has left
    /// unanswered so far is probably lost.
    pub(super) fn became_known(&mut self, peer: Peer, now: Moment) {
        let of_it = |(slow, _): &mut (Peer, u64)| *slow == peer;
        let keys: Vec<_> = self.slow_unknown.extract_if(.., of_it).collect();
        for (_, key) in keys {
            self.ask_again(key, now);
        }
    }

    /// Asks a spare in place of a peer that has failed.
    pub(super) fn replace_failed(&mut self, key: u64, now: Moment) {
        let failed = self.exchanges.get(key).is_some_and(|exchange| {
            let fine = matches!(exchange.state, State::Ended(End::Valid(_) | End::Unneeded));
            exchange.ended() && !fine
        });
        if failed {
            self.replace(key, now);
        }
    }

    /// The first answer wins: what else the exchange has outstanding is over, and
    /// its answers will be late.
    pub(super) fn forget_others(&mut self, key: u64) {
        let Some(exchange) = self.exchanges.get(key).filter(|e| e.out > 0) else {
            return;
        };
        let requests: Vec<_> = exchange.attempts.iter().map(|a| a.request).collect();
        for request in requests {
            self.over(request);
        }
    }

    /// Repeats a slow peer's request in the versioned form, if it is known to
    /// speak that and the budget lasts; whether it did.
    fn ask_again(&mut self, key: u64, now: Moment) -> bool {
        let again = self.exchanges.get(key).is_some_and(|exchange| {
            let last = exchange.attempts.last();
            let last = last.and_then(|attempt| self.requests.get(attempt.request.0));
            let sent = last.is_some_and(|request| {
                request.dialect == Dialect::Versioned
                    && matches!(request.phase, RequestPhase::Waiting { .. })
            });
            sent && exchange.attempts.len() <= REASKS_EACH
                && matches!(exchange.state, State::Out)
                && self.memory.known(exchange.peer) == Known::Versioned
        });
        if !again || self.report.reasks >= u64::from(self.plan.reasks) {
            return false;
        }
        self.report.reasks += 1;
        self.start_request(key, Dialect::Versioned, now);
        true
    }

    fn replace(&mut self, key: u64, now: Moment) {
        let Some(exchange) = self.exchanges.get_mut(key).filter(|e| !e.replaced) else {
            return;
        };
        exchange.replaced = true;
        let pool = exchange.pool;
        let asking = |pool: &&mut crate::pool::Pool| pool.phase == Phase::Asking;
        let spare = self
            .pools
            .get_mut(pool.0)
            .filter(asking)
            .and_then(|pool| pool.spares.pop_front());
        if let Some(spare) = spare {
            self.report.spares += 1;
            self.queue(pool, spare, now);
        }
    }

    /// Decides the pools that nobody who is still awaited could change.
    pub(super) fn decide_pools(&mut self) {
        for at in 0..self.pools.len() {
            let pool = &mut self.pools[at];
            let changed = std::mem::take(&mut pool.changed);
            if !changed || pool.phase != Phase::Asking {
                continue;
            }
            let pool = &self.pools[at];
            if pool.open == 0 && pool.how != Lookup::Stock && pool.valid < POOL_SIZE {
                // Those it has found do not fill it: look again, thoroughly.
                self.pools[at].how = Lookup::Stock;
                self.pools[at].phase = Phase::Waiting;
            } else if pool.open == 0 || (self.plan.finish == Finish::Decided && self.is_settled(at))
            {
                self.pools[at].phase = Phase::Decided;
                self.cancel_queued(PoolId(at));
            }
        }
    }

    /// Whether a pool is full and at most so many peers are closer than its
    /// farthest and still awaited as may be missing.
    fn is_settled(&self, pool: usize) -> bool {
        let pool = &self.pools[pool];
        if pool.valid < POOL_SIZE {
            return false;
        }
        let own = || {
            pool.exchanges
                .iter()
                .filter_map(|key| self.exchanges.get(*key))
        };
        let valid = own().filter(|exchange| exchange.valid());
        let mut valid: Vec<_> = valid.map(|exchange| exchange.distance).collect();
        valid.sort_unstable();
        let farthest = valid[POOL_SIZE - 1];
        let closer = own().filter(|exchange| !exchange.ended() && exchange.distance < farthest);
        closer.count() <= self.plan.substitutes
    }

    /// Asks nobody for a decided pool who has not been asked yet.
    fn cancel_queued(&mut self, pool: PoolId) {
        let Some(pool) = self.pools.get_mut(pool.0) else {
            return;
        };
        pool.spares.clear();
        for key in &pool.exchanges {
            if let Some(exchange) = self.exchanges.get_mut(*key)
                && matches!(exchange.state, State::Queued)
            {
                // Dropped, so that its place in the queue is free.
                exchange.permit = None;
                exchange.state = State::Ended(End::Unneeded);
                pool.open -= 1;
                self.dials.ended(*key);
            }
        }
    }
}
