//! The demultiplexer on messages as peers send them.

use super::*;
use ant_protocol::{ChunkMessage, ChunkMessageBody, MerkleCandidateQuoteResponse, ProtocolError};

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
