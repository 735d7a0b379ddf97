//! The strategies that the laws are tried under, one that we do not ship among
//! them: harder on the gate than those we do.

use std::{num::NonZeroU32, time::Duration};

use proptest::prelude::*;

use crate::{
    Capacity, Evidence, Lane, PacingStrategy, Release, Request, Sample, Terms, strategies,
};

/// How many lanes [`Kind::Restless`] spreads its exchanges over.
pub(super) const LANES: u8 = 3;

/// Several lanes, and a capacity that moves with what is observed: harder on the
/// gate than any strategy we ship.
#[derive(Debug)]
pub(super) struct Restless {
    slots: u32,
    release: Release,
}

impl PacingStrategy for Restless {
    fn terms(&mut self, request: &Request) -> Terms {
        Terms {
            lane: Lane(u32::from(request.peer.0[0] % LANES)),
            release: self.release,
        }
    }

    fn capacity(&self, _lane: Lane) -> Capacity {
        Capacity::Slots(NonZeroU32::new(self.slots).unwrap())
    }

    fn observe(&mut self, sample: &Sample) {
        self.slots = match sample.evidence {
            Evidence::Loss => (self.slots / 2).max(1),
            Evidence::None if sample.waiting > 0 => self.slots + 1,
            _ => self.slots,
        };
    }
}

pub(super) fn slots(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap()
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Uncapped,
    Hold(u32),
    Release(u64, u32),
    Aimd(u32, u32, u32),
    Shard(u32),
    Restless(u32, Option<u64>),
}

impl Kind {
    pub(super) fn build(self) -> Box<dyn PacingStrategy> {
        match self {
            Self::Uncapped => Box::new(strategies::Uncapped),
            Self::Hold(n) => Box::new(strategies::Hold::new(slots(n))),
            Self::Release(ms, n) => Box::new(strategies::Release::new(
                Duration::from_millis(ms),
                slots(n),
            )),
            Self::Shard(n) => Box::new(strategies::Shard::new(slots(n))),
            Self::Aimd(min, start, max) => {
                Box::new(strategies::Aimd::new(slots(min), slots(start), slots(max)))
            }
            Self::Restless(n, ms) => Box::new(Restless {
                slots: n,
                release: ms.map_or(Release::OnFinish, |ms| {
                    Release::OnFinishOrAfter(Duration::from_millis(ms))
                }),
            }),
        }
    }
}

pub(super) fn any_kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Uncapped),
        (1u32..5).prop_map(Kind::Hold),
        (1u64..50, 1u32..5).prop_map(|(ms, n)| Kind::Release(ms, n)),
        (1u32..5).prop_map(Kind::Shard),
        (1u32..3, 0u32..3, 0u32..3).prop_map(|(l, n, m)| Kind::Aimd(l, l + n, l + n + m)),
        (1u32..5, prop::option::of(1u64..50)).prop_map(|(n, ms)| Kind::Restless(n, ms)),
    ]
}
