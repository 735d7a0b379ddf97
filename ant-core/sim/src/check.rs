//! Whether what a scenario's file expects holds.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use crate::{ArmError, Scenario, Summary, simulate};

/// An expectation that does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Missed {
    arm: String,
    seed: Option<u64>,
    what: String,
}

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.arm)?;
        if let Some(seed) = self.seed {
            write!(f, ", seed {seed}")?;
        }
        write!(f, ": {}", self.what)
    }
}

impl Scenario {
    /// Makes the trees that the file has expectations of, and returns all
    /// expectations that do not hold.
    ///
    /// # Errors
    ///
    /// When an expected arm is not an arm.
    pub fn check(&self) -> Result<Vec<Missed>, ArmError> {
        let own = self.population.seed;
        let mut missed = Vec::new();
        let mut pooled = BTreeMap::new();
        let ordered = self.order.iter().flat_map(|order| &order.arms);
        let names: BTreeSet<_> = self.expect.keys().chain(ordered).collect();
        for name in names {
            let arm = self.arm(name)?;
            let mut all = Vec::new();
            for seed in own..=own + self.seeds {
                let trees: Vec<_> = simulate(self, &arm, seed, self.trees).collect();
                if let Some(expected) = self.expect.get(name) {
                    let exact = (seed == own).then_some(expected.exactly);
                    let faults = expected.faults(exact, &Summary::of(&trees));
                    missed.extend(faults.into_iter().map(|what| Missed {
                        arm: name.clone(),
                        seed: Some(seed),
                        what,
                    }));
                }
                all.extend(trees);
            }
            pooled.insert(name.clone(), Summary::of(&all));
        }
        for order in &self.order {
            for pair in order.arms.windows(2) {
                let [low, high] = [&pair[0], &pair[1]].map(|arm| order.by.of(&pooled[arm]));
                if low > high {
                    missed.push(Missed {
                        arm: pair[0].clone(),
                        seed: None,
                        what: format!(
                            "{:?} is {low:.3}, above the {high:.3} of {}",
                            order.by, pair[1]
                        ),
                    });
                }
            }
        }
        Ok(missed)
    }
}
