//! All nodes together: started side by side, ready when they know each other,
//! stopped without a trace.

use std::{
    collections::BTreeMap,
    net::{Ipv4Addr, UdpSocket},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use ant_protocol::{
    DevnetManifest,
    transport::{DEFAULT_K_VALUE, MultiAddr, NodeIdentity, PeerId},
};
use futures::{StreamExt, TryStreamExt, stream};

use crate::{
    Fault, TestnetError, Traffic,
    node::{Node, NodeSpec},
};

/// The fewest nodes that make a full pool possible: one for each candidate.
pub const MIN_NODES: usize = 16;

/// The most, a bound on typing slips: a node takes about 15 MiB.
const MAX_NODES: usize = 500;

/// Nodes that all others, and clients, join through.
const BOOTSTRAP_NODES: usize = 3;

/// Nodes that start at the same time. More only makes handshakes time out.
const STARTS_AT_ONCE: usize = 8;

/// How long the nodes may take to know each other, once all have started.
const READY_WITHIN: Duration = Duration::from_mins(1);

/// How many peers a bucket of the routing table holds.
const BUCKET: usize = DEFAULT_K_VALUE;

/// How many others a node may miss: two that failed to reach each other while
/// all started at once do not try again for 30 minutes.
const STRANGERS: usize = 2;

/// How long a stop may take before the rest is left to the process's end.
const STOP_WITHIN: Duration = Duration::from_secs(20);

/// What network to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestnetConfig {
    /// How many nodes, from [`MIN_NODES`] up to 500.
    pub nodes: usize,
    /// How many of them are [`Fault::Silent`].
    pub silent: usize,
    /// How many of them are [`Fault::Refuses`].
    pub refusing: usize,
    /// The first node's UDP port; the others follow it. Zero lets the system
    /// choose each.
    pub base_port: u16,
    /// Decides the nodes' identities: the same seed, the same peers.
    pub seed: u64,
}

impl Default for TestnetConfig {
    fn default() -> Self {
        Self {
            nodes: 35,
            silent: 0,
            refusing: 0,
            base_port: 0,
            seed: 0,
        }
    }
}

impl TestnetConfig {
    /// Whether this makes a network and its ports are free.
    ///
    /// # Errors
    ///
    /// What is wrong, and what to choose instead.
    pub fn check(&self) -> Result<(), TestnetError> {
        let Self {
            nodes,
            silent,
            refusing,
            base_port,
            ..
        } = *self;
        let problem = if !(MIN_NODES..=MAX_NODES).contains(&nodes) {
            format!(
                "{nodes} nodes make no testnet: a pool needs {MIN_NODES} candidates, and \
                 {MAX_NODES} nodes are the most"
            )
        } else if silent.saturating_add(refusing) > nodes - BOOTSTRAP_NODES {
            format!(
                "{silent} silent and {refusing} refusing of {nodes} nodes are too many: \
                 {BOOTSTRAP_NODES} at least must be whole"
            )
        } else if base_port != 0 && usize::from(u16::MAX - base_port) < nodes - 1 {
            format!("{nodes} nodes do not fit above port {base_port}; the last port is 65535")
        } else {
            return check_ports(self);
        };
        Err(TestnetError::Config(problem))
    }

    /// The faulty nodes are the last ones, so that no bootstrap node is.
    fn fault(&self, index: usize) -> Option<Fault> {
        let from_the_end = self.nodes - 1 - index;
        if from_the_end < self.silent {
            Some(Fault::Silent)
        } else if from_the_end < self.silent + self.refusing {
            Some(Fault::Refuses)
        } else {
            None
        }
    }
}

/// A running network. Stop it with [`stop`](Self::stop), then shut its runtime
/// down: the transport keeps the sockets of stopped nodes as long as that lasts,
/// and all the tasks of a network that was dropped instead.
#[derive(Debug)]
pub struct Testnet {
    nodes: Vec<Node>,
    folder: PathBuf,
    created: SystemTime,
}

impl Testnet {
    /// Starts the network and waits until it is ready: every node knows all
    /// others but two, or as many as fit in its routing table. The nodes keep their files in `folder`,
    /// which must exist; it stays the caller's.
    ///
    /// # Errors
    ///
    /// When the configuration makes no network, a port is taken, or the nodes do
    /// not start or find each other. Nothing is left running.
    pub async fn start(config: &TestnetConfig, folder: &Path) -> Result<Self, TestnetError> {
        config.check()?;
        let mut testnet = Self {
            nodes: Vec::with_capacity(config.nodes),
            folder: folder.to_owned(),
            created: SystemTime::now(),
        };
        let started = testnet.start_nodes(config).await;
        let ready = match started {
            Ok(()) => testnet.wait_until_ready().await,
            Err(error) => Err(error),
        };
        match ready {
            Ok(()) => Ok(testnet),
            Err(error) => {
                testnet.stop().await;
                Err(error)
            }
        }
    }

    /// Addresses to join through.
    pub fn bootstrap(&self) -> Vec<MultiAddr> {
        let first = self.nodes.iter().take(BOOTSTRAP_NODES);
        first.map(|node| node.address.clone()).collect()
    }

    /// What clients of the ecosystem need to know to join.
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
            evm: None,
        }
    }

    /// What all nodes together have taken and sent.
    pub fn traffic(&self) -> Traffic {
        self.nodes.iter().map(|node| node.counters.read()).sum()
    }

    /// Who the nodes are, and what is wrong with them.
    pub fn peers(&self) -> Vec<(PeerId, Option<Fault>)> {
        let peer = |node: &Node| (*node.peer_id(), node.fault);
        self.nodes.iter().map(peer).collect()
    }

    /// Stops every node, and removes their files.
    pub async fn stop(self) {
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

    async fn start_nodes(&mut self, config: &TestnetConfig) -> Result<(), TestnetError> {
        let first = self.start_node(config, 0, Vec::new()).await?;
        self.nodes.push(first);
        for index in 1..BOOTSTRAP_NODES {
            let node = self.start_node(config, index, self.bootstrap()).await?;
            self.nodes.push(node);
        }
        let bootstrap = self.bootstrap();
        let rest = (BOOTSTRAP_NODES..config.nodes)
            .map(|index| self.start_node(config, index, bootstrap.clone()));
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
        index: usize,
        bootstrap: Vec<MultiAddr>,
    ) -> Result<Node, TestnetError> {
        let folder = self.folder.join(format!("node-{index}"));
        std::fs::create_dir(&folder).map_err(TestnetError::io(&folder))?;
        let port = match config.base_port {
            0 => 0,
            base => base.saturating_add(u16::try_from(index).unwrap_or(u16::MAX)),
        };
        Node::start(NodeSpec {
            index,
            port,
            identity: identity(config.seed, index)?,
            folder: &folder,
            bootstrap,
            fault: config.fault(index),
        })
        .await
    }

    async fn wait_until_ready(&self) -> Result<(), TestnetError> {
        let deadline = tokio::time::Instant::now() + READY_WITHIN;
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
                    within: READY_WITHIN,
                    detail: detail(),
                });
            }
            let looks = lacking.iter().map(|(node, ..)| node.look_around());
            stream::iter(looks)
                .buffer_unordered(STARTS_AT_ONCE)
                .collect::<()>()
                .await;
        }
    }

    /// How many others fit in the node's routing table: of those whose identity
    /// begins to differ from its own at the same bit, one bucket.
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

/// The identity of a node: a function of the seed and its number.
fn identity(seed: u64, index: usize) -> Result<NodeIdentity, TestnetError> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    bytes[8..16].copy_from_slice(&(index as u64).to_be_bytes());
    NodeIdentity::from_seed(&bytes).map_err(|error| TestnetError::Node {
        index,
        reason: error.to_string(),
    })
}

/// The transport reports a taken port late and in its own words; ask first.
fn check_ports(config: &TestnetConfig) -> Result<(), TestnetError> {
    if config.base_port == 0 {
        return Ok(());
    }
    let ports = (config.base_port..=u16::MAX).take(config.nodes);
    for port in ports {
        UdpSocket::bind((Ipv4Addr::LOCALHOST, port))
            .map_err(|source| TestnetError::PortTaken { port, source })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(nodes: usize, silent: usize, base_port: u16) -> TestnetConfig {
        TestnetConfig {
            nodes,
            silent,
            base_port,
            ..TestnetConfig::default()
        }
    }

    #[test]
    fn impossible_networks_are_refused_before_anything_starts() {
        for (nodes, silent, base_port) in [
            (0, 0, 0),
            (15, 0, 0),
            (501, 0, 0),
            (35, 33, 0),
            (35, usize::MAX, 0),
            (35, 0, 65_502),
        ] {
            let config = config(nodes, silent, base_port);
            assert!(
                matches!(config.check(), Err(TestnetError::Config(_))),
                "{config:?}"
            );
        }
        assert!(config(35, 32, 65_501).check().is_ok());
    }

    #[test]
    fn a_taken_port_is_named() {
        let taken = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let base = port.saturating_sub(3);
        match check_ports(&config(16, 0, base)) {
            Err(TestnetError::PortTaken { port: named, .. }) => {
                // Another program may hold one of the three before it.
                assert!((base..=port).contains(&named));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn bootstrap_nodes_have_no_faults() {
        let config = TestnetConfig {
            nodes: 16,
            silent: 10,
            refusing: 3,
            ..TestnetConfig::default()
        };
        assert!(config.check().is_ok());
        let faults: Vec<_> = (0..16).map(|index| config.fault(index)).collect();
        assert_eq!(faults[..3], [None; 3]);
        assert_eq!(faults[3..6], [Some(Fault::Refuses); 3]);
        assert_eq!(faults[6..], [Some(Fault::Silent); 10]);
    }

    #[test]
    fn the_seed_decides_who_the_nodes_are() {
        let id = |seed, index| *identity(seed, index).unwrap().peer_id();
        assert_eq!(id(1, 0), id(1, 0));
        assert_ne!(id(1, 0), id(1, 1));
        assert_ne!(id(1, 0), id(2, 0));
    }
}
