//! The requests of a collection: how far each is, when its time runs out, and
//! how many are in flight.

use std::collections::{BTreeMap, BTreeSet};

use ant_pacing::{Moment, Peer};

use super::{
    exchange::ExchangeKey,
    table::{Key, Table},
};
use crate::{Dialect, RequestKey};

impl Key for RequestKey {
    fn new(number: usize) -> Self {
        Self(number as u64)
    }

    fn number(self) -> usize {
        // A shell may hand in any number; one that is too large names nothing.
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// One request, kept after its end so that a late answer finds its exchange.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) exchange: ExchangeKey,
    pub(crate) peer: Peer,
    pub(crate) dialect: Dialect,
    pub(crate) phase: RequestPhase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestPhase {
    Sending { deadline: Moment },
    Waiting { deadline: Moment },
    Over,
}

/// All requests of a collection.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    table: Table<RequestKey, Request>,
    /// Requests whose time runs.
    deadlines: BTreeSet<(Moment, RequestKey)>,
    /// Requests that wait for an answer, by whose.
    waiting: BTreeMap<Peer, BTreeSet<RequestKey>>,
    in_flight: u32,
}

impl Requests {
    /// Starts a request that must have been sent by `deadline`.
    pub(crate) fn start(
        &mut self,
        exchange: ExchangeKey,
        peer: Peer,
        dialect: Dialect,
        deadline: Moment,
    ) -> RequestKey {
        let key = self.table.push(Request {
            exchange,
            peer,
            dialect,
            phase: RequestPhase::Sending { deadline },
        });
        self.deadlines.insert((deadline, key));
        self.in_flight += 1;
        key
    }

    /// Returns the request that an event names. There is none if the shell names
    /// one that it was never given.
    pub(crate) fn get(&self, key: RequestKey) -> Option<Request> {
        let request = self.table.get(key).copied();
        debug_assert!(request.is_some(), "an event of {key:?}, which is unknown");
        request
    }

    /// Notes that a request has been sent and must be answered by `deadline`.
    /// Does nothing and returns false if it is not being sent.
    pub(crate) fn sent(&mut self, key: RequestKey, deadline: Moment) -> bool {
        let request = &mut self.table[key];
        let RequestPhase::Sending { deadline: until } = request.phase else {
            return false;
        };
        request.phase = RequestPhase::Waiting { deadline };
        self.deadlines.remove(&(until, key));
        self.deadlines.insert((deadline, key));
        self.waiting.entry(request.peer).or_default().insert(key);
        true
    }

    /// Ends a request and returns what it was; `None` if it was over already.
    pub(crate) fn end(&mut self, key: RequestKey) -> Option<Request> {
        let was = self.table[key];
        match was.phase {
            RequestPhase::Over => return None,
            RequestPhase::Sending { deadline } => self.deadlines.remove(&(deadline, key)),
            RequestPhase::Waiting { deadline } => {
                if let Some(waiting) = self.waiting.get_mut(&was.peer) {
                    waiting.remove(&key);
                }
                self.deadlines.remove(&(deadline, key))
            }
        };
        self.table[key].phase = RequestPhase::Over;
        debug_assert!(self.in_flight > 0, "more requests end than started");
        self.in_flight -= 1;
        Some(was)
    }

    /// Returns the next request whose time has run out.
    pub(crate) fn overdue(&self, now: Moment) -> Option<(RequestKey, RequestPhase)> {
        let (_, key) = self.deadlines.first().filter(|(at, _)| *at <= now)?;
        Some((*key, self.table[*key].phase))
    }

    pub(crate) fn next_deadline(&self) -> Option<Moment> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// Returns the requests that wait for an answer of this peer, the first sent
    /// first.
    pub(crate) fn awaited_from(&self, peer: Peer) -> Vec<RequestKey> {
        let waiting = self.waiting.get(&peer);
        waiting.into_iter().flatten().copied().collect()
    }

    /// How many are being sent or wait for an answer.
    pub(crate) const fn in_flight(&self) -> u32 {
        self.in_flight
    }
}
