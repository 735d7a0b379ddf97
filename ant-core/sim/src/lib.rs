//! Why this crate exists: a pacing must be judged on networks that cannot be
//! started at will, over more trees than one can wait for, and with results that
//! repeat exactly. So the client's own collection and gate run here in virtual time
//! over a modelled network.
//!
//! The model has receive queues of a limited depth, each with one consumer that
//! takes longer the busier the client's host is; round trips; nodes that share the
//! client's host; peers that are silent, slow or old; packets sent again and answers
//! lost; and lookups as rounds of replies that wait in the same queues. It leaves
//! out dials (every peer is connected), bandwidth, and lookups that find others than
//! the closest peers.
//!
//! A [`Scenario`] is read from a file; [`simulate`] makes its trees. A scenario, an
//! arm and a seed decide all trees.

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
