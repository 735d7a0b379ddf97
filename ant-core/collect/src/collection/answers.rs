//! What an answer means: it may teach about its peer, end its exchange, have its
//! candidate checked, or be too late.

use ant_pacing::{Moment, Outcome};

use super::state::Collection;
use crate::{
    Answer, Command, Dialect, RequestKey,
    parts::{End, ExchangeKey, Phase, RequestPhase, State},
};

impl<C> Collection<C> {
    pub(super) fn answered(&mut self, request: RequestKey, answer: Answer, now: Moment) {
        let Some(of) = self.requests.get(request) else {
            return;
        };
        let (key, peer) = (of.exchange, of.peer);
        let versioned = of.dialect == Dialect::Versioned;
        self.peers.answered(peer);
        if versioned {
            self.peers.answered_versioned(peer);
        }
        if let Answer::SettlementRefused { minimum } = answer {
            self.peers.settlement_refused(peer, minimum);
        }
        let was = self.over(request);
        let in_time = was.is_some();
        // It was quicker than the word that its request is out.
        if let Some(RequestPhase::Sending { .. }) = was.map(|request| request.phase) {
            self.connected(peer, now);
        }
        let exchange = &mut self.exchanges[key];
        let silent_before = exchange.any_silent();
        let repeated = exchange
            .attempt(request)
            .is_some_and(|attempt| std::mem::replace(&mut attempt.answered, true));
        if !in_time {
            // It is not used, but counted, and what its silence proved about loss
            // is undone. A peer that repeats itself is counted once.
            self.report.late += u64::from(!repeated);
            return;
        }
        self.report.answered += 1;
        // A refusal proves nothing about the form.
        if !versioned && silent_before && answer == Answer::Candidate {
            self.peers.seemed_old(peer);
        }
        self.slowness.answered(key, now);
        if versioned {
            self.became_known(peer, now);
        }
        self.forget_others(key);
        match answer {
            Answer::Candidate => self.candidate(key, request, now),
            Answer::SettlementRefused { minimum } => {
                let why = format!("settlement version {minimum} or later needed");
                self.end(key, Outcome::Refused, End::Refused(why), now);
            }
            Answer::Declined(why) => {
                self.end(key, Outcome::Refused, End::Refused(why), now);
            }
        }
    }

    /// A candidate came in time. It is checked if its pool may need it.
    fn candidate(&mut self, key: ExchangeKey, request: RequestKey, now: Moment) {
        let exchange = &mut self.exchanges[key];
        if self.pools[exchange.pool].phase == Phase::Decided {
            self.end(key, Outcome::Answered, End::Unneeded, now);
        } else {
            exchange.state = State::Checking(request);
            self.commands.push_back(Command::Check { request });
            self.release(key, Outcome::Answered, now);
        }
    }

    /// The first answer wins: what else the exchange has outstanding is over, and
    /// its answers will be late.
    fn forget_others(&mut self, key: ExchangeKey) {
        let exchange = &self.exchanges[key];
        if exchange.out > 0 {
            let requests: Vec<_> = exchange.attempts.iter().map(|a| a.request).collect();
            for request in requests {
                self.over(request);
            }
        }
    }

    pub(super) fn checked(&mut self, request: RequestKey, result: Result<C, String>, now: Moment) {
        let Some(of) = self.requests.get(request) else {
            return;
        };
        let exchange = &mut self.exchanges[of.exchange];
        // A shell that checks more than it was told to is not listened to.
        if !matches!(exchange.state, State::Checking(awaited) if awaited == request) {
            return;
        }
        exchange.state = State::Ended(match result {
            Ok(candidate) => End::Valid(candidate),
            Err(why) => End::Invalid(why),
        });
        let valid = exchange.valid();
        self.pools[exchange.pool].ended(valid);
        self.replace_failed(of.exchange, now);
    }
}
