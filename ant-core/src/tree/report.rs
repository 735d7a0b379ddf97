//! What preparing one tree took, and on which terms.

use ant_collect::Report;
use ant_pacing::{GateStats, PacingSpec};

/// What preparing one tree took, and under which pacing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeReport {
    /// The pacing that the whole tree ran under.
    pub pacing: PacingSpec,
    /// How many switches of the client's pacing came before it.
    pub epoch: u64,
    /// What decides the client's draws of pacings.
    pub seed: u64,
    /// The number of this payment's draw, from 0.
    pub draw: u64,
    /// What the collection saw.
    pub collection: Report,
    /// What its gate counted. Under the scope `client`, since the client began
    /// with this pacing.
    pub gate: GateStats,
}
