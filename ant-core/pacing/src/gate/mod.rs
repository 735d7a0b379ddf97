//! The one thing that queues, counts, expires and admits, so that a strategy
//! can stay a small pure policy and its slots cannot leak.
//!
//! A [`Gate`] is shared by one or many [`Member`]s: a member is one tree's
//! collection. Every exchange holds one [`Permit`] from the moment it queues
//! until it ends; dropping the permit, on whatever path, gives everything back.

mod core;
#[cfg(test)]
mod laws;
mod number;
mod shared;
mod stats;

pub use shared::{Gate, Member, Permit};
pub use stats::GateStats;
