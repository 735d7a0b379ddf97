//! One side of a simulation: a pacing and a plan.

use ant_collect::{Finish, Lookup, Plan};
use ant_pacing::{PacingSpec, duration::Span};
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
    pub(crate) plan: PlanTable,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PlanTable {
    ask: Option<usize>,
    first: Option<usize>,
    finish: FinishName,
    substitutes: usize,
    reasks: u32,
    witnesses: usize,
    lookups: Option<usize>,
    queue_lookups: Option<usize>,
    hedges: u32,
    request_timeout: Option<Span>,
    probe_ceiling: Option<Span>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FinishName {
    #[default]
    All,
    Decided,
}

impl From<&PlanTable> for Plan {
    fn from(table: &PlanTable) -> Self {
        let published = Self::default();
        Self {
            ask: table.ask.unwrap_or(published.ask),
            first: table.first,
            finish: match table.finish {
                FinishName::All => Finish::All,
                FinishName::Decided => Finish::Decided,
            },
            substitutes: table.substitutes,
            reasks: table.reasks,
            lookup: match table.witnesses {
                0 => Lookup::Stock,
                width => Lookup::Witnessed(width),
            },
            lookups: table.lookups.unwrap_or(published.lookups),
            queue_lookups: table.queue_lookups,
            hedges: table.hedges,
            request_timeout: table
                .request_timeout
                .map_or(published.request_timeout, |t| t.0),
            probe_ceiling: table.probe_ceiling.map_or(published.probe_ceiling, |t| t.0),
            ..published
        }
    }
}
