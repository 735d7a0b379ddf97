//! What was paid for and not stored yet, on the disk: from before a payment is
//! broadcast until the last of its chunks is stored, nothing of it can be lost.
//!
//! A receipt is a folder, named after the addresses it pays for. Its files appear
//! one after another, each whole: `batch.json`, what is paid, or `chunk.json`, if
//! it is a single one; `signed.json`, the signed transaction; `sent`, which says that
//! sending it has begun; `paid.json`, what the chain said; and `stored`, the address
//! of each stored chunk on a line. One that has expired is moved into the folder
//! `expired`: its money is gone, and what it says may still be wanted.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use ant_protocol::{
    compute_address,
    evm::journal::{PaymentReceipt, SignedPayment},
};
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use crate::{
    Bill, Error,
    files::{read_json, write_json, write_whole},
};

/// Where receipts are that storers no longer take.
const EXPIRED: &str = "expired";

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
    pub bill: Bill,
    /// The transaction, as it was signed.
    pub signed: SignedReceipt,
    /// Whether sending it has begun: from then on it may settle at any time.
    pub sent: bool,
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
    /// What it held when it was paid for: a hash of its chunks' addresses.
    #[serde(default)]
    pub content: Option<String>,
}

impl Source {
    /// Whether it is the same file, whatever that held.
    pub fn is_file_of(&self, other: &Self) -> bool {
        (&self.file, self.public) == (&other.file, other.public)
    }
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
        all.sort_by_key(|receipt| receipt.bill.drawn_up());
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
    pub fn begin(&self, bill: Bill, signed: SignedReceipt) -> Result<Receipt, Error> {
        let folder = self.folder.join(hex::encode(key(bill.addresses())));
        let made = (|| {
            // What a crash left of an older one says nothing of this one.
            if folder.exists() {
                fs::remove_dir_all(&folder)?;
            }
            fs::create_dir_all(&folder)?;
            File::open(&self.folder)?.sync_all()
        })();
        made.map_err(|error: io::Error| Error::File {
            path: folder.display().to_string(),
            reason: error.to_string(),
        })?;
        bill.write(&folder)?;
        write_json(&folder.join("signed.json"), &signed)?;
        Ok(Receipt {
            folder,
            bill,
            signed,
            sent: false,
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
            bill: Bill::read(&folder)?,
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
    pub fn note_sent(&mut self) -> Result<(), Error> {
        write_whole(&self.folder.join("sent"), b"")?;
        self.sent = true;
        Ok(())
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
        let mut all = self.bill.addresses().iter();
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
        self.bill.proofs(paid)
    }

    /// Moves it out of the way, since storers no longer take what it pays for; to
    /// which folder.
    ///
    /// # Errors
    ///
    /// When it cannot be moved.
    pub fn set_aside(self) -> Result<PathBuf, Error> {
        let name = self.folder.file_name().unwrap_or_default();
        let mut aside = name.to_owned();
        // The same chunks may be paid for again, and expire again.
        aside.push(format!("-{}", self.bill.drawn_up()));
        let parent = self.folder.parent().unwrap_or(&self.folder);
        let place = parent.join(EXPIRED).join(aside);
        let moved = fs::create_dir_all(parent.join(EXPIRED))
            .and_then(|()| fs::rename(&self.folder, &place));
        moved.map_err(|error| Error::File {
            path: self.folder.display().to_string(),
            reason: format!("the expired payment cannot be set aside: {error}"),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EXPIRES_AFTER, batch::tests::sample};

    fn signed() -> SignedReceipt {
        SignedReceipt {
            payment: serde_json::from_str(r#"{"raw":[1,2,3]}"#).unwrap(),
            wallet: "0xabc".to_owned(),
            source: None,
        }
    }

    fn paid() -> PaymentReceipt {
        let hash = "11".repeat(32);
        let text = format!(
            r#"{{"transaction_hash":"0x{hash}","amount":"0x5","winner_pool":null,"gas_cost_wei":7}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_receipt_says_how_far_its_payment_has_come() {
        let folder = tempfile::tempdir().unwrap();
        let receipts = Receipts::open(folder.path()).unwrap();
        let batch = sample(3);
        let addresses = batch.addresses.clone();
        assert!(receipts.all().unwrap().is_empty());
        receipts.begin(batch.into(), signed()).unwrap();

        let mut receipt = receipts.find(&addresses).unwrap().unwrap();
        assert!(receipt.paid.is_none() && receipt.stored.is_empty() && !receipt.sent);
        receipt.note_sent().unwrap();
        assert!(receipts.find(&addresses).unwrap().unwrap().sent);
        receipt.settled(paid()).unwrap();
        for address in &addresses {
            assert!(!receipt.is_done());
            receipt.note_stored(*address).unwrap();
        }
        let mut turned = addresses.clone();
        turned.reverse();
        let again = receipts.find(&turned).unwrap().unwrap();
        assert!(again.is_done(), "whatever their order");
        assert_eq!(again.stored, receipt.stored);
        again.forget().unwrap();
        assert!(receipts.find(&addresses).unwrap().is_none());
    }

    #[test]
    fn a_crash_at_any_moment_leaves_what_was_known() {
        let folder = tempfile::tempdir().unwrap();
        let receipts = Receipts::open(folder.path()).unwrap();
        let batch = sample(2);
        let addresses = batch.addresses.clone();
        let mut receipt = receipts.begin(batch.into(), signed()).unwrap();
        let own = receipt.folder.clone();
        receipt.note_stored(addresses[0]).unwrap();
        // Half a line, and half a file beside its place.
        let mut file = OpenOptions::new()
            .append(true)
            .open(own.join("stored"))
            .unwrap();
        write!(file, "{}", &hex::encode(addresses[1])[..20]).unwrap();
        fs::write(own.join("paid.json.part"), "{").unwrap();
        let again = receipts.find(&addresses).unwrap().unwrap();
        assert_eq!(again.stored, BTreeSet::from([addresses[0]]));
        assert!(again.paid.is_none());
        // Half removed and paid for anew: what the old one said is not believed.
        fs::remove_file(own.join("signed.json")).unwrap();
        fs::write(own.join("paid.json"), "of the old one").unwrap();
        receipts.begin(again.bill, signed()).unwrap();
        let anew = receipts.find(&addresses).unwrap().unwrap();
        assert!(anew.paid.is_none() && anew.stored.is_empty());
        // Before it was signed there was no payment; one that cannot be read is
        // not passed over.
        fs::rename(own.join("signed.json"), own.join("x")).unwrap();
        assert!(receipts.all().unwrap().is_empty());
        fs::write(own.join("signed.json"), "{").unwrap();
        let error = receipts.all().unwrap_err().to_string();
        assert!(error.contains("signed.json"), "{error}");
    }

    #[test]
    fn an_expired_receipt_is_set_aside_and_no_longer_found() {
        let folder = tempfile::tempdir().unwrap();
        let receipts = Receipts::open(folder.path()).unwrap();
        let batch = sample(2);
        let (time, addresses) = (batch.timestamp, batch.addresses.clone());
        let mut receipt = receipts.begin(batch.into(), signed()).unwrap();
        receipt.settled(paid()).unwrap();
        assert!(!receipt.bill.has_expired(time + EXPIRES_AFTER));
        assert!(receipt.bill.has_expired(time + EXPIRES_AFTER + 1));
        let place = receipts.find(&addresses).unwrap().unwrap();
        let place = place.set_aside().unwrap();
        assert!(receipts.all().unwrap().is_empty());
        assert!(receipts.find(&addresses).unwrap().is_none());
        let kept = Receipt::read(place).unwrap();
        assert!(kept.paid.is_some() && kept.bill.addresses() == addresses);
    }

    #[test]
    fn two_processes_do_not_share_receipts() {
        let folder = tempfile::tempdir().unwrap();
        let first = Receipts::open(folder.path()).unwrap();
        let error = Receipts::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("another process"), "{error}");
        drop(first);
        assert!(Receipts::open(folder.path()).is_ok());
    }
}
