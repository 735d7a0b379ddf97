//! Whole clients against real nodes, and the command `ant` as people run it.
//!
//! Nothing here asserts how long a thing takes: times are for measurements.

#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod arms;
mod chain;
mod command;
mod examples;
mod faults;
mod inputs;
mod network;
mod paying;
mod payments;
mod receipts;
mod reload;
mod settings;
mod signals;
mod storers;
mod wan;
