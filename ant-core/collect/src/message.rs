//! What goes into a collection and what comes out.

use std::net::IpAddr;

use ant_pacing::Peer;

use crate::Lookup;

/// One pool of the tree, by the index of its midpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolId(pub usize);

/// One request, unique within its collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestKey(pub u64);

/// One lookup, unique within its collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LookupKey(pub u64);

/// The form of a candidate request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Declares the settlement version; old peers cannot read it.
    Versioned,
    /// The form without a version, which every peer reads.
    Legacy,
}

/// A peer that a lookup found, with the IP it is dialled at, if known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundPeer {
    /// Who.
    pub peer: Peer,
    /// Where.
    pub address: Option<IpAddr>,
}

/// What the shell is to do.
///
/// Exhaustive on purpose: a shell that leaves a command out hangs its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Find the `count` peers closest to `target`, this client left out.
    Lookup {
        /// What to call it in events.
        lookup: LookupKey,
        /// The pool's midpoint.
        target: [u8; 32],
        /// How many peers are wanted.
        count: usize,
        /// In which way.
        how: Lookup,
    },
    /// Send a candidate request. Once started, a send must not be dropped
    /// midway: the peer would read half a message.
    Send {
        /// What to call it in events.
        request: RequestKey,
        /// The pool it is for.
        pool: PoolId,
        /// Whom to ask.
        peer: Peer,
        /// In which form.
        dialect: Dialect,
    },
    /// Check the candidate that came with the last [`Event::Answered`], and say
    /// in [`Event::Checked`] what came of it. Candidates that come late or twice
    /// are not worth a check, and get no such command.
    Check {
        /// The request that it answered.
        request: RequestKey,
    },
}

/// What the shell saw. `C` is the shell's own type of a checked candidate.
#[derive(Clone, Debug)]
pub enum Event<C> {
    /// A lookup ended.
    Found {
        /// Which.
        lookup: LookupKey,
        /// Whom it found, in any order.
        peers: Vec<FoundPeer>,
        /// Whether the closest of them are in doubt, as some witnesses name others.
        in_doubt: bool,
        /// Peers connected now, to fill up with if the lookup found too few.
        connected: Vec<FoundPeer>,
    },
    /// A lookup failed.
    LookupFailed {
        /// Which.
        lookup: LookupKey,
        /// Peers connected now, to fall back on.
        connected: Vec<FoundPeer>,
        /// Why.
        reason: String,
    },
    /// A request is on its way; its time starts.
    Sent {
        /// Which.
        request: RequestKey,
    },
    /// A request could not be sent.
    Unsent {
        /// Which.
        request: RequestKey,
        /// Why.
        reason: String,
    },
    /// An answer came.
    Answered {
        /// To which request.
        request: RequestKey,
        /// What it said.
        answer: Answer,
    },
    /// A candidate that an [`Answer::Candidate`] announced has been checked.
    Checked {
        /// The request it answered.
        request: RequestKey,
        /// The candidate, or why it is not valid.
        result: Result<C, String>,
    },
    /// A peer's last connection ended, and with it every answer still to come.
    Disconnected {
        /// Whose.
        peer: Peer,
    },
}

/// What a peer's answer said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A signed candidate. The shell keeps it until it has carried out the
    /// commands that follow: [`Command::Check`] may be among them.
    Candidate,
    /// This client's settlement version is too old for the peer.
    SettlementRefused {
        /// The version the peer asks for at least.
        minimum: u32,
    },
    /// Anything else that is not a candidate, in words.
    Declined(String),
}
