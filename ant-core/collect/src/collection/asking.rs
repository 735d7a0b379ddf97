//! Asking: an exchange queues, its requests are sent, one that fails or is not
//! answered is tried again in the legacy form, and the exchange ends.

use ant_pacing::{Moment, Outcome};

use super::state::Collection;
use crate::{
    Command, Dialect, FoundPeer, PoolId, RequestKey,
    memory::Known,
    parts::{Attempt, End, Exchange, ExchangeKey, Phase, Request, RequestPhase, State},
};

/// How many dials an exchange waits for before it gives up, as many as it would
/// have sent requests itself: the versioned one and the retry.
const DIALS_EACH: usize = 2;

impl<C> Collection<C> {
    /// Starts an exchange: it is asked when its turn comes.
    pub(super) fn queue(&mut self, pool: PoolId, found: FoundPeer, now: Moment) {
        let of = &mut self.pools[pool];
        let key = self.exchanges.push(Exchange::new(pool, &of.target, found));
        of.add(key);
        self.proceed(key, now);
    }

    /// Makes an exchange's first attempt, or its retry.
    pub(super) fn start_attempt(&mut self, key: ExchangeKey, now: Moment) {
        let exchange = &self.exchanges[key];
        let first = exchange.attempts.is_empty();
        let dialect = if first && self.peers.known(exchange.peer) != Known::LegacyOnly {
            Dialect::Versioned
        } else {
            Dialect::Legacy
        };
        self.report.legacy_retries += u64::from(!first);
        self.start_request(key, dialect, now);
    }

    /// Asks in this form, beside what the exchange may have outstanding.
    pub(super) fn start_request(&mut self, key: ExchangeKey, dialect: Dialect, now: Moment) {
        let exchange = &mut self.exchanges[key];
        debug_assert!(!exchange.ended(), "{key:?} has ended and asks");
        let until = now + self.plan.send_timeout;
        let request = self.requests.start(key, exchange.peer, dialect, until);
        exchange.attempts.push(Attempt {
            request,
            knew_versioned: self.peers.known(exchange.peer) == Known::Versioned,
            timed_out: false,
            answered: false,
        });
        exchange.state = State::Out;
        exchange.out += 1;
        let peer = exchange.peer;
        self.commands.push_back(Command::Send {
            request,
            pool: exchange.pool,
            peer,
            dialect,
        });
        self.report.requests += 1;
        let in_flight = self.requests.in_flight();
        self.report.peak_in_flight = self.report.peak_in_flight.max(in_flight);
        self.slowness.awaits(key, now);
        self.dialled(key, peer, now);
    }

    pub(super) fn sent(&mut self, request: RequestKey, now: Moment) {
        let Some(of) = self.requests.get(request) else {
            return;
        };
        let limit = match of.dialect {
            Dialect::Versioned => self.plan.request_timeout.min(self.plan.probe_ceiling),
            Dialect::Legacy => self.plan.request_timeout,
        };
        self.connected(of.peer, now);
        // Over: it was answered before the shell said so, or sent too late.
        if !self.requests.sent(request, now + limit) {
            return;
        }
        // The time that sending took, dialling included, does not count as time
        // that the answer took.
        if self.exchanges[of.exchange].attempts.len() == 1 {
            self.slowness.forget(of.exchange);
            self.slowness.awaits(of.exchange, now);
        }
    }

    /// Ends a request and returns what it was; `None` if it was over already.
    pub(super) fn over(&mut self, request: RequestKey) -> Option<Request> {
        let was = self.requests.end(request)?;
        self.exchanges[was.exchange].out -= 1;
        Some(was)
    }

    pub(super) fn timed_out(&mut self, request: RequestKey, now: Moment) {
        let Some(was) = self.over(request) else {
            debug_assert!(false, "{request:?} is over and times out");
            return;
        };
        if let Some(attempt) = self.exchanges[was.exchange].attempt(request) {
            attempt.timed_out = true;
        }
        self.retry_or(was, End::Silent, now);
    }

    /// An attempt that says nothing about the peer: it never got there, or its
    /// connection broke.
    pub(super) fn attempt_failed(&mut self, request: RequestKey, reason: &str, now: Moment) {
        if self.requests.get(request).is_none() {
            return;
        }
        // It may be over: a send that took too long fails in the end.
        let Some(was) = self.over(request) else {
            return;
        };
        let end = || End::Unsent(reason.to_owned());
        if let RequestPhase::Sending { .. } = was.phase {
            let sharing = self.not_sent(was.exchange, was.peer, now);
            self.retry_or(was, end(), now);
            for key in sharing {
                self.dial_failed(key, end(), now);
            }
        } else {
            self.retry_or(was, end(), now);
        }
    }

    /// The dial that an exchange waited for has failed, as if it had been its own
    /// request: it waits for another one, or ends.
    fn dial_failed(&mut self, key: ExchangeKey, end: End<C>, now: Moment) {
        let exchange = &mut self.exchanges[key];
        debug_assert!(exchange.waits(), "{key:?} waits for no dial");
        exchange.failed_dials += 1;
        let again = exchange.attempts.is_empty() && exchange.failed_dials < DIALS_EACH;
        if again && self.pools[exchange.pool].phase != Phase::Decided {
            self.proceed(key, now);
        } else {
            self.give_up(key, end, now);
        }
    }

    /// Retries in the legacy form if the versioned one failed, else ends the
    /// exchange.
    fn retry_or(&mut self, failed: Request, end: End<C>, now: Moment) {
        let key = failed.exchange;
        let exchange = &self.exchanges[key];
        // Its other request may still be answered.
        if exchange.out > 0 {
            return;
        }
        let needed = self.pools[exchange.pool].phase != Phase::Decided;
        if failed.dialect == Dialect::Versioned && needed {
            self.proceed(key, now);
        } else {
            self.give_up(key, end, now);
        }
    }

    /// Ends an exchange whose requests have all failed: as silent if any of them
    /// had its time, else with `unsent`.
    fn give_up(&mut self, key: ExchangeKey, unsent: End<C>, now: Moment) {
        let exchange = &self.exchanges[key];
        if exchange.any_timed_out() {
            let end = if exchange.any_answered() {
                End::Late
            } else {
                End::Silent
            };
            self.end(key, Outcome::Silent, end, now);
        } else {
            self.end(key, Outcome::Unsent, unsent, now);
        }
    }

    /// Gives an exchange's slot back and tells the strategy how it went.
    pub(super) fn release(&mut self, key: ExchangeKey, outcome: Outcome, now: Moment) {
        let exchange = &mut self.exchanges[key];
        if let Some(permit) = exchange.permit.take() {
            permit.finish(outcome, exchange.evidence(), now);
        }
    }

    /// Ends an exchange, and asks a spare in its place if it has failed.
    pub(super) fn end(&mut self, key: ExchangeKey, outcome: Outcome, end: End<C>, now: Moment) {
        self.release(key, outcome, now);
        let exchange = &mut self.exchanges[key];
        debug_assert!(!exchange.ended(), "{key:?} ends twice");
        exchange.state = State::Ended(end);
        self.pools[exchange.pool].ended(false);
        self.slowness.forget(key);
        self.replace_failed(key, now);
    }
}
