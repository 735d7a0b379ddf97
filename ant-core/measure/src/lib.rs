//! Why this crate exists: a pacing is chosen by what it costs, and costs measured
//! one after the other mostly measure the host's moods. Here every arm runs once
//! in every block, in an order drawn anew, each time as a fresh client.
//!
//! On an embedded testnet the nodes say what they sent, so that every answer is
//! accounted for: sent = taken + late + lost. On a remote network that cannot be
//! known, and is reported as `null`, never as 0.

#![forbid(unsafe_code)]

mod choice;
mod document;
mod host;
mod paid;
mod payment;
mod plan;
mod record;
mod runner;
mod stats;
mod table;
mod upstream;

pub use document::{ArmResult, Document};
pub use host::{Host, versions};
pub use payment::{PaymentRecord, Report, append_record, summed_up};
pub use plan::{MeasureArm, MeasurePlan, Scheduled, addresses};
pub use record::{Medians, Run};
pub use runner::{Drawn, Measured, Progress, Target, measure, measure_on, measure_tree};
pub use table::table;
