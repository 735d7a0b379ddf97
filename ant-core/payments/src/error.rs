//! What can go wrong from preparing a payment to storing what it pays for.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use ant_core::BatchError;

/// An error of another crate or of the system, kept as the source of ours.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a payment was not made, has not settled, or what it pays for is not stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A payment could not be prepared. This upload has paid for nothing.
    #[error(transparent)]
    Prepare(#[from] ant_core::Error),
    /// A further payment could not be prepared, after others were made.
    #[error("{}; what was paid before is kept: resume it later", .0.reason())]
    PrepareMore(#[source] ant_core::Error),
    /// A batch gives no transaction, or no proofs.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// A file is not a prepared batch, or was changed.
    #[error("{}: {source}", path.display())]
    BatchFile {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: Cause,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: Cause,
    },
    /// A file is not what it was when its chunks were paid for.
    #[error(
        "{} is not what it was when it was paid for, so its paid chunks cannot be stored; put the \
         old file back, and resume again",
        path.display()
    )]
    Changed {
        /// Which.
        path: PathBuf,
    },
    /// The wallet, or its chain, does not do what is asked.
    #[error("the wallet cannot pay: {0}")]
    Wallet(String),
    /// A payment was sent and has not settled yet. Its journal entry is kept.
    #[error(
        "the payment was sent and has not settled after {:.0} s; nothing is lost: resume it later",
        after.as_secs_f64()
    )]
    Unsettled {
        /// How long was waited.
        after: Duration,
    },
    /// A chunk that was paid for did not reach enough storers. Its journal entry is
    /// kept.
    #[error(
        "the chunk {address} is on {stored} storers, and {needed} at least are needed: {reasons}; \
         what was paid is kept: resume it later"
    )]
    NotStored {
        /// Which chunk, in hexadecimal digits.
        address: String,
        /// How many storers took it.
        stored: usize,
        /// How many must.
        needed: usize,
        /// What the others said.
        reasons: String,
    },
    /// Peers that quote a single chunk refuse this client's settlement version. What
    /// they say themselves is in the source: it may claim that nothing was paid, which
    /// they cannot know.
    #[error("the peers that quote a single chunk refuse this client's settlement version")]
    ChunkRefused(#[source] Box<upstream::data::Error>),
    /// The published client failed at what it does for this one.
    #[error("{0}")]
    Published(#[source] Box<upstream::data::Error>),
}

impl Error {
    /// Makes the error of a file that cannot be read or written, or is not what it
    /// should be.
    pub(crate) fn file(path: &Path, source: impl Into<Cause>) -> Self {
        Self::File {
            path: path.to_owned(),
            source: source.into(),
        }
    }

    /// Makes the error of a file that is not a prepared batch.
    pub(crate) fn batch_file(path: &Path, source: impl Into<Cause>) -> Self {
        Self::BatchFile {
            path: path.to_owned(),
            source: source.into(),
        }
    }

    /// Rewords the failure for somebody who has paid before.
    pub(crate) fn after_paying(self) -> Self {
        match self {
            Self::Prepare(error) => Self::PrepareMore(error),
            other => other,
        }
    }
}

impl From<upstream::data::Error> for Error {
    fn from(error: upstream::data::Error) -> Self {
        Self::Published(Box::new(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_was_paid_is_said_only_while_it_is_true() {
        let error = || Error::from(ant_core::Error::Clock);
        assert!(error().to_string().contains("nothing was paid"));
        let later = error().after_paying().to_string();
        assert!(!later.contains("nothing was paid"), "{later}");
        assert!(later.contains("resume"), "{later}");
    }
}
