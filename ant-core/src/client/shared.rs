//! What all trees of a client share, in a file of its own: the handle and each
//! tree's driver need it, and not each other's inside.

use std::sync::{Arc, atomic::Ordering};

use ant_collect::PeerMemory;
use tokio::sync::Semaphore;

use super::demux::Demux;
use crate::endpoint::Network;

/// What a client received beside the answers in its trees' reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientTraffic {
    /// Answers to requests of trees that had ended.
    pub after_end: u64,
    /// Answers to no request of this client.
    pub unasked: u64,
    /// Messages that came faster than they were read, and were lost.
    pub lagged: u64,
}

/// What trees share.
pub(crate) struct Shared {
    pub(crate) network: Network,
    pub(crate) demux: Arc<Demux>,
    pub(crate) memory: PeerMemory,
    /// As many permits as candidates may be checked at once.
    pub(crate) checkers: Semaphore,
}

impl Shared {
    pub(crate) fn new(network: Network, demux: Arc<Demux>, memory: PeerMemory) -> Self {
        // One check for each core at a time.
        let cores = std::thread::available_parallelism().map_or(1, Into::into);
        Self {
            network,
            demux,
            memory,
            checkers: Semaphore::new(cores),
        }
    }

    pub(crate) fn traffic(&self) -> ClientTraffic {
        let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        ClientTraffic {
            after_end: count(&self.demux.after_end),
            unasked: count(&self.demux.unasked),
            lagged: count(&self.demux.lagged),
        }
    }
}
