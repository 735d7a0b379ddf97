//! The list of what a run is described by. A new figure needs its entry here, and
//! the place where it is measured: medians, table, JSON and documentation follow.

use std::{collections::BTreeSet, iter::Sum, time::Duration};

use ant_core::Report;
use ant_wan::Counts;
use serde::{Deserialize, Serialize};

use crate::{
    closeness::Closeness,
    figure::{Figure, Value, each_run, median},
};

/// Makes the struct and the list of figures from one list of entries.
///
/// An entry is a field with its documentation. `trees` says how the field follows
/// from the reports of one payment's trees. `unit` makes the field a figure, read
/// from the field itself unless `read` says otherwise. `column` shows the figure in
/// the table for people. Fields and columns have the order of the entries.
macro_rules! run {
    (
        $(#[$about:meta])*
        pub struct $Run:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty
                $(, trees = $trees:expr)?
                $(, unit = $unit:literal $(, read = $read:expr)? $(, column = $column:expr)?)?
                ;
            )*
        }
    ) => {
        $(#[$about])*
        pub struct $Run {
            $($(#[doc = $doc])+ pub $field: $type,)*
        }

        /// All figures, in the order of JSON and of the table.
        pub(crate) const FIGURES: &[Figure<$Run>] = &[
            $($(Figure {
                name: stringify!($field),
                unit: $unit,
                read: run!(@read $field $($read)?),
                column: run!(@column $($column)?),
            },)?)*
        ];

        /// All fields with their documentation, in the order of JSON.
        #[cfg(test)]
        const FIELDS: &[(&str, &str)] = &[
            $((stringify!($field), concat!($($doc),+)),)*
        ];

        impl $Run {
            /// Takes over what the trees' collections saw. Without any tree the
            /// figures stay unknown.
            pub fn fill(&mut self, trees: &[&Report]) {
                if trees.is_empty() {
                    return;
                }
                $($(self.$field = follow(trees, $trees);)?)*
            }
        }
    };
    (@read $field:ident) => { |run| run.$field.value() };
    (@read $field:ident $read:expr) => { $read };
    (@column) => { None };
    (@column $column:expr) => { Some($column) };
}

run! {
/// One payment of one arm: a tree, or several trees one after another, whose figures
/// are added up. Where one of several trees has failed, all figures are of that tree.
/// What could not be known is `None`, and `null` in JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The number of the block that the run belongs to, or of the payment, counted
    /// from 0.
    block: usize;

    /// The time of the tree in seconds, from its first lookup to its last pool; if the
    /// tree failed, until it failed.
    tree_s: Option<f64>,
        trees = |trees| seconds(trees, |tree| tree.took),
        unit = "s", column = median("tree s", 2);

    /// The time of the slowest lookup, in seconds.
    lookup_max_s: Option<f64>,
        trees = |trees| Some(largest(trees, Report::slowest_lookup)?.as_secs_f64()),
        unit = "s", column = median("lookup s", 2);

    /// The time added by asking, in seconds: the time of the tree less the time of its
    /// slowest lookup.
    added_s: Option<f64>,
        trees = |trees| seconds(trees, Report::added),
        unit = "s", column = median("added s", 2);

    /// How many pools the tree has.
    pools: Option<usize>,
        trees = |trees| sum(trees, |tree| tree.pools),
        unit = "pools";

    /// How many pools are full.
    pools_full: Option<usize>,
        trees = |trees| sum(trees, |tree| tree.pools_full),
        unit = "pools";

    /// How many requests were sent, legacy retries included.
    requests: Option<u64>,
        trees = |trees| sum(trees, |tree| tree.requests),
        unit = "requests";

    /// How many requests reached a node. Known on the embedded testnet only.
    requests_taken: Option<u64>, unit = "requests";

    /// How many answers the nodes sent. Known on the embedded testnet only.
    answers_sent: Option<u64>, unit = "answers";

    /// How many answers came in time.
    answers_taken: Option<u64>,
        trees = |trees| sum(trees, |tree| tree.answered),
        unit = "answers";

    /// How many answers a node sent and the client never took. Known on the embedded
    /// testnet only.
    lost: Option<u64>, unit = "answers", column = each_run("lost answers");

    /// How many answers came after their request had timed out or their tree had ended.
    late: Option<u64>,
        trees = |trees| sum(trees, |tree| tree.late),
        unit = "answers", column = median("late", 0);

    /// How many requests were sent again in the legacy form.
    legacy_retries: Option<u64>,
        trees = |trees| sum(trees, |tree| tree.legacy_retries),
        unit = "requests", column = median("retries", 0);

    /// How many requests were sent again in the versioned form.
    reasks: Option<u64>,
        trees = |trees| sum(trees, |tree| tree.reasks),
        unit = "requests";

    /// How many spare peers were asked in place of peers that failed or were slow.
    spares: Option<u64>,
        trees = |trees| sum(trees, |tree| tree.spares),
        unit = "peers";

    /// How many lookups were started a second time.
    hedges: Option<u64>,
        trees = |trees| sum(trees, |tree| tree.hedges),
        unit = "lookups";

    /// How many pools hold other candidates than the 16 closest of all nodes that
    /// answer. Known on the embedded testnet only.
    pools_other: Option<usize>, unit = "pools";

    /// The share of the candidates that are among the 16 closest of their pool, from 0
    /// to 1. Known on the embedded testnet only.
    closest_share: Option<f64>, unit = "share";

    /// The mean rank of the candidates by distance among all nodes that answer, counted
    /// from 0, so that 7.5 is the best. Known on the embedded testnet only.
    mean_rank: Option<f64>, unit = "rank";

    /// The share of nodes that stored a paid chunk when they were sent one, from 0 to 1.
    /// Known only if the run was paid.
    accepted_share: Option<f64>, unit = "share";

    /// The time in seconds from the start of paying until the payment had settled. Known
    /// only if the run was paid.
    pay_s: Option<f64>, unit = "s";

    /// How many chunks have a proof that they are paid for. Known only if the run was
    /// paid.
    proofs: Option<usize>;

    /// The amount that was paid in the token's smallest unit (atto), as decimal digits.
    paid_atto: Option<String>;

    /// What the transactions cost in gas, in wei. Known only if the run was paid.
    gas_wei: Option<u64>, unit = "wei";

    /// The peers that were asked and never answered: in each run their identities as
    /// hexadecimal digits, in medians their number.
    silent_peers: Vec<String>,
        trees = silent_peers,
        unit = "peers", read = |run| run.pools.and(Some(run.silent_peers.len()).value());

    /// The largest number of requests in flight at one time.
    peak_in_flight: Option<u32>,
        trees = |trees| largest(trees, |tree| tree.peak_in_flight),
        unit = "requests", column = median("in flight", 0);

    /// The largest number of slots taken at one time.
    peak_slots: Option<u32>, unit = "slots";

    /// The processor time that this process used during the tree, in seconds. On the
    /// embedded testnet this includes every node.
    cpu_s: Option<f64>, unit = "s", column = median("cpu s", 2);

    /// The time in seconds that the fresh client took before the tree, to join and to
    /// learn its peers.
    warm_up_s: Option<f64>, unit = "s";

    /// How much later than due the router of the wide-area network in a box delivered
    /// all but the latest hundredth of the packets, in milliseconds.
    router_late_ms: Option<f64>, unit = "ms";

    /// Why the tree failed, if it failed.
    error: Option<String>;

    /// Why the run does not count, if it does not: its network was disturbed. The run is
    /// left out of the medians.
    void: Option<String>;
}
}

/// Applies what an entry gives, whose type follows from its field.
fn follow<T>(trees: &[&Report], how: fn(&[&Report]) -> T) -> T {
    how(trees)
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "a figure is an option: without any tree it is unknown"
)]
fn sum<N: Sum>(trees: &[&Report], of: fn(&Report) -> N) -> Option<N> {
    Some(trees.iter().map(|tree| of(tree)).sum())
}

fn seconds(trees: &[&Report], of: fn(&Report) -> Duration) -> Option<f64> {
    sum(trees, of).map(|time| time.as_secs_f64())
}

fn largest<N: Ord>(trees: &[&Report], of: fn(&Report) -> N) -> Option<N> {
    trees.iter().map(|tree| of(tree)).max()
}

/// Returns the peers that were silent in some tree, each once.
fn silent_peers(trees: &[&Report]) -> Vec<String> {
    let silent: BTreeSet<_> = trees.iter().flat_map(|tree| &tree.silent_peers).collect();
    silent.iter().map(ToString::to_string).collect()
}

/// The lateness, in milliseconds, from which on a router is part of what is measured.
const ROUTER_LATE_MS: f64 = 2.0;

impl Run {
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

    /// Returns whether every pool is full.
    pub fn full(&self) -> bool {
        self.error.is_none() && self.pools.is_some() && self.pools == self.pools_full
    }
}

#[cfg(test)]
mod tests;
