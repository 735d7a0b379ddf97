//! What was paid for and not stored yet, on the disk: from before a payment is
//! broadcast until the last of its chunks is stored, nothing of it can be lost.
//!
//! A receipt is a folder, named after the addresses it pays for. Its files appear
//! one after another, each whole: `batch.json`, what is paid; `signed.json`, the
//! signed transaction, written before it is sent; `paid.json`, what the chain
//! said; and `stored`, the address of each stored chunk on a line.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use ant_protocol::{
    compute_address,
    evm::journal::{PaymentReceipt, SignedPayment},
};
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    Error, MerkleBatch,
    batch_file::{read_of_any_age, write_batch},
    files::write_whole,
};

/// The folder of all receipts, held by this process alone.
#[derive(Debug)]
pub struct Receipts {
    folder: PathBuf,
    _lock: Flock<File>,
}

/// A payment that was signed, with what is known of it.
#[derive(Clone, Debug)]
pub struct Receipt {
    folder: PathBuf,
    /// What is paid for.
    pub batch: MerkleBatch,
    /// The transaction, as it was signed.
    pub signed: SignedReceipt,
    /// What the chain said, once it has.
    pub paid: Option<PaymentReceipt>,
    /// Which chunks are stored.
    pub stored: BTreeSet<[u8; 32]>,
}

/// A signed transaction, by whom, and for what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignedReceipt {
    /// The transaction; sending it again cannot pay twice.
    pub payment: SignedPayment,
    /// The wallet that signed it.
    pub wallet: String,
    /// Where the chunks come from.
    pub source: Option<Source>,
}

/// A file that was being uploaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The file.
    pub file: PathBuf,
    /// Whether its data map is stored too, for everybody.
    pub public: bool,
}

impl Receipts {
    /// Opens the folder, and makes it if there is none.
    ///
    /// # Errors
    ///
    /// When it cannot be made, or another process uses it.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let failed = |reason: String| Error::File {
            path: folder.display().to_string(),
            reason,
        };
        fs::create_dir_all(folder).map_err(|error| failed(error.to_string()))?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join("lock"))
            .map_err(|error| failed(error.to_string()))?;
        let lock = Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|_| {
            failed("another process is paying with these receipts; wait for its end".to_owned())
        })?;
        Ok(Self {
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    /// All receipts, oldest payment first.
    ///
    /// # Errors
    ///
    /// When one cannot be read. None is skipped: it may have been paid.
    pub fn all(&self) -> Result<Vec<Receipt>, Error> {
        let failed = |error: io::Error| Error::File {
            path: self.folder.display().to_string(),
            reason: error.to_string(),
        };
        let mut all = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let folder = entry.map_err(failed)?.path();
            // Without a signed transaction nothing was ever sent.
            if folder.join("signed.json").exists() {
                all.push(Receipt::read(folder)?);
            }
        }
        all.sort_by_key(|receipt| receipt.batch.timestamp);
        Ok(all)
    }

    /// The receipt that pays for exactly these addresses, if there is one.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn find(&self, addresses: &[[u8; 32]]) -> Result<Option<Receipt>, Error> {
        let folder = self.folder.join(hex::encode(key(addresses)));
        let signed = folder.join("signed.json").exists();
        signed.then(|| Receipt::read(folder)).transpose()
    }

    /// Writes down what is about to be paid.
    ///
    /// # Errors
    ///
    /// When it cannot be written: then nothing may be sent.
    pub fn begin(&self, batch: MerkleBatch, signed: SignedReceipt) -> Result<Receipt, Error> {
        let folder = self.folder.join(hex::encode(key(&batch.addresses)));
        fs::create_dir_all(&folder).map_err(|error| Error::File {
            path: folder.display().to_string(),
            reason: error.to_string(),
        })?;
        write_batch(&folder.join("batch.json"), &batch, None)?;
        write_json(&folder.join("signed.json"), &signed)?;
        Ok(Receipt {
            folder,
            batch,
            signed,
            paid: None,
            stored: BTreeSet::new(),
        })
    }
}

/// What names a receipt: the same addresses, the same name.
fn key(addresses: &[[u8; 32]]) -> [u8; 32] {
    let mut sorted = addresses.to_vec();
    sorted.sort_unstable();
    compute_address(&sorted.concat())
}

impl Receipt {
    fn read(folder: PathBuf) -> Result<Self, Error> {
        let paid = folder.join("paid.json");
        let stored = match fs::read_to_string(folder.join("stored")) {
            Ok(text) => text.lines().filter_map(address).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeSet::new(),
            Err(error) => {
                return Err(Error::File {
                    path: folder.join("stored").display().to_string(),
                    reason: error.to_string(),
                });
            }
        };
        Ok(Self {
            // However old: what was paid is worth more than its expiry.
            batch: read_of_any_age(&folder.join("batch.json"))?,
            signed: read_json(&folder.join("signed.json"))?,
            paid: paid.exists().then(|| read_json(&paid)).transpose()?,
            stored,
            folder,
        })
    }

    /// Writes down what the chain said.
    ///
    /// # Errors
    ///
    /// When it cannot be written; the chain will say it again.
    pub fn settled(&mut self, paid: PaymentReceipt) -> Result<(), Error> {
        write_json(&self.folder.join("paid.json"), &paid)?;
        self.paid = Some(paid);
        Ok(())
    }

    /// Writes down that a chunk is stored.
    ///
    /// # Errors
    ///
    /// When it cannot be written; storing it again does no harm.
    pub fn note_stored(&mut self, address: [u8; 32]) -> Result<(), Error> {
        let path = self.folder.join("stored");
        let noted = (|| {
            let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
            writeln!(file, "{}", hex::encode(address))?;
            file.sync_data()
        })();
        noted.map_err(|error| Error::File {
            path: path.display().to_string(),
            reason: error.to_string(),
        })?;
        self.stored.insert(address);
        Ok(())
    }

    /// Whether everything paid for is stored.
    pub fn is_done(&self) -> bool {
        let all = self.batch.addresses.iter();
        self.paid.is_some() && all.clone().all(|address| self.stored.contains(address))
    }

    /// Removes it: all is stored, or the chain has said for good that nothing was
    /// paid.
    ///
    /// # Errors
    ///
    /// When it cannot be removed.
    pub fn forget(self) -> Result<(), Error> {
        // Without this file there is no receipt, however far removing gets.
        let removed = fs::remove_file(self.folder.join("signed.json"))
            .and_then(|()| fs::remove_dir_all(&self.folder));
        removed.map_err(|error| Error::File {
            path: self.folder.display().to_string(),
            reason: error.to_string(),
        })
    }
}

fn address(line: &str) -> Option<[u8; 32]> {
    // A line that a crash cut short is of a chunk that is stored again.
    let mut address = [0; 32];
    hex::decode_to_slice(line, &mut address).ok()?;
    Some(address)
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_vec_pretty(value).map_err(|error| Error::File {
        path: path.display().to_string(),
        reason: error.to_string(),
    })?;
    write_whole(path, &text)
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let failed = |reason: String| Error::File {
        path: path.display().to_string(),
        reason,
    };
    let text = fs::read(path).map_err(|error| failed(error.to_string()))?;
    serde_json::from_slice(&text).map_err(|error| failed(error.to_string()))
}
