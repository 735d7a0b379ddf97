//! The safe cap: an exchange holds its slot to its end, timeouts included. Repeats go
//! under the permit of their exchange, so that with them more requests than slots may
//! be outstanding.

use std::num::NonZeroU32;

use crate::{Capacity, Lane, PacingStrategy, Request, Terms};

/// Lets a fixed number of exchanges run at a time, each holding its slot to its
/// end.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    slots: NonZeroU32,
}

impl Hold {
    /// Makes a cap of `slots` exchanges.
    pub const fn new(slots: NonZeroU32) -> Self {
        Self { slots }
    }
}

impl PacingStrategy for Hold {
    fn terms(&mut self, _request: &Request) -> Terms {
        Terms::hold()
    }

    fn capacity(&self, _lane: Lane) -> Capacity {
        Capacity::Slots(self.slots)
    }
}
