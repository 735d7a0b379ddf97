//! The handles that callers hold: one lock around the state, wakers run outside
//! it, and permits that give back what they have when they are dropped.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Waker,
};

use super::{
    GateStats,
    core::{Core, MemberId, TicketId},
};
use crate::{Evidence, Moment, Outcome, PacingStrategy, Request};

/// Carries a strategy out. Cloning gives another handle to the same gate.
#[derive(Clone)]
pub struct Gate {
    core: Arc<Mutex<Core>>,
}

impl Gate {
    /// Makes a gate for this strategy, without members.
    pub fn new(strategy: Box<dyn PacingStrategy>) -> Self {
        Self {
            core: Arc::new(Mutex::new(Core::new(strategy))),
        }
    }

    /// Joins the gate as one collection.
    pub fn join(&self) -> Member {
        let id = self.lock().join();
        Member {
            gate: self.clone(),
            id,
        }
    }

    /// Returns what the gate has counted.
    pub fn stats(&self) -> GateStats {
        self.lock().stats()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Core> {
        // The core never panics midway through a change, so a poisoned lock
        // holds a whole state; permits must be able to drop on any path.
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs an operation, then wakes whom it let go, outside the lock: a waker
    /// may run anything, a call into this gate included.
    fn run<T>(&self, operation: impl FnOnce(&mut Core) -> T) -> T {
        let mut core = self.lock();
        let result = operation(&mut core);
        let wakers = core.take_wakers();
        drop(core);
        wakers.into_iter().for_each(Waker::wake);
        result
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lock().fmt(f)
    }
}

/// One collection's part in a gate. Dropping it takes out the exchanges that it
/// was not yet [told](Self::poll) to start. Permits that it gave stay valid; their
/// holders must drop them.
#[derive(Debug)]
pub struct Member {
    gate: Gate,
    id: MemberId,
}

impl Member {
    /// Queues an exchange on the terms that the strategy gives it. `key` is how
    /// [`poll`](Self::poll) will name it.
    #[must_use = "dropping the permit cancels the exchange"]
    pub fn enqueue(&self, request: &Request, key: u64, now: Moment) -> Permit {
        let id = self
            .gate
            .run(|core| core.enqueue(self.id, *request, key, now));
        Permit {
            gate: self.gate.clone(),
            id,
        }
    }

    /// Returns the key of the next exchange that may leave now, if any. The time
    /// after which its slot is released counts from `now`.
    pub fn poll(&self, now: Moment) -> Option<u64> {
        self.gate.run(|core| core.poll(self.id, now))
    }

    /// Returns when to call [`poll`](Self::poll) again at the latest: when the next
    /// slot is freed by time, if any member waits for a slot.
    pub fn next_deadline(&self) -> Option<Moment> {
        self.gate.lock().next_deadline(self.id)
    }

    /// Returns whether [`poll`](Self::poll) would name an exchange now. If not,
    /// `waker` is woken as soon as what another member does makes it so.
    pub fn ready(&self, waker: &Waker) -> bool {
        self.gate.lock().ready(self.id, waker)
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.gate.run(|core| core.leave(self.id));
    }
}

/// One exchange's right to a slot, while it waits for one, holds one, and after
/// the slot was released. Dropping it cancels the exchange: its slot is free, or its
/// place in the queue is given up, and the strategy is not told.
#[derive(Debug)]
pub struct Permit {
    gate: Gate,
    id: TicketId,
}

impl Permit {
    /// Tells the gate that the exchange takes much longer than others do. Its slot
    /// is freed if the strategy's terms say so; the exchange goes on.
    pub fn slow(&self, now: Moment) {
        self.gate.run(|core| core.slow(self.id, now));
    }

    /// Ends the exchange: its slot is freed, and the strategy is told how it ended.
    pub fn finish(self, outcome: Outcome, evidence: Evidence, now: Moment) {
        self.gate
            .run(|core| core.finish(self.id, outcome, evidence, now));
        // Dropping `self` finds nothing left to give back.
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.gate.run(|core| core.cancel(self.id));
    }
}
