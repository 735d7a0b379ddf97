//! What is wrong with some of the nodes.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How many nodes are faulty, and how. A node has at most one fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Faults {
    /// How many never answer candidate requests.
    pub silent: usize,
    /// How many answer late.
    pub slow: usize,
    /// How late those answer.
    #[serde(with = "ant_text::duration")]
    pub slow_by: Duration,
    /// How many only know the legacy form of a request.
    pub legacy: usize,
}

impl Faults {
    /// The keys of a scenario's file that this is read from.
    pub(crate) const KEYS: &[&str] = &["silent", "slow", "slow_by", "legacy"];

    /// Returns how many nodes have a fault.
    pub fn count(&self) -> usize {
        self.silent
            .saturating_add(self.slow)
            .saturating_add(self.legacy)
    }
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            silent: 0,
            slow: 0,
            slow_by: Duration::from_secs(3),
            legacy: 0,
        }
    }
}
