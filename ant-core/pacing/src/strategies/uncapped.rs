//! The reference that shows what pacing is for: everything leaves at once.

use crate::{Capacity, Lane, PacingStrategy, Request, Terms};

/// Lets every exchange go as soon as it asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uncapped;

impl PacingStrategy for Uncapped {
    fn terms(&mut self, _request: &Request) -> Terms {
        Terms::hold()
    }

    fn capacity(&self, _lane: Lane) -> Capacity {
        Capacity::Unlimited
    }
}
