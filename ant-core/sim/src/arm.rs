//! One side of a simulation: a pacing and a plan.

use ant_collect::Plan;
use ant_pacing::PacingSpec;
use serde::Deserialize;

/// A pacing under a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct SimArm {
    /// What it is called.
    pub name: String,
    /// How it is paced.
    pub pacing: PacingSpec,
    /// How it asks. Dials are not modelled.
    pub plan: Plan,
}

/// An arm as a scenario's file has it: the keys of a profile's plan, and the
/// published client's where it has none.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArmTable {
    pub(crate) strategy: String,
    #[serde(default)]
    pub(crate) plan: Plan,
}
