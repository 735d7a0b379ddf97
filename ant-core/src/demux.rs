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

use crate::wire::{self, Response};

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
mod tests {
    use super::*;
    use ant_protocol::{
        ChunkMessage, ChunkMessageBody, MerkleCandidateQuoteResponse, ProtocolError,
    };

    const PEER: Peer = Peer([1; 32]);

    fn message(from: Peer, id: u64, response: MerkleCandidateQuoteResponse) -> P2PEvent {
        let message = ChunkMessage {
            request_id: id,
            body: ChunkMessageBody::MerkleCandidateQuoteResponse(response),
        };
        P2PEvent::Message {
            topic: CHUNK_PROTOCOL_ID.to_owned(),
            source: Some(PeerId::from_bytes(from.0)),
            transport_source: None,
            timestamp: 0,
            data: message.encode().unwrap(),
        }
    }

    fn candidate() -> MerkleCandidateQuoteResponse {
        MerkleCandidateQuoteResponse::Success {
            candidate_node: vec![1, 2, 3],
            commitment: None,
        }
    }

    fn refusal() -> MerkleCandidateQuoteResponse {
        MerkleCandidateQuoteResponse::Error(ProtocolError::ClientUpdateRequired {
            client_settlement_version: 1,
            min_settlement_version: 2,
        })
    }

    fn seated(demux: &Arc<Demux>) -> (TreeSeat, mpsc::UnboundedReceiver<Delivery>) {
        let (deliver, deliveries) = mpsc::unbounded_channel();
        (demux.seat(deliver), deliveries)
    }

    #[test]
    fn an_answer_goes_to_the_tree_that_asked_and_to_no_other() {
        let demux = Arc::new(Demux::new(PeerMemory::new()));
        let (one, mut to_one) = seated(&demux);
        let (two, mut to_two) = seated(&demux);
        let id = one.expect(PEER, RequestKey(5), Dialect::Versioned);
        assert_ne!(id, two.expect(PEER, RequestKey(5), Dialect::Versioned));
        demux.handle(message(PEER, id, candidate()));
        let (_, incoming) = to_one.try_recv().unwrap();
        assert!(matches!(
            incoming,
            Incoming::Candidate {
                request: RequestKey(5),
                peer: PEER,
                ..
            }
        ));
        assert!(to_two.try_recv().is_err());
    }

    #[test]
    fn nobody_answers_for_another_peer() {
        let demux = Arc::new(Demux::new(PeerMemory::new()));
        let (seat, mut deliveries) = seated(&demux);
        let id = seat.expect(PEER, RequestKey(0), Dialect::Versioned);
        demux.handle(message(Peer([2; 32]), id, candidate()));
        assert!(deliveries.try_recv().is_err());
        assert_eq!(demux.unasked.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn refusals_are_heard_after_the_tree_has_ended() {
        let memory = PeerMemory::new();
        let demux = Arc::new(Demux::new(memory.clone()));
        let peers = [PEER, Peer([2; 32])];
        let (seat, _deliveries) = seated(&demux);
        let ids = peers.map(|peer| seat.expect(peer, RequestKey(0), Dialect::Versioned));
        drop(seat);
        for (peer, id) in peers.into_iter().zip(ids) {
            demux.handle(message(peer, id, refusal()));
        }
        assert_eq!(memory.refusal().unwrap().peers, peers);
        assert_eq!(demux.after_end.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn refusals_are_heard_though_the_tree_reads_no_more() {
        let memory = PeerMemory::new();
        let demux = Arc::new(Demux::new(memory.clone()));
        let (seat, _unread) = seated(&demux);
        for peer in [PEER, Peer([2; 32])] {
            let id = seat.expect(peer, RequestKey(0), Dialect::Versioned);
            demux.handle(message(peer, id, refusal()));
        }
        assert!(memory.refusal().is_some());
    }

    #[test]
    fn ended_trees_are_forgotten_in_time() {
        let demux = Arc::new(Demux::new(PeerMemory::new()));
        let (seat, _deliveries) = seated(&demux);
        seat.expect(PEER, RequestKey(0), Dialect::Versioned);
        drop(seat);
        let mut inner = demux.lock();
        let now = demux.clock.now();
        inner.forget_ended_before(now);
        assert_eq!(inner.waiters.len(), 1);
        inner.forget_ended_before(now + LISTEN_ON + Duration::from_secs(1));
        assert!(inner.waiters.is_empty() && inner.ended.is_empty());
    }

    #[test]
    fn a_disconnect_is_told_to_every_tree() {
        let demux = Arc::new(Demux::new(PeerMemory::new()));
        let (_seat, mut deliveries) = seated(&demux);
        demux.handle(P2PEvent::PeerDisconnected(PeerId::from_bytes(PEER.0)));
        let (_, incoming) = deliveries.try_recv().unwrap();
        assert!(matches!(
            incoming,
            Incoming::Event(Event::Disconnected { peer: PEER })
        ));
    }
}
