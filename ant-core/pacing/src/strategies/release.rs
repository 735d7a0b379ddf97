//! The cap that does not wait for the silent: an answer that has not come after
//! a while is no longer part of the burst, so its slot goes to the next.

use std::{num::NonZeroU32, time::Duration};

use crate::{Capacity, Lane, PacingStrategy, Request, Terms, strategy};

/// Has a fixed number of slots. Each is freed when its exchange ends or after a
/// fixed time, whichever comes first. The exchange itself goes on.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    after: Duration,
    slots: NonZeroU32,
}

impl Release {
    /// Makes a cap of `slots`, each freed at the latest when `after` has passed since
    /// its exchange was let go.
    pub const fn new(after: Duration, slots: NonZeroU32) -> Self {
        Self { after, slots }
    }
}

impl PacingStrategy for Release {
    fn terms(&mut self, _request: &Request) -> Terms {
        Terms {
            release: strategy::Release::OnFinishOrAfter(self.after),
            ..Terms::hold()
        }
    }

    fn capacity(&self, _lane: Lane) -> Capacity {
        Capacity::Slots(self.slots)
    }
}
