//! What can go wrong while a testnet starts or stops.

use std::{error::Error, io, path::PathBuf};

/// An error of a library that has many kinds of its own.
type BoxError = Box<dyn Error + Send + Sync>;

/// Why a testnet could not start, or write its manifest.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
        "{} exists and is not a devnet manifest; it was left alone, name another file",
        .0.display()
    )]
    NotAManifest(PathBuf),
    /// The chain did not start.
    #[error(
        "the chain did not start: {source}; the chain is Anvil, and must be on the PATH: \
         npm install --global @foundry-rs/anvil"
    )]
    Chain {
        /// What the chain's library said.
        source: BoxError,
    },
    /// A node did not start.
    #[error("node {index} did not start: {source}")]
    Node {
        /// Which node, from 0.
        index: usize,
        /// What its parts said.
        source: BoxError,
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
    /// Says that a node did not start.
    pub(crate) fn node(index: usize, source: impl Into<BoxError>) -> Self {
        let source = source.into();
        Self::Node { index, source }
    }

    /// Says that the chain did not start.
    pub(crate) fn chain(source: impl Into<BoxError>) -> Self {
        let source = source.into();
        Self::Chain { source }
    }

    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |source| Self::Io { path, source }
    }
}
