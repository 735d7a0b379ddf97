//! The client: one endpoint, one memory of its peers, and a pacing that can be
//! switched between payments.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use ant_collect::{PeerMemory, Plan, SettlementRefusal, Verdict};
use ant_pacing::{Gate, PacingSpec, Scope, StrategySpec};
use ant_protocol::transport::{MultiAddr, P2PNode, PeerId};
use tokio::{sync::Semaphore, task::JoinHandle};

pub use crate::network::WarmUp;
use crate::{
    Error, PreparedMerkleBatch, TreeReport,
    batch::{Plot, batch_sizes, check_addresses},
    demux::Demux,
    driver,
    network::Network,
    wire::Quote,
};

/// How a client joins, and how it asks.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// Addresses to join through; one that answers is enough.
    pub bootstrap: Vec<MultiAddr>,
    /// For networks on loopback only. Public peers reject the handshake that
    /// this produces.
    pub local: bool,
    /// Whether to use IPv6 as well. Leave it off where IPv6 does not work.
    pub ipv6: bool,
    /// How long joining may take.
    pub join_within: Duration,
    /// How candidate requests are paced.
    pub pacing: PacingSpec,
    /// Everything else about collecting candidates.
    pub plan: Plan,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            bootstrap: Vec::new(),
            local: false,
            ipv6: true,
            join_within: Duration::from_secs(30),
            pacing: StrategySpec::uncapped().into(),
            plan: Plan::default(),
        }
    }
}

/// What a client received beside the answers in its trees' reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientTraffic {
    /// Answers to requests of trees that had ended.
    pub after_end: u64,
    /// Answers to no request of this client.
    pub unasked: u64,
    /// Messages that came faster than they were read, and were lost.
    pub lagged: u64,
}

/// A client of the network. Cloning gives another handle to the same.
///
/// Everything it does is done on the tokio runtime it was made on.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
    pacing: Arc<Mutex<Pacing>>,
    subscriber: Arc<Subscriber>,
}

/// What trees share.
pub(crate) struct Shared {
    pub(crate) network: Network,
    pub(crate) demux: Arc<Demux>,
    pub(crate) memory: PeerMemory,
    pub(crate) plan: Plan,
    pub(crate) checkers: Semaphore,
}

/// The pacing of payments to come.
struct Pacing {
    spec: PacingSpec,
    epoch: u64,
    /// Where all payments of this epoch queue, under the scope `client`.
    shared: Option<Gate>,
}

/// The task that reads messages; it ends with the last handle.
struct Subscriber(JoinHandle<()>);

impl Drop for Subscriber {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Client {
    /// Joins a network.
    ///
    /// # Errors
    ///
    /// When there is nothing to join through, or nothing of it answers within
    /// [`ClientConfig::join_within`].
    pub async fn connect(config: ClientConfig) -> Result<Self, Error> {
        let network = Network::join(&config).await?;
        Ok(Self::new(network, config.pacing, config.plan))
    }

    /// A client on an endpoint that has joined already. The endpoint stays the
    /// caller's: stop it after the client's last use.
    pub fn on_node(node: Arc<P2PNode>, pacing: PacingSpec, plan: Plan) -> Self {
        Self::new(Network { node }, pacing, plan)
    }

    fn new(network: Network, pacing: PacingSpec, plan: Plan) -> Self {
        let memory = PeerMemory::new();
        let demux = Arc::new(Demux::new(memory.clone()));
        let events = network.node.subscribe_events();
        let subscriber = tokio::spawn(Arc::clone(&demux).run(events));
        Self {
            shared: Arc::new(Shared {
                network,
                demux,
                memory,
                plan,
                checkers: driver::checkers(),
            }),
            pacing: Arc::new(Mutex::new(Pacing {
                spec: pacing,
                epoch: 0,
                shared: None,
            })),
            subscriber: Arc::new(Subscriber(subscriber)),
        }
    }

    /// This client's identity on the network.
    pub fn peer_id(&self) -> PeerId {
        *self.shared.network.node.peer_id()
    }

    /// Looks around until the routing table is steady, so that the first
    /// payment finds its peers as fast as later ones.
    pub async fn warm_up(&self) -> WarmUp {
        self.shared.network.warm_up().await
    }

    /// The pacing of the next payment.
    pub fn pacing(&self) -> PacingSpec {
        self.lock_pacing().spec.clone()
    }

    /// Switches the pacing, from the next tree on; trees under way keep theirs
    /// to the end. While both run, each keeps to its own cap.
    pub fn set_pacing(&self, spec: PacingSpec) {
        let mut pacing = self.lock_pacing();
        if pacing.spec != spec {
            pacing.spec = spec;
            pacing.epoch += 1;
            pacing.shared = None;
        }
    }

    /// What was received beside the answers in trees' reports.
    pub fn traffic(&self) -> ClientTraffic {
        let demux = &self.shared.demux;
        ClientTraffic {
            after_end: demux.after_end.load(Ordering::Relaxed),
            unasked: demux.unasked.load(Ordering::Relaxed),
            lagged: demux.lagged.load(Ordering::Relaxed),
        }
    }

    /// The refusal of this client's settlement version, once enough distinct
    /// peers have said so. Ask again right before paying: it may come late.
    pub fn refusal(&self) -> Option<SettlementRefusal> {
        self.shared.memory.refusal()
    }

    /// Prepares the payment for chunks of `data_size` bytes at these addresses:
    /// as many trees as they need, one after another, each with all its pools
    /// full. Spends nothing.
    ///
    /// Dropping the future stops the work and frees every slot; requests being
    /// sent are sent to their end.
    ///
    /// # Errors
    ///
    /// When the addresses make no tree, a pool stays short of candidates, or
    /// peers refuse this client's settlement version.
    pub async fn prepare(
        &self,
        addresses: &[[u8; 32]],
        data_size: u64,
    ) -> Result<Vec<PreparedMerkleBatch>, Error> {
        check_addresses(addresses)?;
        let mut batches = Vec::new();
        let mut rest = addresses;
        for size in batch_sizes(addresses.len()) {
            let (these, others) = rest.split_at(size);
            rest = others;
            batches.push(self.prepare_tree(these, data_size).await?);
        }
        Ok(batches)
    }

    async fn prepare_tree(
        &self,
        addresses: &[[u8; 32]],
        data_size: u64,
    ) -> Result<PreparedMerkleBatch, Error> {
        if let Some(refusal) = self.refusal() {
            let report = None;
            return Err(Error::Refused { refusal, report });
        }
        let timestamp = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_err(|_| Error::Tree("the clock says that it is before 1970".to_owned()))?
            .as_secs();
        let plot = Plot::new(addresses, timestamp)?;
        let quote = Quote {
            data_size,
            timestamp,
        };
        let (pacing, epoch, gate) = self.enter();
        let (verdict, collection) =
            driver::collect(&self.shared, &plot.targets, quote, gate.join()).await;
        let report = TreeReport {
            pacing,
            epoch,
            collection,
            gate: gate.stats(),
        };
        match verdict {
            Verdict::Full(full) => Ok(PreparedMerkleBatch {
                addresses: addresses.to_vec(),
                pools: plot.pools(full)?,
                tree: plot.tree,
                timestamp,
                report,
            }),
            Verdict::Short(failures) => Err(Error::Short {
                failures,
                report: Box::new(report),
            }),
            Verdict::Refused(refusal) => Err(Error::Refused {
                refusal,
                report: Some(Box::new(report)),
            }),
        }
    }

    /// The pacing a tree that starts now belongs to, and its gate.
    fn enter(&self) -> (PacingSpec, u64, Gate) {
        let mut pacing = self.lock_pacing();
        let build = |spec: &PacingSpec| Gate::new(spec.strategy.build());
        let spec = pacing.spec.clone();
        let gate = match spec.scope {
            Scope::Payment => build(&spec),
            Scope::Client => pacing.shared.get_or_insert_with(|| build(&spec)).clone(),
        };
        (spec, pacing.epoch, gate)
    }

    fn lock_pacing(&self) -> MutexGuard<'_, Pacing> {
        // Changes cannot panic midway: a poisoned lock is whole.
        self.pacing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves the network and stops the endpoint.
    pub async fn close(self) {
        self.subscriber.0.abort();
        self.shared.network.stop().await;
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({})", self.peer_id())
    }
}
