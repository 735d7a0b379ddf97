//! What becomes of a prepared payment: paid on the chain, and some of its chunks
//! sent to the nodes that must store them. So an arm is judged by its pools too,
//! and not only by how fast they were full.

use std::time::Instant;

use ant_core::{Client, Error, Payer, PreparedMerkleBatch, Storage};
use ant_protocol::{compute_address, evm::Amount};
use bytes::Bytes;

use crate::Run;

/// How many chunks of each tree are stored. One drawn pool pays for all of a tree's
/// chunks, so that more would say the same again.
const STORED: usize = 16;

/// Pays what was prepared, waits until that has settled, and stores some of it. The
/// rest is not stored, so the receipts are for nothing.
pub(crate) async fn pay(
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
        let of_tree = chunks
            .iter()
            .filter_map(|chunk| Some((chunk, proofs.get(&compute_address(chunk))?)));
        for (chunk, proof) in of_tree.take(STORED) {
            of += Storage::ASKED;
            took += match storage.put(chunk.clone(), proof.clone()).await {
                Ok(stored) => stored,
                Err(Error::NotStored {
                    stored, reasons, ..
                }) => {
                    // A result, and no failure: what `accepted_share` is for.
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

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of nodes are far below 2^52"
)]
fn share(part: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}
