//! One pool: the peers asked for one midpoint, and whether they make it full.

use std::collections::VecDeque;

use ant_pacing::{Moment, Peer};

use crate::{
    Counts, FoundPeer, FullPool, Lookup, POOL_SIZE, PoolFailure, PoolId,
    exchange::{End, Exchange, State},
};

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
    pub(crate) spares: VecDeque<FoundPeer>,
    /// Keys of its exchanges.
    pub(crate) exchanges: Vec<u64>,
    /// How many of them gave a valid candidate.
    pub(crate) valid: usize,
    /// Whether anything has happened that may decide it.
    pub(crate) changed: bool,
    /// How many of them have not ended.
    pub(crate) open: usize,
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
            changed: false,
            open: 0,
        }
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
                State::Ended(End::Silent) | State::Queued | State::Out | State::Checking(_) => {
                    counts.silent.push(peer);
                }
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
