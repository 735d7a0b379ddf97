//! What a scenario's file expects of its arms: exact figures for its own seed,
//! ranges for others, and orders.

use std::time::Duration;

use serde::Deserialize;

use crate::Summary;

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
    pub(crate) by: Figure,
    pub(crate) arms: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Figure {
    TreeS,
    AddedS,
    Lost,
}

impl Figure {
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of answers are far below 2^52"
    )]
    pub(crate) fn of(self, summary: &Summary) -> f64 {
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
    /// Returns what does not hold of the trees summed up in `got`; exact figures
    /// are compared if `exactly` has them.
    pub(crate) fn faults(&self, exactly: Option<Exactly>, got: &Summary) -> Vec<String> {
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
