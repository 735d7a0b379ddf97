//! Finding whom a pool asks: a few lookups at once, a second one in place of one
//! that hangs, and a thorough one where a cheap one found too few.

use std::collections::BTreeSet;

use ant_pacing::Moment;

use super::state::Collection;
use crate::{Command, FoundPeer, Lookup, LookupKey, LookupTime, POOL_SIZE, PoolId, parts::Phase};

impl<C> Collection<C> {
    pub(super) fn start_lookups(&mut self, now: Moment) {
        for id in self.pools.keys() {
            if self.lookups.running() >= self.plan.lookups.max(1) {
                break;
            }
            let pool = &mut self.pools[id];
            if pool.phase == Phase::Waiting {
                pool.phase = Phase::LookingUp {
                    since: now,
                    hedged: false,
                };
                self.look_up(id);
            }
        }
    }

    fn look_up(&mut self, id: PoolId) {
        let pool = &self.pools[id];
        self.commands.push_back(Command::Lookup {
            lookup: self.lookups.start(id),
            target: pool.target,
            count: self.plan.ask,
            how: pool.how,
        });
    }

    /// When a pool's lookup will hang, and which pool's, if it may have a second
    /// one.
    fn first_to_hang(&self) -> Option<(Moment, PoolId)> {
        let spent = self.report.hedges >= u64::from(self.plan.hedges);
        let first = || self.lookups.first_to_hang(&self.pools);
        (!spent).then(first).flatten()
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
            && let Phase::LookingUp { hedged, .. } = &mut self.pools[id].phase
        {
            *hedged = true;
            self.report.hedges += 1;
            self.look_up(id);
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
        self.all_connected(&connected, now);
        // Its pool may wait for it no longer.
        let Some(id) = self.lookups.end(lookup) else {
            return;
        };
        let pool = &mut self.pools[id];
        let Phase::LookingUp { since, .. } = pool.phase else {
            debug_assert!(false, "a lookup runs for {id:?}, which waits for none");
            return;
        };
        // The other one may do better than this.
        if self.lookups.any_for(id) && peers.len() < POOL_SIZE {
            if peers.len() >= pool.found.len() {
                pool.found = peers;
            }
            return;
        }
        if pool.found.len() > peers.len() {
            peers = std::mem::take(&mut pool.found);
        }
        pool.found.clear();
        self.lookups.forget(id);
        pool.phase = Phase::Asking;
        pool.lookup_error = error.filter(|_| peers.is_empty());
        let took = now.since(since);
        self.report.lookups.push(LookupTime {
            pool: id,
            took,
            found: peers.len(),
        });
        self.lookups.took(pool.how, took);
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
        let pool = &mut self.pools[id];
        let asked = pool.exchanges().iter().map(|key| self.exchanges[*key].peer);
        let mut seen: BTreeSet<_> = asked.collect();
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
        pool.found(spares);
        for found in peers {
            self.queue(id, found, now);
        }
    }
}
