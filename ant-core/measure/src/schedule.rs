//! Which runs a measurement makes, and in which order.

use rand::{SeedableRng, rngs::StdRng, seq::SliceRandom};

use crate::arm::MeasureArm;

/// The plan of a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasurePlan {
    /// The arms compared. An arm that is given twice shows the noise.
    pub arms: Vec<MeasureArm>,
    /// How many blocks there are: every arm runs once in each.
    pub blocks: usize,
    /// How many addresses each run pays for, 2 at least; more than 256 take several
    /// trees.
    pub leaves: usize,
    /// The size of a chunk that is quoted for, in bytes.
    pub data_size: u64,
    /// Decides the addresses and the order of the arms.
    pub seed: u64,
    /// Whether the addresses are drawn at random instead. A network that outlives the
    /// measurement needs that: it would have the chunks before they are paid for.
    pub fresh: bool,
}

/// One run to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scheduled {
    /// The number of its block, from 0.
    pub(crate) block: usize,
    /// The index of its arm.
    pub(crate) arm: usize,
}

impl MeasurePlan {
    /// Returns every run in its order: all arms once a block, shuffled anew each time.
    pub(crate) fn schedule(&self) -> Vec<Scheduled> {
        let mut random = StdRng::seed_from_u64(self.seed);
        let mut schedule = Vec::with_capacity(self.blocks * self.arms.len());
        for block in 0..self.blocks {
            let mut arms: Vec<_> = (0..self.arms.len()).collect();
            arms.shuffle(&mut random);
            schedule.extend(arms.into_iter().map(|arm| Scheduled { block, arm }));
        }
        schedule
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn plan(seed: u64) -> MeasurePlan {
        let arms = ["uncapped", "hold-16", "hold-32", "release-2s-16"];
        MeasurePlan {
            arms: arms
                .map(|arm| MeasureArm::Reference(arm.parse().unwrap()))
                .to_vec(),
            blocks: 20,
            leaves: 256,
            data_size: 1,
            seed,
            fresh: false,
        }
    }

    #[test]
    fn every_arm_runs_once_a_block_in_changing_order() {
        let schedule = plan(1).schedule();
        assert_eq!(schedule.len(), 80);
        let mut orders = BTreeSet::new();
        for (at, block) in schedule.chunks(4).enumerate() {
            assert!(block.iter().all(|run| run.block == at));
            let order: Vec<_> = block.iter().map(|run| run.arm).collect();
            assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 4);
            orders.insert(order);
        }
        assert!(orders.len() > 5, "{orders:?}");
    }

    #[test]
    fn the_seed_decides_the_order() {
        assert_eq!(plan(1).schedule(), plan(1).schedule());
        assert_ne!(plan(1).schedule(), plan(2).schedule());
    }
}
