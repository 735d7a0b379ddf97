//! What became of simulated trees.

use std::time::Duration;

use ant_collect::{Report, Verdict};
use ant_pacing::Peer;

/// One tree.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeOutcome {
    /// What its collection saw.
    pub report: Report,
    /// Whether every pool is full.
    pub full: bool,
    /// The most slots taken at a time.
    pub peak_slots: u32,
    /// Answers that nodes sent.
    pub sent: u64,
    /// Those of them that were dropped.
    pub lost: u64,
    /// Those that came when the tree had ended.
    pub after_end: u64,
    /// Replies to lookups that were dropped.
    pub replies_lost: u64,
}

impl TreeOutcome {
    pub(crate) fn new(
        verdict: &Verdict<Peer>,
        report: Report,
        [sent, lost, after_end, replies_lost]: [u64; 4],
        peak_slots: u32,
    ) -> Self {
        Self {
            full: matches!(verdict, Verdict::Full(_)),
            report,
            peak_slots,
            sent,
            lost,
            after_end,
            replies_lost,
        }
    }

    /// Counts the answers that came too late for their request, or for the tree.
    pub const fn late(&self) -> u64 {
        self.report.late + self.after_end
    }
}

/// Figures of one arm over several trees. The median of an even number of trees is
/// the upper of the two in the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many trees.
    pub trees: usize,
    /// How many of them have every pool full.
    pub full: usize,
    /// The median tree's time.
    pub tree: Duration,
    /// The worst tree's.
    pub worst: Duration,
    /// The median of the times added to the slowest lookup.
    pub added: Duration,
    /// Answers lost, all trees together.
    pub lost: u64,
    /// Requests sent, all trees together.
    pub requests: u64,
}

impl Summary {
    /// Computes the figures of these trees; without trees, all are zero.
    pub fn of(trees: &[TreeOutcome]) -> Self {
        let sorted = |of: fn(&Report) -> Duration| {
            let mut times: Vec<_> = trees.iter().map(|tree| of(&tree.report)).collect();
            times.sort_unstable();
            times
        };
        let median = |times: &[Duration]| times.get(times.len() / 2).copied().unwrap_or_default();
        let times = sorted(|report| report.took);
        Self {
            trees: trees.len(),
            full: trees.iter().filter(|tree| tree.full).count(),
            tree: median(&times),
            worst: times.last().copied().unwrap_or_default(),
            added: median(&sorted(Report::added)),
            lost: trees.iter().map(|tree| tree.lost).sum(),
            requests: trees.iter().map(|tree| tree.report.requests).sum(),
        }
    }
}
