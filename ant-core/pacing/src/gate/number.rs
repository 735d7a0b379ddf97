//! Names things within a gate by the order in which they came, so that whatever
//! is sorted by its number is sorted by arrival.

use std::cmp::Ordering;

/// One number; a higher one came later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(u64);

/// Gives numbers, each higher than all before it.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    last: u64,
}

impl Numbers {
    pub(super) const fn next(&mut self) -> Number {
        self.last += 1;
        Number(self.last)
    }
}

// Every comparison goes through here, so that tests can count what an operation
// costs in steps rather than in time.
impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        #[cfg(test)]
        COMPARISONS.with(|count| count.set(count.get() + 1));
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

#[cfg(test)]
thread_local! {
    static COMPARISONS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// How many numbers this thread has compared so far.
#[cfg(test)]
pub(super) fn comparisons() -> u64 {
    COMPARISONS.with(std::cell::Cell::get)
}
