//! What a payment is for: a merkle batch or, where a single chunk is missing, that
//! chunk, since a tree has two leaves at least. Journal entries are of either.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use ant_protocol::evm::{
    Amount, Network,
    journal::{PaymentReceipt, PaymentRequest},
};
use upstream::data::client::batch::{ChunkPaymentPlan, paid_proof_has_expired};

use ant_core::MerkleBatch;

use crate::{
    Error,
    batch_file::{read_of_any_age, write_batch},
    whole_file::{read_json, write_json},
};

/// The file of a batch in its journal entry.
const BATCH: &str = "batch.json";

/// The file of a single chunk's quotes in its journal entry.
const CHUNK: &str = "chunk.json";

/// What a payment is for.
#[derive(Clone, Debug)]
pub enum Payable {
    /// The chunks of a tree.
    Batch(MerkleBatch),
    /// One chunk.
    Chunk(QuotedChunk),
}

/// One chunk with the quotes of the peers closest to it, gathered by the published
/// client. Nothing has been spent on it.
#[derive(Clone, Debug)]
pub struct QuotedChunk(pub(crate) Box<ChunkPaymentPlan>);

impl From<MerkleBatch> for Payable {
    fn from(batch: MerkleBatch) -> Self {
        Self::Batch(batch)
    }
}

impl From<QuotedChunk> for Payable {
    fn from(chunk: QuotedChunk) -> Self {
        Self::Chunk(chunk)
    }
}

impl Payable {
    /// The chunks that are paid for.
    pub fn addresses(&self) -> &[[u8; 32]] {
        match self {
            Self::Batch(batch) => &batch.addresses,
            Self::Chunk(chunk) => std::slice::from_ref(&chunk.0.address),
        }
    }

    /// What it costs at most on this chain, in the token's smallest unit. Of a
    /// batch, the contract draws the pool that is paid, and takes its upper median
    /// price for each leaf, padding included.
    ///
    /// # Errors
    ///
    /// When a price overflows.
    pub(crate) fn at_most(&self, chain: &Network) -> Result<Amount, Error> {
        match self {
            Self::Batch(batch) => {
                let pools = batch.commitments()?;
                Ok(chain.estimate_merkle_payment_cost(batch.depth(), &pools))
            }
            Self::Chunk(chunk) => Ok(chunk.0.payment.total_amount()),
        }
    }

    /// Whether no storer takes its payment at `now`, in seconds since 1970. Quotes of
    /// a single chunk have no such time.
    pub(crate) fn has_expired(&self, now: u64) -> bool {
        match self {
            Self::Batch(batch) => batch.has_expired(now),
            Self::Chunk(_) => false,
        }
    }

    /// Whether it is so old that storers may refuse it: their prices have moved.
    pub(crate) fn is_stale(&self, now: u64) -> bool {
        match self {
            Self::Batch(batch) => batch.has_expired(now),
            Self::Chunk(chunk) => chunk.is_stale(UNIX_EPOCH + Duration::from_secs(now)),
        }
    }

    /// When it was drawn up, in seconds since 1970.
    pub(crate) fn drawn_up(&self) -> u64 {
        match self {
            Self::Batch(batch) => batch.timestamp,
            Self::Chunk(chunk) => {
                let quotes = chunk.0.peer_quotes.iter();
                let times = quotes.filter_map(|(_, quote)| {
                    let since = quote.timestamp.duration_since(UNIX_EPOCH);
                    since.ok().map(|since| since.as_secs())
                });
                times.min().unwrap_or(0)
            }
        }
    }

    pub(crate) fn request(&self) -> Result<PaymentRequest, Error> {
        Ok(match self {
            Self::Batch(batch) => PaymentRequest::Merkle {
                depth: batch.depth(),
                pools: batch.commitments()?,
                timestamp: batch.timestamp,
            },
            Self::Chunk(chunk) => {
                let quotes = chunk.0.payment.quotes.iter();
                let quotes = quotes.map(|q| (q.quote_hash, q.rewards_address, q.amount));
                PaymentRequest::Quotes(quotes.collect())
            }
        })
    }

    /// The proof that goes with each chunk to its storers.
    pub(crate) fn proofs(
        &self,
        paid: &PaymentReceipt,
    ) -> Result<BTreeMap<[u8; 32], Vec<u8>>, Error> {
        match self {
            Self::Batch(batch) => {
                let winner = paid.winner_pool.ok_or_else(|| {
                    Error::Wallet("the chain has not said which pool it has drawn".to_owned())
                })?;
                Ok(batch.proofs(winner)?)
            }
            Self::Chunk(chunk) => {
                let proof = chunk.proof(paid.transaction_hash.0)?;
                Ok(BTreeMap::from([(chunk.0.address, proof)]))
            }
        }
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<(), Error> {
        match self {
            Self::Batch(batch) => write_batch(&folder.join(BATCH), batch, None),
            Self::Chunk(chunk) => write_json(&folder.join(CHUNK), &chunk.0),
        }
    }

    /// However old: what was paid is worth more than its expiry.
    pub(crate) fn read(folder: &Path) -> Result<Self, Error> {
        let chunk = folder.join(CHUNK);
        if chunk.exists() {
            return Ok(Self::Chunk(QuotedChunk(read_json(&chunk)?)));
        }
        Ok(Self::Batch(read_of_any_age(&folder.join(BATCH))?))
    }
}

impl QuotedChunk {
    fn proof(&self, transaction: [u8; 32]) -> Result<Vec<u8>, Error> {
        let quotes = self.0.payment.quotes.iter();
        let paid: HashMap<_, _> = quotes
            .filter(|quote| !quote.amount.is_zero())
            .map(|quote| (quote.quote_hash, transaction.into()))
            .collect();
        Ok(self.0.proof(&paid)?)
    }

    /// As the published client sees it: by the age of the oldest quote, which is
    /// the same whatever transaction pays it.
    fn is_stale(&self, now: SystemTime) -> bool {
        let proof = self.proof([0; 32]);
        proof.is_ok_and(|proof| paid_proof_has_expired(&proof, now) == Some(true))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use ant_protocol::{
        evm::{EncodedPeerId, PaymentQuote, RewardsAddress},
        transport::PeerId,
    };
    use upstream::data::client::batch::SingleNodeQuotePayment;
    use xor_name::XorName;

    use super::*;

    /// A chunk quoted at this time, in seconds since 1970.
    pub(crate) fn quoted(time: u64) -> QuotedChunk {
        let quote = |price: u64| PaymentQuote {
            content: XorName([7; 32]),
            timestamp: UNIX_EPOCH + Duration::from_secs(time),
            price: Amount::from(price),
            rewards_address: RewardsAddress::new([1; 20]),
            pub_key: vec![1],
            signature: vec![2],
            committed_key_count: 0,
            commitment_pin: None,
        };
        let quotes = vec![quote(5), quote(7), quote(9)];
        QuotedChunk(Box::new(ChunkPaymentPlan {
            address: [7; 32],
            data_size: 100,
            quoted_peers: vec![(
                PeerId::from_bytes([3; 32]),
                vec!["/ip4/127.0.0.1/udp/9/quic".parse().unwrap()],
            )],
            payment: SingleNodeQuotePayment::from_quotes(quotes.clone()).unwrap(),
            peer_quotes: quotes
                .into_iter()
                .zip(0..)
                .map(|(quote, n)| (EncodedPeerId::new([n; 32]), quote))
                .collect(),
            commitment_sidecars: vec![vec![1, 2]],
        }))
    }

    #[test]
    fn a_single_chunk_is_written_and_read_and_is_stale_after_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let payable = Payable::from(quoted(1_700_000_000));
        payable.write(folder.path()).unwrap();
        let read = Payable::read(folder.path()).unwrap();
        assert_eq!(read.addresses(), [[7; 32]]);
        assert_eq!(read.drawn_up(), 1_700_000_000);
        // The median quote is paid, three times.
        let PaymentRequest::Quotes(quotes) = read.request().unwrap() else {
            panic!("no quotes");
        };
        let amounts: Vec<_> = quotes.iter().map(|(_, _, amount)| *amount).collect();
        assert_eq!(amounts, [0, 21, 0].map(Amount::from));
        let Payable::Chunk(chunk) = &read else {
            panic!("no chunk");
        };
        assert!(!chunk.proof([9; 32]).unwrap().is_empty());
        let day = 24 * 60 * 60;
        assert!(!read.is_stale(1_700_000_000 + day));
        assert!(read.is_stale(1_700_000_000 + day + 1));
        assert!(!read.has_expired(1_700_000_000 + day + 1));
    }
}
