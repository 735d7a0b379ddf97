//! Why this crate exists: a pacing is chosen by what it costs, and costs measured
//! one after the other mostly measure the host's moods. Here every arm runs once
//! in every block, in an order drawn anew, each time as a fresh client.
//!
//! On an embedded testnet the nodes say what they sent, so that every answer is
//! accounted for: sent = taken + late + lost. On a remote network that cannot be
//! known, and is reported as `null`, never as 0.
//!
#![doc = include_str!("../FIGURES.md")]

mod closeness;
mod document;
mod figure;
mod host;
mod medians;
mod paid;
mod payment_record;
mod plan;
mod run;
mod runner;
mod stats;
mod table;
mod upstream;

pub use document::{ArmResult, Document};
pub use host::{Host, versions};
pub use medians::Medians;
pub use payment_record::{PaymentRecord, Report, append_record, summed_up};
pub use plan::{MeasureArm, MeasurePlan, Scheduled, addresses};
pub use run::Run;
pub use runner::{Drawn, Measured, Progress, Target, measure, measure_on, measure_tree};
pub use table::table;
