//! The nodes of a network as data: what every scenario's file says of them.

use ant_text::duration::Span;
use serde::{Deserialize, Serialize};

use crate::{Faults, InvalidScenario, Limits, RoundTrips, check_range};

/// The nodes of a network: how many, at which addresses, how far apart, and what
/// is wrong with some of them. The default has no nodes, and so is not valid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Population {
    /// One line on what the network is like.
    pub description: String,
    /// How many nodes.
    pub nodes: usize,
    /// How many addresses they share, so that their answers share receive
    /// queues; by default each node has its own.
    #[serde(default)]
    pub addresses: Option<usize>,
    /// How many nodes are faulty, and how. Its keys stand beside the others in a
    /// file, and [`read`](crate::read) fills it.
    #[serde(flatten, skip_deserializing)]
    pub faults: Faults,
    /// Decides everything that is drawn by lot.
    #[serde(default)]
    pub seed: u64,
    /// How long a packet and its answer take.
    pub round_trip: RoundTrips,
}

impl Population {
    /// The keys of a scenario's file that this is read from, without those of the
    /// faults.
    pub(crate) const KEYS: &[&str] = &["description", "nodes", "addresses", "seed", "round_trip"];

    /// Checks that this makes a network.
    ///
    /// # Errors
    ///
    /// The first value that does not, and what is allowed.
    pub fn validate(&self, limits: &Limits) -> Result<(), InvalidScenario> {
        let nodes = self.nodes;
        check_range("nodes", nodes, 1..=limits.nodes)?;
        if let Some(addresses) = self.addresses
            && !(1..=nodes).contains(&addresses)
        {
            return Err(InvalidScenario(format!(
                "addresses = {addresses} is not from 1 to {nodes}, the number of nodes; leave it \
                 out for an address each"
            )));
        }
        let faulty = self.faults.count();
        if faulty > nodes {
            return Err(InvalidScenario(format!(
                "silent, slow and legacy together are {faulty} of {nodes} nodes: too many"
            )));
        }
        limits.check_span("slow_by", Span(self.faults.slow_by))?;
        self.round_trip.validate(limits)
    }
}
