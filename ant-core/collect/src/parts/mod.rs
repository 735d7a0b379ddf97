//! The parts of a collection, each of which owns its state: what they hold stays
//! consistent because nobody else changes it.

mod dials;
mod exchange;
mod lookups;
mod peers;
mod pool;
mod requests;
mod slowness;
mod table;
mod turns;

pub(crate) use dials::{Dials, Turn};
pub(crate) use exchange::{Attempt, End, Exchange, ExchangeKey, State};
pub(crate) use lookups::Lookups;
pub(crate) use peers::Peers;
pub(crate) use pool::{Phase, Pool};
pub(crate) use requests::{Request, RequestPhase, Requests};
pub(crate) use slowness::Slowness;
#[cfg(test)]
pub(crate) use table::LOOKED_UP;
pub(crate) use table::Table;
pub(crate) use turns::Turns;
