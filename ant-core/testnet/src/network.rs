//! All nodes together: started side by side, ready when they know each other,
//! stopped without a trace.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    time::{Duration, SystemTime},
};

use ant_protocol::{
    DevnetManifest,
    transport::{DEFAULT_K_VALUE, MultiAddr, NodeIdentity, PeerId},
};
use ant_wan::Host;
use futures::{StreamExt, TryStreamExt, future::BoxFuture, stream};

use crate::{
    Chain, Fault, TestnetConfig, TestnetError, Traffic,
    config::BOOTSTRAP_NODES,
    host::HostRuntime,
    node::{Node, NodeSpec},
};

/// How many nodes start at once. With more of them handshakes time out.
const STARTS_AT_ONCE: usize = 8;

/// How long the nodes may take to know each other, once all have started.
const READY_WITHIN: Duration = Duration::from_mins(1);

/// How long they may take on a wide-area network, where each look takes seconds.
const READY_WITHIN_WIDE: Duration = Duration::from_mins(3);

/// How many peers a bucket of the routing table holds.
const BUCKET: usize = DEFAULT_K_VALUE;

/// How many others a node may miss: two that failed to reach each other while
/// all started at once do not try again for 30 minutes.
const STRANGERS: usize = 2;

/// How long a stop may take before the rest is left to the process's end.
const STOP_WITHIN: Duration = Duration::from_secs(20);

/// A running network. Stop it with [`stop`](Self::stop), then shut its runtime
/// down: the transport keeps the sockets of stopped nodes as long as that lasts,
/// and all the tasks of a network that was dropped instead.
#[derive(Debug)]
pub struct Testnet {
    nodes: Vec<Node>,
    chain: Option<Chain>,
    folder: PathBuf,
    created: SystemTime,
}

impl Testnet {
    /// Starts the network and waits until it is ready: every node knows all
    /// others but two, or as many as fit in its routing table. The nodes keep their
    /// files in `folder`, which must exist; it stays the caller's.
    ///
    /// # Errors
    ///
    /// When the configuration makes no network, a port is taken, or the nodes do
    /// not start or find each other. Nothing is left running.
    pub async fn start(config: &TestnetConfig, folder: &Path) -> Result<Self, TestnetError> {
        config.check()?;
        Self::boxed_start(config, folder, &[], READY_WITHIN).await
    }

    /// Starts the network on a wide-area network, each node on a host of its own
    /// with a runtime of its own, and waits as [`Self::start`] does. It takes the
    /// first hosts, as many as there are nodes. There may be fewer nodes than a pool
    /// needs.
    ///
    /// # Errors
    ///
    /// As [`Self::start`], and when there are too few hosts.
    pub async fn start_on(
        config: &TestnetConfig,
        folder: &Path,
        hosts: &[Host],
    ) -> Result<Self, TestnetError> {
        let (nodes, faulty) = (config.nodes, config.faulty());
        if config.chain {
            return Err(TestnetError::Config(
                "the chain is on this host, which nodes on a wide-area network cannot reach; \
                 leave one of them out"
                    .to_owned(),
            ));
        }
        if nodes > hosts.len() || nodes < faulty + BOOTSTRAP_NODES {
            return Err(TestnetError::Config(format!(
                "{nodes} nodes, {faulty} of them faulty, on {} hosts: each needs a host, and \
                 {BOOTSTRAP_NODES} at least must be whole",
                hosts.len()
            )));
        }
        Self::boxed_start(config, folder, &hosts[..nodes], READY_WITHIN_WIDE).await
    }

    /// Boxes [`Self::start_at`]: a crate that awaits a future compiles the future's
    /// whole body again, here that of the network's nodes, but not what is boxed.
    fn boxed_start<'a>(
        config: &'a TestnetConfig,
        folder: &'a Path,
        hosts: &'a [Host],
        ready_within: Duration,
    ) -> BoxFuture<'a, Result<Self, TestnetError>> {
        Box::pin(Self::start_at(config, folder, hosts, ready_within))
    }

    async fn start_at(
        config: &TestnetConfig,
        folder: &Path,
        hosts: &[Host],
        ready_within: Duration,
    ) -> Result<Self, TestnetError> {
        let mut testnet = Self {
            nodes: Vec::with_capacity(config.nodes),
            chain: if config.chain {
                Some(Chain::start().await?)
            } else {
                None
            },
            folder: folder.to_owned(),
            created: SystemTime::now(),
        };
        let started = testnet.start_nodes(config, hosts).await;
        let ready = match started {
            Ok(()) => testnet.wait_until_ready(ready_within).await,
            Err(error) => Err(error),
        };
        match ready {
            Ok(()) => Ok(testnet),
            Err(error) => {
                testnet.stop_all().await;
                Err(error)
            }
        }
    }

    /// Returns addresses to join through.
    pub fn bootstrap(&self) -> Vec<MultiAddr> {
        let first = self.nodes.iter().take(BOOTSTRAP_NODES);
        first.map(|node| node.address.clone()).collect()
    }

    /// Returns what clients of the ecosystem need to know to join.
    pub fn manifest(&self) -> DevnetManifest {
        DevnetManifest {
            base_port: self
                .nodes
                .first()
                .and_then(|n| n.address.port())
                .unwrap_or(0),
            node_count: self.nodes.len(),
            bootstrap: self.bootstrap(),
            data_dir: self.folder.clone(),
            created_at: humantime::format_rfc3339_seconds(self.created).to_string(),
            evm: self.chain.as_ref().map(Chain::manifest),
        }
    }

    /// Returns the chain that payments settle on, if there is one.
    pub const fn chain(&self) -> Option<&Chain> {
        self.chain.as_ref()
    }

    /// Counts what all nodes together have taken and sent.
    pub fn traffic(&self) -> Traffic {
        self.nodes.iter().map(|node| node.counters.read()).sum()
    }

    /// Lets every node lose `percent` of a hundred candidate answers from now on.
    /// Those are drawn by lot, counted as sent, and never sent.
    pub fn lose_answers(&self, percent: u8) {
        for node in &self.nodes {
            node.counters
                .loses_percent
                .store(percent, Ordering::Relaxed);
        }
    }

    /// Returns who the nodes are, and what is wrong with each.
    pub fn peers(&self) -> Vec<(PeerId, Option<Fault>)> {
        let peer = |node: &Node| (*node.peer_id(), node.fault);
        self.nodes.iter().map(peer).collect()
    }

    /// Stops every node, and removes their files.
    pub async fn stop(self) {
        self.boxed_stop().await;
    }

    /// Boxes [`Self::stop_all`], as [`Self::boxed_start`] does with a start.
    fn boxed_stop(self) -> BoxFuture<'static, ()> {
        Box::pin(self.stop_all())
    }

    async fn stop_all(self) {
        let folders: Vec<_> = self.nodes.iter().map(|node| node.folder.clone()).collect();
        let stops = self.nodes.into_iter().map(Node::stop);
        if tokio::time::timeout(STOP_WITHIN, futures::future::join_all(stops))
            .await
            .is_err()
        {
            tracing::warn!("some nodes did not stop within {STOP_WITHIN:?}");
        }
        for folder in folders {
            if let Err(error) = std::fs::remove_dir_all(&folder) {
                tracing::warn!("{}: not removed: {error}", folder.display());
            }
        }
    }

    async fn start_nodes(
        &mut self,
        config: &TestnetConfig,
        hosts: &[Host],
    ) -> Result<(), TestnetError> {
        let first = self.start_node(config, hosts, 0, Vec::new()).await?;
        self.nodes.push(first);
        for index in 1..BOOTSTRAP_NODES {
            let node = self
                .start_node(config, hosts, index, self.bootstrap())
                .await?;
            self.nodes.push(node);
        }
        let bootstrap = self.bootstrap();
        let rest = (BOOTSTRAP_NODES..config.nodes)
            .map(|index| self.start_node(config, hosts, index, bootstrap.clone()));
        let rest: Vec<Node> = stream::iter(rest)
            .buffered(STARTS_AT_ONCE)
            .try_collect()
            .await?;
        self.nodes.extend(rest);
        Ok(())
    }

    async fn start_node(
        &self,
        config: &TestnetConfig,
        hosts: &[Host],
        index: usize,
        bootstrap: Vec<MultiAddr>,
    ) -> Result<Node, TestnetError> {
        let folder = self.folder.join(format!("node-{index}"));
        std::fs::create_dir(&folder).map_err(TestnetError::io(&folder))?;
        let host = hosts.get(index);
        let port = match (host, config.base_port) {
            (Some(host), _) => host.port,
            (None, 0) => 0,
            (None, base) => base.saturating_add(u16::try_from(index).unwrap_or(u16::MAX)),
        };
        let spec = NodeSpec {
            index,
            port,
            identity: identity(config.seed, index)?,
            folder,
            bootstrap,
            fault: config.fault(index),
            chain: self.chain.as_ref().map(|chain| chain.network().clone()),
            address: host.map(|host| host.address),
        };
        let Some(host) = host else {
            return Node::start(spec).await;
        };
        let runtime = host.runtime(1).map_err(|error| {
            TestnetError::node(index, format!("no runtime on its host: {error}"))
        })?;
        Node::start_on(HostRuntime::new(runtime), spec).await
    }

    async fn wait_until_ready(&self, within: Duration) -> Result<(), TestnetError> {
        let deadline = tokio::time::Instant::now() + within;
        loop {
            let mut lacking = Vec::new();
            for node in &self.nodes {
                let (knows, wanted) = (node.knows().await, self.should_know(node));
                if knows < wanted {
                    lacking.push((node, knows, wanted));
                }
            }
            if lacking.is_empty() {
                return Ok(());
            }
            let detail = || {
                let each = |(node, knows, wanted): &(&Node, usize, usize)| {
                    format!("node {} knows {knows} of {wanted}", node.index)
                };
                lacking.iter().map(each).collect::<Vec<_>>().join(", ")
            };
            tracing::debug!("not ready: {}", detail());
            if tokio::time::Instant::now() >= deadline {
                return Err(TestnetError::NotReady {
                    within,
                    detail: detail(),
                });
            }
            let looks = lacking.iter().map(|(node, ..)| node.look_around());
            // A list, since a future that holds the closure is not known to be `Send`.
            let looks: Vec<_> = looks.collect();
            stream::iter(looks)
                .buffer_unordered(STARTS_AT_ONCE)
                .collect::<()>()
                .await;
        }
    }

    /// Returns how many others the node's routing table should hold: of those whose
    /// identity begins to differ from its own at the same bit, one bucket.
    fn should_know(&self, node: &Node) -> usize {
        let mut buckets: BTreeMap<u32, usize> = BTreeMap::new();
        for other in self.nodes.iter().filter(|other| other.index != node.index) {
            let distance = node.peer_id().xor_distance(other.peer_id());
            *buckets.entry(leading_zeros(&distance)).or_default() += 1;
        }
        let fit: usize = buckets.values().map(|peers| peers.min(&BUCKET)).sum();
        fit.saturating_sub(STRANGERS)
    }
}

fn leading_zeros(distance: &[u8; 32]) -> u32 {
    let zeros = distance.iter().take_while(|byte| **byte == 0).count();
    let rest = distance.get(zeros).map_or(0, |byte| byte.leading_zeros());
    u32::try_from(zeros * 8).unwrap_or(u32::MAX) + rest
}

/// Makes the identity of a node from the seed and the node's number.
fn identity(seed: u64, index: usize) -> Result<NodeIdentity, TestnetError> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    bytes[8..16].copy_from_slice(&(index as u64).to_be_bytes());
    NodeIdentity::from_seed(&bytes).map_err(|error| TestnetError::node(index, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_decides_who_the_nodes_are() {
        let id = |seed, index| *identity(seed, index).unwrap().peer_id();
        assert_eq!(id(1, 0), id(1, 0));
        assert_ne!(id(1, 0), id(1, 1));
        assert_ne!(id(1, 0), id(2, 0));
    }
}
