//! Why this crate exists: which peer to ask next, when to ask again and when a
//! pool is decided is the delicate part of a merkle payment, and it must be the
//! same code in the client, in the simulator and in tests that step time.
//!
//! A [`Collection`] gathers one tree's candidate pools. It does no I/O and reads
//! no clock: [`Event`]s and the time go in, [`Command`]s and the next deadline
//! come out, and at the end there is a [`Verdict`].
//!
//! What a shell does with it:
//!
//! 1. carry out every [`Command`] that [`Collection::poll`] gives;
//! 2. hand in what came of it with [`Collection::handle`];
//! 3. call [`Collection::tick`] at [`Collection::next_deadline`], and when the
//!    gate wakes it ([`Collection::gate_ready`]);
//! 4. stop when [`Collection::is_done`], and take [`Collection::finish`].
//!
//! Dropping a collection at any point gives back every slot it held.

#![forbid(unsafe_code)]

mod collection;
mod memory;
mod message;
mod parts;
mod plan;
mod verdict;
mod witness;

#[cfg(test)]
mod tests;

pub use collection::Collection;
pub use memory::PeerMemory;
pub use message::{Answer, Command, Dialect, Event, FoundPeer, LookupKey, PoolId, RequestKey};
pub use plan::{Finish, Lookup, MAX_LEAVES, MAX_POOLS, POOL_SIZE, Plan};
pub use verdict::{Counts, FullPool, LookupTime, PoolFailure, Report, SettlementRefusal, Verdict};
pub use witness::{Believed, named_twice};
