//! A place in a gate with keys of a type of its own. The gate itself knows
//! numbers; this is the one place that converts them.

use std::{marker::PhantomData, task::Waker};

use ant_pacing::{Member, Moment, Permit, Request};

use super::table::Key;

/// Things of one kind that wait for a gate to let them go.
#[derive(Debug)]
pub(crate) struct Turns<K> {
    member: Member,
    keys: PhantomData<K>,
}

impl<K: Key> Turns<K> {
    pub(crate) const fn new(member: Member) -> Self {
        Self {
            member,
            keys: PhantomData,
        }
    }

    /// Has `key` wait for its turn.
    #[must_use = "dropping the permit gives the turn up"]
    pub(crate) fn wait(&self, request: &Request, key: K, now: Moment) -> Permit {
        self.member.enqueue(request, key.number() as u64, now)
    }

    /// Returns the next one whose turn it is, if any.
    pub(crate) fn poll(&self, now: Moment) -> Option<K> {
        let number = usize::try_from(self.member.poll(now)?);
        // The gate gives back what `wait` gave it, and that was a `usize`.
        debug_assert!(number.is_ok(), "the gate named a key that nobody gave it");
        number.ok().map(K::new)
    }

    pub(crate) fn next_deadline(&self) -> Option<Moment> {
        self.member.next_deadline()
    }

    pub(crate) fn ready(&self, waker: &Waker) -> bool {
        self.member.ready(waker)
    }
}
