//! What can go wrong while a testnet starts or stops.

use std::{io, path::PathBuf};

/// Why a testnet could not start, or write its manifest.
#[derive(Debug, thiserror::Error)]
pub enum TestnetError {
    /// The configuration makes no network.
    #[error("{0}")]
    Config(String),
    /// A UDP port that the testnet was told to use is not free.
    #[error(
        "UDP port {port} on 127.0.0.1 is taken ({source}); choose another base port, or none to \
         let the system choose"
    )]
    PortTaken {
        /// Which port.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
    /// A folder or file could not be made.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file is in the way of the manifest.
    #[error(
        "{} exists and is no devnet manifest; it was left alone, name another file",
        .0.display()
    )]
    NotAManifest(PathBuf),
    /// The chain did not start.
    #[error("the chain did not start: {0}")]
    Chain(String),
    /// A node did not start.
    #[error("node {index} did not start: {reason}")]
    Node {
        /// Which node, from 0.
        index: usize,
        /// What its parts said.
        reason: String,
    },
    /// The nodes did not find each other in time.
    #[error("the nodes did not find each other within {within:?}: {detail}")]
    NotReady {
        /// How long was waited.
        within: std::time::Duration,
        /// Which nodes know too few others.
        detail: String,
    },
}

impl TestnetError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |source| Self::Io { path, source }
    }
}
