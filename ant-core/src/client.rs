//! The client: one endpoint, one memory of its peers, and a pacing that can be
//! switched between payments.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
    time::Duration,
};

use ant_collect::{PeerMemory, Plan, SettlementRefusal, Verdict};
use ant_pacing::{Arms, Gate, PacingSpec, Peer, Scope, StrategySpec};
use ant_protocol::transport::{MultiAddr, P2PNode, PeerId};
use rand::{Rng, SeedableRng, rngs::StdRng};
use tokio::{sync::Semaphore, task::JoinHandle};

pub use crate::network::WarmUp;
use crate::{
    Error, MerkleBatch, PreparedMerkleBatch, TreeReport,
    batch::now,
    demux::Demux,
    driver,
    network::Network,
    plot::{Plot, batch_sizes, check_addresses},
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
    /// How candidate requests are paced: one pacing, or several that payments
    /// draw from.
    pub pacing: Arms,
    /// Decides what payments draw; drawn itself if there is none.
    pub seed: Option<u64>,
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
            seed: None,
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
    terms: Arc<Mutex<Terms>>,
    subscriber: Arc<Subscriber>,
}

/// What trees share.
pub(crate) struct Shared {
    pub(crate) network: Network,
    pub(crate) demux: Arc<Demux>,
    pub(crate) memory: PeerMemory,
    pub(crate) checkers: Semaphore,
}

/// What payments to come run under.
struct Terms {
    arms: Arms,
    plan: Plan,
    epoch: u64,
    /// Where all payments of this epoch and arm queue, under the scope
    /// `client`; by the arm's index.
    shared: HashMap<usize, Gate>,
    seed: u64,
    random: StdRng,
    draws: u64,
    /// How many payments are being prepared.
    under_way: usize,
    told_of_overlap: bool,
}

impl Terms {
    fn change(&mut self, arms: Arms, plan: Plan) {
        if self.arms != arms || self.plan != plan {
            self.arms = arms;
            self.plan = plan;
            self.epoch += 1;
            self.shared.clear();
        }
    }
}

/// What one payment runs under, to its end.
struct Payment {
    pacing: PacingSpec,
    plan: Plan,
    epoch: u64,
    draw: u64,
    seed: u64,
    gate: Gate,
    terms: Arc<Mutex<Terms>>,
}

impl Drop for Payment {
    fn drop(&mut self) {
        lock(&self.terms).under_way -= 1;
    }
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
        Ok(Self::new(network, config.pacing, config.seed, config.plan))
    }

    /// A client on an endpoint that has joined already. The endpoint stays the
    /// caller's: stop it after the client's last use.
    pub fn on_node(node: Arc<P2PNode>, pacing: impl Into<Arms>, plan: Plan) -> Self {
        Self::new(Network { node }, pacing.into(), None, plan)
    }

    fn new(network: Network, arms: Arms, seed: Option<u64>, plan: Plan) -> Self {
        let seed = seed.unwrap_or_else(rand::random);
        let memory = PeerMemory::new();
        let demux = Arc::new(Demux::new(memory.clone()));
        let events = network.node.subscribe_events();
        let subscriber = tokio::spawn(Arc::clone(&demux).run(events));
        Self {
            shared: Arc::new(Shared {
                network,
                demux,
                memory,
                checkers: driver::checkers(),
            }),
            terms: Arc::new(Mutex::new(Terms {
                arms,
                plan,
                epoch: 0,
                shared: HashMap::new(),
                seed,
                random: StdRng::seed_from_u64(seed),
                draws: 0,
                under_way: 0,
                told_of_overlap: false,
            })),
            subscriber: Arc::new(Subscriber(subscriber)),
        }
    }

    /// This client's identity on the network.
    pub fn peer_id(&self) -> PeerId {
        *self.shared.network.node.peer_id()
    }

    /// The endpoint that this client uses. It is the client's: what is sent
    /// through it beside is in nobody's report.
    pub fn endpoint(&self) -> &Arc<P2PNode> {
        &self.shared.network.node
    }

    /// Looks around until the routing table is steady, so that the first
    /// payment finds its peers as fast as later ones.
    pub async fn warm_up(&self) -> WarmUp {
        self.shared.network.warm_up().await
    }

    /// What the next payment draws its pacing from.
    pub fn pacing(&self) -> Arms {
        lock(&self.terms).arms.clone()
    }

    /// Switches the pacing, from the next payment on: see [`Self::set_terms`].
    pub fn set_pacing(&self, pacing: impl Into<Arms>) {
        let mut terms = lock(&self.terms);
        let plan = terms.plan;
        terms.change(pacing.into(), plan);
    }

    /// Switches pacing and plan, from the next payment on; payments under way
    /// keep theirs to the end. While both run, each keeps to its own cap.
    ///
    /// Says which epoch payments belong to from here on: the same as before if
    /// nothing has changed.
    pub fn set_terms(&self, pacing: impl Into<Arms>, plan: Plan) -> u64 {
        let mut terms = lock(&self.terms);
        terms.change(pacing.into(), plan);
        terms.epoch
    }

    /// The peers closest to an address, with where they are.
    pub(crate) async fn closest(
        &self,
        address: &[u8; 32],
        count: usize,
    ) -> Result<Vec<(Peer, Vec<MultiAddr>)>, String> {
        let found = self.shared.network.closest(address, count).await?;
        let located = found.peers.into_iter();
        Ok(located.map(|l| (l.peer, l.addresses)).collect())
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
    /// full, and all under the one pacing that this payment draws. Spends
    /// nothing.
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
        let payment = self.enter();
        let mut batches = Vec::new();
        let mut rest = addresses;
        for size in batch_sizes(addresses.len()) {
            let (these, others) = rest.split_at(size);
            rest = others;
            batches.push(self.prepare_tree(these, data_size, &payment).await?);
        }
        Ok(batches)
    }

    async fn prepare_tree(
        &self,
        addresses: &[[u8; 32]],
        data_size: u64,
        payment: &Payment,
    ) -> Result<PreparedMerkleBatch, Error> {
        if let Some(refusal) = self.refusal() {
            let report = None;
            return Err(Error::Refused { refusal, report });
        }
        let timestamp = now()?;
        let plot = Plot::new(addresses, timestamp)?;
        let quote = Quote {
            data_size,
            timestamp,
        };
        let Payment {
            plan, epoch, gate, ..
        } = payment;
        let (verdict, collection) =
            driver::collect(&self.shared, *plan, &plot.targets, quote, gate.join()).await;
        let report = TreeReport {
            pacing: payment.pacing.clone(),
            epoch: *epoch,
            seed: payment.seed,
            draw: payment.draw,
            collection,
            gate: gate.stats(),
        };
        match verdict {
            Verdict::Full(full) => Ok(PreparedMerkleBatch {
                batch: MerkleBatch {
                    addresses: addresses.to_vec(),
                    pools: plot.pools(full)?,
                    tree: plot.tree,
                    timestamp,
                },
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

    /// What a payment that starts now runs under, and its gate.
    fn enter(&self) -> Payment {
        let mut guard = lock(&self.terms);
        let terms = &mut *guard;
        let weights = terms.arms.total_weight();
        let at = terms.arms.arm_at(terms.random.gen_range(0..weights));
        let pacing = terms.arms.as_slice()[at].pacing.clone();
        let build = || Gate::new(pacing.strategy.build());
        let gate = match pacing.scope {
            Scope::Payment => build(),
            Scope::Client => terms.shared.entry(at).or_insert_with(build).clone(),
        };
        let draw = terms.draws;
        terms.draws += 1;
        terms.under_way += 1;
        let capped = pacing.strategy != StrategySpec::uncapped();
        let overlap = terms.under_way > 1 && capped && pacing.scope == Scope::Payment;
        if overlap && !terms.told_of_overlap {
            terms.told_of_overlap = true;
            tracing::warn!(
                "payments overlap, and each has the slots of `{pacing}` for itself; with \
                 `{pacing}@client` they would share them"
            );
        }
        Payment {
            plan: terms.plan,
            epoch: terms.epoch,
            draw,
            seed: terms.seed,
            terms: Arc::clone(&self.terms),
            pacing,
            gate,
        }
    }

    /// Leaves the network and stops the endpoint.
    pub async fn close(self) {
        self.subscriber.0.abort();
        self.shared.network.stop().await;
    }
}

fn lock(terms: &Mutex<Terms>) -> MutexGuard<'_, Terms> {
    // Changes cannot panic midway: a poisoned lock is whole.
    terms.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({})", self.peer_id())
    }
}
