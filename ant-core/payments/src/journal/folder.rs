//! The journal as a folder: who may write to it, and which entries it holds.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use ant_protocol::compute_address;
use nix::fcntl::{Flock, FlockArg};

use super::entry::{JournalEntry, SignedPayment};
use crate::{Error, Payable, whole_file::write_json};

/// The folder of all entries, held by this process alone.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    _lock: Flock<File>,
}

impl Journal {
    /// Opens the folder, and makes it if there is none.
    ///
    /// # Errors
    ///
    /// When it cannot be made, or another process uses it.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let failed = |error: io::Error| Error::file(folder, error);
        fs::create_dir_all(folder).map_err(failed)?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join("lock"))
            .map_err(failed)?;
        let lock = Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|_| {
            let taken = "another process is paying with these receipts; wait for its end";
            Error::file(folder, taken)
        })?;
        Ok(Self {
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    /// All entries, oldest payment first.
    ///
    /// # Errors
    ///
    /// When one cannot be read. None is skipped: it may have been paid.
    pub(crate) fn all(&self) -> Result<Vec<JournalEntry>, Error> {
        let failed = |error: io::Error| Error::file(&self.folder, error);
        let mut all = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let folder = entry.map_err(failed)?.path();
            // Without a signed transaction nothing was ever sent.
            if folder.join("signed.json").exists() {
                all.push(JournalEntry::read(folder)?);
            }
        }
        all.sort_by_key(|entry| entry.payable.drawn_up());
        Ok(all)
    }

    /// The entry that pays for exactly these addresses, if there is one.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub(crate) fn find(&self, addresses: &[[u8; 32]]) -> Result<Option<JournalEntry>, Error> {
        let folder = self.folder.join(hex::encode(key(addresses)));
        let signed = folder.join("signed.json").exists();
        signed.then(|| JournalEntry::read(folder)).transpose()
    }

    /// Writes down what is about to be paid.
    ///
    /// # Errors
    ///
    /// When it cannot be written: then nothing may be sent.
    pub(crate) fn begin(
        &self,
        payable: Payable,
        signed: SignedPayment,
    ) -> Result<JournalEntry, Error> {
        let folder = self.folder.join(hex::encode(key(payable.addresses())));
        let made = (|| {
            // What a crash left of an older one says nothing of this one.
            if folder.exists() {
                fs::remove_dir_all(&folder)?;
            }
            fs::create_dir_all(&folder)?;
            File::open(&self.folder)?.sync_all()
        })();
        made.map_err(|error: io::Error| Error::file(&folder, error))?;
        payable.write(&folder)?;
        write_json(&folder.join("signed.json"), &signed)?;
        Ok(JournalEntry {
            folder,
            payable,
            signed,
            sent: false,
            paid: None,
            stored: BTreeSet::new(),
        })
    }
}

/// What names an entry: the same addresses, the same name.
fn key(addresses: &[[u8; 32]]) -> [u8; 32] {
    let mut sorted = addresses.to_vec();
    sorted.sort_unstable();
    compute_address(&sorted.concat())
}
