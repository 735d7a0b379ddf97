//! One side of a simulation: a pacing and a plan.

use ant_collect::Plan;
use ant_pacing::{PacingSpec, SpecError};
use serde::Deserialize;

/// A pacing under a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct SimArm {
    /// What it is called.
    pub name: String,
    /// How it is paced.
    pub pacing: PacingSpec,
    /// How it asks. Its `dials` have no effect here.
    pub plan: Plan,
}

/// An arm as a scenario's file has it: a strategy, and the keys of a profile's
/// plan; a key that is left out has the published client's value.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArmTable {
    pub(crate) strategy: String,
    #[serde(default)]
    pub(crate) plan: Plan,
}

/// A name that is neither a strategy nor one of the scenario's own arms.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{source}{}", beside(own))]
pub struct ArmError {
    /// Why it is not a strategy.
    pub source: SpecError,
    /// The scenario's own arms.
    pub own: Vec<String>,
}

/// Says which arms of its own a scenario has, if it has any.
fn beside(own: &[String]) -> String {
    if own.is_empty() {
        return String::new();
    }
    format!("; the scenario's own arms are {}", own.join(", "))
}
