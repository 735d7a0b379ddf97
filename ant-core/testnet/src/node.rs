//! One real node: the shipped node's storage, pricing and signing over a real
//! QUIC endpoint, with a message loop that counts, and faults on request.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
};

use ant_node::{
    AntProtocol, ChunkStore, ChunkStoreConfig, PaymentVerifier, PaymentVerifierConfig,
    ReplicationConfig,
    payment::{
        EvmVerifierConfig, PriceFloorConfig, QuoteGenerator, QuotingMetricsTracker,
        wire_ml_dsa_signer,
    },
};
use ant_protocol::{
    CHUNK_PROTOCOL_ID, CURRENT_SETTLEMENT_VERSION, ChunkMessage, ChunkMessageBody,
    MAX_WIRE_MESSAGE_SIZE, MerkleCandidateQuoteResponse, ProtocolError,
    evm::{Network as EvmNetwork, RewardsAddress},
    transport::{
        CoreNodeConfig, IPDiversityConfig, MultiAddr, NodeIdentity, NodeMode, P2PEvent, P2PNode,
        PeerId,
    },
};
use tokio::{
    sync::{Semaphore, broadcast::error::RecvError},
    task::{JoinHandle, JoinSet},
};

use crate::{TestnetError, traffic::Counters};

/// How many requests a node works on at once; the shipped node's own limit.
const HANDLERS: usize = 64;

/// How many peers it looks for when it looks around.
const LOOK_WIDTH: usize = 20;

/// How many payments a node remembers; none are made on this network yet.
const PAYMENT_CACHE: usize = 1000;

/// A wrong thing that a node does with candidate requests, on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Takes them and answers none.
    Silent,
    /// Refuses the client's settlement version, as a node of a later one would.
    Refuses,
}

/// A running node.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) index: usize,
    pub(crate) address: MultiAddr,
    pub(crate) fault: Option<Fault>,
    pub(crate) folder: PathBuf,
    pub(crate) counters: Arc<Counters>,
    pub(crate) p2p: P2p,
    messages: JoinHandle<()>,
}

/// The endpoint; a type of its own since `P2PNode` has no `Debug`.
#[derive(Clone)]
pub(crate) struct P2p(pub(crate) Arc<P2PNode>);

impl std::fmt::Debug for P2p {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "P2PNode({})", self.0.peer_id())
    }
}

/// What it takes to start one.
#[derive(Debug)]
pub(crate) struct NodeSpec<'a> {
    pub(crate) index: usize,
    /// Zero lets the system choose.
    pub(crate) port: u16,
    pub(crate) identity: NodeIdentity,
    pub(crate) folder: &'a Path,
    pub(crate) bootstrap: Vec<MultiAddr>,
    pub(crate) fault: Option<Fault>,
}

impl Node {
    /// Starts a node; returns when it has joined through its bootstrap peers.
    pub(crate) async fn start(spec: NodeSpec<'_>) -> Result<Self, TestnetError> {
        let NodeSpec {
            index,
            port,
            identity,
            folder,
            bootstrap,
            fault,
        } = spec;
        let failed = |reason: String| TestnetError::Node { index, reason };
        let protocol = protocol(folder, &identity).await.map_err(failed)?;
        let mut config = CoreNodeConfig::builder()
            .port(port)
            .local(true)
            .ipv6(false)
            .mode(NodeMode::Node)
            .max_message_size(MAX_WIRE_MESSAGE_SIZE)
            .build()
            .map_err(|error| failed(error.to_string()))?;
        config.node_identity = Some(Arc::new(identity));
        config.bootstrap_peers = bootstrap;
        // All nodes share 127.0.0.1: the limits on nodes per address would
        // leave most of them out of every routing table.
        config.diversity_config = Some(IPDiversityConfig::permissive());
        let p2p = P2PNode::new(config)
            .await
            .map_err(|error| failed(error.to_string()))?;
        let p2p = Arc::new(p2p);
        // The loop listens before the node joins, so that nothing is missed.
        let events = p2p.subscribe_events();
        protocol.attach_p2p_node(Arc::clone(&p2p));
        let counters = Arc::new(Counters::default());
        let server = Server {
            protocol,
            p2p: Arc::clone(&p2p),
            counters: Arc::clone(&counters),
            fault,
        };
        let messages = tokio::spawn(serve(server, events));
        p2p.start()
            .await
            .map_err(|error| failed(error.to_string()))?;
        let address = loopback_address(&p2p)
            .await
            .ok_or_else(|| failed("it listens on no IPv4 loopback address".to_owned()))?;
        Ok(Self {
            index,
            address,
            fault,
            folder: folder.to_owned(),
            counters,
            p2p: P2p(p2p),
            messages,
        })
    }

    pub(crate) fn peer_id(&self) -> &PeerId {
        self.p2p.0.peer_id()
    }

    /// How many others its routing table holds.
    pub(crate) async fn knows(&self) -> usize {
        self.p2p.0.dht().get_routing_table_size().await
    }

    /// Looks up a random place, which teaches it, and those it asks, of others.
    pub(crate) async fn look_around(&self) {
        let target: [u8; 32] = rand::random();
        let look = self.p2p.0.dht().find_closest_nodes(&target, LOOK_WIDTH);
        if let Err(error) = look.await {
            tracing::debug!("node {}: looking around: {error}", self.index);
        }
    }

    /// Stops the node. The transport keeps its socket until the runtime ends.
    pub(crate) async fn stop(self) {
        self.messages.abort();
        // An abort is no error here; a panic has been printed where it was.
        let _ = self.messages.await;
        if let Err(error) = self.p2p.0.stop().await {
            tracing::warn!("node {}: stopping: {error}", self.index);
        }
    }
}

async fn loopback_address(p2p: &P2PNode) -> Option<MultiAddr> {
    let addresses = p2p.listen_addrs().await;
    let port = addresses
        .iter()
        .find(|address| address.is_ipv4())
        .and_then(MultiAddr::port)?;
    let socket = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    Some(MultiAddr::quic(socket))
}

/// The shipped node's request handler, on an empty store. Payments, if any came,
/// would be looked up on a chain nobody runs.
async fn protocol(folder: &Path, identity: &NodeIdentity) -> Result<Arc<AntProtocol>, String> {
    let storage = ChunkStore::new(ChunkStoreConfig {
        root_dir: folder.to_owned(),
        ..ChunkStoreConfig::default()
    })
    .await
    .map_err(|error| error.to_string())?;
    let mut rewards = [0; 20];
    rewards.copy_from_slice(&identity.peer_id().as_bytes()[..20]);
    let rewards = RewardsAddress::new(rewards);
    let nowhere = format!("0x{}", "00".repeat(20));
    let verifier = PaymentVerifier::new(PaymentVerifierConfig {
        evm: EvmVerifierConfig {
            network: EvmNetwork::new_custom("http://127.0.0.1:1", &nowhere, &nowhere),
        },
        cache_capacity: PAYMENT_CACHE,
        close_group_size: ReplicationConfig::default().close_group_size,
        local_rewards_address: rewards,
        price_floor: PriceFloorConfig::default(),
    });
    let mut quotes = QuoteGenerator::new(rewards, QuotingMetricsTracker::new(0));
    wire_ml_dsa_signer(&mut quotes, identity).map_err(|error| error.to_string())?;
    Ok(Arc::new(AntProtocol::new(
        Arc::new(storage),
        Arc::new(verifier),
        Arc::new(quotes),
    )))
}

/// What answering takes.
struct Server {
    protocol: Arc<AntProtocol>,
    p2p: Arc<P2PNode>,
    counters: Arc<Counters>,
    fault: Option<Fault>,
}

/// Answers messages until the node stops. Coming too late for some is counted
/// and survived; handlers end with the loop.
async fn serve(server: Server, mut events: tokio::sync::broadcast::Receiver<P2PEvent>) {
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
    async fn answer(&self, source: PeerId, data: &[u8]) {
        let Ok(request) = ChunkMessage::decode(data) else {
            // An answer to nobody, or a form this node cannot read.
            return;
        };
        let candidate = matches!(
            request.body,
            ChunkMessageBody::MerkleCandidateQuoteRequest(_)
                | ChunkMessageBody::MerkleCandidateQuoteRequestV2(_)
        );
        let count = |counter: &std::sync::atomic::AtomicU64| {
            if candidate {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        };
        count(&self.counters.requests_taken);
        let answer = match self.fault.filter(|_| candidate) {
            Some(Fault::Silent) => return,
            Some(Fault::Refuses) => refusal(request.request_id),
            None => match self.protocol.try_handle_request(data).await {
                Ok(Some(answer)) => answer.to_vec(),
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!("a request from {source} was not handled: {error}");
                    return;
                }
            },
        };
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

/// What a node of the next settlement version would say to this client.
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
