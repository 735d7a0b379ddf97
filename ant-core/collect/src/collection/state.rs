//! What a collection holds, apart from what it does with that, so that each of
//! its subjects can be a file of its own.

use std::collections::VecDeque;

use ant_pacing::Moment;

use crate::{
    Command, Plan, PoolId, Report,
    parts::{Dials, Exchange, ExchangeKey, Lookups, Peers, Pool, Requests, Slowness, Table, Turns},
};

/// One tree's candidate collection. See the [crate documentation](crate) for
/// how to drive it; `C` is the shell's type of a checked candidate.
#[derive(Debug)]
pub struct Collection<C> {
    pub(super) plan: Plan,
    pub(super) gate: Turns<ExchangeKey>,
    pub(super) peers: Peers,
    pub(super) pools: Table<PoolId, Pool>,
    pub(super) exchanges: Table<ExchangeKey, Exchange<C>>,
    pub(super) requests: Requests,
    pub(super) lookups: Lookups,
    pub(super) dials: Dials,
    pub(super) slowness: Slowness,
    /// What the shell is to do next.
    pub(super) commands: VecDeque<Command>,
    pub(super) report: Report,
    pub(super) started: Moment,
    pub(super) ended: Option<Moment>,
}
