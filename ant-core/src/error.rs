//! What can go wrong before anything is paid. This crate cannot pay, so what its
//! errors say of money is true whatever happens: nothing was paid.

use std::{
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

use ant_collect::{PoolFailure, SettlementRefusal};
use ant_protocol::{DevnetManifest, transport::MultiAddr};

use crate::TreeReport;

/// How many failed pools an error describes before it only counts them.
const POOLS_DESCRIBED: usize = 4;

/// An error of the network's crates or of the system, kept as the source of ours.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a client could not connect, or a payment could not be prepared. Whatever
/// it is, this crate has paid nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to join through.
    NoBootstrap,
    /// An address to join through does not read as one.
    BadBootstrap(#[from] ant_config::AddressError),
    /// No bootstrap address answered.
    NotJoined {
        /// How long was tried: until [`ClientConfig::join_within`], or until
        /// every address had failed.
        ///
        /// [`ClientConfig::join_within`]: crate::ClientConfig::join_within
        after: Duration,
        /// What was dialled.
        tried: Vec<MultiAddr>,
    },
    /// The network's own crates failed.
    Network(#[source] Cause),
    /// The peers closest to an address could not be found.
    Lookup(#[source] Cause),
    /// A devnet manifest cannot be used.
    Manifest {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: Cause,
    },
    /// The addresses make no tree.
    Addresses(String),
    /// The tree or a pool could not be built.
    Tree(#[source] Cause),
    /// This host's clock says that it is before 1970. Payments carry their time.
    Clock,
    /// Some pools are not full.
    Short {
        /// Every pool that is not full, with what became of those asked.
        failures: Vec<PoolFailure>,
        /// What the collection saw.
        report: Box<TreeReport>,
    },
    /// Enough peers refuse this client's settlement version.
    Refused {
        /// Who, and what they ask for.
        refusal: SettlementRefusal,
        /// What the collection saw, if one was under way.
        report: Option<Box<TreeReport>>,
    },
}

impl Error {
    /// Returns what the collection saw, if it got that far.
    pub fn report(&self) -> Option<&TreeReport> {
        match self {
            Self::Short { report, .. } => Some(report),
            Self::Refused { report, .. } => report.as_deref(),
            _ => None,
        }
    }

    /// Returns the error's text without a word about money. A program that pays for
    /// several batches in turn shows this: it may have paid for an earlier one.
    pub fn reason(&self) -> impl fmt::Display {
        Reason(self)
    }

    pub(crate) fn manifest(path: &Path, source: impl Into<Cause>) -> Self {
        Self::Manifest {
            path: path.to_owned(),
            source: source.into(),
        }
    }

    pub(crate) fn tree(source: impl Into<Cause>) -> Self {
        Self::Tree(source.into())
    }

    pub(crate) fn network(source: impl Into<Cause>) -> Self {
        Self::Network(source.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Reason(self))?;
        match self {
            // It describes a pool a line.
            Self::Short { .. } => f.write_str("\nnothing was paid"),
            Self::Addresses(_) | Self::Tree(_) | Self::Clock | Self::Refused { .. } => {
                f.write_str("; nothing was paid")
            }
            // These come before anybody thinks of money.
            Self::NoBootstrap
            | Self::BadBootstrap(_)
            | Self::NotJoined { .. }
            | Self::Network(_)
            | Self::Lookup(_)
            | Self::Manifest { .. } => Ok(()),
        }
    }
}

struct Reason<'a>(&'a Error);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Error::NoBootstrap => {
                f.write_str("no bootstrap address is given, so there is no network to join")
            }
            Error::BadBootstrap(source) => write!(f, "{source}"),
            Error::NotJoined { after, tried } => write!(
                f,
                "no bootstrap peer answered in {:.1} s; tried {}",
                after.as_secs_f64(),
                list(tried)
            ),
            Error::Network(source) => write!(f, "the network endpoint failed: {source}"),
            Error::Lookup(source) => write!(f, "the lookup failed: {source}"),
            Error::Manifest { path, source } => {
                write!(f, "devnet manifest {}: {source}", path.display())
            }
            Error::Addresses(fault) => f.write_str(fault),
            Error::Tree(source) => write!(f, "the merkle tree could not be built: {source}"),
            Error::Clock => f.write_str("this host's clock says that it is before 1970"),
            Error::Short { failures, .. } => describe(failures, f),
            Error::Refused { refusal, .. } => write!(f, "{refusal}"),
        }
    }
}

fn list(addresses: &[MultiAddr]) -> String {
    let all: Vec<_> = addresses.iter().map(ToString::to_string).collect();
    all.join(", ")
}

fn describe(failures: &[PoolFailure], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (at, failure) in failures.iter().take(POOLS_DESCRIBED).enumerate() {
        if at > 0 {
            f.write_str("\n")?;
        }
        write!(f, "{failure}")?;
    }
    if let Some(more @ 1..) = failures.len().checked_sub(POOLS_DESCRIBED) {
        write!(f, "\nand {more} more pools are not full")?;
    }
    Ok(())
}

/// Reads a devnet manifest.
///
/// # Errors
///
/// When the file cannot be read, is not a manifest, or names no address to join
/// through.
pub fn read_manifest(path: &Path) -> Result<DevnetManifest, Error> {
    let bytes = std::fs::read(path).map_err(|error| Error::manifest(path, error))?;
    let manifest: DevnetManifest = serde_json::from_slice(&bytes)
        .map_err(|error| Error::manifest(path, format!("it is not a devnet manifest: {error}")))?;
    if manifest.bootstrap.is_empty() {
        return Err(Error::manifest(path, "it names no bootstrap address"));
    }
    Ok(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_the_text_without_what_it_says_of_money() {
        let error = Error::Addresses("too few".to_owned());
        assert_eq!(error.to_string(), "too few; nothing was paid");
        assert_eq!(error.reason().to_string(), "too few");
        let error = Error::network("no socket");
        assert_eq!(error.to_string(), "the network endpoint failed: no socket");
        assert!(std::error::Error::source(&error).is_some());
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
