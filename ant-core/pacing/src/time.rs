//! Time is passed in, never read, so that tests and the simulator can step it.

use std::{
    ops::{Add, Sub},
    time::Duration,
};

/// A point in time: how long after an epoch that the caller chose.
///
/// All moments given to one [`Gate`](crate::Gate) must share an epoch. Adding
/// stops at the longest duration, so that one that is far too long means "never"
/// and does not panic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(Duration);

impl Moment {
    /// The epoch itself.
    pub const ZERO: Self = Self(Duration::ZERO);

    /// Returns the moment `since_epoch` after the epoch.
    pub const fn after_epoch(since_epoch: Duration) -> Self {
        Self(since_epoch)
    }

    /// Returns how long after the epoch this is.
    pub const fn since_epoch(self) -> Duration {
        self.0
    }

    /// Returns the time from `earlier` until this; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration))
    }
}

impl Sub for Moment {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.since(earlier)
    }
}
