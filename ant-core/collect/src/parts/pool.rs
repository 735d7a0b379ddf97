//! One pool: the peers asked for one midpoint, and whether they make it full.

use std::collections::VecDeque;

use ant_pacing::{Moment, Peer};

use super::{
    exchange::{End, Exchange, ExchangeKey, State},
    table::Key,
};
use crate::{Counts, FoundPeer, FullPool, Lookup, POOL_SIZE, PoolFailure, PoolId};

impl Key for PoolId {
    fn new(number: usize) -> Self {
        Self(number)
    }

    fn number(self) -> usize {
        self.0
    }
}

#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) target: [u8; 32],
    pub(crate) phase: Phase,
    /// How its peers are, or were last, looked up.
    pub(crate) how: Lookup,
    /// Why its lookup failed, if it did.
    pub(crate) lookup_error: Option<String>,
    /// What one of two lookups found, too few to be asked while the other runs.
    pub(crate) found: Vec<FoundPeer>,
    /// Found and not asked yet, the closest first.
    spares: VecDeque<FoundPeer>,
    exchanges: Vec<ExchangeKey>,
    /// How many of them gave a valid candidate.
    valid: usize,
    /// How many of them have not ended.
    open: usize,
    /// Whether anything has happened that may decide it.
    changed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Its lookup has not started.
    Waiting,
    /// Its lookup runs.
    LookingUp { since: Moment, hedged: bool },
    /// Its peers are being asked.
    Asking,
    /// Nobody who is still awaited counts.
    Decided,
}

impl Pool {
    pub(crate) const fn new(target: [u8; 32], how: Lookup) -> Self {
        Self {
            target,
            how,
            phase: Phase::Waiting,
            lookup_error: None,
            found: Vec::new(),
            spares: VecDeque::new(),
            exchanges: Vec::new(),
            valid: 0,
            open: 0,
            changed: false,
        }
    }

    /// The exchanges with its peers, in the order of being asked.
    pub(crate) fn exchanges(&self) -> &[ExchangeKey] {
        &self.exchanges
    }

    /// How many valid candidates it has.
    pub(crate) const fn valid(&self) -> usize {
        self.valid
    }

    /// Whether all its exchanges have ended.
    pub(crate) const fn is_over(&self) -> bool {
        self.open == 0
    }

    /// Asks those who were found; the spares wait until somebody fails or is
    /// slow.
    pub(crate) fn found(&mut self, spares: Vec<FoundPeer>) {
        self.spares = spares.into();
        self.changed = true;
    }

    /// Adds an exchange.
    pub(crate) fn add(&mut self, key: ExchangeKey) {
        self.exchanges.push(key);
        self.open += 1;
    }

    /// Notes that one of its exchanges has ended, with a valid candidate or not.
    pub(crate) fn ended(&mut self, valid: bool) {
        debug_assert!(self.open > 0, "more exchanges end than were added");
        self.open -= 1;
        self.valid += usize::from(valid);
        self.changed = true;
    }

    /// Returns the closest spare, while others are being asked.
    pub(crate) fn take_spare(&mut self) -> Option<FoundPeer> {
        if self.phase == Phase::Asking {
            self.spares.pop_front()
        } else {
            None
        }
    }

    /// Whether something has happened since this was last asked that may decide
    /// a pool whose peers are being asked.
    pub(crate) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed) && self.phase == Phase::Asking
    }

    /// Decides it: nobody else is asked.
    pub(crate) fn decided(&mut self) {
        self.phase = Phase::Decided;
        self.spares.clear();
    }

    /// Takes the valid candidates out of this pool's exchanges and keeps the
    /// closest 16, or says why there are fewer.
    pub(crate) fn decide<C>(
        &self,
        id: PoolId,
        of: usize,
        exchanges: Vec<Exchange<C>>,
    ) -> Result<FullPool<C>, PoolFailure> {
        let mut counts = Counts {
            asked: exchanges.len(),
            ..Counts::default()
        };
        let mut valid: Vec<(Peer, C)> = Vec::new();
        for exchange in exchanges {
            let peer = exchange.peer;
            match exchange.state {
                State::Ended(End::Valid(candidate)) => valid.push((peer, candidate)),
                State::Ended(End::Invalid(why)) => counts.invalid.push((peer, why)),
                State::Ended(End::Refused(why)) => counts.refused.push((peer, why)),
                State::Ended(End::Unsent(why)) => counts.unsent.push((peer, why)),
                State::Ended(End::Late) => counts.late.push(peer),
                // Asked for a pool that was full before it came.
                State::Ended(End::Unneeded) => {}
                // Not ended: the pool was decided without it, or the collection
                // was cut by a refusal, and a pool of it is not asked for.
                State::Ended(End::Silent)
                | State::Unconnected
                | State::Queued
                | State::Out
                | State::Checking(_) => counts.silent.push(peer),
            }
        }
        counts.valid = valid.len();
        if valid.len() < POOL_SIZE {
            return Err(PoolFailure {
                pool: id,
                of,
                lookup: self.lookup_error.clone(),
                counts,
            });
        }
        valid.sort_by_key(|(peer, _)| peer.distance(&self.target));
        valid.truncate(POOL_SIZE);
        Ok(FullPool { candidates: valid })
    }
}
