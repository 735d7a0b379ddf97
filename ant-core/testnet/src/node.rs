//! One real node: the shipped node's storage, pricing and signing over a real
//! QUIC endpoint.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
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
    MAX_WIRE_MESSAGE_SIZE,
    evm::{Network as EvmNetwork, RewardsAddress},
    transport::{
        CoreNodeConfig, IPDiversityConfig, MultiAddr, NodeIdentity, NodeMode, P2PNode, PeerId,
    },
};
use tokio::task::JoinHandle;

use crate::{
    Fault, TestnetError,
    host::HostRuntime,
    server::{Server, serve},
    traffic::Counters,
};

/// How many peers it looks for when it looks around.
const LOOK_WIDTH: usize = 20;

/// How many verified payments a node remembers.
const PAYMENT_CACHE: usize = 1000;

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
    /// Where payments are looked up; without one, at an address where no chain
    /// answers.
    pub(crate) chain: Option<EvmNetwork>,
}

impl Node {
    /// Starts a node on a host; returns when it has joined.
    pub(crate) async fn start_on(host: HostRuntime, spec: NodeSpec) -> Result<Self, TestnetError> {
        let index = spec.index;
        let ended = || TestnetError::node(index, "its host has ended");
        let handle = host.handle().ok_or_else(ended)?;
        let started = handle.spawn(Self::start(spec)).await;
        let mut node = started.map_err(|error| TestnetError::node(index, error))??;
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
        let protocol = protocol(index, &folder, &identity, chain).await?;
        let mut config = CoreNodeConfig::builder()
            .port(port)
            .local(address.is_none())
            .ipv6(false)
            .mode(NodeMode::Node)
            .max_message_size(MAX_WIRE_MESSAGE_SIZE)
            .build()
            .map_err(|error| TestnetError::node(index, error))?;
        config.node_identity = Some(Arc::new(identity));
        config.bootstrap_peers = bootstrap;
        // Nodes share an address: the limits on nodes per address would leave
        // most of them out of every routing table.
        config.diversity_config = Some(IPDiversityConfig::permissive());
        let p2p = P2PNode::new(config)
            .await
            .map_err(|error| TestnetError::node(index, error))?;
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
            .map_err(|error| TestnetError::node(index, error))?;
        let port = listens_on(&p2p)
            .await
            .ok_or_else(|| TestnetError::node(index, "it listens on no IPv4 address"))?;
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

    /// Returns how many others its routing table holds.
    pub(crate) async fn knows(&self) -> usize {
        self.p2p.0.dht().get_routing_table_size().await
    }

    /// Looks up a random address, so that the node, and those it asks, learn of
    /// others.
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

    /// Runs `work` where the node runs, so that sockets it opens are on the node's
    /// host.
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
        // An abort is not an error here; a panic has been printed where it was.
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

/// Makes the shipped node's request handler, on an empty store.
async fn protocol(
    index: usize,
    folder: &Path,
    identity: &NodeIdentity,
    chain: Option<EvmNetwork>,
) -> Result<Arc<AntProtocol>, TestnetError> {
    let storage = ChunkStore::new(ChunkStoreConfig {
        root_dir: folder.to_owned(),
        ..ChunkStoreConfig::default()
    })
    .await
    .map_err(|error| TestnetError::node(index, error))?;
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
    wire_ml_dsa_signer(&mut quotes, identity).map_err(|error| TestnetError::node(index, error))?;
    Ok(Arc::new(AntProtocol::new(
        Arc::new(storage),
        Arc::new(verifier),
        Arc::new(quotes),
    )))
}
