//! Why this crate exists: pacing is decided by what real nodes and a real
//! network stack do to a burst of answers, so measurements need a network of
//! real nodes that starts in seconds, in one process, and whose every node can
//! be asked what it really received and sent.
//!
//! A [`Testnet`] runs nodes from the `ant-node` crate on loopback, or each on a
//! host of a wide-area network in a box (`ant-wan`). Each answers
//! candidate requests as the shipped node does, unless it has a [`Fault`]; each
//! counts what it took and what it sent ([`Traffic`]), which no remote network
//! would tell.

#![forbid(unsafe_code)]

mod chain;
mod config;
mod error;
mod fault;
mod host;
mod manifest;
mod network;
mod node;
mod server;
mod traffic;

/// How many nodes are faulty, and how.
pub use ant_population::Faults;
pub use chain::Chain;
pub use config::{MIN_NODES, TestnetConfig};
pub use error::TestnetError;
pub use fault::Fault;
pub use manifest::ManifestFile;
pub use network::Testnet;
pub use traffic::Traffic;
