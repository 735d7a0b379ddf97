//! What becomes of a prepared payment: paid on the chain, and some of its chunks
//! sent to the nodes that must store them. So an arm is judged by its pools too,
//! and not only by how fast they were full.

use std::{collections::BTreeMap, time::Instant};

use ant_core::{Client, PreparedMerkleBatch};
use ant_payments::{Error, Payer, Storage};
use ant_protocol::{compute_address, evm::Amount};
use bytes::Bytes;

use crate::{boxed::Boxed, run::Run};

/// How many chunks of each tree are stored. One drawn pool pays for all chunks of a
/// tree, so that storing more of them would say nothing new.
const STORED: usize = 16;

/// Pays what the arms prepare.
#[derive(Clone, Copy, Debug)]
pub struct Paying<'a> {
    payer: &'a Payer,
}

impl<'a> Paying<'a> {
    /// Pays with this payer.
    pub const fn by(payer: &'a Payer) -> Self {
        Self { payer }
    }

    /// Pays what was prepared, waits until that has settled, and stores some of it.
    /// The rest is not stored, so the journal entries are for nothing and are removed.
    pub(crate) fn pay(
        self,
        client: &'a Client,
        batches: &'a [PreparedMerkleBatch],
        chunks: &'a [Bytes],
        run: &'a mut Run,
    ) -> Boxed<'a, Result<(), Error>> {
        Box::pin(pay(self.payer, client, batches, chunks, run))
    }
}

async fn pay(
    payer: &Payer,
    client: &Client,
    batches: &[PreparedMerkleBatch],
    chunks: &[Bytes],
    run: &mut Run,
) -> Result<(), Error> {
    let storage = Storage::new(client);
    let (mut took, mut of) = (0, 0);
    let mut amount = Amount::ZERO;
    for prepared in batches {
        let started = Instant::now();
        let receipt = payer.pay(client, prepared.batch.clone(), None).await?;
        *run.pay_s.get_or_insert(0.0) += started.elapsed().as_secs_f64();
        if let Some(paid) = &receipt.paid {
            *run.gas_wei.get_or_insert(0) += u64::try_from(paid.gas_cost_wei).unwrap_or(u64::MAX);
            amount += paid.amount;
            run.paid_atto = Some(amount.to_string());
        }
        let proofs = receipt.proofs()?;
        receipt.forget()?;
        *run.proofs.get_or_insert(0) += proofs.len();
        for (chunk, proof) in to_store(chunks, &proofs) {
            of += Storage::ASKED;
            took += match storage.put(chunk.clone(), proof.clone()).await {
                Ok(stored) => stored,
                Err(Error::NotStored {
                    stored, reasons, ..
                }) => {
                    // A result and not a failure: `accepted_share` is about this.
                    tracing::warn!("a paid chunk is on {stored} nodes: {reasons}");
                    stored
                }
                Err(error) => return Err(error),
            };
        }
        run.accepted_share = share(took, of);
    }
    Ok(())
}

/// Returns the chunks to store of a tree that has these proofs by address, each with
/// its proof.
fn to_store<'a>(
    chunks: &'a [Bytes],
    proofs: &'a BTreeMap<[u8; 32], Vec<u8>>,
) -> impl Iterator<Item = (&'a Bytes, &'a Vec<u8>)> {
    let of_tree = chunks
        .iter()
        .filter_map(|chunk| Some((chunk, proofs.get(&compute_address(chunk))?)));
    of_tree.take(STORED)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of nodes are far below 2^52"
)]
fn share(part: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::chunks;

    #[test]
    fn a_share_of_nothing_is_unknown() {
        assert_eq!(share(0, 0), None);
        assert_eq!(share(0, 7), Some(0.0));
        assert_eq!(share(7, 14), Some(0.5));
        assert_eq!(share(14, 14), Some(1.0));
    }

    #[test]
    fn some_chunks_of_the_tree_are_stored_each_with_its_own_proof() {
        let chunks = chunks(1, 0, 40);
        let proof = |chunk: &Bytes| chunk[..8].to_vec();
        let proofs = |of: &[Bytes]| {
            let proofs = of
                .iter()
                .map(|chunk| (compute_address(chunk), proof(chunk)));
            proofs.collect::<BTreeMap<_, _>>()
        };
        let (first, second) = chunks.split_at(30);
        for (of_tree, stored) in [(first, STORED), (second, 10)] {
            let proofs = proofs(of_tree);
            let stores: Vec<_> = to_store(&chunks, &proofs).collect();
            assert_eq!(stores.len(), stored);
            for (at, (chunk, own)) in stores.into_iter().enumerate() {
                assert_eq!((chunk, own), (&of_tree[at], &proof(chunk)));
            }
        }
        assert_eq!(to_store(&chunks, &BTreeMap::new()).count(), 0);
    }
}
