//! The attempts of exchanges: sending, waiting, asking again in the legacy form,
//! and what an answer, a silence or a broken connection means.

use ant_pacing::{Moment, Outcome, Peer};

use super::Collection;
use crate::{
    Answer, Command, Dialect, Known, PoolId, RequestKey,
    exchange::{Attempt, End, Exchange, State},
    pool::Phase,
};

/// One request, kept after its end so that a late answer finds its exchange.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestState {
    pub(super) exchange: u64,
    peer: Peer,
    pub(super) dialect: Dialect,
    pub(super) phase: RequestPhase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestPhase {
    Sending { deadline: Moment },
    Waiting { deadline: Moment },
    Over,
}

impl<C> Collection<C> {
    /// The gate let this exchange go: its first attempt, or its retry.
    pub(super) fn start_attempt(&mut self, key: u64, now: Moment) {
        let Some(exchange) = self.exchanges.get_mut(key) else {
            return;
        };
        let known = self.memory.known(exchange.peer);
        let first = exchange.attempts.is_empty();
        let dialect = if first && known != Known::LegacyOnly {
            Dialect::Versioned
        } else {
            Dialect::Legacy
        };
        self.report.legacy_retries += u64::from(!first);
        self.start_request(key, dialect, now);
    }

    /// Asks in this form, beside what the exchange may have outstanding.
    pub(super) fn start_request(&mut self, key: u64, dialect: Dialect, now: Moment) {
        let Some(exchange) = self.exchanges.get_mut(key) else {
            return;
        };
        let known = self.memory.known(exchange.peer);
        let request = RequestKey(self.requests.next());
        exchange.attempts.push(Attempt {
            request,
            knew_versioned: known == Known::Versioned,
            timed_out: false,
            answered: false,
        });
        exchange.state = State::Out;
        exchange.out += 1;
        let deadline = now + self.plan.send_timeout;
        self.deadlines.insert((deadline, request));
        self.requests.push(RequestState {
            exchange: key,
            peer: exchange.peer,
            dialect,
            phase: RequestPhase::Sending { deadline },
        });
        self.commands.push_back(Command::Send {
            request,
            pool: exchange.pool,
            peer: exchange.peer,
            dialect,
        });
        self.in_flight += 1;
        self.report.requests += 1;
        self.report.peak_in_flight = self.report.peak_in_flight.max(self.in_flight);
        self.awaits(key, now);
    }

    pub(super) fn sent(&mut self, request: RequestKey, now: Moment) {
        let Some(state) = self.requests.get_mut(request.0) else {
            return;
        };
        let RequestPhase::Sending { deadline } = state.phase else {
            return;
        };
        let limit = match state.dialect {
            Dialect::Versioned => self.plan.request_timeout.min(self.plan.probe_ceiling),
            Dialect::Legacy => self.plan.request_timeout,
        };
        self.deadlines.remove(&(deadline, request));
        let deadline = now + limit;
        let exchange = state.exchange;
        state.phase = RequestPhase::Waiting { deadline };
        self.deadlines.insert((deadline, request));
        self.dials.is_connected(state.peer);
        self.dials.ended(exchange);
        self.await_answer(exchange, now);
    }

    /// Marks a request as over; whether it was not already.
    pub(super) fn over(&mut self, request: RequestKey) -> Option<RequestState> {
        let state = self.requests.get_mut(request.0)?;
        let (RequestPhase::Sending { deadline } | RequestPhase::Waiting { deadline }) = state.phase
        else {
            return None;
        };
        state.phase = RequestPhase::Over;
        let state = *state;
        self.deadlines.remove(&(deadline, request));
        self.dials.ended(state.exchange);
        self.in_flight -= 1;
        if let Some(exchange) = self.exchanges.get_mut(state.exchange) {
            exchange.out -= 1;
        }
        Some(state)
    }

    pub(super) fn timed_out(&mut self, request: RequestKey, now: Moment) {
        let Some(state) = self.over(request) else {
            return;
        };
        if let Some(exchange) = self.exchanges.get_mut(state.exchange)
            && let Some(attempt) = exchange.attempt(request)
        {
            attempt.timed_out = true;
        }
        self.retry_or(state, End::Silent, now);
    }

    /// An attempt that says nothing about the peer: it never got there, or its
    /// connection broke.
    pub(super) fn attempt_failed(&mut self, request: RequestKey, reason: String, now: Moment) {
        let Some(state) = self.over(request) else {
            return;
        };
        self.retry_or(state, End::Unsent(reason), now);
    }

    /// Retries in the legacy form if the versioned one failed, else ends the
    /// exchange.
    pub(super) fn retry_or(&mut self, state: RequestState, end: End<C>, now: Moment) {
        let Some(exchange) = self.exchanges.get_mut(state.exchange) else {
            return;
        };
        // Its other request may still be answered.
        if exchange.out > 0 {
            return;
        }
        let needed = self
            .pools
            .get(exchange.pool.0)
            .is_some_and(|pool| pool.phase != Phase::Decided);
        if state.dialect == Dialect::Versioned && needed {
            self.start_attempt(state.exchange, now);
        } else if exchange.any_timed_out() {
            let end = if exchange.any_answered() {
                End::Late
            } else {
                End::Silent
            };
            self.end(state.exchange, Outcome::Silent, end, now);
        } else {
            self.end(state.exchange, Outcome::Unsent, end, now);
        }
    }

    pub(super) fn answered(&mut self, request: RequestKey, answer: Answer, now: Moment) {
        let Some(state) = self.requests.get(request.0).copied() else {
            return;
        };
        self.answered_peers.insert(state.peer);
        if state.dialect == Dialect::Versioned {
            self.memory.answered_versioned(state.peer);
        }
        if let Answer::SettlementRefused { minimum } = answer {
            self.memory.settlement_refused(state.peer, minimum);
        }
        if self.over(request).is_none() {
            self.came_late(state, request);
            return;
        }
        self.report.answered += 1;
        let Some(exchange) = self.exchanges.get_mut(state.exchange) else {
            return;
        };
        let silent_before = exchange
            .attempts
            .iter()
            .any(|attempt| attempt.timed_out && !attempt.answered);
        if let Some(attempt) = exchange.attempt(request) {
            attempt.answered = true;
        }
        let decided = self
            .pools
            .get(exchange.pool.0)
            .is_some_and(|pool| pool.phase == Phase::Decided);
        // At most one piece of evidence a tree: one burst may lose a peer's
        // answers for several pools. A refusal is none.
        if state.dialect == Dialect::Legacy
            && silent_before
            && answer == Answer::Candidate
            && self.seemed_old.insert(state.peer)
        {
            self.memory.answered_legacy_only(state.peer);
        }
        self.answer_took(state.exchange, now);
        if state.dialect == Dialect::Versioned {
            self.became_known(state.peer, now);
        }
        self.forget_others(state.exchange);
        let Some(exchange) = self.exchanges.get_mut(state.exchange) else {
            return;
        };
        match answer {
            Answer::Candidate if decided => {
                self.end(state.exchange, Outcome::Answered, End::Unneeded, now);
            }
            Answer::Candidate => {
                exchange.state = State::Checking(request);
                self.release(state.exchange, Outcome::Answered, now);
            }
            Answer::SettlementRefused { minimum } => {
                let why = format!("settlement version {minimum} or later needed");
                self.end(state.exchange, Outcome::Refused, End::Refused(why), now);
            }
            Answer::Declined(why) => {
                self.end(state.exchange, Outcome::Refused, End::Refused(why), now);
            }
        }
    }

    /// An answer to a request that is over is not used, but it is counted, and
    /// what it proves about loss is undone.
    pub(super) fn came_late(&mut self, state: RequestState, request: RequestKey) {
        if let Some(exchange) = self.exchanges.get_mut(state.exchange)
            && let Some(attempt) = exchange.attempts.iter_mut().find(|a| a.request == request)
            // A peer that repeats itself is counted once.
            && !attempt.answered
        {
            attempt.answered = true;
            self.report.late += 1;
        }
    }

    pub(super) fn checked(&mut self, request: RequestKey, result: Result<C, String>, now: Moment) {
        let Some(state) = self.requests.get(request.0).copied() else {
            return;
        };
        let checking =
            |e: &&mut Exchange<C>| matches!(e.state, State::Checking(of) if of == request);
        let Some(exchange) = self.exchanges.get_mut(state.exchange).filter(checking) else {
            return;
        };
        exchange.state = State::Ended(match result {
            Ok(candidate) => End::Valid(candidate),
            Err(why) => End::Invalid(why),
        });
        let (pool, valid) = (exchange.pool, exchange.valid());
        if let Some(pool) = self.pools.get_mut(pool.0) {
            pool.valid += usize::from(valid);
        }
        self.one_less(pool);
        self.replace_failed(state.exchange, now);
    }

    pub(super) fn disconnected(&mut self, peer: Peer, now: Moment) {
        self.dials.disconnected(peer);
        let lost: Vec<_> = self
            .requests
            .iter()
            .filter(|(_, s)| s.peer == peer && matches!(s.phase, RequestPhase::Waiting { .. }))
            .map(|(key, _)| RequestKey(key))
            .collect();
        for request in lost {
            self.attempt_failed(request, "disconnected before it answered".to_owned(), now);
        }
    }

    /// Gives an exchange's slot back and tells the strategy how it went.
    pub(super) fn release(&mut self, key: u64, outcome: Outcome, now: Moment) {
        if let Some(exchange) = self.exchanges.get_mut(key)
            && let Some(permit) = exchange.permit.take()
        {
            permit.finish(outcome, exchange.evidence(), now);
        }
    }

    pub(super) fn end(&mut self, key: u64, outcome: Outcome, end: End<C>, now: Moment) {
        self.release(key, outcome, now);
        if let Some(exchange) = self.exchanges.get_mut(key)
            && !exchange.ended()
        {
            exchange.state = State::Ended(end);
            let pool = exchange.pool;
            self.one_less(pool);
            self.no_longer_awaited(key);
            self.replace_failed(key, now);
        }
    }

    pub(super) fn one_less(&mut self, pool: PoolId) {
        if let Some(pool) = self.pools.get_mut(pool.0) {
            pool.open -= 1;
            pool.changed = true;
        }
    }
}
