//! What can go wrong before anything is paid.

use std::{fmt, io, path::Path, time::Duration};

use ant_collect::{PoolFailure, SettlementRefusal};
use ant_protocol::{DevnetManifest, transport::MultiAddr};

use crate::TreeReport;

/// How many failed pools an error describes before it only counts them.
const POOLS_DESCRIBED: usize = 4;

/// What an error of a payment ends with.
const NOTHING_WAS_PAID: &str = "nothing was paid";

/// Why a client could not connect, or a payment could not be prepared. Whatever
/// it is, nothing was paid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    /// The closest peers could not be looked up.
    #[error("the lookup failed: {0}")]
    Lookup(String),
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
    /// Says what went wrong without the remark that nothing was paid: for callers who
    /// have paid for something else before.
    pub fn without_remark(&self) -> String {
        let text = self.to_string();
        let what = text.strip_suffix(NOTHING_WAS_PAID).unwrap_or(&text);
        what.trim_end_matches([';', ' ', '\n']).to_owned()
    }

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
        f.write_str(NOTHING_WAS_PAID)
    }
}

/// Reads a devnet manifest.
///
/// # Errors
///
/// When the file cannot be read, is not a manifest, or names no address to join
/// through.
pub fn read_manifest(path: &Path) -> Result<DevnetManifest, Error> {
    let failed = |reason: String| Error::Manifest {
        path: path.display().to_string(),
        reason,
    };
    let bytes = std::fs::read(path).map_err(|error: io::Error| failed(error.to_string()))?;
    let manifest: DevnetManifest = serde_json::from_slice(&bytes)
        .map_err(|error| failed(format!("it is not a devnet manifest: {error}")))?;
    if manifest.bootstrap.is_empty() {
        return Err(failed("it names no bootstrap address".to_owned()));
    }
    Ok(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remark_that_nothing_was_paid_can_be_left_out() {
        for error in [Error::Clock, Error::Tree("x".to_owned())] {
            assert!(error.to_string().ends_with(NOTHING_WAS_PAID), "{error}");
            let what = error.without_remark();
            assert!(!what.contains("paid") && !what.ends_with(';'), "{what}");
        }
        assert_eq!(
            Error::NoBootstrap.without_remark(),
            Error::NoBootstrap.to_string()
        );
    }

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
