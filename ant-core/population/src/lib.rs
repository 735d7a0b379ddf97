//! Why this crate exists: a scenario of the simulator and one of the wide-area
//! network in a box describe the same things, the nodes and how far and how well
//! behaved they are. Both read them here, so that a key means one thing
//! everywhere, has one set of bounds and one error message.
//!
//! A [`Population`] is what every scenario has. A crate with scenarios of its own
//! adds its keys in a type of its own: [`read`] takes a file's text apart, and
//! [`text_of`] finds the text by a name or a path.

#![forbid(unsafe_code)]

mod bounds;
mod error;
mod faults;
mod file;
mod population;
mod round_trips;

pub use bounds::{Limits, check_range, check_share};
pub use error::{InvalidScenario, ScenarioError};
pub use faults::Faults;
pub use file::{read, text_of};
pub use population::Population;
pub use round_trips::RoundTrips;
