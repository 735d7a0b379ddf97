//! One run's figures. What could not be known is `None`, and `null` in JSON.

use std::{collections::BTreeSet, time::Duration};

use ant_core::Report;
use ant_wan::Counts;
use serde::{Deserialize, Serialize};

use crate::{closeness::Closeness, stats::median};

/// One payment of one arm: a tree, or several one after another, whose figures are
/// summed up. Times are in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Which block or payment, from 0.
    pub block: usize,
    /// The whole tree, from the first lookup to the last pool; of a tree that
    /// failed, until it did. Where one of several has failed, all figures are its
    /// own.
    pub tree_s: Option<f64>,
    /// Its slowest lookup.
    pub lookup_max_s: Option<f64>,
    /// What asking added to finding: the one less the other.
    pub added_s: Option<f64>,
    /// How many pools the tree has.
    pub pools: Option<usize>,
    /// How many of them are full.
    pub pools_full: Option<usize>,
    /// Requests sent, legacy retries included.
    pub requests: Option<u64>,
    /// Requests that reached a node. Known on the embedded testnet.
    pub requests_taken: Option<u64>,
    /// Answers that nodes sent. Known on the embedded testnet.
    pub answers_sent: Option<u64>,
    /// Answers that came in time.
    pub answers_taken: Option<u64>,
    /// Answers that came after their request had timed out, or the tree had ended.
    pub late: Option<u64>,
    /// Answers sent that never came. Known on the embedded testnet.
    pub lost: Option<u64>,
    /// Requests repeated in the legacy form.
    pub legacy_retries: Option<u64>,
    /// Requests repeated in the versioned form.
    #[serde(default)]
    pub reasks: Option<u64>,
    /// Spares asked in place of peers that failed or were slow.
    #[serde(default)]
    pub spares: Option<u64>,
    /// Lookups started a second time.
    #[serde(default)]
    pub hedges: Option<u64>,
    /// Pools that hold others than the 16 closest of all nodes that answer. Known
    /// on the embedded testnet, as are the next two.
    #[serde(default)]
    pub pools_other: Option<usize>,
    /// The share of the candidates that are among the 16 closest of their pool.
    #[serde(default)]
    pub closest_share: Option<f64>,
    /// The candidates' mean rank by distance among all nodes that answer, from 0:
    /// 7.5 at best.
    #[serde(default)]
    pub mean_rank: Option<f64>,
    /// Of the nodes that were sent some of the paid chunks, the share that stored
    /// them, if it was paid.
    #[serde(default)]
    pub accepted_share: Option<f64>,
    /// What paying took, until it had settled, if it was paid.
    #[serde(default)]
    pub pay_s: Option<f64>,
    /// For how many chunks there are proofs then.
    #[serde(default)]
    pub proofs: Option<usize>,
    /// What was paid, in the token's smallest unit.
    #[serde(default)]
    pub paid_atto: Option<String>,
    /// What the gas cost, in wei.
    #[serde(default)]
    pub gas_wei: Option<u64>,
    /// Peers that were asked and never answered, as hexadecimal identities.
    pub silent_peers: Vec<String>,
    /// The most requests outstanding at a time.
    pub peak_in_flight: Option<u32>,
    /// The most slots taken at a time.
    pub peak_slots: Option<u32>,
    /// Processor time of this process during the tree; on the embedded testnet
    /// that is the client and every node.
    pub cpu_s: Option<f64>,
    /// What the fresh client took before it, to join and know its peers.
    pub warm_up_s: Option<f64>,
    /// On a wide-area network in a box: how much later than due its router
    /// delivered all but one in a hundred packets, in milliseconds.
    #[serde(default)]
    pub router_late_ms: Option<f64>,
    /// Why the tree failed, if it did.
    pub error: Option<String>,
    /// Why the run says nothing, if it does not: its network was not what it was
    /// to be. It is left out of the medians.
    #[serde(default)]
    pub void: Option<String>,
}

/// A router that is later than this is part of what is measured.
const ROUTER_LATE_MS: f64 = 2.0;

impl Run {
    /// Takes over what the trees' collections saw; nothing, if there is none.
    pub fn fill(&mut self, trees: &[&Report]) {
        if trees.is_empty() {
            return;
        }
        let each = || trees.iter().copied();
        let count = |of: fn(&Report) -> u64| Some(each().map(of).sum());
        let pools = |of: fn(&Report) -> usize| Some(each().map(of).sum());
        let seconds = |time: Duration| Some(time.as_secs_f64());
        self.tree_s = seconds(each().map(|tree| tree.took).sum());
        self.lookup_max_s = each().map(Report::slowest_lookup).max().and_then(seconds);
        self.added_s = seconds(each().map(Report::added).sum());
        self.pools = pools(|tree| tree.pools);
        self.pools_full = pools(|tree| tree.pools_full);
        self.requests = count(|tree| tree.requests);
        self.answers_taken = count(|tree| tree.answered);
        self.late = count(|tree| tree.late);
        self.legacy_retries = count(|tree| tree.legacy_retries);
        self.reasks = count(|tree| tree.reasks);
        self.spares = count(|tree| tree.spares);
        self.hedges = count(|tree| tree.hedges);
        let silent: BTreeSet<_> = each().flat_map(|tree| &tree.silent_peers).collect();
        self.silent_peers = silent.iter().map(ToString::to_string).collect();
        self.peak_in_flight = each().map(|tree| tree.peak_in_flight).max();
    }

    /// Takes over how close the candidates are.
    pub(crate) fn chose(&mut self, closeness: Option<Closeness>) {
        self.pools_other = closeness.map(|closeness| closeness.pools_other);
        self.closest_share = closeness.map(|closeness| closeness.closest_share);
        self.mean_rank = closeness.map(|closeness| closeness.mean_rank);
    }

    /// Takes over what the router of a wide-area network did meanwhile.
    pub(crate) fn routed(&mut self, counts: &Counts) {
        self.routed_late(counts.stopped, counts.lateness(0.99));
    }

    fn routed_late(&mut self, stopped: bool, late: Option<Duration>) {
        self.router_late_ms = late.map(|late| late.as_secs_f64() * 1e3);
        self.void = match self.router_late_ms {
            _ if stopped => Some("the network's router stopped".to_owned()),
            None => Some("the network's router delivered nothing".to_owned()),
            Some(late) if late > ROUTER_LATE_MS => Some(format!(
                "the network's router delivered one packet in a hundred {late:.1} ms late or later, \
                 and {ROUTER_LATE_MS} ms is the limit"
            )),
            Some(_) => None,
        };
    }

    /// Whether every pool is full.
    pub fn full(&self) -> bool {
        self.error.is_none() && self.pools.is_some() && self.pools == self.pools_full
    }
}

/// The median of each figure, over the runs that have it and are not void. Failed trees have
/// times too: they are what the failure took.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the figures are those of `Run`")]
pub struct Medians {
    pub tree_s: Option<f64>,
    pub lookup_max_s: Option<f64>,
    pub added_s: Option<f64>,
    pub pools: Option<f64>,
    pub pools_full: Option<f64>,
    pub requests: Option<f64>,
    pub requests_taken: Option<f64>,
    pub answers_sent: Option<f64>,
    pub answers_taken: Option<f64>,
    pub late: Option<f64>,
    pub lost: Option<f64>,
    pub legacy_retries: Option<f64>,
    pub reasks: Option<f64>,
    pub spares: Option<f64>,
    pub hedges: Option<f64>,
    pub pools_other: Option<f64>,
    pub closest_share: Option<f64>,
    pub mean_rank: Option<f64>,
    pub accepted_share: Option<f64>,
    pub pay_s: Option<f64>,
    pub gas_wei: Option<f64>,
    pub silent_peers: Option<f64>,
    pub peak_in_flight: Option<f64>,
    pub peak_slots: Option<f64>,
    pub cpu_s: Option<f64>,
    pub warm_up_s: Option<f64>,
    pub router_late_ms: Option<f64>,
}

impl Medians {
    /// The medians of these runs.
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of messages are far below 2^52"
    )]
    pub fn of(runs: &[Run]) -> Self {
        let valid = || runs.iter().filter(|run| run.void.is_none());
        let of = |figure: &dyn Fn(&Run) -> Option<f64>| median(valid().filter_map(figure));
        Self {
            tree_s: of(&|run| run.tree_s),
            lookup_max_s: of(&|run| run.lookup_max_s),
            added_s: of(&|run| run.added_s),
            pools: of(&|run| run.pools.map(|n| n as f64)),
            pools_full: of(&|run| run.pools_full.map(|n| n as f64)),
            requests: of(&|run| run.requests.map(|n| n as f64)),
            requests_taken: of(&|run| run.requests_taken.map(|n| n as f64)),
            answers_sent: of(&|run| run.answers_sent.map(|n| n as f64)),
            answers_taken: of(&|run| run.answers_taken.map(|n| n as f64)),
            late: of(&|run| run.late.map(|n| n as f64)),
            lost: of(&|run| run.lost.map(|n| n as f64)),
            legacy_retries: of(&|run| run.legacy_retries.map(|n| n as f64)),
            reasks: of(&|run| run.reasks.map(|n| n as f64)),
            spares: of(&|run| run.spares.map(|n| n as f64)),
            hedges: of(&|run| run.hedges.map(|n| n as f64)),
            pools_other: of(&|run| run.pools_other.map(|n| n as f64)),
            closest_share: of(&|run| run.closest_share),
            mean_rank: of(&|run| run.mean_rank),
            accepted_share: of(&|run| run.accepted_share),
            pay_s: of(&|run| run.pay_s),
            gas_wei: of(&|run| run.gas_wei.map(|n| n as f64)),
            silent_peers: of(&|run| run.pools.map(|_| run.silent_peers.len() as f64)),
            peak_in_flight: of(&|run| run.peak_in_flight.map(f64::from)),
            peak_slots: of(&|run| run.peak_slots.map(f64::from)),
            cpu_s: of(&|run| run.cpu_s),
            warm_up_s: of(&|run| run.warm_up_s),
            router_late_ms: of(&|run| run.router_late_ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(tree_s: f64, late_us: Option<u64>) -> Run {
        let mut run = Run {
            tree_s: Some(tree_s),
            ..Run::default()
        };
        run.routed_late(false, late_us.map(Duration::from_micros));
        run
    }

    #[test]
    fn a_run_on_a_late_or_dead_router_is_void_and_in_no_median() {
        for (late_us, void) in [
            (Some(100), false),
            (Some(2000), false),
            (Some(2100), true),
            (None, true),
        ] {
            let run = run(1.0, late_us);
            assert_eq!(run.void.is_some(), void, "{late_us:?}");
        }
        let mut stopped = Run::default();
        stopped.routed_late(true, Some(Duration::from_micros(100)));
        assert!(stopped.void.unwrap().contains("stopped"));
        let runs = [
            run(1.0, Some(100)),
            run(9.0, Some(5000)),
            run(3.0, Some(100)),
        ];
        assert_eq!(Medians::of(&runs).tree_s, Some(2.0));
        let arms = [crate::ArmResult::new("x".to_owned(), runs.to_vec())];
        let table = crate::table(&arms);
        assert!(table.contains("0/2"), "{table}");
        assert!(table.contains("void: x in block 1"), "{table}");
    }
}
