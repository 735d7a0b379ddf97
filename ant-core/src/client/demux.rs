//! The client's one subscriber: reads every message once and hands each answer
//! to the tree that asked, so that n answers cost n deliveries and not n for
//! each request that waits.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use ant_collect::{Answer, Dialect, Event, PeerMemory, RequestKey};
use ant_pacing::{Moment, Peer};
use ant_protocol::{
    CHUNK_PROTOCOL_ID,
    evm::MerklePaymentCandidateNode,
    transport::{P2PEvent, PeerId},
};
use tokio::sync::{
    broadcast::{Receiver, error::RecvError},
    mpsc,
};

use crate::candidate::wire::{self, Response};

/// How long requests are still listened to after their tree has ended. A
/// refusal that comes late must be heard before money moves, and connections
/// that idle longer than this are closed by the transport long since.
const LISTEN_ON: Duration = Duration::from_mins(10);

/// The client's time: all its trees share one epoch, as their gate may.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn now(self) -> Moment {
        Moment::after_epoch(self.0.elapsed())
    }

    /// The instant to sleep until for this moment.
    pub(crate) fn instant(self, moment: Moment) -> Instant {
        let far = Duration::from_secs(u64::from(u32::MAX));
        self.0 + moment.since_epoch().min(far)
    }
}

/// What a tree is told, and when it came. The time is taken on arrival, so that
/// an answer that waits in a queue does not time out there.
pub(crate) type Delivery = (Moment, Incoming);

#[derive(Debug)]
pub(crate) enum Incoming {
    Event(Event<MerklePaymentCandidateNode>),
    Candidate {
        request: RequestKey,
        peer: Peer,
        node: Vec<u8>,
        commitment: Option<Vec<u8>>,
    },
}

impl Incoming {
    /// Whether a peer sent it.
    pub(crate) const fn is_answer(&self) -> bool {
        matches!(
            self,
            Self::Candidate { .. } | Self::Event(Event::Answered { .. })
        )
    }
}

#[derive(Debug)]
pub(crate) struct Demux {
    pub(crate) clock: Clock,
    memory: PeerMemory,
    inner: Mutex<Inner>,
    next_wire_id: AtomicU64,
    /// Answers to requests of trees that had ended.
    pub(crate) after_end: AtomicU64,
    /// Answers to no request of this client.
    pub(crate) unasked: AtomicU64,
    /// Messages that the subscriber came too late for.
    pub(crate) lagged: AtomicU64,
}

#[derive(Debug, Default)]
struct Inner {
    trees: HashMap<u64, Tree>,
    waiters: HashMap<WireKey, Waiter>,
    /// Ended trees' requests, by when they ended.
    ended: VecDeque<(Moment, Vec<WireKey>)>,
    next_tree: u64,
}

type WireKey = (Peer, u64);

#[derive(Debug)]
struct Tree {
    deliver: mpsc::UnboundedSender<Delivery>,
    requests: Vec<WireKey>,
}

#[derive(Clone, Copy, Debug)]
struct Waiter {
    tree: u64,
    request: RequestKey,
    dialect: Dialect,
}

/// One tree's place in the demultiplexer. Dropping it ends the deliveries; its
/// requests are still listened to for refusals.
#[derive(Debug)]
pub(crate) struct TreeSeat {
    demux: Arc<Demux>,
    tree: u64,
}

impl Demux {
    pub(crate) fn new(memory: PeerMemory) -> Self {
        Self {
            clock: Clock::start(),
            memory,
            inner: Mutex::default(),
            // Answers are matched by peer and number; starting anywhere keeps
            // a restarted client from taking its predecessor's.
            next_wire_id: AtomicU64::new(rand::random()),
            after_end: AtomicU64::new(0),
            unasked: AtomicU64::new(0),
            lagged: AtomicU64::new(0),
        }
    }

    /// Reads messages until the network has stopped.
    pub(crate) async fn run(self: Arc<Self>, mut events: Receiver<P2PEvent>) {
        loop {
            match events.recv().await {
                Ok(event) => self.handle(event),
                Err(RecvError::Lagged(missed)) => {
                    self.lagged.fetch_add(missed, Ordering::Relaxed);
                    tracing::debug!("{missed} messages came faster than they were read");
                }
                Err(RecvError::Closed) => break,
            }
        }
    }

    /// Seats a tree; what comes for it is sent to `deliver`.
    pub(crate) fn seat(self: &Arc<Self>, deliver: mpsc::UnboundedSender<Delivery>) -> TreeSeat {
        let mut inner = self.lock();
        inner.forget_ended_before(self.clock.now());
        inner.next_tree += 1;
        let tree = inner.next_tree;
        let requests = Vec::new();
        inner.trees.insert(tree, Tree { deliver, requests });
        TreeSeat {
            demux: Arc::clone(self),
            tree,
        }
    }

    fn handle(&self, event: P2PEvent) {
        let at = self.clock.now();
        match event {
            P2PEvent::Message {
                topic,
                source: Some(source),
                data,
                ..
            } if topic == CHUNK_PROTOCOL_ID => {
                if let Some((id, response)) = wire::decode(&data) {
                    self.answer(at, Peer(*source.as_bytes()), id, response);
                }
            }
            P2PEvent::PeerDisconnected(peer) => self.disconnected(at, &peer),
            _ => {}
        }
    }

    fn answer(&self, at: Moment, peer: Peer, id: u64, response: Response) {
        let inner = self.lock();
        let Some(waiter) = inner.waiters.get(&(peer, id)).copied() else {
            self.unasked.fetch_add(1, Ordering::Relaxed);
            return;
        };
        // First of all, so that it is heard whether or not the tree still is.
        if waiter.dialect == Dialect::Versioned {
            self.memory.answered_versioned(peer);
        }
        if let Response::Other(Answer::SettlementRefused { minimum }) = response {
            self.memory.settlement_refused(peer, minimum);
        }
        let delivered = inner.trees.get(&waiter.tree).is_some_and(|tree| {
            let request = waiter.request;
            let incoming = match response {
                Response::Candidate { node, commitment } => Incoming::Candidate {
                    request,
                    peer,
                    node,
                    commitment,
                },
                Response::Other(answer) => Incoming::Event(Event::Answered { request, answer }),
            };
            tree.deliver.send((at, incoming)).is_ok()
        });
        if !delivered {
            self.came_after_end();
        }
    }

    /// Counts an answer that no tree takes any more.
    pub(crate) fn came_after_end(&self) {
        self.after_end.fetch_add(1, Ordering::Relaxed);
    }

    fn disconnected(&self, at: Moment, peer: &PeerId) {
        let peer = Peer(*peer.as_bytes());
        for tree in self.lock().trees.values() {
            let gone = Incoming::Event(Event::Disconnected { peer });
            let _ = tree.deliver.send((at, gone));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Changes are single inserts and removals: a poisoned lock is whole.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn forget_ended_before(&mut self, now: Moment) {
        while let Some((ended, _)) = self.ended.front()
            && now.since(*ended) > LISTEN_ON
            && let Some((_, requests)) = self.ended.pop_front()
        {
            for request in requests {
                self.waiters.remove(&request);
            }
        }
    }
}

impl TreeSeat {
    /// Expects an answer from `peer`; gives the number to send along.
    pub(crate) fn expect(&self, peer: Peer, request: RequestKey, dialect: Dialect) -> u64 {
        let id = self.demux.next_wire_id.fetch_add(1, Ordering::Relaxed);
        let mut inner = self.demux.lock();
        let tree = self.tree;
        let waiter = Waiter {
            tree,
            request,
            dialect,
        };
        inner.waiters.insert((peer, id), waiter);
        if let Some(tree) = inner.trees.get_mut(&tree) {
            tree.requests.push((peer, id));
        }
        id
    }
}

impl Drop for TreeSeat {
    fn drop(&mut self) {
        let now = self.demux.clock.now();
        let mut inner = self.demux.lock();
        if let Some(tree) = inner.trees.remove(&self.tree) {
            inner.ended.push_back((now, tree.requests));
        }
    }
}

#[cfg(test)]
mod tests;
