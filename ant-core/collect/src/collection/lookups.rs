//! Finding whom a pool asks: so many lookups at once, a second one in place of
//! one that hangs, and a thorough one where a cheap one found too few.

use std::{collections::BTreeSet, time::Duration};

use ant_pacing::Moment;

use super::Collection;
use crate::{
    Command, FoundPeer, Lookup, LookupKey, LookupTime, POOL_SIZE, PoolId,
    pool::{Phase, Pool},
};

/// A lookup hangs when it has taken so many times what nine of ten lookups of
/// its kind took in its tree. Those differ less than answers do, each being the
/// slowest of many replies; and what hangs does so for the stack's own timeouts
/// of 10 to 25 s.
const HANGS_TIMES: u32 = 2;

/// No lookup hangs before this: a second one is dearer than a request.
const HANGS_AT_LEAST: Duration = Duration::from_millis(500);

impl<C> Collection<C> {
    pub(super) fn start_lookups(&mut self, now: Moment) {
        for at in 0..self.pools.len() {
            if self.lookups.len() >= self.plan.lookups.max(1) {
                break;
            }
            let pool = &mut self.pools[at];
            if pool.phase == Phase::Waiting {
                pool.phase = Phase::LookingUp {
                    since: now,
                    hedged: false,
                };
                self.look_up(PoolId(at));
            }
        }
    }

    fn look_up(&mut self, id: PoolId) {
        let Some(pool) = self.pools.get(id.0) else {
            return;
        };
        let lookup = LookupKey(self.next_lookup);
        self.next_lookup += 1;
        self.lookups.insert(lookup, id);
        self.commands.push_back(Command::Lookup {
            lookup,
            target: pool.target,
            count: self.plan.ask,
            how: pool.how,
        });
    }

    /// How long a lookup of this kind may take before it hangs, once half as
    /// many as the tree has pools have ended.
    fn hangs_after(&self, how: Lookup) -> Option<Duration> {
        let (_, times) = self.lookup_times.iter().find(|(of, _)| *of == how)?;
        let known = times.len() >= self.pools.len().div_ceil(2);
        let ninth_decile = *times.get(times.len() * 9 / 10)?;
        known.then(|| (ninth_decile * HANGS_TIMES).max(HANGS_AT_LEAST))
    }

    fn lookup_took(&mut self, how: Lookup, took: Duration) {
        if !self.lookup_times.iter().any(|(of, _)| *of == how) {
            self.lookup_times.push((how, Vec::new()));
        }
        for (_, times) in self.lookup_times.iter_mut().filter(|(of, _)| *of == how) {
            let at = times.partition_point(|other| *other < took);
            times.insert(at, took);
        }
    }

    /// When a pool's lookup will hang, and which pool's.
    fn first_to_hang(&self) -> Option<(Moment, PoolId)> {
        let spent = self.report.hedges >= u64::from(self.plan.hedges);
        if spent || self.lookups.is_empty() {
            return None;
        }
        let hangs = |(at, pool): (usize, &Pool)| match pool.phase {
            Phase::LookingUp {
                since,
                hedged: false,
            } => Some((since + self.hangs_after(pool.how)?, PoolId(at))),
            _ => None,
        };
        self.pools.iter().enumerate().filter_map(hangs).min()
    }

    /// When the next lookup will hang.
    pub(super) fn next_hedge(&self) -> Option<Moment> {
        self.first_to_hang().map(|(at, _)| at)
    }

    /// Starts a second lookup for pools whose first one hangs, above the limit:
    /// one that hangs loads nobody.
    pub(super) fn hedge(&mut self, now: Moment) {
        while let Some((at, id)) = self.first_to_hang()
            && at <= now
        {
            if let Some(pool) = self.pools.get_mut(id.0)
                && let Phase::LookingUp { hedged, .. } = &mut pool.phase
            {
                *hedged = true;
                self.report.hedges += 1;
                self.look_up(id);
            }
        }
    }

    pub(super) fn looked_up(
        &mut self,
        lookup: LookupKey,
        result: Result<(Vec<FoundPeer>, bool), String>,
        connected: Vec<FoundPeer>,
        now: Moment,
    ) {
        let (mut peers, in_doubt, error) = match result {
            Ok((peers, in_doubt)) => (peers, in_doubt, None),
            Err(reason) => (Vec::new(), false, Some(reason)),
        };
        self.dials.connected(&connected);
        // None: its pool waits for it no longer.
        let Some(id) = self.lookups.remove(&lookup) else {
            return;
        };
        let Some(pool) = self.pools.get_mut(id.0) else {
            return;
        };
        let Phase::LookingUp { since, .. } = pool.phase else {
            return;
        };
        // The other one may do better than this.
        let other = self.lookups.values().any(|pool| *pool == id);
        if other && peers.len() < POOL_SIZE {
            if peers.len() >= pool.found.len() {
                pool.found = peers;
            }
            return;
        }
        if pool.found.len() > peers.len() {
            peers = std::mem::take(&mut pool.found);
        }
        pool.found.clear();
        self.lookups.retain(|_, pool| *pool != id);
        pool.phase = Phase::Asking;
        pool.lookup_error = error.filter(|_| peers.is_empty());
        let took = now.since(since);
        let how = pool.how;
        self.report.lookups.push(LookupTime {
            pool: id,
            took,
            found: peers.len(),
        });
        self.lookup_took(how, took);
        self.choose(id, peers, in_doubt, connected, now);
        self.start_lookups(now);
    }

    /// Asks those that a pool's lookup found, or looks again.
    fn choose(
        &mut self,
        id: PoolId,
        mut peers: Vec<FoundPeer>,
        in_doubt: bool,
        connected: Vec<FoundPeer>,
        now: Moment,
    ) {
        let Some(pool) = self.pools.get_mut(id.0) else {
            return;
        };
        let exchanges = &self.exchanges;
        let asked = pool.exchanges.iter().filter_map(|key| exchanges.get(*key));
        let mut seen: BTreeSet<_> = asked.map(|exchange| exchange.peer).collect();
        let again = !seen.is_empty();
        peers.retain(|found| seen.insert(found.peer));
        let doubtful = in_doubt || peers.len() < POOL_SIZE;
        if !again && doubtful && pool.how != Lookup::Stock {
            pool.how = Lookup::Stock;
            pool.phase = Phase::Waiting;
            pool.lookup_error = None;
            return;
        }
        if !again && peers.len() < POOL_SIZE {
            peers.extend(connected.into_iter().filter(|c| seen.insert(c.peer)));
        }
        peers.sort_by_key(|found| found.peer.distance(&pool.target));
        peers.truncate(self.plan.ask);
        // With fewer peers than a pool needs, asking them cannot fill it.
        if !again && peers.len() < POOL_SIZE {
            let found = format!("{} peers found, {POOL_SIZE} needed", peers.len());
            pool.lookup_error.get_or_insert(found);
            peers.clear();
        }
        let first = self.plan.first.unwrap_or(peers.len()).max(POOL_SIZE);
        let spares = peers.split_off(first.min(peers.len()));
        pool.changed = true;
        pool.spares = spares.into();
        for found in peers {
            self.queue(id, found, now);
        }
    }
}
