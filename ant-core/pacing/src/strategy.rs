//! The contract between a strategy and the gate: what a strategy is asked, and
//! what it is told.

use std::{fmt, net::IpAddr, num::NonZeroU32, time::Duration};

use crate::Moment;

/// Decides on what terms requests leave, and how many may be out at once.
///
/// Called under the gate's lock: answer at once, never block, never read a
/// clock. The same calls in the same order must give the same answers.
pub trait PacingStrategy: fmt::Debug + Send {
    /// The terms for one exchange, asked once, before it queues.
    fn terms(&mut self, request: &Request) -> Terms;

    /// How many slots this lane has now; may change after any
    /// [`observe`](Self::observe).
    fn capacity(&self, lane: Lane) -> Capacity;

    /// A finished exchange, with what it proves about loss. Strategies that do
    /// not learn leave this out. Cancelled exchanges are never shown.
    fn observe(&mut self, sample: &Sample) {
        let _ = sample;
    }
}

/// A peer's identity: 32 bytes, the same as on the network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Peer(pub [u8; 32]);

impl Peer {
    /// The XOR distance to `target`, to be compared as a big-endian number.
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

/// What a strategy may know of an exchange before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Who is asked.
    pub peer: Peer,
    /// The address that peer is dialled at, when known. Its IP decides which
    /// receive queue the answer will share.
    pub address: Option<IpAddr>,
}

impl Request {
    /// A request to a peer whose address is not known.
    pub const fn to(peer: Peer) -> Self {
        Self {
            peer,
            address: None,
        }
    }
}

/// Requests that share a receive queue, so that each queue can be capped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(pub u32);

/// How many slots a lane has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capacity {
    /// Everything that waits may leave.
    Unlimited,
    /// At most so many slots at a time. At least one, or nothing would ever
    /// leave.
    Slots(NonZeroU32),
}

impl Capacity {
    /// Whether one more may leave while `occupied` slots are taken.
    pub const fn admits(self, occupied: u32) -> bool {
        match self {
            Self::Unlimited => true,
            Self::Slots(slots) => occupied < slots.get(),
        }
    }
}

/// When an admitted exchange's slot is free again. Freeing a slot never ends or
/// shortens the request that held it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// When the exchange has ended: answered, refused, or given up on.
    OnFinish,
    /// When the exchange has ended, or this long after it was let go, whichever
    /// comes first.
    OnFinishOrAfter(Duration),
    /// When the exchange has ended, or when its member says that it
    /// [is slow](crate::Permit::slow), by what it has learned of the others.
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
    /// The lane all share, a slot held to the end, retries included.
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

/// What an exchange proves about lost answers. Silence is ambiguous, since an
/// old peer is silent by design: learn from [`Evidence::Loss`] alone.
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
    /// How many exchanges wait in its lane, now that it has ended: above zero
    /// means that the cap was the bottleneck.
    pub waiting: u32,
}
