//! What is measured, in which order.

use std::fmt;

use ant_core::Plan;
use ant_pacing::{Arms, PacingSpec};
use rand::{Rng, SeedableRng, rngs::StdRng, seq::SliceRandom};

/// One side of a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeasureArm {
    /// This pacing under the plan of the network's published client: the
    /// reference, which no profile changes.
    Reference(PacingSpec),
    /// The pacing and the plan of the settings: `default`.
    Default(Arms),
}

impl MeasureArm {
    /// What the settings' own arm is called.
    pub const DEFAULT: &str = "default";

    /// How it is paced.
    pub fn pacing(&self) -> Arms {
        match self {
            Self::Reference(pacing) => pacing.clone().into(),
            Self::Default(arms) => arms.clone(),
        }
    }

    /// The plan it runs under, given that of the settings. Times and limits that
    /// are no choice of whom to ask are the settings' in any case.
    pub fn plan(&self, settings: Plan) -> Plan {
        match self {
            Self::Reference(_) => Plan {
                request_timeout: settings.request_timeout,
                probe_ceiling: settings.probe_ceiling,
                send_timeout: settings.send_timeout,
                ..Plan::default()
            },
            Self::Default(_) => settings,
        }
    }
}

impl fmt::Display for MeasureArm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reference(pacing) => pacing.fmt(f),
            Self::Default(_) => f.write_str(Self::DEFAULT),
        }
    }
}

/// The plan of a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasurePlan {
    /// The arms compared. The same one twice is allowed, and shows the noise.
    pub arms: Vec<MeasureArm>,
    /// How often each arm runs.
    pub blocks: usize,
    /// How many addresses each tree holds, 2 to 256.
    pub leaves: usize,
    /// The size of a chunk that is quoted for, in bytes.
    pub data_size: u64,
    /// Decides the addresses and the order of the arms.
    pub seed: u64,
}

/// One run to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// Which block, from 0.
    pub block: usize,
    /// Which arm, as an index.
    pub arm: usize,
}

impl MeasurePlan {
    /// Every run in its order: all arms once a block, shuffled anew each time.
    pub fn schedule(&self) -> Vec<Scheduled> {
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

/// The addresses of a block's trees: the same for each arm. (The midpoints
/// differ all the same, since the tree salts its leaves at random.)
pub fn addresses(seed: u64, block: usize, leaves: usize) -> Vec<[u8; 32]> {
    let block_seed = seed.wrapping_add((block as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut random = StdRng::seed_from_u64(block_seed);
    (0..leaves).map(|_| random.r#gen()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

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
    fn the_seed_decides() {
        assert_eq!(plan(1).schedule(), plan(1).schedule());
        assert_ne!(plan(1).schedule(), plan(2).schedule());
        assert_eq!(addresses(1, 0, 5), addresses(1, 0, 5));
        assert_ne!(addresses(1, 0, 5), addresses(1, 1, 5));
        assert_ne!(addresses(1, 0, 5), addresses(2, 0, 5));
    }
}
