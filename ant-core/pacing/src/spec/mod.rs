//! A strategy as data: its name and numbers, read from the short form
//! (`hold-32@client`) or from a table with the same meaning.

mod arms;
mod error;
mod pacing_spec;
mod parse;
mod strategy_spec;
mod suggest;
mod table;
#[cfg(test)]
mod tests;

pub use arms::{Arm, Arms, ArmsError};
pub use error::SpecError;
pub use pacing_spec::{PacingSpec, Scope};
pub use strategy_spec::StrategySpec;
pub use table::{PacingTable, TableValue};
