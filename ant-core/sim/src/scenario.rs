//! A modelled network as data: what a scenario's file says.

use std::{collections::BTreeMap, time::Duration};

use ant_collect::{MAX_LEAVES, Plan};
use ant_pacing::QUEUE_DEPTH;
use ant_population::{
    InvalidScenario, Limits, Population, ScenarioError, check_range, check_share, read, text_of,
};
use ant_text::duration::Span;
use serde::Deserialize;

use crate::{
    SimArm,
    arm::{ArmError, ArmTable},
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

/// A lookup sorts all nodes, and times beyond a day would add up to more than a
/// clock holds.
const LIMITS: Limits = Limits {
    nodes: 100_000,
    longest: Duration::from_hours(24),
};

/// The most cores of a host; more are typing slips.
const MOST_CORES: usize = 4096;

/// The most contention: a thousand times longer for each request.
const MOST_CONTENTION: f64 = 1000.0;

/// A modelled network, and what is expected on it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The nodes. Their keys stand beside the others in a file, and
    /// [`read`](Self::read) fills this.
    #[serde(skip)]
    pub population: Population,
    /// Which share of all answers never comes, from 0 to 1.
    #[serde(default)]
    pub answers_lost: f64,
    /// How many leaves each tree has, 2 to 256.
    #[serde(default = "leaves")]
    pub leaves: usize,
    /// How many trees one client makes. It remembers its peers from one tree to the
    /// next.
    #[serde(default = "one")]
    pub trees_a_client: usize,
    /// How long a node works on a request, and where.
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

/// How long a node works on a request, and where.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeModel {
    /// How long a node works on a candidate request: it checks the request and signs
    /// the candidate.
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
    /// How long the one consumer of a queue takes for a message on an idle host.
    pub service: Span,
    /// By which share a message takes longer for each request that is at a node or
    /// under way from it, since the host has other work then: from 0 to 1000.
    #[serde(default)]
    pub contention: f64,
    /// How long the check of a candidate takes.
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
    /// How long a node works on a request of a lookup.
    pub service: Span,
    /// How long a round waits for a reply that was dropped.
    pub stalls: Span,
}

const fn leaves() -> usize {
    MAX_LEAVES
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
    QUEUE_DEPTH
}

const fn trees() -> usize {
    20
}

const fn seeds() -> u64 {
    4
}

impl Scenario {
    /// Finds and reads the shipped scenario of this name, or the file at this path.
    ///
    /// # Errors
    ///
    /// When there is none, or it makes no network: where, and what to write.
    pub fn find(name: &str) -> Result<Self, ScenarioError> {
        Self::read(name, &text_of(name, SHIPPED)?)
    }

    /// Reads a scenario; `place` is what errors call the text.
    ///
    /// # Errors
    ///
    /// When the text is not a scenario, or makes no network.
    pub fn read(place: &str, text: &str) -> Result<Self, ScenarioError> {
        let (population, own) = read::<Self>(place, text)?;
        let scenario = Self { population, ..own };
        scenario
            .validate()
            .map_err(|source| ScenarioError::Invalid {
                place: place.to_owned(),
                source,
            })?;
        Ok(scenario)
    }

    /// Returns the arm of this name: one of the file's own, or a strategy under the
    /// published client's plan.
    ///
    /// # Errors
    ///
    /// When it is neither.
    pub fn arm(&self, name: &str) -> Result<SimArm, ArmError> {
        let own = self.arms.get(name);
        let strategy = own.map_or(name, |own| &own.strategy);
        let pacing = strategy.parse().map_err(|source| ArmError {
            source,
            own: self.arms.keys().cloned().collect(),
        })?;
        Ok(SimArm {
            name: name.to_owned(),
            pacing,
            plan: own.map_or_else(Plan::default, |own| own.plan),
        })
    }

    /// Checks that this makes a network, and that its expectations are of arms.
    fn validate(&self) -> Result<(), InvalidScenario> {
        self.population.validate(&LIMITS)?;
        check_range("leaves", self.leaves, 2..=MAX_LEAVES)?;
        check_range("trees_a_client", self.trees_a_client, 1..=usize::MAX)?;
        check_share("answers_lost", self.answers_lost, 1.0)?;
        check_range("client.depth", self.client.depth, 1..=usize::MAX)?;
        check_range("client.cores", self.client.cores, 1..=MOST_CORES)?;
        let shared_cores = self.node.shared_cores.unwrap_or(1);
        check_range("node.shared_cores", shared_cores, 1..=MOST_CORES)?;
        check_range("lookup.parallel", self.lookup.parallel, 1..=64)?;
        check_share("client.contention", self.client.contention, MOST_CONTENTION)?;
        for (name, span) in [
            ("node.service", self.node.service),
            ("client.service", self.client.service),
            ("client.check", self.client.check),
            ("lookup.service", self.lookup.service),
            ("lookup.stalls", self.lookup.stalls),
        ] {
            LIMITS.check_span(name, span)?;
        }
        let ordered = self.order.iter().flat_map(|order| &order.arms);
        for name in self.expect.keys().chain(ordered) {
            self.arm(name)
                .map_err(|error| InvalidScenario(format!("the expected arm `{name}`: {error}")))?;
        }
        Ok(())
    }
}

/// A scenario's name and text.
macro_rules! shipped {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../scenarios/", $name, ".toml")),
        )
    };
}
use shipped;
