//! Paying for what was prepared: signed first, written down, then sent, and
//! watched until the chain has said what became of it.

use std::time::{Duration, Instant};

use ant_core::{Client, now};
use ant_protocol::evm::{
    Amount, Network, Wallet,
    journal::{PaymentReceipt, PaymentStatus},
};
use futures::future::BoxFuture;

use crate::{Error, Expired, FileSource, Journal, JournalEntry, Payable, SignedPayment};

/// How often the chain is asked: a few times a block of the slowest chain in use.
const ASK_EVERY: Duration = Duration::from_millis(500);

/// A wallet, and the journal of what it has paid.
#[derive(Debug)]
pub struct Payer {
    wallet: Wallet,
    journal: Journal,
    settle_within: Duration,
}

impl Payer {
    /// A payer with the wallet of this private key on this chain. A payment that
    /// has not settled within `settle_within` is left to be resumed.
    ///
    /// # Errors
    ///
    /// When the key is not a private key. It is not repeated.
    pub fn new(
        chain: Network,
        key: &str,
        journal: Journal,
        settle_within: Duration,
    ) -> Result<Self, Error> {
        let wallet = Wallet::new_from_private_key(chain, key.trim()).map_err(|_| {
            Error::Wallet(
                "the wallet's key is not a private key, which is 64 hexadecimal digits".to_owned(),
            )
        })?;
        Ok(Self {
            wallet,
            journal,
            settle_within,
        })
    }

    /// The wallet's address.
    pub fn address(&self) -> String {
        self.wallet.address().to_string()
    }

    /// Returns the journal's entries: payments that are not done with.
    ///
    /// # Errors
    ///
    /// When an entry cannot be read.
    pub fn entries(&self) -> Result<Vec<JournalEntry>, Error> {
        self.journal.all()
    }

    /// Returns the journal's entries without those that storers no longer take. The
    /// latter are set aside, so that their chunks can be paid for anew, and `told` is
    /// called for each.
    ///
    /// One that was sent and has not settled stays where it is: it may still, and
    /// must not be followed by a second one.
    ///
    /// # Errors
    ///
    /// When an entry cannot be read or moved, or the chain cannot be asked.
    pub async fn live_entries(
        &self,
        mut told: impl FnMut(Expired) + Send,
    ) -> Result<Vec<JournalEntry>, Error> {
        self.finding_live(&mut told).await
    }

    fn finding_live<'a>(
        &'a self,
        told: &'a mut (dyn FnMut(Expired) + Send),
    ) -> BoxFuture<'a, Result<Vec<JournalEntry>, Error>> {
        // Boxed, as all that other crates call here is: they would make its code again.
        Box::pin(self.find_live(told))
    }

    async fn find_live(
        &self,
        told: &mut (dyn FnMut(Expired) + Send),
    ) -> Result<Vec<JournalEntry>, Error> {
        let mut live = Vec::new();
        for mut entry in self.journal.all()? {
            if is_late(&entry.payable, entry.sent)? && !self.may_settle(&mut entry).await? {
                Expired::set_aside(entry)?.into_iter().for_each(&mut *told);
            } else {
                live.push(entry);
            }
        }
        Ok(live)
    }

    /// Whether the chain may still take it. Nothing is sent.
    async fn may_settle(&self, entry: &mut JournalEntry) -> Result<bool, Error> {
        if !entry.sent || entry.paid.is_some() {
            return Ok(false);
        }
        // Another wallet's is for its owner to look at.
        if self.own(entry).is_err() {
            return Ok(true);
        }
        let request = entry.payable.request()?;
        let payment = &entry.signed.payment;
        let status = self.wallet.observe_payment(payment, &request).await;
        match status.map_err(|error| self.cannot(&error))? {
            PaymentStatus::Confirmed(paid) => entry.settled(paid).map(|()| false),
            PaymentStatus::Reverted | PaymentStatus::Replaced { .. } => Ok(false),
            PaymentStatus::Pending | PaymentStatus::Finalizing => Ok(true),
        }
    }

    /// What this costs at most, in the token's smallest unit.
    ///
    /// # Errors
    ///
    /// When a price overflows.
    pub fn at_most(&self, payable: &Payable) -> Result<Amount, Error> {
        payable.at_most(self.wallet.network())
    }

    /// Pays and waits until that has settled. From before it is sent its
    /// entry is on the disk.
    ///
    /// # Errors
    ///
    /// When peers refuse this client's settlement version, the wallet cannot pay,
    /// the entry cannot be written (in each case nothing was sent), or the
    /// payment did not settle in time or was undone.
    pub async fn pay(
        &self,
        client: &Client,
        payable: impl Into<Payable>,
        source: Option<FileSource>,
    ) -> Result<JournalEntry, Error> {
        self.paying(client, payable.into(), source).await
    }

    fn paying<'a>(
        &'a self,
        client: &'a Client,
        payable: Payable,
        source: Option<FileSource>,
    ) -> BoxFuture<'a, Result<JournalEntry, Error>> {
        Box::pin(self.pay_once(client, payable, source))
    }

    async fn pay_once(
        &self,
        client: &Client,
        payable: Payable,
        source: Option<FileSource>,
    ) -> Result<JournalEntry, Error> {
        let refused = || {
            client.refusal().map_or(Ok(()), |refusal| {
                Err(Error::Prepare(ant_core::Error::Refused {
                    refusal,
                    report: None,
                }))
            })
        };
        refused()?;
        let _alone = self.wallet.lock().await;
        // A first payment for the same may still settle, and must not be followed
        // by a second one, unless it would be for nothing.
        if let Some(mut earlier) = self.journal.find(payable.addresses())? {
            if !is_late(&earlier.payable, earlier.sent)? || self.may_settle(&mut earlier).await? {
                self.settle_once(&mut earlier).await?;
                return Ok(earlier);
            }
            if let Some(expired) = Expired::set_aside(earlier)? {
                tracing::warn!("{expired}");
            }
        }
        timely(&payable, false)?;
        let request = payable.request()?;
        let payment = self.wallet.prepare_payment(&request).await;
        let payment = payment.map_err(|error| self.cannot(&error))?;
        let signed = SignedPayment {
            payment,
            wallet: self.address(),
            source,
        };
        // Signing took a moment, in which a second peer may have refused.
        refused()?;
        let mut entry = self.journal.begin(payable, signed)?;
        self.settle_once(&mut entry).await?;
        Ok(entry)
    }

    /// Sends a signed payment, again if need be, and waits until the chain has
    /// said what became of it. Sending the same transaction again cannot pay
    /// twice.
    ///
    /// # Errors
    ///
    /// When it is another wallet's, does not settle in time, or was undone.
    pub async fn settle(&self, entry: &mut JournalEntry) -> Result<PaymentReceipt, Error> {
        self.settling(entry).await
    }

    fn settling<'a>(
        &'a self,
        entry: &'a mut JournalEntry,
    ) -> BoxFuture<'a, Result<PaymentReceipt, Error>> {
        Box::pin(self.settle_once(entry))
    }

    async fn settle_once(&self, entry: &mut JournalEntry) -> Result<PaymentReceipt, Error> {
        if let Some(paid) = &entry.paid {
            return Ok(paid.clone());
        }
        self.own(entry)?;
        let request = entry.payable.request()?;
        let payment = entry.signed.payment.clone();
        let started = Instant::now();
        let mut sending = true;
        loop {
            let status = self.wallet.observe_payment(&payment, &request).await;
            let status = status.map_err(|error| self.cannot(&error))?;
            match status {
                PaymentStatus::Confirmed(paid) => {
                    entry.settled(paid.clone())?;
                    return Ok(paid);
                }
                PaymentStatus::Reverted | PaymentStatus::Replaced { .. } => {
                    entry.clone().forget()?;
                    return Err(Error::Wallet(
                        "the chain has undone the payment, or another transaction took its place; \
                         nothing was paid for these chunks"
                            .to_owned(),
                    ));
                }
                PaymentStatus::Pending if sending => {
                    timely(&entry.payable, entry.sent)?;
                    entry.note_sent()?;
                    let to_chain = self.wallet.broadcast_payment(&payment, &request).await;
                    match to_chain {
                        // It is mined, or something else is in its place: the chain
                        // will say which.
                        Err(error) if error.contains("nonce too low") => {}
                        done => done.map(drop).map_err(|error| self.cannot(&error))?,
                    }
                    sending = false;
                }
                PaymentStatus::Pending | PaymentStatus::Finalizing => {}
            }
            if started.elapsed() > self.settle_within {
                return Err(Error::Unsettled {
                    after: started.elapsed(),
                });
            }
            tokio::time::sleep(ASK_EVERY).await;
        }
    }

    /// Whether this wallet has signed it.
    fn own(&self, entry: &JournalEntry) -> Result<(), Error> {
        if entry.signed.wallet == self.address() {
            return Ok(());
        }
        Err(Error::Wallet(format!(
            "an unfinished payment was signed by the wallet {}, and this one is {}; resume it with \
             that wallet's key",
            entry.signed.wallet,
            self.address()
        )))
    }

    /// What the wallet or the chain says, with what to look at.
    fn cannot(&self, said: &str) -> Error {
        let chain = self.wallet.network();
        let advice = if said.contains("Insufficient tokens") {
            format!("send tokens to {}", self.address())
        } else if said.contains("insufficient funds") || said.contains("Out of gas") {
            format!("send {} what gas is paid in", self.address())
        } else if said.contains("does not match this wallet, chain") {
            "the chain is not the one that the payment was signed for".to_owned()
        } else if said.contains("returned no data") || said.contains("zero data") {
            "the chain has no such contracts: it is another one than the settings say".to_owned()
        } else {
            "look whether the chain can be reached".to_owned()
        };
        Error::Wallet(format!("{said}; {advice} (chain at {})", chain.rpc_url()))
    }
}

/// How long storing what was paid for may take, in seconds: what expires sooner is
/// not paid any more.
const TO_STORE: u64 = 60 * 60;

/// Whether it is too late for it: to store what it pays for, or to send it.
fn is_late(payable: &Payable, was_sent: bool) -> Result<bool, Error> {
    let left = if was_sent { 0 } else { TO_STORE };
    Ok(payable.has_expired(now()? + left))
}

/// Refuses to send what expires before its chunks can be stored.
fn timely(payable: &Payable, was_sent: bool) -> Result<(), Error> {
    if !is_late(payable, was_sent)? {
        return Ok(());
    }
    Err(Error::Wallet(if was_sent {
        "an earlier payment for the same chunks has expired, and was sent and may still settle; it \
         cannot any more once the wallet has made another payment, so upload another file first"
            .to_owned()
    } else {
        "it was prepared too long ago for storers to take it; prepare it anew".to_owned()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{payable::tests::quoted, samples::sample};

    #[tokio::test]
    async fn what_storers_no_longer_take_is_named_and_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path()).unwrap();
        let source = FileSource {
            file: "/home/me/photo.jpg".into(),
            public: false,
            content: None,
        };
        let signed = |source: Option<&FileSource>| SignedPayment {
            payment: serde_json::from_str(r#"{"raw":[1]}"#).unwrap(),
            wallet: "0xabc".to_owned(),
            source: source.cloned(),
        };
        let mut first = journal
            .begin(sample(2).into(), signed(Some(&source)))
            .unwrap();
        first.note_stored(first.payable.addresses()[0]).unwrap();
        // A single chunk's quotes have no time at which all storers refuse them.
        let old = quoted(now().unwrap() - 30 * 24 * 60 * 60);
        journal.begin(old.into(), signed(None)).unwrap();
        let hash = "11".repeat(32);
        let paid = format!(
            r#"{{"transaction_hash":"0x{hash}","amount":"0x5","winner_pool":null,"gas_cost_wei":7}}"#
        );
        let mut done = journal.begin(sample(3).into(), signed(None)).unwrap();
        done.settled(serde_json::from_str(&paid).unwrap()).unwrap();
        for address in done.payable.addresses().to_vec() {
            done.note_stored(address).unwrap();
        }
        let nobody = "0x0000000000000000000000000000000000000000";
        let chain = Network::new_custom("http://127.0.0.1:1", nobody, nobody);
        let key = Wallet::random_private_key();
        let payer = Payer::new(chain, &key, journal, Duration::ZERO).unwrap();

        let set_aside = async || {
            let mut expired = Vec::new();
            let told = |one| expired.push(one);
            let live = payer.live_entries(told).await.unwrap();
            assert_eq!(live.len(), 1, "the single chunk's");
            expired
        };
        let expired = set_aside().await;
        let [only] = &expired[..] else {
            panic!("{expired:?}");
        };
        assert_eq!((only.chunks, only.stored, only.paid), (2, 1, None));
        assert!(only.place.join("signed.json").exists());
        let said = only.to_string();
        for part in ["unsettled", "photo.jpg", "1 of them stored", "/expired/"] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert_eq!(payer.entries().unwrap().len(), 1);
        assert!(set_aside().await.is_empty());
        let late = timely(&sample(2).into(), false).unwrap_err().to_string();
        assert!(late.contains("prepare it anew"), "{late}");
    }
}
