//! Who is slow: whose answer is awaited since when, and how long the tree's
//! answers take.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    time::Duration,
};

use ant_pacing::{Moment, Peer};

use super::exchange::ExchangeKey;
use crate::POOL_SIZE;

/// From this many answers on, a tree knows how long its answers take: half of
/// what its first pool needs.
const ANSWERS_KNOWN: usize = POOL_SIZE / 2;

/// A peer is slow when it has taken this many times what nine of ten answers of
/// its tree took. Twice the ninth decile is beyond nearly all answers of peers
/// that are merely far away.
const SLOW_TIMES: u32 = 2;

/// Nobody is slow before this: on a quick network the pauses of a busy host are
/// longer than any answer's way.
const SLOW_AT_LEAST: Duration = Duration::from_millis(250);

/// Which exchanges are awaited, and which of them are slow.
#[derive(Debug, Default)]
pub(crate) struct Slowness {
    /// How long answers took, shortest first.
    answer_times: Vec<Duration>,
    /// Exchanges whose answer is awaited and that do not count as slow yet, by
    /// since when.
    awaited: BTreeSet<(Moment, ExchangeKey)>,
    since: BTreeMap<ExchangeKey, Moment>,
    /// Slow exchanges with peers of which nothing is known.
    strangers: BTreeMap<Peer, Vec<ExchangeKey>>,
}

impl Slowness {
    /// Awaits an exchange from now on. One that is awaited already stays so:
    /// a retry does not start its time anew.
    pub(crate) fn awaits(&mut self, key: ExchangeKey, now: Moment) {
        if let Entry::Vacant(since) = self.since.entry(key) {
            since.insert(now);
            self.awaited.insert((now, key));
        }
    }

    /// Awaits an exchange no longer, and returns since when it was. It was not
    /// if it counts as slow already, or has not been sent.
    pub(crate) fn forget(&mut self, key: ExchangeKey) -> Option<Moment> {
        let since = self.since.remove(&key)?;
        let was = self.awaited.remove(&(since, key));
        debug_assert!(was, "{key:?} is awaited since a time that is not known");
        Some(since)
    }

    /// Learns from the answer of an exchange how long answers take. One that
    /// counts as slow already teaches nothing.
    pub(crate) fn answered(&mut self, key: ExchangeKey, now: Moment) {
        if let Some(since) = self.forget(key) {
            let took = now.since(since);
            let at = self.answer_times.partition_point(|other| *other < took);
            self.answer_times.insert(at, took);
        }
    }

    /// How long an answer may take before its peer counts as slow, once that can
    /// be known.
    fn slow_after(&self) -> Option<Duration> {
        let known = self.answer_times.len();
        let ninth_decile = *self.answer_times.get(known * 9 / 10)?;
        (known >= ANSWERS_KNOWN).then(|| (ninth_decile * SLOW_TIMES).max(SLOW_AT_LEAST))
    }

    /// When the next exchange will count as slow.
    pub(crate) fn next_slow(&self) -> Option<Moment> {
        let (since, _) = self.awaited.first()?;
        Some(*since + self.slow_after()?)
    }

    /// Returns the next exchange that counts as slow from now on.
    pub(crate) fn take_slow(&mut self, now: Moment) -> Option<ExchangeKey> {
        let slow = self.next_slow().is_some_and(|at| at <= now);
        let (_, key) = self.awaited.first().copied().filter(|_| slow)?;
        self.forget(key);
        Some(key)
    }

    /// Remembers a slow exchange with a peer of which nothing is known.
    pub(crate) fn stranger(&mut self, peer: Peer, key: ExchangeKey) {
        self.strangers.entry(peer).or_default().push(key);
    }

    /// Returns and forgets the slow exchanges with a peer of which something is
    /// known now.
    pub(crate) fn take_strangers(&mut self, peer: Peer) -> Vec<ExchangeKey> {
        self.strangers.remove(&peer).unwrap_or_default()
    }
}
