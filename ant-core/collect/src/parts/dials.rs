//! Who is connected, and who may be dialled: a peer without a connection is
//! dialled by one request to it, few peers at a time, and its other exchanges
//! wait for that.
//!
//! Few at a time is a gate's business. A peer's dial has one permit, shared by
//! all exchanges with that peer, from when the first of them asks until the peer
//! is connected or its dial has failed. Each peer has a list of its own of those
//! who wait for it, so that nothing here looks at anybody else's.

use std::{
    collections::{BTreeMap, VecDeque},
    num::NonZeroU32,
};

use ant_pacing::{Gate, Moment, Peer, Permit, Request, strategies::Hold};

use super::{
    exchange::ExchangeKey,
    table::{Key, Table},
    turns::Turns,
};

/// A peer, as its dial is known to the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LinkKey(usize);

impl Key for LinkKey {
    fn new(number: usize) -> Self {
        Self(number)
    }

    fn number(self) -> usize {
        self.0
    }
}

/// What one peer's connection is.
#[derive(Debug, Default)]
struct Link {
    state: LinkState,
    /// Exchanges that wait for the peer to be connected, or for their turn to
    /// dial it.
    waiting: VecDeque<ExchangeKey>,
}

#[derive(Debug, Default)]
enum LinkState {
    /// Not connected, and nobody asks for it.
    #[default]
    Idle,
    /// Waits for a dial of another peer to end.
    Queued(Permit),
    /// Being dialled.
    Dialling(Dial),
    Connected,
}

#[derive(Debug)]
struct Dial {
    /// Held while the peer is dialled.
    permit: Permit,
    /// The exchange whose request dials.
    by: ExchangeKey,
    /// Whether that request has left.
    left: bool,
}

/// Whether an exchange may send to its peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It may: the peer is connected, or is this exchange's to dial.
    Now,
    /// It waits. `dialled` says whether another exchange's request dials the
    /// peer already, so that the peer keeps this one waiting too.
    Later { dialled: bool },
}

/// The connections of a collection's peers.
#[derive(Debug, Default)]
pub(crate) struct Dials {
    /// `None` lets everybody dial at once; then nothing is noted here at all.
    gate: Option<Turns<LinkKey>>,
    keys: BTreeMap<Peer, LinkKey>,
    links: Table<LinkKey, Link>,
}

impl Dials {
    /// Dials at most this many peers at once; 0 sets no limit.
    pub(crate) fn new(most: usize) -> Self {
        let most = NonZeroU32::new(u32::try_from(most).unwrap_or(u32::MAX));
        let gate = |slots| Turns::new(Gate::new(Box::new(Hold::new(slots))).join());
        Self {
            gate: most.map(gate),
            ..Self::default()
        }
    }

    /// Asks whether this exchange may send to the peer of `request`. If not, it
    /// is named later by [`next`](Self::next), [`connected`](Self::connected),
    /// [`failed`](Self::failed) or [`cancel`](Self::cancel).
    pub(crate) fn ask(&mut self, key: ExchangeKey, request: &Request, now: Moment) -> Turn {
        let Some(gate) = &self.gate else {
            return Turn::Now;
        };
        let of_peer = *self
            .keys
            .entry(request.peer)
            .or_insert_with(|| self.links.push(Link::default()));
        let link = &mut self.links[of_peer];
        let dialled = match &link.state {
            LinkState::Connected => return Turn::Now,
            LinkState::Dialling(dial) if dial.by == key => return Turn::Now,
            LinkState::Dialling(dial) => dial.left,
            LinkState::Queued(_) => false,
            LinkState::Idle => {
                link.state = LinkState::Queued(gate.wait(request, of_peer, now));
                false
            }
        };
        link.waiting.push_back(key);
        Turn::Later { dialled }
    }

    /// Returns the next exchange whose turn it is to dial its peer.
    pub(crate) fn next(&mut self, now: Moment) -> Option<ExchangeKey> {
        let of_peer = self.gate.as_ref()?.poll(now)?;
        let next = self.links[of_peer].take_turn();
        // A peer for which nobody waits gives its permit up.
        debug_assert!(next.is_some(), "nobody waits for the peer to be dialled");
        next
    }

    /// Notes that an exchange's request to this peer leaves. If it dials, returns
    /// those who wait for that too.
    pub(crate) fn left(&mut self, key: ExchangeKey, peer: Peer) -> Vec<ExchangeKey> {
        let Some(link) = self.link(peer) else {
            return Vec::new();
        };
        match &mut link.state {
            LinkState::Dialling(dial) if dial.by == key => {
                dial.left = true;
                link.waiting.iter().copied().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a request to this peer needs no dial.
    pub(crate) fn is_connected(&self, peer: Peer) -> bool {
        let connected = |key: &LinkKey| matches!(self.links[*key].state, LinkState::Connected);
        self.gate.is_none() || self.keys.get(&peer).is_some_and(connected)
    }

    /// Notes that the peer is connected, and returns those who waited for that.
    pub(crate) fn connected(&mut self, peer: Peer) -> VecDeque<ExchangeKey> {
        if self.gate.is_none() {
            return VecDeque::new();
        }
        let key = *self
            .keys
            .entry(peer)
            .or_insert_with(|| self.links.push(Link::default()));
        let link = &mut self.links[key];
        link.state = LinkState::Connected;
        std::mem::take(&mut link.waiting)
    }

    /// Notes that the peer's last connection has ended: the next request to it is
    /// a dial again. One that is being dialled already goes on.
    pub(crate) fn disconnected(&mut self, peer: Peer) {
        if let Some(link) = self.link(peer)
            && matches!(link.state, LinkState::Connected)
        {
            link.state = LinkState::Idle;
        }
    }

    /// Notes that an exchange's request could not be sent to this peer, which
    /// cannot be connected then. If the request was the peer's dial, returns those
    /// who waited for it: it has failed for them too.
    pub(crate) fn failed(&mut self, key: ExchangeKey, peer: Peer) -> VecDeque<ExchangeKey> {
        let Some(link) = self.link(peer) else {
            return VecDeque::new();
        };
        match &link.state {
            LinkState::Dialling(dial) if dial.by == key => {}
            LinkState::Connected => {}
            // The request was to go over a connection that has ended since.
            LinkState::Idle | LinkState::Queued(_) | LinkState::Dialling(_) => {
                return VecDeque::new();
            }
        }
        link.state = LinkState::Idle;
        std::mem::take(&mut link.waiting)
    }

    /// Notes that an exchange that has not been sent is not needed any more. If
    /// it was to dial its peer, returns who does that in its place.
    pub(crate) fn cancel(&mut self, key: ExchangeKey, peer: Peer) -> Option<ExchangeKey> {
        let link = self.link(peer)?;
        link.waiting.retain(|waits| *waits != key);
        match &link.state {
            LinkState::Dialling(dial) if dial.by == key => link.take_turn(),
            LinkState::Queued(_) if link.waiting.is_empty() => {
                link.state = LinkState::Idle;
                None
            }
            _ => None,
        }
    }

    fn link(&mut self, peer: Peer) -> Option<&mut Link> {
        let key = self.keys.get(&peer)?;
        Some(&mut self.links[*key])
    }
}

impl Link {
    /// Gives the peer's dial to the first who waits, and returns that exchange.
    /// Without one the permit is given back.
    fn take_turn(&mut self) -> Option<ExchangeKey> {
        let by = self.waiting.pop_front();
        self.state = match (std::mem::take(&mut self.state), by) {
            (LinkState::Queued(permit) | LinkState::Dialling(Dial { permit, .. }), Some(by)) => {
                LinkState::Dialling(Dial {
                    permit,
                    by,
                    left: false,
                })
            }
            (LinkState::Queued(_) | LinkState::Dialling(_), None) => LinkState::Idle,
            (state @ (LinkState::Idle | LinkState::Connected), _) => {
                debug_assert!(false, "a permit for a dial that nobody asked for");
                state
            }
        };
        by
    }
}
