//! Asking: an exchange queues, its requests are sent, one that fails or is not
//! answered is tried again in the legacy form, and the exchange ends.

use ant_pacing::{Moment, Outcome, Peer};

use super::state::Collection;
use crate::{
    Command, Dialect, FoundPeer, Known, PoolId, RequestKey,
    parts::{Attempt, End, Exchange, ExchangeKey, Phase, Request, State},
};

impl<C> Collection<C> {
    /// Starts an exchange: it is asked when its turn comes.
    pub(super) fn queue(&mut self, pool: PoolId, found: FoundPeer, now: Moment) {
        let of = &mut self.pools[pool];
        let key = self.exchanges.push(Exchange::new(pool, &of.target, found));
        of.add(key);
        self.dials.wait(key);
        self.start_dials(now);
    }

    /// Has an exchange wait for its slot.
    fn enqueue(&mut self, key: ExchangeKey, now: Moment) {
        let exchange = &mut self.exchanges[key];
        exchange.permit = Some(self.gate.wait(&exchange.request(), key, now));
    }

    /// Lets exchanges queue whose peers are connected, or whose turn it is to
    /// dial.
    pub(super) fn start_dials(&mut self, now: Moment) {
        for key in self.dials.take_waiting() {
            let exchange = &self.exchanges[key];
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
        self.commands.push_back(Command::Send {
            request,
            pool: exchange.pool,
            peer: exchange.peer,
            dialect,
        });
        self.report.requests += 1;
        let in_flight = self.requests.in_flight();
        self.report.peak_in_flight = self.report.peak_in_flight.max(in_flight);
        self.slowness.awaits(key, now);
    }

    pub(super) fn sent(&mut self, request: RequestKey, now: Moment) {
        let Some(of) = self.requests.get(request) else {
            return;
        };
        let limit = match of.dialect {
            Dialect::Versioned => self.plan.request_timeout.min(self.plan.probe_ceiling),
            Dialect::Legacy => self.plan.request_timeout,
        };
        // Over: it was answered before the shell said so, or sent too late.
        if !self.requests.sent(request, now + limit) {
            return;
        }
        self.dials.is_connected(of.peer);
        self.dials.ended(of.exchange);
        // How long it took to send, dialling included, is no part of how long
        // its answer takes.
        if self.exchanges[of.exchange].attempts.len() == 1 {
            self.slowness.forget(of.exchange);
            self.slowness.awaits(of.exchange, now);
        }
    }

    /// Ends a request and returns what it was; `None` if it was over already.
    pub(super) fn over(&mut self, request: RequestKey) -> Option<Request> {
        let was = self.requests.end(request)?;
        self.dials.ended(was.exchange);
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
    pub(super) fn attempt_failed(&mut self, request: RequestKey, reason: String, now: Moment) {
        if self.requests.get(request).is_none() {
            return;
        }
        // It may be over: a send that took too long fails in the end.
        if let Some(was) = self.over(request) {
            self.retry_or(was, End::Unsent(reason), now);
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
            self.start_attempt(key, now);
        } else if exchange.any_timed_out() {
            let end = if exchange.any_answered() {
                End::Late
            } else {
                End::Silent
            };
            self.end(key, Outcome::Silent, end, now);
        } else {
            self.end(key, Outcome::Unsent, end, now);
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

    /// Takes note that a peer's last connection has ended, and with it the
    /// answers it owes.
    pub(super) fn disconnected(&mut self, peer: Peer, now: Moment) {
        self.dials.disconnected(peer);
        for request in self.requests.awaited_from(peer) {
            self.attempt_failed(request, "disconnected before it answered".to_owned(), now);
        }
    }
}
