//! One real node: the shipped node's storage, pricing and signing over a real
//! QUIC endpoint, with a message loop that counts, and faults on request.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    time::Duration,
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
    runtime::{Handle, Runtime},
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

/// How long the threads of a node's own runtime may take to end.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// A wrong thing that a node does with candidate requests, on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Takes them and answers none.
    Silent,
    /// Refuses the client's settlement version, as a node of a later one would.
    Refuses,
    /// Answers after this long.
    Slow(Duration),
    /// Knows the legacy form of a request alone, and is silent to the versioned.
    Legacy,
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
    /// Where it runs, if that is a runtime of its own.
    host: Option<HostRuntime>,
}

/// A runtime that may end within another one.
#[derive(Debug)]
pub(crate) struct HostRuntime(Option<Runtime>);

impl HostRuntime {
    pub(crate) fn new(runtime: Runtime) -> Self {
        Self(Some(runtime))
    }

    /// Ends it, and waits a little until its threads have.
    async fn end(mut self) {
        if let Some(runtime) = self.0.take() {
            let ended = tokio::task::spawn_blocking(|| runtime.shutdown_timeout(ENDS_WITHIN));
            // A panic has been printed where it was.
            let _ = ended.await;
        }
    }

    fn handle(&self) -> Option<&Handle> {
        self.0.as_ref().map(Runtime::handle)
    }
}

impl Drop for HostRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            // Waiting for its threads would block the runtime this ends in.
            runtime.shutdown_background();
        }
    }
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
pub(crate) struct NodeSpec {
    pub(crate) index: usize,
    /// Zero lets the system choose.
    pub(crate) port: u16,
    pub(crate) identity: NodeIdentity,
    pub(crate) folder: PathBuf,
    pub(crate) bootstrap: Vec<MultiAddr>,
    pub(crate) fault: Option<Fault>,
    /// The one address of its host; loopback if there is none.
    pub(crate) address: Option<Ipv4Addr>,
    /// Where payments are looked up; on a chain that nobody runs, if there is
    /// none.
    pub(crate) chain: Option<EvmNetwork>,
}

impl Node {
    /// Starts a node on a host; returns when it has joined.
    pub(crate) async fn start_on(host: HostRuntime, spec: NodeSpec) -> Result<Self, TestnetError> {
        let index = spec.index;
        let failed = |reason: &str| TestnetError::Node {
            index,
            reason: reason.to_owned(),
        };
        let handle = host.handle().ok_or_else(|| failed("its host has ended"))?;
        let started = handle.spawn(Self::start(spec)).await;
        let mut node = started.map_err(|error| failed(&error.to_string()))??;
        node.host = Some(host);
        Ok(node)
    }

    /// Starts a node; returns when it has joined through its bootstrap peers.
    pub(crate) async fn start(spec: NodeSpec) -> Result<Self, TestnetError> {
        let NodeSpec {
            index,
            port,
            identity,
            folder,
            bootstrap,
            fault,
            address,
            chain,
        } = spec;
        let failed = |reason: String| TestnetError::Node { index, reason };
        let protocol = protocol(&folder, &identity, chain).await.map_err(failed)?;
        let mut config = CoreNodeConfig::builder()
            .port(port)
            .local(address.is_none())
            .ipv6(false)
            .mode(NodeMode::Node)
            .max_message_size(MAX_WIRE_MESSAGE_SIZE)
            .build()
            .map_err(|error| failed(error.to_string()))?;
        config.node_identity = Some(Arc::new(identity));
        config.bootstrap_peers = bootstrap;
        // Nodes share an address: the limits on nodes per address would leave
        // most of them out of every routing table.
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
        let port = listens_on(&p2p)
            .await
            .ok_or_else(|| failed("it listens on no IPv4 address".to_owned()))?;
        let address = address.unwrap_or(Ipv4Addr::LOCALHOST);
        let address = MultiAddr::quic(SocketAddr::from((address, port)));
        Ok(Self {
            index,
            address,
            fault,
            folder,
            counters,
            p2p: P2p(p2p),
            messages,
            host: None,
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
        let (p2p, index) = (self.p2p.clone(), self.index);
        self.at_home(async move {
            if let Err(error) = p2p.0.dht().find_closest_nodes(&target, LOOK_WIDTH).await {
                tracing::debug!("node {index}: looking around: {error}");
            }
        })
        .await;
    }

    /// Runs something where the node runs, so that what it opens is the node's.
    async fn at_home(&self, work: impl Future<Output = ()> + Send + 'static) {
        match self.host.as_ref().and_then(HostRuntime::handle) {
            Some(handle) => {
                // A panic has been printed where it was.
                let _ = handle.spawn(work).await;
            }
            None => work.await,
        }
    }

    /// Stops the node. The transport keeps its socket until the runtime ends.
    pub(crate) async fn stop(mut self) {
        self.messages.abort();
        // An abort is no error here; a panic has been printed where it was.
        let _ = (&mut self.messages).await;
        let (p2p, index) = (self.p2p.clone(), self.index);
        self.at_home(async move {
            if let Err(error) = p2p.0.stop().await {
                tracing::warn!("node {index}: stopping: {error}");
            }
        })
        .await;
        if let Some(host) = self.host.take() {
            host.end().await;
        }
    }
}

async fn listens_on(p2p: &P2PNode) -> Option<u16> {
    let addresses = p2p.listen_addrs().await;
    let mut addresses = addresses.iter();
    addresses
        .find(|address| address.is_ipv4())
        .and_then(MultiAddr::port)
}

/// The shipped node's request handler, on an empty store.
async fn protocol(
    folder: &Path,
    identity: &NodeIdentity,
    chain: Option<EvmNetwork>,
) -> Result<Arc<AntProtocol>, String> {
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
    let nobodys = || EvmNetwork::new_custom("http://127.0.0.1:1", &nowhere, &nowhere);
    let verifier = PaymentVerifier::new(PaymentVerifierConfig {
        evm: EvmVerifierConfig {
            network: chain.unwrap_or_else(nobodys),
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
