//! All nodes together: started side by side, ready when they know each other,
//! stopped without a trace.

use std::{
    net::{Ipv4Addr, UdpSocket},
    path::Path,
    time::{Duration, SystemTime},
};

use ant_protocol::{
    DevnetManifest,
    transport::{MultiAddr, NodeIdentity, PeerId},
};
use futures::{StreamExt, TryStreamExt, stream};
use tempfile::TempDir;

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
const READY_WITHIN: Duration = Duration::from_secs(60);

/// How many others each node must know: as many as a lookup may ask of it
/// (the routing table's bucket size), or all there are.
const KNOWS: usize = 20;

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
    fn check(&self) -> Result<(), TestnetError> {
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
            return Ok(());
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

/// A running network. Stop it with [`stop`](Self::stop); a dropped one leaves
/// no files, but its tasks run until their runtime ends.
#[derive(Debug)]
pub struct Testnet {
    nodes: Vec<Node>,
    folder: TempDir,
    created: SystemTime,
}

impl Testnet {
    /// Starts the network and waits until it is ready: every node knows as many
    /// others as a lookup asks of it.
    ///
    /// # Errors
    ///
    /// When the configuration makes no network, a port is taken, or the nodes do
    /// not start or find each other. Nothing is left running.
    pub async fn start(config: &TestnetConfig) -> Result<Self, TestnetError> {
        config.check()?;
        check_ports(config)?;
        let folder = tempfile::Builder::new()
            .prefix("ant-testnet-")
            .tempdir()
            .map_err(TestnetError::io(std::env::temp_dir()))?;
        let mut testnet = Self {
            nodes: Vec::with_capacity(config.nodes),
            folder,
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
            data_dir: self.folder.path().to_owned(),
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

    /// Where the nodes keep their files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Stops every node, and removes all files.
    pub async fn stop(self) {
        let stops = self.nodes.into_iter().map(Node::stop);
        if tokio::time::timeout(STOP_WITHIN, futures::future::join_all(stops))
            .await
            .is_err()
        {
            tracing::warn!("some nodes did not stop within {STOP_WITHIN:?}");
        }
        let path = self.folder.path().to_owned();
        if let Err(error) = self.folder.close() {
            tracing::warn!("{}: not removed: {error}", path.display());
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
        let folder = self.folder.path().join(format!("node-{index}"));
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
        let wanted = KNOWS.min(self.nodes.len() - 1);
        let deadline = tokio::time::Instant::now() + READY_WITHIN;
        loop {
            let mut lacking = Vec::new();
            for node in &self.nodes {
                let knows = node.knows().await;
                if knows < wanted {
                    lacking.push((node, knows));
                }
            }
            if lacking.is_empty() {
                return Ok(());
            }
            if tokio::time::Instant::now() >= deadline {
                let list = |(node, knows): &(&Node, usize)| format!("node {} {knows}", node.index);
                let list: Vec<_> = lacking.iter().map(list).collect();
                let detail = format!("{wanted} others are wanted, but {}", list.join(", "));
                return Err(TestnetError::NotReady {
                    within: READY_WITHIN,
                    detail,
                });
            }
            for (node, _) in lacking.iter().take(STARTS_AT_ONCE) {
                if let Err(error) = node.p2p.0.dht().trigger_self_lookup().await {
                    tracing::debug!("node {}: looking around: {error}", node.index);
                }
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
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
