//! Ground truth: what a node took in and sent out, counted where it happens.

use std::{
    ops::{Add, Sub},
    sync::atomic::{AtomicU8, AtomicU64, Ordering},
};

/// What one node, or all of them, did with candidate requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Candidate requests that reached the node's protocol handler.
    pub requests_taken: u64,
    /// Candidate answers handed to the transport without an error, or lost on
    /// purpose.
    pub answers_sent: u64,
    /// Candidate answers that the transport refused.
    pub send_failures: u64,
    /// Messages of any kind that the node's own loop came too late for.
    pub lagged: u64,
}

impl Add for Traffic {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            requests_taken: self.requests_taken + other.requests_taken,
            answers_sent: self.answers_sent + other.answers_sent,
            send_failures: self.send_failures + other.send_failures,
            lagged: self.lagged + other.lagged,
        }
    }
}

impl Sub for Traffic {
    type Output = Self;

    /// Returns what was counted since `earlier`.
    fn sub(self, earlier: Self) -> Self {
        Self {
            requests_taken: self.requests_taken.saturating_sub(earlier.requests_taken),
            answers_sent: self.answers_sent.saturating_sub(earlier.answers_sent),
            send_failures: self.send_failures.saturating_sub(earlier.send_failures),
            lagged: self.lagged.saturating_sub(earlier.lagged),
        }
    }
}

impl std::iter::Sum for Traffic {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

/// The counters behind a [`Traffic`].
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) requests_taken: AtomicU64,
    pub(crate) answers_sent: AtomicU64,
    pub(crate) send_failures: AtomicU64,
    pub(crate) lagged: AtomicU64,
    /// How many of a hundred answers are to be lost.
    pub(crate) loses_percent: AtomicU8,
}

impl Counters {
    /// Draws whether an answer is to be lost on purpose.
    pub(crate) fn loses(&self) -> bool {
        let percent = self.loses_percent.load(Ordering::Relaxed);
        percent > 0 && rand::random::<u32>() % 100 < u32::from(percent)
    }

    pub(crate) fn read(&self) -> Traffic {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Traffic {
            requests_taken: read(&self.requests_taken),
            answers_sent: read(&self.answers_sent),
            send_failures: read(&self.send_failures),
            lagged: read(&self.lagged),
        }
    }
}
