//! Why this crate exists: a pacing must be judged on networks that nobody can
//! start at will, over more trees than anybody can wait for, and the same way
//! twice. So the client's own collection and gate run here in virtual time over a
//! modelled network.
//!
//! What is modelled: receive queues of a depth, whose one consumer takes the
//! longer the busier the client's host is; round trips; nodes that share that
//! host; peers that are silent, slow or old; packets resent and answers lost; and
//! lookups as rounds of replies that wait in the same queues. What is not: dials
//! (everybody is connected), bandwidth, and lookups that find others than the
//! closest.
//!
//! A [`Scenario`] is a file; [`simulate`] makes its trees. The same scenario, arm
//! and seed give the same trees.

#![forbid(unsafe_code)]

mod agenda;
mod arm;
mod check;
mod engine;
mod expect;
mod lookups;
mod outcome;
mod queue;
mod scenario;
mod world;

pub use arm::{ArmError, SimArm};
pub use check::Missed;
pub use engine::simulate;
pub use expect::Expectation;
pub use outcome::{Summary, TreeOutcome};
pub use scenario::{SHIPPED, Scenario};
