//! Paying for what was prepared: signed first, written down, then sent, and
//! watched until the chain has said what became of it.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use ant_protocol::evm::{
    Amount, Network, Wallet,
    journal::{PaymentReceipt, PaymentStatus},
};

use crate::{
    Bill, Client, Error,
    batch::now,
    receipts::{Receipt, Receipts, SignedReceipt, Source},
};

/// How often the chain is asked: a few times a block of the slowest chain in use.
const ASK_EVERY: Duration = Duration::from_millis(500);

/// A wallet, and the receipts of what it has paid.
#[derive(Debug)]
pub struct Payer {
    wallet: Wallet,
    receipts: Receipts,
    settle_within: Duration,
}

impl Payer {
    /// A payer with the wallet of this private key on this chain. A payment that
    /// has not settled within `settle_within` is left to be resumed.
    ///
    /// # Errors
    ///
    /// When the key is none. It is not repeated.
    pub fn new(
        chain: Network,
        key: &str,
        receipts: Receipts,
        settle_within: Duration,
    ) -> Result<Self, Error> {
        let wallet = Wallet::new_from_private_key(chain, key.trim()).map_err(|_| {
            Error::Wallet(
                "the wallet's key is no private key, which is 64 hexadecimal digits".to_owned(),
            )
        })?;
        Ok(Self {
            wallet,
            receipts,
            settle_within,
        })
    }

    /// The wallet's address.
    pub fn address(&self) -> String {
        self.wallet.address().to_string()
    }

    /// Payments that are not done with.
    ///
    /// # Errors
    ///
    /// When a receipt cannot be read.
    pub fn receipts(&self) -> Result<Vec<Receipt>, Error> {
        self.receipts.all()
    }

    /// The same without those that storers no longer take. They are set aside, so
    /// that their chunks can be paid for anew, and each is told of once it is.
    ///
    /// One that was sent and has not settled stays where it is: it may still, and
    /// must not be followed by a second one.
    ///
    /// # Errors
    ///
    /// When a receipt cannot be read or moved, or the chain cannot be asked.
    pub async fn live_receipts(
        &self,
        mut told: impl FnMut(Expired),
    ) -> Result<Vec<Receipt>, Error> {
        let mut live = Vec::new();
        for mut receipt in self.receipts.all()? {
            if is_late(&receipt.bill, receipt.sent)? && !self.may_settle(&mut receipt).await? {
                Expired::set_aside(receipt)?.into_iter().for_each(&mut told);
            } else {
                live.push(receipt);
            }
        }
        Ok(live)
    }

    /// Whether the chain may still take it. Nothing is sent.
    async fn may_settle(&self, receipt: &mut Receipt) -> Result<bool, Error> {
        if !receipt.sent || receipt.paid.is_some() {
            return Ok(false);
        }
        // Another wallet's is for its owner to look at.
        if self.own(receipt).is_err() {
            return Ok(true);
        }
        let request = receipt.bill.request()?;
        let payment = &receipt.signed.payment;
        let status = self.wallet.observe_payment(payment, &request).await;
        match status.map_err(|error| self.cannot(&error))? {
            PaymentStatus::Confirmed(paid) => receipt.settled(paid).map(|()| false),
            PaymentStatus::Reverted | PaymentStatus::Replaced { .. } => Ok(false),
            PaymentStatus::Pending | PaymentStatus::Finalizing => Ok(true),
        }
    }

    /// What this costs at most, in the token's smallest unit.
    ///
    /// # Errors
    ///
    /// When a price overflows.
    pub fn at_most(&self, bill: &Bill) -> Result<Amount, Error> {
        bill.at_most(self.wallet.network())
    }

    /// Pays and waits until that has settled. From before it is sent its
    /// receipt is on the disk.
    ///
    /// # Errors
    ///
    /// When peers refuse this client's settlement version, the wallet cannot pay,
    /// the receipt cannot be written (in each case nothing was sent), or the
    /// payment did not settle in time or was undone.
    pub async fn pay(
        &self,
        client: &Client,
        bill: impl Into<Bill>,
        source: Option<Source>,
    ) -> Result<Receipt, Error> {
        let refused = || {
            client.refusal().map_or(Ok(()), |refusal| {
                Err(Error::Refused {
                    refusal,
                    report: None,
                })
            })
        };
        refused()?;
        let bill = bill.into();
        let _alone = self.wallet.lock().await;
        // A first payment for the same may still settle, and must not be followed
        // by a second one, unless it would be for nothing.
        if let Some(mut earlier) = self.receipts.find(bill.addresses())? {
            if !is_late(&earlier.bill, earlier.sent)? || self.may_settle(&mut earlier).await? {
                self.settle(&mut earlier).await?;
                return Ok(earlier);
            }
            if let Some(expired) = Expired::set_aside(earlier)? {
                tracing::warn!("{expired}");
            }
        }
        timely(&bill, false)?;
        let request = bill.request()?;
        let payment = self.wallet.prepare_payment(&request).await;
        let payment = payment.map_err(|error| self.cannot(&error))?;
        let signed = SignedReceipt {
            payment,
            wallet: self.address(),
            source,
        };
        // Signing took a moment, in which a second peer may have refused.
        refused()?;
        let mut receipt = self.receipts.begin(bill, signed)?;
        self.settle(&mut receipt).await?;
        Ok(receipt)
    }

    /// Sends a signed payment, again if need be, and waits until the chain has
    /// said what became of it. Sending the same transaction again cannot pay
    /// twice.
    ///
    /// # Errors
    ///
    /// When it is another wallet's, does not settle in time, or was undone.
    pub async fn settle(&self, receipt: &mut Receipt) -> Result<PaymentReceipt, Error> {
        if let Some(paid) = &receipt.paid {
            return Ok(paid.clone());
        }
        self.own(receipt)?;
        let request = receipt.bill.request()?;
        let payment = receipt.signed.payment.clone();
        let started = Instant::now();
        let mut sending = true;
        loop {
            let status = self.wallet.observe_payment(&payment, &request).await;
            let status = status.map_err(|error| self.cannot(&error))?;
            match status {
                PaymentStatus::Confirmed(paid) => {
                    receipt.settled(paid.clone())?;
                    return Ok(paid);
                }
                PaymentStatus::Reverted | PaymentStatus::Replaced { .. } => {
                    receipt.clone().forget()?;
                    return Err(Error::Wallet(
                        "the chain has undone the payment, or another transaction took its place; \
                         nothing was paid for these chunks"
                            .to_owned(),
                    ));
                }
                PaymentStatus::Pending if sending => {
                    timely(&receipt.bill, receipt.sent)?;
                    receipt.note_sent()?;
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
    fn own(&self, receipt: &Receipt) -> Result<(), Error> {
        if receipt.signed.wallet == self.address() {
            return Ok(());
        }
        Err(Error::Wallet(format!(
            "an unfinished payment was signed by the wallet {}, and this one is {}; resume it with \
             that wallet's key",
            receipt.signed.wallet,
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
fn is_late(bill: &Bill, was_sent: bool) -> Result<bool, Error> {
    let left = if was_sent { 0 } else { TO_STORE };
    Ok(bill.has_expired(now()? + left))
}

/// Refuses to send what expires before its chunks can be stored.
fn timely(bill: &Bill, was_sent: bool) -> Result<(), Error> {
    if !is_late(bill, was_sent)? {
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

/// A payment that storers no longer take, and was set aside.
#[derive(Clone, Debug)]
pub struct Expired {
    /// Where its receipt is now.
    pub place: PathBuf,
    /// How many chunks it was for.
    pub chunks: usize,
    /// How many of them were stored in time.
    pub stored: usize,
    /// What was paid, if the chain has said so.
    pub paid: Option<Amount>,
    /// The file whose chunks they are.
    pub source: Option<Source>,
}

impl Expired {
    /// Sets one aside; none if it turns out to be done with.
    pub(crate) fn set_aside(receipt: Receipt) -> Result<Option<Self>, Error> {
        if receipt.is_done() {
            return receipt.forget().map(|()| None);
        }
        Ok(Some(Self {
            chunks: receipt.bill.addresses().len(),
            stored: receipt.stored.len(),
            paid: receipt.paid.as_ref().map(|paid| paid.amount),
            source: receipt.signed.source.clone(),
            place: receipt.set_aside()?,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{batch::tests::sample, bill::tests::quoted};

    #[tokio::test]
    async fn what_storers_no_longer_take_is_named_and_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let receipts = Receipts::open(folder.path()).unwrap();
        let source = Source {
            file: "/home/me/photo.jpg".into(),
            public: false,
            content: None,
        };
        let signed = |source: Option<&Source>| SignedReceipt {
            payment: serde_json::from_str(r#"{"raw":[1]}"#).unwrap(),
            wallet: "0xabc".to_owned(),
            source: source.cloned(),
        };
        let mut first = receipts
            .begin(sample(2).into(), signed(Some(&source)))
            .unwrap();
        first.note_stored(first.bill.addresses()[0]).unwrap();
        // A single chunk's quotes have no time at which all storers refuse them.
        let old = quoted(now().unwrap() - 30 * 24 * 60 * 60);
        receipts.begin(old.into(), signed(None)).unwrap();
        let hash = "11".repeat(32);
        let paid = format!(
            r#"{{"transaction_hash":"0x{hash}","amount":"0x5","winner_pool":null,"gas_cost_wei":7}}"#
        );
        let mut done = receipts.begin(sample(3).into(), signed(None)).unwrap();
        done.settled(serde_json::from_str(&paid).unwrap()).unwrap();
        for address in done.bill.addresses().to_vec() {
            done.note_stored(address).unwrap();
        }
        let nobody = "0x0000000000000000000000000000000000000000";
        let chain = Network::new_custom("http://127.0.0.1:1", nobody, nobody);
        let key = Wallet::random_private_key();
        let payer = Payer::new(chain, &key, receipts, Duration::ZERO).unwrap();

        let set_aside = async || {
            let mut expired = Vec::new();
            let told = |one| expired.push(one);
            let live = payer.live_receipts(told).await.unwrap();
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
        assert_eq!(payer.receipts().unwrap().len(), 1);
        assert!(set_aside().await.is_empty());
        let late = timely(&sample(2).into(), false).unwrap_err().to_string();
        assert!(late.contains("prepare it anew"), "{late}");
    }
}
