//! The network endpoint as this client uses it: joining within a bound, finding
//! the closest peers, knowing where they are.

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{StreamExt, stream};

use ant_collect::{Believed, FoundPeer, named_twice};
use ant_pacing::{Peer, queue_of};
use ant_protocol::{
    MAX_WIRE_MESSAGE_SIZE,
    transport::{CoreNodeConfig, DHTNode, IPDiversityConfig, MultiAddr, NodeMode, P2PNode},
};

use crate::{ClientConfig, Error, error::Cause};

/// How many lookups in a row must add nobody before the table counts as steady.
const STEADY_AFTER: u32 = 8;

/// The most lookups a warm-up makes, on a network whose table never settles.
const WARM_UP_LOOKUPS: u32 = 60;

/// After this long a warm-up makes no further lookup; on a network that answers
/// none, one alone takes two minutes.
const WARM_UP_WITHIN: Duration = Duration::from_mins(1);

/// How many peers each witness may name: as many as storers look at when they
/// judge a pool.
const VIEW: usize = 32;

/// How many peers a warm-up dials at once: more would make handshakes time out.
const WARM_UP_DIALS: usize = 8;

/// How many peers a warm-up lookup asks for: the table's bucket size.
const WARM_UP_WIDTH: usize = 20;

/// How long stopping may take before the rest is left to the process's end.
const STOP_WITHIN: Duration = Duration::from_secs(10);

/// A peer as a lookup found it.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub(crate) peer: Peer,
    pub(crate) addresses: Vec<MultiAddr>,
}

impl Located {
    pub(crate) fn found(&self) -> FoundPeer {
        let mut ips = self
            .addresses
            .iter()
            .filter_map(MultiAddr::dialable_socket_addr);
        FoundPeer {
            peer: self.peer,
            address: ips.next().map(|socket| socket.ip()),
        }
    }
}

/// What a lookup found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) peers: Vec<Located>,
    /// Whether the closest of them are in doubt.
    pub(crate) in_doubt: bool,
}

/// How a warm-up went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmUp {
    /// How long it took.
    pub took: Duration,
    /// How many lookups it made.
    pub lookups: u32,
    /// How many peers the routing table holds now.
    pub table: usize,
    /// How many peers are connected now.
    pub connected: usize,
}

#[derive(Clone)]
pub(crate) struct Network {
    pub(crate) node: Arc<P2PNode>,
}

impl Network {
    /// Joins the network through any of the bootstrap addresses.
    pub(crate) async fn join(config: &ClientConfig) -> Result<Self, Error> {
        if config.bootstrap.is_empty() {
            return Err(Error::NoBootstrap);
        }
        let mut core = CoreNodeConfig::builder()
            .port(0)
            .ipv6(config.ipv6)
            .local(config.local)
            .mode(NodeMode::Client)
            .max_message_size(MAX_WIRE_MESSAGE_SIZE)
            .build()
            .map_err(Error::network)?;
        core.bootstrap_peers.clone_from(&config.bootstrap);
        // A client serves nobody: its table is for finding, and limits on peers
        // per address would only hide honest ones that share one.
        core.diversity_config = Some(IPDiversityConfig::permissive());
        let node = Arc::new(P2PNode::new(core).await.map_err(Error::network)?);
        let network = Self { node };
        let joining = Instant::now();
        // Spawned, so that dropping this future drops no dial midway.
        let starting = Arc::clone(&network.node);
        let mut start = tokio::spawn(async move { starting.start().await });
        let started = tokio::time::timeout(config.join_within, &mut start).await;
        let joined = match started {
            // Even if the time is over: some answered, the rest go on being tried.
            Ok(Ok(Ok(()))) | Err(_) if network.knows_anybody().await => Ok(()),
            Ok(Ok(Ok(()))) | Err(_) => Err(Error::NotJoined {
                after: joining.elapsed(),
                tried: config.bootstrap.clone(),
            }),
            Ok(Ok(Err(error))) => Err(Error::network(error)),
            Ok(Err(error)) => Err(Error::network(error)),
        };
        match joined {
            Ok(()) => Ok(network),
            Err(error) => {
                // The endpoint ends here, and every connection with it.
                start.abort();
                network.stop().await;
                Err(error)
            }
        }
    }

    async fn knows_anybody(&self) -> bool {
        self.node.peer_count().await > 0 || self.table().await > 0
    }

    async fn table(&self) -> usize {
        self.node.dht().get_routing_table_size().await
    }

    /// Looks up random places until that finds no peer that was not known.
    pub(crate) async fn warm_up(&self) -> WarmUp {
        let started = Instant::now();
        let mut table = self.table().await;
        let mut lookups = 0;
        let mut steady = 0;
        while steady < STEADY_AFTER
            && lookups < WARM_UP_LOOKUPS
            && started.elapsed() < WARM_UP_WITHIN
        {
            let target: [u8; 32] = rand::random();
            if let Err(reason) = self.closest(&target, WARM_UP_WIDTH).await {
                tracing::debug!("a lookup while warming up failed: {reason}");
            }
            lookups += 1;
            let now = self.table().await;
            steady = if now > table { 0 } else { steady + 1 };
            table = table.max(now);
        }
        let left = WARM_UP_WITHIN.saturating_sub(started.elapsed());
        if tokio::time::timeout(left, self.connect_known())
            .await
            .is_err()
        {
            tracing::debug!("some known peers are still being dialled");
        }
        WarmUp {
            took: started.elapsed(),
            lookups,
            table,
            connected: self.node.peer_count().await,
        }
    }

    /// Dials the peers of the table that there is no connection to, a few at a
    /// time, on the path that lookups use, so that nobody is dialled twice.
    async fn connect_known(&self) {
        let known = self.node.dht().routing_table_peers().await;
        let dials = known.into_iter().map(|known| {
            let node = Arc::clone(&self.node);
            // In a task of its own: a dial is never dropped midway.
            let dial = async move {
                if !node.is_peer_connected(&known.peer_id).await
                    && let Err(error) = node.dht().ping(&known.peer_id).await
                {
                    tracing::debug!("{} while warming up: {error}", known.peer_id);
                }
            };
            async move { tokio::spawn(dial).await }
        });
        let dials = stream::iter(dials).buffer_unordered(WARM_UP_DIALS);
        // A panic has been printed where it was.
        dials.for_each(|_| async {}).await;
    }

    /// The peers closest to `target`, this client left out.
    pub(crate) async fn closest(&self, target: &[u8; 32], count: usize) -> Result<Found, Cause> {
        // One more, as this client may be among them.
        let found = self
            .node
            .dht()
            .find_closest_nodes(target, count + 1)
            .await?;
        let own = self.node.peer_id();
        let others = found.into_iter().filter(|node| node.peer_id != *own);
        let located = others.map(|node| Located {
            peer: Peer(*node.peer_id.as_bytes()),
            addresses: node.addresses,
        });
        Ok(Found {
            peers: located.take(count).collect(),
            in_doubt: false,
        })
    }

    /// The peers closest to `target` by the word of `width` witnesses, the
    /// closest themselves: those that at least two of them name, or that this
    /// client knows itself; this client left out.
    pub(crate) async fn witnessed(
        &self,
        target: &[u8; 32],
        width: usize,
        count: usize,
    ) -> Result<Found, Cause> {
        let group = self
            .node
            .dht()
            .find_witnessed_close_group_with_view_count(target, width, VIEW)
            .await?;
        let own = *self.node.peer_id().as_bytes();
        let known = self.node.dht().find_closest_nodes_local(target, VIEW).await;
        let others = |view: Vec<DHTNode>| {
            let named = view.into_iter();
            let named = named.map(|node| (Peer(*node.peer_id.as_bytes()), node.addresses));
            named.filter(|(peer, _)| peer.0 != own).collect()
        };
        let views = group.responder_views.into_iter();
        let views = views.map(|view| others(view.closest));
        let Believed { peers, in_doubt } = named_twice(target, others(known), views);
        let located = peers
            .into_iter()
            .map(|(peer, addresses)| Located { peer, addresses });
        Ok(Found {
            peers: located.take(count).collect(),
            in_doubt,
        })
    }

    /// How many receive queues of the stack the answers of known peers share.
    pub(crate) async fn queues(&self) -> usize {
        let known = self.node.dht().routing_table_peers().await;
        let located = known.into_iter().map(|node| Located {
            peer: Peer(*node.peer_id.as_bytes()),
            addresses: node.addresses,
        });
        let queues: BTreeSet<_> = located
            .map(|located| queue_of(located.found().address))
            .collect();
        queues.len()
    }

    /// The peers connected now.
    pub(crate) async fn connected(&self) -> Vec<FoundPeer> {
        let peers = self.node.connected_peers().await;
        let found = peers.into_iter().map(|peer| FoundPeer {
            peer: Peer(*peer.as_bytes()),
            address: None,
        });
        found.collect()
    }

    pub(crate) async fn stop(&self) {
        match tokio::time::timeout(STOP_WITHIN, self.node.stop()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!("stopping the network endpoint: {error}"),
            Err(_) => tracing::warn!("the network endpoint did not stop within {STOP_WITHIN:?}"),
        }
    }
}
