//! The safe cap: a slot is held through the whole exchange, its timeouts
//! included, so that requests really outstanding never exceed the cap.

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
