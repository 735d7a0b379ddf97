//! What the router did, counted while it runs.

use std::{
    ops::Sub,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

/// The width of the lateness histogram's buckets, and how many there are; the
/// last one holds all that is later.
const BUCKET: Duration = Duration::from_micros(100);
const BUCKETS: usize = 200;

/// What the router did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Packets delivered.
    pub delivered: u64,
    /// Packets lost on purpose.
    pub lost: u64,
    /// Packets dropped before a narrow link.
    pub overflowed: u64,
    /// Packets to an address without a host, or that a host's device did not take.
    pub undelivered: u64,
    /// Whether the router has stopped, so that nothing arrives any more.
    pub stopped: bool,
    /// Delivered packets by how much later than due, in steps of 100 µs; what is
    /// later than all steps is in the last.
    late: [u64; BUCKETS],
}

impl Counts {
    /// Returns how late the router delivered this share of the packets at most: 0.99
    /// gives the 99th percentile. A packet is late by the time it may have waited to
    /// be read, and by the time it was written after it was due. Times are the upper
    /// bounds of steps of 100 µs, and 20 ms for all that is later; nothing without
    /// packets.
    pub fn lateness(&self, share: f64) -> Option<Duration> {
        let total: u64 = self.late.iter().sum();
        let mut seen = 0;
        for (steps, count) in (1..).zip(self.late) {
            seen += count;
            #[expect(clippy::cast_precision_loss, reason = "packets are far below 2^52")]
            if count > 0 && seen as f64 >= total as f64 * share {
                return Some(BUCKET * steps);
            }
        }
        None
    }
}

impl Sub for Counts {
    type Output = Self;

    /// Returns what was counted since `earlier`.
    fn sub(mut self, earlier: Self) -> Self {
        self.delivered -= earlier.delivered;
        self.lost -= earlier.lost;
        self.overflowed -= earlier.overflowed;
        self.undelivered -= earlier.undelivered;
        for (now, before) in self.late.iter_mut().zip(earlier.late) {
            *now -= before;
        }
        self
    }
}

/// The counts as the router's thread keeps them, and the words between it and who
/// started it.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) delivered: AtomicU64,
    pub(crate) lost: AtomicU64,
    pub(crate) overflowed: AtomicU64,
    pub(crate) undelivered: AtomicU64,
    late: [AtomicU64; BUCKETS],
    pub(crate) stop: AtomicBool,
    pub(crate) stopped: AtomicBool,
}

impl Shared {
    pub(crate) fn new() -> Self {
        Self {
            delivered: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            overflowed: AtomicU64::new(0),
            undelivered: AtomicU64::new(0),
            late: [const { AtomicU64::new(0) }; BUCKETS],
            stop: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
        }
    }
    /// Counts a delivered packet by how late it was.
    pub(crate) fn count_late(&self, late: Duration) {
        let steps = late.as_nanos() / BUCKET.as_nanos();
        let bucket = usize::try_from(steps).unwrap_or(BUCKETS).min(BUCKETS - 1);
        count(&self.late[bucket]);
    }

    /// Reads all counts.
    pub(crate) fn counts(&self) -> Counts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Counts {
            delivered: read(&self.delivered),
            lost: read(&self.lost),
            overflowed: read(&self.overflowed),
            undelivered: read(&self.undelivered),
            stopped: self.stopped.load(Ordering::Relaxed),
            late: std::array::from_fn(|at| read(&self.late[at])),
        }
    }
}

pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_is_a_share_of_the_packets() {
        let mut counts = Counts {
            delivered: 0,
            lost: 0,
            overflowed: 0,
            undelivered: 0,
            stopped: false,
            late: [0; BUCKETS],
        };
        assert_eq!(counts.lateness(0.99), None);
        counts.late[0] = 98;
        counts.late[19] = 2;
        assert_eq!(counts.lateness(0.5), Some(Duration::from_micros(100)));
        assert_eq!(counts.lateness(0.99), Some(Duration::from_millis(2)));
        let since = counts.clone() - counts;
        assert_eq!(since.lateness(0.99), None);
    }
}
