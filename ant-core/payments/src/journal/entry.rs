//! One payment's entry: which of its files are there says how far the payment has come.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, OpenOptions},
    io::{self, Write},
    path::PathBuf,
};

use ant_protocol::evm::journal::{PaymentReceipt, SignedPayment as EvmPayment};
use serde::{Deserialize, Serialize};

use crate::{
    Error, FileSource, Payable,
    whole_file::{read_json, write_json, write_whole},
};

/// The folder of entries whose payments storers no longer take.
const EXPIRED: &str = "expired";

/// A payment that was signed, with what is known of it.
#[derive(Clone, Debug)]
pub struct JournalEntry {
    pub(super) folder: PathBuf,
    /// What is paid for.
    pub payable: Payable,
    /// The transaction, as it was signed.
    pub signed: SignedPayment,
    /// Whether sending it has begun: from then on it may settle at any time.
    pub sent: bool,
    /// What the chain said, once it has.
    pub paid: Option<PaymentReceipt>,
    /// Which chunks are stored.
    pub stored: BTreeSet<[u8; 32]>,
}

/// A signed transaction, by whom, and for what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignedPayment {
    /// The transaction; sending it again cannot pay twice.
    pub payment: EvmPayment,
    /// The wallet that signed it.
    pub wallet: String,
    /// Where the chunks come from.
    pub source: Option<FileSource>,
}

impl JournalEntry {
    pub(super) fn read(folder: PathBuf) -> Result<Self, Error> {
        let paid = folder.join("paid.json");
        let stored = match fs::read_to_string(folder.join("stored")) {
            Ok(text) => text.lines().filter_map(address).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeSet::new(),
            Err(error) => return Err(Error::file(&folder.join("stored"), error)),
        };
        Ok(Self {
            payable: Payable::read(&folder)?,
            signed: read_json(&folder.join("signed.json"))?,
            sent: folder.join("sent").exists(),
            paid: paid.exists().then(|| read_json(&paid)).transpose()?,
            stored,
            folder,
        })
    }

    /// Writes down that it is about to be sent.
    ///
    /// # Errors
    ///
    /// When it cannot be written: then it must not be sent.
    pub(crate) fn note_sent(&mut self) -> Result<(), Error> {
        write_whole(&self.folder.join("sent"), b"")?;
        self.sent = true;
        Ok(())
    }

    /// Writes down what the chain said.
    ///
    /// # Errors
    ///
    /// When it cannot be written; the chain will say it again.
    pub(crate) fn settled(&mut self, paid: PaymentReceipt) -> Result<(), Error> {
        write_json(&self.folder.join("paid.json"), &paid)?;
        self.paid = Some(paid);
        Ok(())
    }

    /// Writes down that a chunk is stored.
    ///
    /// # Errors
    ///
    /// When it cannot be written; storing it again does no harm.
    pub(crate) fn note_stored(&mut self, address: [u8; 32]) -> Result<(), Error> {
        let path = self.folder.join("stored");
        let noted = (|| {
            let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
            writeln!(file, "{}", hex::encode(address))?;
            file.sync_data()
        })();
        noted.map_err(|error| Error::file(&path, error))?;
        self.stored.insert(address);
        Ok(())
    }

    /// Whether everything paid for is stored.
    pub fn is_done(&self) -> bool {
        let mut all = self.payable.addresses().iter();
        self.paid.is_some() && all.all(|address| self.stored.contains(address))
    }

    /// The proof that goes with each chunk to its storers.
    ///
    /// # Errors
    ///
    /// When the payment has not settled.
    pub fn proofs(&self) -> Result<BTreeMap<[u8; 32], Vec<u8>>, Error> {
        let paid = self.paid.as_ref().ok_or_else(|| {
            Error::Wallet("the payment has not settled, so there is no proof of it".to_owned())
        })?;
        self.payable.proofs(paid)
    }

    /// Moves it out of the way, since storers no longer take what it pays for; to
    /// which folder.
    ///
    /// # Errors
    ///
    /// When it cannot be moved.
    pub(crate) fn set_aside(self) -> Result<PathBuf, Error> {
        let name = self.folder.file_name().unwrap_or_default();
        let mut aside = name.to_owned();
        // The same chunks may be paid for again, and expire again.
        aside.push(format!("-{}", self.payable.drawn_up()));
        let parent = self.folder.parent().unwrap_or(&self.folder);
        let place = parent.join(EXPIRED).join(aside);
        let moved = fs::create_dir_all(parent.join(EXPIRED))
            .and_then(|()| fs::rename(&self.folder, &place));
        moved.map_err(|error| {
            let said = format!("the expired payment cannot be set aside: {error}");
            Error::file(&self.folder, io::Error::new(error.kind(), said))
        })?;
        Ok(place)
    }

    /// Removes it: all is stored, or the chain has said for good that nothing was
    /// paid.
    ///
    /// # Errors
    ///
    /// When it cannot be removed.
    pub fn forget(self) -> Result<(), Error> {
        // Without this file there is no entry, however far removing gets.
        let removed = fs::remove_file(self.folder.join("signed.json"))
            .and_then(|()| fs::remove_dir_all(&self.folder));
        removed.map_err(|error| Error::file(&self.folder, error))
    }
}

fn address(line: &str) -> Option<[u8; 32]> {
    // A line that a crash cut short is of a chunk that is stored again.
    let mut address = [0; 32];
    hex::decode_to_slice(line, &mut address).ok()?;
    Some(address)
}
