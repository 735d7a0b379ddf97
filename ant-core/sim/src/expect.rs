//! What a scenario's file expects, and whether it holds: exactly for its own
//! seed, within ranges for others.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    time::Duration,
};

use serde::Deserialize;

use crate::{Scenario, ScenarioError, Summary, simulate};

/// What is expected of an arm.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// Of the scenario's own seed: the median tree in microseconds, answers lost
    /// and requests of all trees.
    pub exactly: Exactly,
    /// Of every seed: the median tree, in seconds.
    pub tree_s: Option<(f64, f64)>,
    /// The worst tree, in seconds.
    pub worst_s: Option<(f64, f64)>,
    /// The median of the time added, in seconds.
    pub added_s: Option<(f64, f64)>,
    /// Answers lost a tree, on average.
    pub lost: Option<(f64, f64)>,
    /// The share of trees with every pool full.
    pub full: Option<(f64, f64)>,
}

/// Figures that change with any change of what is decided when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exactly {
    /// The median tree, in microseconds.
    pub tree_us: u64,
    /// Answers lost, all trees together.
    pub lost: u64,
    /// Requests, all trees together.
    pub requests: u64,
}

/// Arms in the order of a figure's median over all seeds, the least first.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    by: Figure,
    arms: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Figure {
    TreeS,
    AddedS,
    Lost,
}

impl Order {
    pub(crate) fn arms(&self) -> impl Iterator<Item = &String> {
        self.arms.iter()
    }
}

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
    /// Makes the trees that the file has expectations of; all that do not hold.
    ///
    /// # Errors
    ///
    /// When an expected arm is none.
    pub fn check(&self) -> Result<Vec<Missed>, ScenarioError> {
        let mut missed = Vec::new();
        let mut pooled = BTreeMap::new();
        let ordered = self.order.iter().flat_map(Order::arms);
        let names: BTreeSet<_> = self.expect.keys().chain(ordered).collect();
        for name in names {
            let arm = self.arm(name)?;
            let mut all = Vec::new();
            for seed in self.seed..=self.seed + self.seeds {
                let trees: Vec<_> = simulate(self, &arm, seed, self.trees).collect();
                if let Some(expected) = self.expect.get(name) {
                    let exact = (seed == self.seed).then_some(expected.exactly);
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

impl Figure {
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of answers are far below 2^52"
    )]
    fn of(self, summary: &Summary) -> f64 {
        match self {
            Self::TreeS => summary.tree.as_secs_f64(),
            Self::AddedS => summary.added.as_secs_f64(),
            Self::Lost => summary.lost as f64 / summary.trees.max(1) as f64,
        }
    }
}

impl Expectation {
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of trees are far below 2^52"
    )]
    fn faults(&self, exactly: Option<Exactly>, got: &Summary) -> Vec<String> {
        let seconds = |time: Duration| time.as_secs_f64();
        let full = got.full as f64 / got.trees.max(1) as f64;
        let ranges = [
            ("tree_s", self.tree_s, seconds(got.tree)),
            ("worst_s", self.worst_s, seconds(got.worst)),
            ("added_s", self.added_s, seconds(got.added)),
            ("lost", self.lost, Figure::Lost.of(got)),
            ("full", self.full, full),
        ];
        let mut faults = Vec::new();
        for (name, range, value) in ranges {
            if let Some((low, high)) = range
                && !(low..=high).contains(&value)
            {
                faults.push(format!("{name} is {value:.3}, not from {low} to {high}"));
            }
        }
        let exact = Exactly {
            tree_us: u64::try_from(got.tree.as_micros()).unwrap_or(u64::MAX),
            lost: got.lost,
            requests: got.requests,
        };
        if exactly.is_some_and(|expected| expected != exact) {
            let Exactly {
                tree_us,
                lost,
                requests,
            } = exact;
            faults.push(format!(
                "exactly = {{ tree_us = {tree_us}, lost = {lost}, requests = {requests} }} it is \
                 now; look whether that is meant"
            ));
        }
        faults
    }
}
