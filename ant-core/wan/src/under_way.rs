//! Packets on their way, in the order in which they are due.

use std::{
    cmp::Ordering,
    time::{Duration, Instant},
};

/// A packet under way.
pub(crate) struct UnderWay {
    pub(crate) due: Instant,
    /// Packets due at the same moment leave in the order they came.
    pub(crate) number: u64,
    pub(crate) to: usize,
    /// How long it may have waited to be read.
    pub(crate) waited: Duration,
    /// Whether it has passed its destination's link.
    pub(crate) through: bool,
    pub(crate) bytes: Box<[u8]>,
}

impl UnderWay {
    fn key(&self) -> (Instant, u64) {
        (self.due, self.number)
    }
}

impl PartialEq for UnderWay {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for UnderWay {}

impl PartialOrd for UnderWay {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for UnderWay {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}
