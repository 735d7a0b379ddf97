//! Why this crate exists: a pacing is chosen by what it costs, and costs measured
//! one after the other mostly measure the host's moods. Here every arm runs once
//! in every block, in an order drawn anew, each time as a fresh client.
//!
//! On an embedded testnet the nodes say what they sent, so that every answer is
//! accounted for: sent = taken + late + lost. On a remote network that cannot be
//! known, and is reported as `null`, never as 0.
//!
#![doc = include_str!("../FIGURES.md")]
#![forbid(unsafe_code)]

mod accounting;
mod arm;
mod boxed;
mod closeness;
mod document;
mod executor;
mod figure;
mod fresh;
mod host;
mod made_up;
mod medians;
mod paid;
mod payment_record;
mod run;
mod runner;
mod schedule;
mod stats;
mod table;
mod target;
mod tree;
mod upstream;

pub use arm::{ArmError, MeasureArm};
pub use document::{ArmResult, Document};
pub use fresh::{measure, measure_tree};
pub use host::{Host, versions};
pub use made_up::addresses;
pub use medians::Medians;
pub use paid::Paying;
pub use payment_record::{PaymentRecord, RecordError, Summary, append_record, summed_up};
pub use run::Run;
pub use runner::{Progress, Watch};
pub use schedule::MeasurePlan;
pub use table::table;
pub use target::Target;
pub use tree::{Drawn, Measured, measure_on};
