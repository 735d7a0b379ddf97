//! One exchange: all that asking one peer for one pool takes, the versioned
//! request, its repetition and the legacy retry, under one permit.

use std::net::IpAddr;

use ant_pacing::{Evidence, Moment, Peer, Permit};

use crate::{PoolId, RequestKey};

/// An exchange and how far it is.
#[derive(Debug)]
pub(crate) struct Exchange<C> {
    pub(crate) pool: PoolId,
    pub(crate) peer: Peer,
    /// How far from its pool's midpoint the peer is.
    pub(crate) distance: [u8; 32],
    /// Where it is dialled, if known.
    pub(crate) address: Option<IpAddr>,
    /// Held from queueing until the network part has ended.
    pub(crate) permit: Option<Permit>,
    /// The attempts made so far, the latest last.
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) state: State<C>,
    /// How many of its requests are outstanding.
    pub(crate) out: u32,
    /// Since when its answer has been awaited, while that may count as slow.
    pub(crate) awaited: Option<Moment>,
    /// Whether a spare has been asked in its place.
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
    /// Waits until its peer may be dialled, or for the gate.
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
    /// The attempt that this request was.
    pub(crate) fn attempt(&mut self, request: RequestKey) -> Option<&mut Attempt> {
        self.attempts
            .iter_mut()
            .find(|attempt| attempt.request == request)
    }

    pub(crate) const fn valid(&self) -> bool {
        matches!(self.state, State::Ended(End::Valid(_)))
    }

    pub(crate) const fn ended(&self) -> bool {
        matches!(self.state, State::Ended(_))
    }

    /// What the attempts so far prove about loss: silence of a versioned
    /// request whose answer has not come since.
    pub(crate) fn evidence(&self) -> Evidence {
        let lost = |attempt: &&Attempt| attempt.timed_out && !attempt.answered;
        let mut silences = self.attempts.iter().filter(lost).peekable();
        if silences.peek().is_none() {
            Evidence::None
        } else if silences.any(|attempt| attempt.knew_versioned) {
            Evidence::Loss
        } else {
            Evidence::PerhapsLoss
        }
    }

    pub(crate) fn any_answered(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.answered)
    }

    pub(crate) fn any_timed_out(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.timed_out)
    }
}
