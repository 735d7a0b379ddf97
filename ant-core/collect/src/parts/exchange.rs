//! One exchange: all that asking one peer for one pool takes, the versioned
//! request, its repetition and the legacy retry, under one permit.

use std::net::IpAddr;

use ant_pacing::{Evidence, Peer, Permit};

use super::table::Key;
use crate::{FoundPeer, PoolId, RequestKey};

/// One exchange of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ExchangeKey(usize);

impl Key for ExchangeKey {
    fn new(number: usize) -> Self {
        Self(number)
    }

    fn number(self) -> usize {
        self.0
    }
}

/// An exchange and how far it is.
#[derive(Debug)]
pub(crate) struct Exchange<C> {
    pub(crate) pool: PoolId,
    pub(crate) peer: Peer,
    /// How far from its pool's midpoint the peer is.
    pub(crate) distance: [u8; 32],
    /// Where it is dialled, if known.
    address: Option<IpAddr>,
    /// Held from queueing until the network part has ended.
    pub(crate) permit: Option<Permit>,
    /// The attempts made so far, the latest last.
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) state: State<C>,
    /// How many dials it has waited for that failed.
    pub(crate) failed_dials: usize,
    /// How many of its requests are outstanding.
    pub(crate) out: u32,
    /// Whether a spare has been asked in its place, or none was left.
    pub(crate) replaced: bool,
}

/// One request of an exchange.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    pub(crate) request: RequestKey,
    /// Whether the peer had answered the versioned form before it.
    pub(crate) knew_versioned: bool,
    /// Whether its time ran out.
    pub(crate) timed_out: bool,
    /// Whether an answer came, in time or late.
    pub(crate) answered: bool,
}

#[derive(Debug)]
pub(crate) enum State<C> {
    /// Waits for its peer to be connected, or for its turn to dial it.
    Unconnected,
    /// Waits for its slot.
    Queued,
    /// The latest attempt is being sent or waits for its answer.
    Out,
    /// An answer to this request came, its candidate is being checked.
    Checking(RequestKey),
    /// Over.
    Ended(End<C>),
}

/// How an exchange ended.
#[derive(Debug)]
pub(crate) enum End<C> {
    Valid(C),
    Invalid(String),
    Refused(String),
    Silent,
    /// It answered, but each time too late.
    Late,
    Unsent(String),
    /// Its pool was decided without it.
    Unneeded,
}

impl<C> Exchange<C> {
    /// An exchange with this peer, of which nothing has been sent yet.
    pub(crate) fn new(pool: PoolId, target: &[u8; 32], found: FoundPeer) -> Self {
        Self {
            pool,
            peer: found.peer,
            distance: found.peer.distance(target),
            address: found.address,
            permit: None,
            attempts: Vec::new(),
            state: State::Queued,
            failed_dials: 0,
            out: 0,
            replaced: false,
        }
    }

    /// What a gate may know of it.
    pub(crate) const fn request(&self) -> ant_pacing::Request {
        ant_pacing::Request {
            peer: self.peer,
            address: self.address,
        }
    }

    /// The attempt that this request was.
    pub(crate) fn attempt(&mut self, request: RequestKey) -> Option<&mut Attempt> {
        let attempt = self.attempts.iter_mut().find(|a| a.request == request);
        debug_assert!(attempt.is_some(), "{request:?} is of another exchange");
        attempt
    }

    pub(crate) const fn valid(&self) -> bool {
        matches!(self.state, State::Ended(End::Valid(_)))
    }

    /// Whether its next request has not left.
    pub(crate) const fn waits(&self) -> bool {
        matches!(self.state, State::Unconnected | State::Queued)
    }

    pub(crate) const fn ended(&self) -> bool {
        matches!(self.state, State::Ended(_))
    }

    /// Whether it has ended in a way that calls for a spare.
    pub(crate) const fn failed(&self) -> bool {
        self.ended() && !matches!(self.state, State::Ended(End::Valid(_) | End::Unneeded))
    }

    /// What the attempts so far prove about loss: silence of a versioned
    /// request whose answer has not come since.
    pub(crate) fn evidence(&self) -> Evidence {
        let mut silences = self.silences().peekable();
        if silences.peek().is_none() {
            Evidence::None
        } else if silences.any(|attempt| attempt.knew_versioned) {
            Evidence::Loss
        } else {
            Evidence::PerhapsLoss
        }
    }

    /// Whether an attempt timed out and its answer has not come since.
    pub(crate) fn any_silent(&self) -> bool {
        self.silences().next().is_some()
    }

    fn silences(&self) -> impl Iterator<Item = &Attempt> {
        let silent = |attempt: &&Attempt| attempt.timed_out && !attempt.answered;
        self.attempts.iter().filter(silent)
    }

    pub(crate) fn any_answered(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.answered)
    }

    pub(crate) fn any_timed_out(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.timed_out)
    }
}
