//! What the laws look at after every operation: that the counts, the queues and
//! the slots agree with each other.

use super::{Core, State, Ticket};
use crate::{Capacity, Lane};

impl Core {
    /// What must hold after every operation, checked by the laws.
    pub(in crate::gate) fn check(&self) {
        let mut occupied = 0;
        let mut waiting = 0;
        for (lane, state) in &self.lanes {
            let holders = self.tickets.values().filter(|t| {
                t.terms.lane == *lane
                    && matches!(
                        t.state,
                        State::Ready { .. } | State::Running { slot: true, .. }
                    )
            });
            assert_eq!(holders.count(), state.occupied as usize, "{lane:?}");
            let idle = self.strategy.capacity(*lane).admits(state.occupied);
            assert!(
                !idle || state.queue.is_empty(),
                "{lane:?} has a free slot and {} waiting",
                state.queue.len()
            );
            occupied += state.occupied;
            waiting += state.queue.len();
        }
        assert_eq!(occupied, self.stats.occupied);
        assert_eq!(waiting, self.stats.waiting as usize);
        let counted: u32 = self.members.values().map(|m| m.waiting).sum();
        assert_eq!(counted, self.stats.waiting);
        for (at, id) in &self.expiries {
            let ticket = self.tickets.get(id);
            assert!(ticket.is_some(), "a slot is freed at {at:?} for nobody");
        }
    }

    pub(in crate::gate) fn capacity(&self, lane: Lane) -> Capacity {
        self.strategy.capacity(lane)
    }

    pub(in crate::gate) fn occupied(&self, lane: Lane) -> u32 {
        self.lanes.get(&lane).map_or(0, |lane| lane.occupied)
    }

    /// The keys of all exchanges, those that wait apart from those that do not.
    pub(in crate::gate) fn keys(&self) -> (Vec<u64>, Vec<u64>) {
        let (waiting, started): (Vec<_>, Vec<_>) = self
            .tickets
            .values()
            .partition(|t| matches!(t.state, State::Waiting { .. }));
        let keys = |tickets: Vec<&Ticket>| tickets.iter().map(|t| t.key).collect();
        (keys(waiting), keys(started))
    }

    pub(in crate::gate) fn is_empty(&self) -> bool {
        self.tickets.is_empty()
            && self.lanes.is_empty()
            && self.expiries.is_empty()
            && self.stats.occupied == 0
            && self.stats.waiting == 0
    }
}
