//! A node's message loop: it answers as the shipped node does, counts what it takes
//! and sends, and commits the node's fault.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use ant_node::AntProtocol;
use ant_protocol::{
    CHUNK_PROTOCOL_ID, CURRENT_SETTLEMENT_VERSION, ChunkMessage, ChunkMessageBody,
    MerkleCandidateQuoteResponse, ProtocolError,
    transport::{P2PEvent, P2PNode, PeerId},
};
use tokio::{
    sync::{
        Semaphore,
        broadcast::{self, error::RecvError},
    },
    task::JoinSet,
};

use crate::{Fault, traffic::Counters};

/// How many requests a node works on at once; the shipped node's own limit.
const HANDLERS: usize = 64;

/// What a node needs to answer messages.
pub(crate) struct Server {
    pub(crate) protocol: Arc<AntProtocol>,
    pub(crate) p2p: Arc<P2PNode>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) fault: Option<Fault>,
}

/// Answers messages until the node stops. Messages that the loop came too late
/// for are counted, and it goes on; handlers end with the loop.
pub(crate) async fn serve(server: Server, mut events: broadcast::Receiver<P2PEvent>) {
    let server = Arc::new(server);
    let permits = Arc::new(Semaphore::new(HANDLERS));
    let mut handlers = JoinSet::new();
    loop {
        match events.recv().await {
            Ok(P2PEvent::Message {
                topic,
                source: Some(source),
                data,
                ..
            }) if topic == CHUNK_PROTOCOL_ID => {
                let server = Arc::clone(&server);
                let permits = Arc::clone(&permits);
                handlers.spawn(async move {
                    if let Ok(_permit) = permits.acquire().await {
                        server.answer(source, &data).await;
                    }
                });
                while handlers.try_join_next().is_some() {}
            }
            Ok(_) => {}
            Err(RecvError::Lagged(missed)) => {
                server.counters.lagged.fetch_add(missed, Ordering::Relaxed);
            }
            Err(RecvError::Closed) => break,
        }
    }
}

impl Server {
    /// Answers one message, unless the node's fault says otherwise.
    async fn answer(&self, source: PeerId, data: &[u8]) {
        let Ok(request) = ChunkMessage::decode(data) else {
            // An answer that this node did not ask for, or a form it cannot read.
            return;
        };
        let candidate = matches!(
            request.body,
            ChunkMessageBody::MerkleCandidateQuoteRequest(_)
                | ChunkMessageBody::MerkleCandidateQuoteRequestV2(_)
        );
        let count = |counter: &AtomicU64| {
            if candidate {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        };
        count(&self.counters.requests_taken);
        let versioned = matches!(
            request.body,
            ChunkMessageBody::MerkleCandidateQuoteRequestV2(_)
        );
        let fault = self.fault.filter(|_| candidate);
        match fault {
            Some(Fault::Silent) => return,
            Some(Fault::Legacy) if versioned => return,
            Some(Fault::Slow(by)) => tokio::time::sleep(by).await,
            _ => {}
        }
        let answer = match fault {
            Some(Fault::Refuses) => refusal(request.request_id),
            _ => match self.protocol.try_handle_request(data).await {
                Ok(Some(answer)) => answer.to_vec(),
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!("a request from {source} was not handled: {error}");
                    return;
                }
            },
        };
        if candidate && self.counters.loses() {
            count(&self.counters.answers_sent);
            return;
        }
        match self
            .p2p
            .send_message(&source, CHUNK_PROTOCOL_ID, answer, &[])
            .await
        {
            Ok(()) => count(&self.counters.answers_sent),
            Err(error) => {
                count(&self.counters.send_failures);
                tracing::debug!("an answer to {source} was not sent: {error}");
            }
        }
    }
}

/// Returns what a node of the next settlement version would say to this client.
fn refusal(request_id: u64) -> Vec<u8> {
    let error = ProtocolError::ClientUpdateRequired {
        client_settlement_version: CURRENT_SETTLEMENT_VERSION,
        min_settlement_version: CURRENT_SETTLEMENT_VERSION + 1,
    };
    let message = ChunkMessage {
        request_id,
        body: ChunkMessageBody::MerkleCandidateQuoteResponse(MerkleCandidateQuoteResponse::Error(
            error,
        )),
    };
    // Two small integers always encode.
    message.encode().unwrap_or_default()
}
