//! A modelled network as data: what a scenario's file says.

use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use ant_collect::Plan;
use ant_pacing::PacingSpec;
use ant_text::{duration::Span, nearest};
use serde::Deserialize;

use crate::{
    SimArm,
    arm::ArmTable,
    expect::{Expectation, Order},
};

/// The scenarios that the program carries along, by name.
pub const SHIPPED: &[(&str, &str)] = &[
    shipped!("loopback"),
    shipped!("mainnet"),
    shipped!("residential"),
    shipped!("shared"),
    shipped!("silent"),
    shipped!("losing"),
    shipped!("old"),
];

/// The most nodes; a lookup sorts them all.
const MOST_NODES: usize = 100_000;

/// A modelled network, and what is expected on it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// One line on what it is like.
    pub description: String,
    /// How many nodes.
    pub nodes: usize,
    /// How many addresses they share; by default each has its own.
    #[serde(default)]
    pub addresses: Option<usize>,
    /// How many never answer candidate requests.
    #[serde(default)]
    pub silent: usize,
    /// How many answer late.
    #[serde(default)]
    pub slow: usize,
    /// How late those answer.
    #[serde(default = "slow_by")]
    pub slow_by: Span,
    /// How many only know the legacy form of a request.
    #[serde(default)]
    pub legacy: usize,
    /// Which share of all answers never comes, from 0 to 1.
    #[serde(default)]
    pub answers_lost: f64,
    /// How many leaves each tree has, 2 to 256.
    #[serde(default = "leaves")]
    pub leaves: usize,
    /// How many trees one client makes: it remembers its peers from one to the
    /// next.
    #[serde(default = "one")]
    pub trees_a_client: usize,
    /// Decides everything.
    #[serde(default)]
    pub seed: u64,
    /// How long packets take.
    pub round_trip: RoundTrip,
    /// What a node takes.
    pub node: NodeModel,
    /// What the client's host does with messages.
    pub client: ClientModel,
    /// What lookups are like.
    pub lookup: LookupModel,
    /// Arms of its own, beside all strategies under the published client's plan.
    #[serde(default)]
    pub(crate) arms: BTreeMap<String, ArmTable>,
    /// How many trees its expectations are about.
    #[serde(default = "trees")]
    pub trees: usize,
    /// Over how many further seeds the ranges hold.
    #[serde(default = "seeds")]
    pub seeds: u64,
    /// What is expected of each arm.
    #[serde(default)]
    pub expect: BTreeMap<String, Expectation>,
    /// Orders that are expected.
    #[serde(default)]
    pub(crate) order: Vec<Order>,
}

/// Round trips between the client and its peers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundTrip {
    /// Percentile and round trip, both rising, with straight lines between.
    pub percentiles: Vec<(u8, Span)>,
    /// A packet takes up to so much longer, evenly drawn.
    #[serde(default)]
    pub jitter: Span,
    /// Which share of all packets is lost; one is sent again after a round trip
    /// and a half.
    #[serde(default)]
    pub loss: f64,
}

/// What a node takes for a request.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeModel {
    /// For a candidate request: checking it, signing the candidate.
    pub service: Span,
    /// How many cores all nodes share with each other, and the host with the
    /// client; by default each has its own host.
    #[serde(default)]
    pub shared_cores: Option<usize>,
}

/// What the client's host does with messages that come.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientModel {
    /// How many messages wait in a receive queue; what does not fit is dropped.
    #[serde(default = "depth")]
    pub depth: usize,
    /// What its one consumer takes for a message on an idle host.
    pub service: Span,
    /// So much longer, as a share, for every request that is at a node or under
    /// way from it: what else the host, or its tasks, have to do.
    #[serde(default)]
    pub contention: f64,
    /// What checking a candidate takes.
    pub check: Span,
    /// How many candidates are checked at once.
    #[serde(default = "two")]
    pub cores: usize,
}

/// What lookups are like.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookupModel {
    /// How many rounds of requests a stock lookup makes.
    pub rounds: u32,
    /// How many a witnessed one makes.
    pub witnessed_rounds: u32,
    /// How many requests a round.
    #[serde(default = "three")]
    pub parallel: usize,
    /// What a node takes for one.
    pub service: Span,
    /// How long a round waits for a reply that was dropped.
    pub stalls: Span,
}

/// Why there is no scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError(pub(crate) String);

impl std::fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ScenarioError {}

const fn slow_by() -> Span {
    Span(Duration::from_secs(3))
}

const fn leaves() -> usize {
    256
}

const fn one() -> usize {
    1
}

const fn two() -> usize {
    2
}

const fn three() -> usize {
    3
}

const fn depth() -> usize {
    32
}

const fn trees() -> usize {
    20
}

const fn seeds() -> u64 {
    4
}

impl Scenario {
    /// The scenario of this name, or in the file at this path.
    ///
    /// # Errors
    ///
    /// When there is none, or it is no network: where, and what to write.
    pub fn find(name: &str) -> Result<Self, ScenarioError> {
        let path = Path::new(name);
        if name.contains('/') || path.extension().is_some_and(|e| e == "toml") {
            let text = fs::read_to_string(path)
                .map_err(|error| ScenarioError(format!("{name}: {error}")))?;
            return Self::read(name, &text);
        }
        if let Some((_, text)) = SHIPPED.iter().find(|(shipped, _)| *shipped == name) {
            return Self::read(name, text);
        }
        let names: Vec<_> = SHIPPED.iter().map(|(name, _)| *name).collect();
        let near = nearest(name, names.iter().copied());
        let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        Err(ScenarioError(format!(
            "there is no scenario `{name}`{near}; there are {}, and files by their path",
            names.join(", ")
        )))
    }

    /// Reads a scenario; `place` is what faults call it.
    ///
    /// # Errors
    ///
    /// When the text is none, or no network.
    pub fn read(place: &str, text: &str) -> Result<Self, ScenarioError> {
        let read: Self = toml::from_str(text)
            .map_err(|error| ScenarioError(format!("{place}: {error}").trim_end().to_owned()))?;
        match read.problem() {
            Some(problem) => Err(ScenarioError(format!("{place}: {problem}"))),
            None => Ok(read),
        }
    }

    /// The arm of this name: one of the file's own, or a strategy under the
    /// published client's plan.
    ///
    /// # Errors
    ///
    /// When it is neither.
    pub fn arm(&self, name: &str) -> Result<SimArm, ScenarioError> {
        let strategy = self.arms.get(name).map_or(name, |own| &own.strategy);
        let own = || self.arms.keys().cloned().collect::<Vec<_>>().join(", ");
        let pacing: PacingSpec = strategy.parse().map_err(|error| {
            let beside = if self.arms.is_empty() {
                String::new()
            } else {
                format!("; the scenario's own arms are {}", own())
            };
            ScenarioError(format!("{error}{beside}"))
        })?;
        let plan = self.arms.get(name);
        Ok(SimArm {
            name: name.to_owned(),
            pacing,
            plan: plan.map_or_else(Plan::default, |own| own.plan),
        })
    }

    /// What makes no network, if anything.
    fn problem(&self) -> Option<String> {
        let Self {
            nodes, addresses, ..
        } = self;
        let range = |name: &str, value: usize, low: usize, high: usize| {
            let fits = (low..=high).contains(&value);
            (!fits).then(|| format!("{name} = {value} is not from {low} to {high}"))
        };
        let share = |name: &str, value: f64| {
            let fits = (0.0..=1.0).contains(&value);
            (!fits).then(|| format!("{name} = {value} is not from 0 to 1"))
        };
        let points = &self.round_trip.percentiles;
        let rising = points.is_sorted() && points.is_sorted_by_key(|(_, span)| span);
        let whole = points.iter().all(|(percentile, _)| *percentile <= 100);
        let bad_points = points.is_empty() || !rising || !whole;
        let faulty = self.silent + self.slow + self.legacy;
        let contention = self.client.contention;
        range("nodes", *nodes, 1, MOST_NODES)
            .or_else(|| range("addresses", addresses.unwrap_or(1), 1, *nodes))
            .or_else(|| range("leaves", self.leaves, 2, 256))
            .or_else(|| range("trees_a_client", self.trees_a_client, 1, usize::MAX))
            .or_else(|| range("silent, slow and legacy together", faulty, 0, *nodes))
            .or_else(|| share("answers_lost", self.answers_lost))
            .or_else(|| share("round_trip.loss", self.round_trip.loss))
            .or_else(|| range("client.depth", self.client.depth, 1, usize::MAX))
            .or_else(|| range("client.cores", self.client.cores, 1, 4096))
            .or_else(|| {
                range(
                    "node.shared_cores",
                    self.node.shared_cores.unwrap_or(1),
                    1,
                    4096,
                )
            })
            .or_else(|| range("lookup.parallel", self.lookup.parallel, 1, 64))
            .or_else(|| {
                let fits = contention.is_finite() && contention >= 0.0;
                (!fits).then(|| format!("client.contention = {contention} is no share from 0 up"))
            })
            .or_else(|| {
                bad_points.then(|| {
                    "round_trip.percentiles do not rise, each with its round trip, to 100"
                        .to_owned()
                })
            })
            .or_else(|| {
                let mut named = self
                    .expect
                    .keys()
                    .chain(self.order.iter().flat_map(Order::arms));
                let (arm, fault) = named.find_map(|arm| Some((arm, self.arm(arm).err()?)))?;
                Some(format!("the expected arm `{arm}`: {fault}"))
            })
    }
}

/// A scenario's name and text.
macro_rules! shipped {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../../tests/scenarios/", $name, ".toml")),
        )
    };
}
use shipped;
