//! Payments that storers no longer take: named and moved out of the way, so that
//! their chunks can be paid for anew.

use std::path::PathBuf;

use ant_protocol::evm::Amount;

use crate::{Error, FileSource, JournalEntry};

/// A payment that storers no longer take, and was set aside.
#[derive(Clone, Debug)]
pub struct Expired {
    /// Where its journal entry is now.
    pub place: PathBuf,
    /// How many chunks it was for.
    pub chunks: usize,
    /// How many of them were stored in time.
    pub stored: usize,
    /// What was paid, if the chain has said so.
    pub paid: Option<Amount>,
    /// The file whose chunks they are.
    pub source: Option<FileSource>,
}

impl Expired {
    /// Sets one aside; none if it turns out to be done with.
    pub(crate) fn set_aside(entry: JournalEntry) -> Result<Option<Self>, Error> {
        if entry.is_done() {
            return entry.forget().map(|()| None);
        }
        Ok(Some(Self {
            chunks: entry.payable.addresses().len(),
            stored: entry.stored.len(),
            paid: entry.paid.as_ref().map(|paid| paid.amount),
            source: entry.signed.source.clone(),
            place: entry.set_aside()?,
        }))
    }
}

impl std::fmt::Display for Expired {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { chunks, stored, .. } = self;
        match &self.paid {
            Some(amount) => write!(f, "a payment of {amount} atto for {chunks} chunks")?,
            None => write!(f, "a signed and unsettled payment for {chunks} chunks")?,
        }
        if let Some(source) = &self.source {
            write!(f, " of {}", source.file.display())?;
        }
        write!(
            f,
            " has expired with {stored} of them stored: storers no longer take it, and the others \
             are paid for anew by another upload; its receipt was moved to {}",
            self.place.display()
        )
    }
}
