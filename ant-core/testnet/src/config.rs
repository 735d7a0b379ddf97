//! What testnet to run, and whether that makes one.

use std::net::{Ipv4Addr, UdpSocket};

use ant_population::Faults;
use ant_protocol::evm::CANDIDATES_PER_POOL;

use crate::{Fault, TestnetError};

/// The fewest nodes that make a full pool possible: one for each candidate.
pub const MIN_NODES: usize = CANDIDATES_PER_POOL;

/// The most, a bound on typing slips: a node takes about 15 MiB.
const MAX_NODES: usize = 500;

/// Nodes that all others, and clients, join through.
pub(crate) const BOOTSTRAP_NODES: usize = 3;

/// What network to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestnetConfig {
    /// How many nodes, from [`MIN_NODES`] up to 500.
    pub nodes: usize,
    /// How many of them are silent, slow or legacy.
    pub faults: Faults,
    /// How many of them are [`Fault::Refuses`].
    pub refusing: usize,
    /// Whether payments settle on a chain, which is started too. Without one the
    /// nodes take no chunk.
    pub chain: bool,
    /// The first node's UDP port; the others follow it. Zero lets the system
    /// choose each.
    pub base_port: u16,
    /// Decides the nodes' identities.
    pub seed: u64,
}

impl Default for TestnetConfig {
    fn default() -> Self {
        Self {
            nodes: 35,
            faults: Faults::default(),
            refusing: 0,
            chain: false,
            base_port: 0,
            seed: 0,
        }
    }
}

impl TestnetConfig {
    /// Checks that this makes a network and that its ports are free.
    ///
    /// # Errors
    ///
    /// What is wrong, and what to choose instead.
    pub fn check(&self) -> Result<(), TestnetError> {
        let Self {
            nodes, base_port, ..
        } = *self;
        let faulty = self.faulty();
        let problem = if !(MIN_NODES..=MAX_NODES).contains(&nodes) {
            format!(
                "{nodes} nodes make no testnet: a pool needs {MIN_NODES} candidates, and \
                 {MAX_NODES} nodes are the most"
            )
        } else if faulty > nodes - BOOTSTRAP_NODES {
            format!(
                "{faulty} silent, refusing, slow and legacy of {nodes} nodes are too many: \
                 {BOOTSTRAP_NODES} at least must be whole"
            )
        } else if base_port != 0 && usize::from(u16::MAX - base_port) < nodes - 1 {
            format!("{nodes} nodes do not fit above port {base_port}; the last port is 65535")
        } else {
            return check_ports(self);
        };
        Err(TestnetError::Config(problem))
    }

    /// Returns how many nodes have a fault.
    pub(crate) fn faulty(&self) -> usize {
        self.faults.count().saturating_add(self.refusing)
    }

    /// Returns the fault of a node. The faulty ones are the last, so that no
    /// bootstrap node is among them.
    pub(crate) fn fault(&self, index: usize) -> Option<Fault> {
        let mut left = self.nodes - 1 - index;
        let kinds = [
            (self.faults.silent, Fault::Silent),
            (self.refusing, Fault::Refuses),
            (self.faults.slow, Fault::Slow(self.faults.slow_by)),
            (self.faults.legacy, Fault::Legacy),
        ];
        for (count, fault) in kinds {
            if left < count {
                return Some(fault);
            }
            left -= count;
        }
        None
    }
}

/// Checks that the ports are free: the transport reports a taken one late and in
/// its own words.
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
    use std::time::Duration;

    use super::*;

    fn config(nodes: usize, silent: usize, base_port: u16) -> TestnetConfig {
        TestnetConfig {
            nodes,
            faults: Faults {
                silent,
                ..Faults::default()
            },
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
            faults: Faults {
                silent: 8,
                slow: 1,
                legacy: 1,
                ..Faults::default()
            },
            refusing: 3,
            ..TestnetConfig::default()
        };
        assert!(config.check().is_ok());
        let faults: Vec<_> = (0..16).map(|index| config.fault(index)).collect();
        assert_eq!(faults[..3], [None; 3]);
        assert_eq!(faults[3], Some(Fault::Legacy));
        assert_eq!(faults[4], Some(Fault::Slow(Duration::from_secs(3))));
        assert_eq!(faults[5..8], [Some(Fault::Refuses); 3]);
        assert_eq!(faults[8..], [Some(Fault::Silent); 8]);
    }
}
