//! A cap for each receive queue that learns: one more slot at a time while
//! nothing is lost and the cap is what holds requests up, half of them gone when
//! a loss is proven.

use std::collections::BTreeMap;

use super::queue_of;
use crate::{
    Capacity, Evidence, Lane, Moment, Outcome, PacingStrategy, Release, Request, Sample, Terms,
};
use std::num::NonZeroU32;

/// How many answers add one slot. A tree of 256 leaves gets 30 answers or more
/// from each of the 8 queues, so a cap that was cut in half is whole again before
/// the tree ends.
const ANSWERS_A_SLOT: u32 = 4;

/// Slots for each queue that grow and shrink between two bounds.
#[derive(Debug)]
pub struct Aimd {
    min: NonZeroU32,
    start: NonZeroU32,
    max: NonZeroU32,
    lanes: BTreeMap<Lane, Learnt>,
}

/// What a lane's exchanges have taught.
#[derive(Debug)]
struct Learnt {
    slots: NonZeroU32,
    /// Answers since it grew.
    answers: u32,
    /// When it was cut. Losses of exchanges let go before that belong to the burst
    /// that it was cut for.
    cut: Option<Moment>,
}

impl Aimd {
    /// Makes a cap of `start` slots for each queue, which stays from `min` to `max`.
    pub const fn new(min: NonZeroU32, start: NonZeroU32, max: NonZeroU32) -> Self {
        Self {
            min,
            start,
            max,
            lanes: BTreeMap::new(),
        }
    }
}

impl PacingStrategy for Aimd {
    fn terms(&mut self, request: &Request) -> Terms {
        Terms {
            lane: queue_of(request.address),
            release: Release::OnFinishOrSlow,
        }
    }

    fn capacity(&self, lane: Lane) -> Capacity {
        let learnt = self.lanes.get(&lane);
        Capacity::Slots(learnt.map_or(self.start, |learnt| learnt.slots))
    }

    fn observe(&mut self, sample: &Sample) {
        let learnt = self.lanes.entry(sample.lane).or_insert(Learnt {
            slots: self.start,
            answers: 0,
            cut: None,
        });
        let after_cut = learnt.cut.is_none_or(|cut| sample.admitted >= cut);
        match sample.evidence {
            Evidence::Loss if after_cut => {
                let half = NonZeroU32::new(learnt.slots.get() / 2).unwrap_or(self.min);
                learnt.slots = half.max(self.min);
                learnt.answers = 0;
                learnt.cut = Some(sample.finished);
            }
            // Silence is ambiguous, and what did not wait was not held up.
            Evidence::None if sample.outcome == Outcome::Answered && sample.waiting > 0 => {
                learnt.answers += 1;
                if learnt.answers >= ANSWERS_A_SLOT {
                    learnt.answers = 0;
                    learnt.slots = learnt.slots.saturating_add(1).min(self.max);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn aimd() -> Aimd {
        let count = |n| NonZeroU32::new(n).unwrap();
        Aimd::new(count(4), count(16), count(24))
    }

    fn at(millis: u64) -> Moment {
        Moment::after_epoch(Duration::from_millis(millis))
    }

    fn sample(outcome: Outcome, evidence: Evidence, admitted: u64) -> Sample {
        Sample {
            lane: Lane(0),
            outcome,
            evidence,
            admitted: at(admitted),
            finished: at(admitted + 100),
            waiting: 9,
        }
    }

    fn slots(aimd: &Aimd) -> u32 {
        match aimd.capacity(Lane(0)) {
            Capacity::Slots(slots) => slots.get(),
            Capacity::Unlimited => u32::MAX,
        }
    }

    #[test]
    fn it_grows_to_its_bound_while_the_cap_is_what_holds_requests_up() {
        let mut aimd = aimd();
        let mut idle = sample(Outcome::Answered, Evidence::None, 0);
        idle.waiting = 0;
        (0..100).for_each(|_| aimd.observe(&idle));
        assert_eq!(slots(&aimd), 16, "nobody waited");
        for (answers, expected) in [(3, 16), (1, 17), (4, 18), (100, 24)] {
            for _ in 0..answers {
                aimd.observe(&sample(Outcome::Answered, Evidence::None, 0));
            }
            assert_eq!(slots(&aimd), expected);
        }
        assert_eq!(
            aimd.capacity(Lane(3)),
            aimd.capacity(Lane(7)),
            "each queue by itself"
        );
    }

    #[test]
    fn one_burst_cuts_once_and_never_below_the_bound() {
        let mut aimd = aimd();
        (0..50).for_each(|_| aimd.observe(&sample(Outcome::Answered, Evidence::Loss, 0)));
        assert_eq!(slots(&aimd), 8);
        aimd.observe(&sample(Outcome::Answered, Evidence::Loss, 99));
        assert_eq!(slots(&aimd), 8, "let go before the cut");
        aimd.observe(&sample(Outcome::Silent, Evidence::Loss, 100));
        assert_eq!(slots(&aimd), 4);
        aimd.observe(&sample(Outcome::Answered, Evidence::Loss, 200));
        assert_eq!(slots(&aimd), 4);
    }

    #[test]
    fn silence_refusals_and_what_may_be_a_loss_teach_nothing() {
        let mut aimd = aimd();
        for outcome in [Outcome::Silent, Outcome::Refused, Outcome::Unsent] {
            (0..100).for_each(|_| aimd.observe(&sample(outcome, Evidence::None, 0)));
        }
        for outcome in [Outcome::Silent, Outcome::Answered] {
            (0..100).for_each(|_| aimd.observe(&sample(outcome, Evidence::PerhapsLoss, 0)));
        }
        assert_eq!(slots(&aimd), 16);
    }

    #[test]
    fn it_recovers_within_a_tree() {
        let mut aimd = aimd();
        aimd.observe(&sample(Outcome::Answered, Evidence::Loss, 0));
        (0..32).for_each(|_| aimd.observe(&sample(Outcome::Answered, Evidence::None, 200)));
        assert_eq!(slots(&aimd), 16);
    }
}
