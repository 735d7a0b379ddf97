//! Why this crate exists: *when* a candidate request may leave is a question of
//! policy, and the policy must be replaceable at run time without touching the
//! code that asks.
//!
//! Three things live here, and none of them does I/O or reads a clock:
//!
//! - a [`PacingStrategy`] decides on what terms an exchange runs: which lane it
//!   queues in, when its slot is free again, how many slots the lane has;
//! - the [`Gate`] carries the decision out. It is the only thing that queues,
//!   counts, expires and admits;
//! - the [catalogue](catalogue::all) lists every strategy as data, so that
//!   parsing, help, documentation and tests walk one list.
//!
//! ```
//! use ant_pacing::{Gate, Moment, PacingSpec, Peer, Request};
//!
//! let spec: PacingSpec = "hold-2".parse()?;
//! let gate = Gate::new(spec.strategy.build());
//! let member = gate.join();
//! let now = Moment::ZERO;
//! let permits: Vec<_> = (0..3)
//!     .map(|key| member.enqueue(&Request::to(Peer([key as u8; 32])), key, now))
//!     .collect();
//! assert_eq!(member.poll(now), Some(0));
//! assert_eq!(member.poll(now), Some(1));
//! assert_eq!(member.poll(now), None, "two slots, both held");
//! drop(permits);
//! assert_eq!(gate.stats().occupied, 0);
//! # Ok::<(), ant_pacing::SpecError>(())
//! ```

#![forbid(unsafe_code)]

pub mod catalogue;
mod gate;
mod spec;
pub mod strategies;
mod strategy;
mod time;
mod value;

pub use catalogue::{Entry, Field, Manual};
pub use gate::{Gate, GateStats, Member, Permit};
pub use spec::{
    Arm, Arms, ArmsError, PacingSpec, PacingTable, Scope, SpecError, StrategySpec, TableValue,
};
pub use strategies::{QUEUE_DEPTH, RECEIVE_QUEUES, queue_of};
pub use strategy::{
    Capacity, Evidence, Lane, Outcome, PacingStrategy, Peer, Release, Request, Sample, Terms,
};
pub use time::Moment;
pub use value::{FieldKind, Value};
