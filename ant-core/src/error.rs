//! What can go wrong before anything is paid.

use std::{fmt, io, path::Path, time::Duration};

use ant_collect::{PoolFailure, SettlementRefusal};
use ant_protocol::{DevnetManifest, transport::MultiAddr};

use crate::TreeReport;

/// How many failed pools an error describes before it only counts them.
const POOLS_DESCRIBED: usize = 4;

/// Why a client could not connect, or a payment could not be prepared. Whatever
/// it is, nothing was paid.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is nothing to join through.
    #[error("no bootstrap address is given, so there is no network to join")]
    NoBootstrap,
    /// An address to join through does not read as one.
    #[error(transparent)]
    BadBootstrap(#[from] ant_config::AddressError),
    /// No bootstrap address answered.
    #[error("no bootstrap peer answered in {:.1} s; tried {}", after.as_secs_f64(), list(tried))]
    NotJoined {
        /// How long was tried: until [`ClientConfig::join_within`], or until
        /// every address had failed.
        ///
        /// [`ClientConfig::join_within`]: crate::ClientConfig::join_within
        after: Duration,
        /// What was dialled.
        tried: Vec<MultiAddr>,
    },
    /// The network's own parts failed.
    #[error("the network endpoint failed: {0}")]
    Network(String),
    /// A manifest could not be read.
    #[error("devnet manifest {path}: {reason}")]
    Manifest {
        /// Which file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The addresses make no tree.
    #[error("{0}; nothing was paid")]
    Addresses(String),
    /// The tree or a pool could not be built.
    #[error("the merkle tree could not be built: {0}; nothing was paid")]
    Tree(String),
    /// Payments carry their time.
    #[error("this host's clock says that it is before 1970; nothing was paid")]
    Clock,
    /// Some pools are not full.
    #[error("{}", Shortage(failures))]
    Short {
        /// Every pool that is not full, with what became of those asked.
        failures: Vec<PoolFailure>,
        /// What the collection saw.
        report: Box<TreeReport>,
    },
    /// A prepared batch's file is none, or was changed.
    #[error("{path}: {reason}")]
    Batch {
        /// Which file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file of this client cannot be read or written.
    #[error("{path}: {reason}")]
    File {
        /// Which.
        path: String,
        /// Why.
        reason: String,
    },
    /// A file is not what it was when its chunks were paid for.
    #[error(
        "{path} is not what it was when it was paid for, so its paid chunks cannot be stored; put \
         the old file back, and resume again"
    )]
    Changed {
        /// Which.
        path: String,
    },
    /// The wallet, or its chain, does not do what is asked.
    #[error("the wallet cannot pay: {0}")]
    Wallet(String),
    /// A payment was sent and has not settled yet. Its receipt is kept.
    #[error(
        "the payment was sent and has not settled after {:.0} s; nothing is lost: resume it later",
        after.as_secs_f64()
    )]
    Unsettled {
        /// How long was waited.
        after: Duration,
    },
    /// A chunk that was paid for did not reach enough storers. Its receipt is
    /// kept.
    #[error(
        "the chunk {address} is on {stored} storers, and {needed} at least are needed: {reasons}; \
         what was paid is kept: resume it later"
    )]
    NotStored {
        /// Which chunk.
        address: String,
        /// How many storers took it.
        stored: usize,
        /// How many must.
        needed: usize,
        /// What the others said.
        reasons: String,
    },
    /// The published client failed at what it does for this one.
    #[error("{0}")]
    Published(String),
    /// Peers that quote a single chunk refuse this client's settlement version.
    #[error("{0}; nothing was paid")]
    Outdated(String),
    /// Enough peers refuse this client's settlement version.
    #[error("{refusal}; nothing was paid")]
    Refused {
        /// Who, and what they ask for.
        refusal: SettlementRefusal,
        /// What the collection saw, if one was under way.
        report: Option<Box<TreeReport>>,
    },
}

impl Error {
    /// What the collection saw, if it got that far.
    pub fn report(&self) -> Option<&TreeReport> {
        match self {
            Self::Short { report, .. } => Some(report),
            Self::Refused { report, .. } => report.as_deref(),
            _ => None,
        }
    }
}

fn list(addresses: &[MultiAddr]) -> String {
    let all: Vec<_> = addresses.iter().map(ToString::to_string).collect();
    all.join(", ")
}

struct Shortage<'a>(&'a [PoolFailure]);

impl fmt::Display for Shortage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in self.0.iter().take(POOLS_DESCRIBED) {
            writeln!(f, "{failure}")?;
        }
        if let Some(more @ 1..) = self.0.len().checked_sub(POOLS_DESCRIBED) {
            writeln!(f, "and {more} more pools are not full")?;
        }
        write!(f, "nothing was paid")
    }
}

/// Reads a devnet manifest.
///
/// # Errors
///
/// When the file cannot be read, is no manifest, or names no address to join
/// through.
pub fn read_manifest(path: &Path) -> Result<DevnetManifest, Error> {
    let failed = |reason: String| Error::Manifest {
        path: path.display().to_string(),
        reason,
    };
    let bytes = std::fs::read(path).map_err(|error: io::Error| failed(error.to_string()))?;
    let manifest: DevnetManifest = serde_json::from_slice(&bytes)
        .map_err(|error| failed(format!("it is no devnet manifest: {error}")))?;
    if manifest.bootstrap.is_empty() {
        return Err(failed("it names no bootstrap address".to_owned()));
    }
    Ok(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_that_is_none_says_where_and_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.json");
        for (text, reason) in [
            ("not json", "line 1 column"),
            ("{}", "missing field `base_port`"),
            (
                r#"{"base_port":1,"node_count":1,"bootstrap":[],"data_dir":"","created_at":""}"#,
                "names no bootstrap address",
            ),
        ] {
            std::fs::write(&path, text).unwrap();
            let message = read_manifest(&path).unwrap_err().to_string();
            assert!(message.contains("m.json"), "{message}");
            assert!(message.contains(reason), "{message}");
        }
        let message = read_manifest(folder.path()).unwrap_err().to_string();
        assert!(message.contains("directory"), "{message}");
    }
}
