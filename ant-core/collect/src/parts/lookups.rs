//! The lookups of a collection: which run for which pool, and which of them
//! hang, by what the others of the tree took.

use std::{collections::BTreeMap, time::Duration};

use ant_pacing::Moment;

use super::{
    pool::{Phase, Pool},
    table::Table,
};
use crate::{Lookup, LookupKey, PoolId};

/// A lookup hangs when it has taken this many times what nine of ten lookups of
/// its kind took in its tree. Lookups differ less than answers do, each being the
/// slowest of many replies; and what hangs does so for the stack's own timeouts
/// of 10 to 25 s.
const HANGS_TIMES: u32 = 2;

/// No lookup hangs before this: a second one is dearer than a request.
const HANGS_AT_LEAST: Duration = Duration::from_millis(500);

/// All lookups of a collection.
#[derive(Debug, Default)]
pub(crate) struct Lookups {
    /// Lookups that their pools wait for.
    running: BTreeMap<LookupKey, PoolId>,
    next: u64,
    /// How long lookups of each kind took, shortest first.
    times: Vec<(Lookup, Vec<Duration>)>,
}

impl Lookups {
    /// Starts a lookup for this pool.
    pub(crate) fn start(&mut self, pool: PoolId) -> LookupKey {
        let key = LookupKey(self.next);
        self.next += 1;
        self.running.insert(key, pool);
        key
    }

    /// How many run.
    pub(crate) fn running(&self) -> usize {
        self.running.len()
    }

    /// Ends a lookup and returns the pool that waits for it. There is none if
    /// the pool's other lookup was enough.
    pub(crate) fn end(&mut self, key: LookupKey) -> Option<PoolId> {
        self.running.remove(&key)
    }

    /// Whether a lookup runs for this pool.
    pub(crate) fn any_for(&self, pool: PoolId) -> bool {
        self.running.values().any(|of| *of == pool)
    }

    /// Waits no longer for this pool's lookups. They go on, but keep no place.
    pub(crate) fn forget(&mut self, pool: PoolId) {
        self.running.retain(|_, of| *of != pool);
    }

    /// Learns how long a lookup of this kind took.
    pub(crate) fn took(&mut self, how: Lookup, took: Duration) {
        let of_kind = self.times.iter().position(|(of, _)| *of == how);
        let at = of_kind.unwrap_or_else(|| {
            self.times.push((how, Vec::new()));
            self.times.len() - 1
        });
        let (_, times) = &mut self.times[at];
        times.insert(times.partition_point(|other| *other < took), took);
    }

    /// How long a lookup of this kind may take before it hangs. Known once half
    /// as many have ended as the tree has pools.
    fn hangs_after(&self, how: Lookup, pools: usize) -> Option<Duration> {
        let (_, times) = self.times.iter().find(|(of, _)| *of == how)?;
        let known = times.len() >= pools.div_ceil(2);
        let ninth_decile = *times.get(times.len() * 9 / 10)?;
        known.then(|| (ninth_decile * HANGS_TIMES).max(HANGS_AT_LEAST))
    }

    /// Returns when the next pool's lookup hangs, and which pool's, of those that
    /// have no second one yet.
    pub(crate) fn first_to_hang(&self, pools: &Table<PoolId, Pool>) -> Option<(Moment, PoolId)> {
        if self.running.is_empty() {
            return None;
        }
        let hangs = |(id, pool): (PoolId, &Pool)| match pool.phase {
            Phase::LookingUp {
                since,
                hedged: false,
            } => Some((since + self.hangs_after(pool.how, pools.len())?, id)),
            _ => None,
        };
        pools.iter().filter_map(hangs).min()
    }
}
