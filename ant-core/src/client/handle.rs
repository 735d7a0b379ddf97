//! The client that programs hold: joining, preparing payments, switching terms.

use std::sync::Arc;

use ant_collect::{PeerMemory, Plan, SettlementRefusal, Verdict};
use ant_pacing::{Arms, Peer};
use ant_protocol::transport::{MultiAddr, P2PNode, PeerId};
use futures::future::BoxFuture;
use tokio::task::JoinHandle;

use super::{
    config::ClientConfig,
    demux::Demux,
    driver,
    shared::{ClientTraffic, Shared},
    terms::{CurrentTerms, PaymentTerms},
};
use crate::{
    Error, MerkleBatch, PreparedMerkleBatch, TreeReport,
    candidate::wire::Quote,
    endpoint::{Network, WarmUp},
    tree::{TreeLayout, batch_sizes, check_addresses, now},
};

/// A peer, and the addresses that it is dialled at, the first one first.
pub type PeerAddresses = (Peer, Vec<MultiAddr>);

/// A client of the network. Cloning gives another handle to the same.
///
/// Everything it does is done on the tokio runtime it was made on.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
    terms: CurrentTerms,
    subscriber: Arc<Subscriber>,
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
        Self::connecting(config).await
    }

    // Here and below: the compiler makes the code of an `async fn` in the crate that
    // polls it. A boxed future is made in this one, once, and not with all of the
    // network's code anew in each crate that uses a client.
    fn connecting(config: ClientConfig) -> BoxFuture<'static, Result<Self, Error>> {
        Box::pin(async move {
            let network = Network::join(&config).await?;
            Ok(Self::new(network, config.pacing, config.seed, config.plan))
        })
    }

    /// A client on an endpoint that has joined already. The endpoint stays the
    /// caller's: stop it after the client's last use.
    pub fn on_node(node: Arc<P2PNode>, pacing: impl Into<Arms>, plan: Plan) -> Self {
        Self::new(Network { node }, pacing.into(), None, plan)
    }

    fn new(network: Network, arms: Arms, seed: Option<u64>, plan: Plan) -> Self {
        let memory = PeerMemory::new();
        let demux = Arc::new(Demux::new(memory.clone()));
        let events = network.node.subscribe_events();
        let subscriber = tokio::spawn(Arc::clone(&demux).run(events));
        Self {
            shared: Arc::new(Shared::new(network, demux, memory)),
            terms: CurrentTerms::new(arms, plan, seed),
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
        self.warming_up().await
    }

    fn warming_up(&self) -> BoxFuture<'_, WarmUp> {
        Box::pin(self.shared.network.warm_up())
    }

    /// Switches the pacing, from the next payment on: see [`Self::set_terms`].
    pub fn set_pacing(&self, pacing: impl Into<Arms>) {
        self.terms.change(pacing.into(), None);
    }

    /// Switches pacing and plan, from the next payment on; payments under way
    /// keep theirs to the end. While both run, each keeps to its own cap.
    ///
    /// Says which epoch payments belong to from here on: the same as before if
    /// nothing has changed.
    pub fn set_terms(&self, pacing: impl Into<Arms>, plan: Plan) -> u64 {
        self.terms.change(pacing.into(), Some(plan))
    }

    /// Looks up the peers closest to an address, and where they are: `count` of them
    /// or fewer, the closest first.
    ///
    /// # Errors
    ///
    /// When the lookup fails.
    pub async fn closest(
        &self,
        address: &[u8; 32],
        count: usize,
    ) -> Result<Vec<PeerAddresses>, Error> {
        self.looking_up(address, count).await
    }

    fn looking_up<'a>(
        &'a self,
        address: &'a [u8; 32],
        count: usize,
    ) -> BoxFuture<'a, Result<Vec<PeerAddresses>, Error>> {
        Box::pin(async move {
            let found = self.shared.network.closest(address, count).await;
            let located = found.map_err(Error::Lookup)?.peers.into_iter();
            Ok(located.map(|l| (l.peer, l.addresses)).collect())
        })
    }

    /// What was received beside the answers in trees' reports.
    pub fn traffic(&self) -> ClientTraffic {
        self.shared.traffic()
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
        self.preparing(addresses, data_size).await
    }

    fn preparing<'a>(
        &'a self,
        addresses: &'a [[u8; 32]],
        data_size: u64,
    ) -> BoxFuture<'a, Result<Vec<PreparedMerkleBatch>, Error>> {
        Box::pin(async move {
            check_addresses(addresses)?;
            let terms = self.terms.enter();
            let mut batches = Vec::new();
            let mut rest = addresses;
            for size in batch_sizes(addresses.len()) {
                let (these, others) = rest.split_at(size);
                rest = others;
                batches.push(self.prepare_tree(these, data_size, &terms).await?);
            }
            Ok(batches)
        })
    }

    async fn prepare_tree(
        &self,
        addresses: &[[u8; 32]],
        data_size: u64,
        terms: &PaymentTerms,
    ) -> Result<PreparedMerkleBatch, Error> {
        if let Some(refusal) = self.refusal() {
            let report = None;
            return Err(Error::Refused { refusal, report });
        }
        let timestamp = now()?;
        let layout = TreeLayout::new(addresses, timestamp)?;
        let quote = Quote {
            data_size,
            timestamp,
        };
        let (verdict, collection) = driver::collect(
            &self.shared,
            terms.plan,
            &layout.targets,
            quote,
            terms.gate.join(),
        )
        .await;
        let report = TreeReport {
            pacing: terms.pacing.clone(),
            epoch: terms.epoch,
            seed: terms.seed,
            draw: terms.draw,
            collection,
            gate: terms.gate.stats(),
        };
        match verdict {
            Verdict::Full(full) => Ok(PreparedMerkleBatch {
                batch: MerkleBatch {
                    addresses: addresses.to_vec(),
                    pools: layout.pools(full)?,
                    tree: layout.tree,
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

    /// Leaves the network and stops the endpoint.
    pub async fn close(self) {
        self.closing().await;
    }

    fn closing(self) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            self.subscriber.0.abort();
            self.shared.network.stop().await;
        })
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({})", self.peer_id())
    }
}
