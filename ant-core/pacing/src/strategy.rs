//! The contract between a strategy and the gate: what the gate asks a strategy,
//! and what it tells it. All strategies and the gate depend on this file alone.

use std::{fmt, net::IpAddr, num::NonZeroU32, time::Duration};

use crate::Moment;

/// Decides on what terms requests leave, and how many may be out at once.
///
/// The gate calls it while it holds its lock: answer at once, never block, never
/// read a clock. Two strategies that get equal calls in equal order must give
/// equal answers.
pub trait PacingStrategy: fmt::Debug + Send {
    /// Returns the terms for one exchange. The gate asks once, before the exchange
    /// queues.
    fn terms(&mut self, request: &Request) -> Terms;

    /// Returns how many slots this lane has now. It may change with each
    /// [`observe`](Self::observe).
    fn capacity(&self, lane: Lane) -> Capacity;

    /// Learns from a finished exchange and from what it proves about loss.
    /// Strategies that do not learn leave this out. The gate never shows a
    /// cancelled exchange.
    fn observe(&mut self, sample: &Sample) {
        let _ = sample;
    }
}

/// A peer's identity: the 32 bytes that the network knows it by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Peer(pub [u8; 32]);

impl Peer {
    /// Returns the XOR distance to `target`, as a big-endian number: comparing two
    /// such arrays compares the distances.
    pub fn distance(&self, target: &[u8; 32]) -> [u8; 32] {
        std::array::from_fn(|i| self.0[i] ^ target[i])
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = self.to_string();
        write!(f, "Peer({}…)", &hex[..8])
    }
}

/// What a strategy knows of an exchange before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Who is asked.
    pub peer: Peer,
    /// The IP address that the peer is dialled at, when known. It decides which
    /// receive queue the answer will wait in.
    pub address: Option<IpAddr>,
}

impl Request {
    /// Makes a request to a peer whose address is not known.
    pub const fn to(peer: Peer) -> Self {
        Self {
            peer,
            address: None,
        }
    }
}

/// The number of a lane: the requests whose answers share a receive queue, so
/// that each queue can have a cap of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(pub u32);

/// How many slots a lane has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capacity {
    /// Everything that waits may leave.
    Unlimited,
    /// At most this many slots are taken at a time. At least one, since with none
    /// nothing would ever leave.
    Slots(NonZeroU32),
}

impl Capacity {
    /// Returns whether one more may leave while `occupied` slots are taken.
    pub const fn admits(self, occupied: u32) -> bool {
        match self {
            Self::Unlimited => true,
            Self::Slots(slots) => occupied < slots.get(),
        }
    }
}

/// When the slot of an exchange that was let go is free again. Freeing a slot
/// never ends or shortens the request that held it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// When the exchange has ended: answered, refused, or given up on.
    OnFinish,
    /// When the exchange has ended, or this long after it was let go, whichever
    /// comes first.
    OnFinishOrAfter(Duration),
    /// When the exchange has ended, or when its member says that it
    /// [is slow](crate::Permit::slow) compared with the member's other exchanges,
    /// whichever comes first.
    OnFinishOrSlow,
}

/// The terms on which one exchange runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Where it queues.
    pub lane: Lane,
    /// When its slot is free again.
    pub release: Release,
}

impl Terms {
    /// Returns the terms of one lane for all, with each slot held to the end of its
    /// exchange, retries included.
    pub const fn hold() -> Self {
        Self {
            lane: Lane(0),
            release: Release::OnFinish,
        }
    }
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The peer answered.
    Answered,
    /// The peer understood the request and refused it.
    Refused,
    /// No attempt was answered in its time.
    Silent,
    /// The request could not be sent.
    Unsent,
}

/// What an exchange proves about lost answers. Silence alone proves nothing, since
/// an old peer never answers the versioned form: learn from [`Evidence::Loss`]
/// alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Nothing was silent.
    None,
    /// A peer not known to speak the versioned form was silent.
    PerhapsLoss,
    /// A peer known to speak the versioned form was silent.
    Loss,
}

/// One finished exchange, as the gate shows it to the strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The lane it ran in.
    pub lane: Lane,
    /// How it ended.
    pub outcome: Outcome,
    /// What it proves about loss.
    pub evidence: Evidence,
    /// When it was let go.
    pub admitted: Moment,
    /// When it ended.
    pub finished: Moment,
    /// How many exchanges still wait in its lane when it ends. Above zero, the cap
    /// is what holds requests up.
    pub waiting: u32,
}
