//! Paying for a prepared batch: signed first, written down, then sent, and
//! watched until the chain has said what became of it.

use std::time::{Duration, Instant};

use ant_protocol::evm::{
    Amount, Network, Wallet,
    journal::{PaymentReceipt, PaymentRequest, PaymentStatus},
};

use crate::{
    Client, Error, MerkleBatch,
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

    /// The published client's own wallet, for what it pays itself.
    pub(crate) fn wallet(&self) -> Wallet {
        self.wallet.clone()
    }

    /// Payments that are not done with.
    ///
    /// # Errors
    ///
    /// When a receipt cannot be read.
    pub fn receipts(&self) -> Result<Vec<Receipt>, Error> {
        self.receipts.all()
    }

    /// What a batch costs at most, in the token's smallest unit: the contract
    /// draws the pool that is paid, and takes its upper median price for each
    /// leaf, padding included.
    ///
    /// # Errors
    ///
    /// When a price overflows.
    pub fn at_most(&self, batch: &MerkleBatch) -> Result<Amount, Error> {
        let chain = self.wallet.network();
        Ok(chain.estimate_merkle_payment_cost(batch.depth(), &batch.commitments()?))
    }

    /// Pays a batch and waits until that has settled. From before it is sent its
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
        batch: MerkleBatch,
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
        let _alone = self.wallet.lock().await;
        // A first payment for the same may still settle, and must not be followed
        // by a second one.
        if let Some(mut earlier) = self.receipts.find(&batch.addresses)? {
            self.settle(&mut earlier).await?;
            return Ok(earlier);
        }
        let request = request(&batch)?;
        let payment = self.wallet.prepare_payment(&request).await;
        let payment = payment.map_err(|error| self.cannot(&error))?;
        let signed = SignedReceipt {
            payment,
            wallet: self.address(),
            source,
        };
        // Signing took a moment, in which a second peer may have refused.
        refused()?;
        let mut receipt = self.receipts.begin(batch, signed)?;
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
        if receipt.signed.wallet != self.address() {
            return Err(Error::Wallet(format!(
                "an unfinished payment was signed by the wallet {}, and this one is {}; resume it \
                 with that wallet's key",
                receipt.signed.wallet,
                self.address()
            )));
        }
        let request = request(&receipt.batch)?;
        let payment = receipt.signed.payment.clone();
        let started = Instant::now();
        let mut sent = false;
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
                PaymentStatus::Pending if !sent => {
                    let to_chain = self.wallet.broadcast_payment(&payment, &request).await;
                    to_chain.map_err(|error| self.cannot(&error))?;
                    sent = true;
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

fn request(batch: &MerkleBatch) -> Result<PaymentRequest, Error> {
    Ok(PaymentRequest::Merkle {
        depth: batch.depth(),
        pools: batch.commitments()?,
        timestamp: batch.timestamp,
    })
}
