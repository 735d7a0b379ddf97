//! `ant finalize`: the proofs of a batch that was paid elsewhere.

use std::collections::BTreeMap;

use ant_core::now;
use ant_payments::{read_batch, write_whole};
use serde_json::json;

use crate::{args::FinalizeArgs, exit::Failure, output::print_json};

pub(crate) fn run(args: &FinalizeArgs) -> Result<(), Failure> {
    let text = args.winner.trim().trim_start_matches("0x");
    let mut winner = [0; 32];
    hex::decode_to_slice(text, &mut winner).map_err(|_| {
        Failure::BadInput(
            "--winner: the hash of a pool is 64 hexadecimal digits: winnerPoolHash of the \
             contract's event"
                .to_owned(),
        )
    })?;
    let batch = read_batch(&args.batch, now()?)?;
    let proofs = batch.proofs(winner).map_err(Failure::bad_input)?;
    let proofs: BTreeMap<_, _> = proofs
        .into_iter()
        .map(|(address, proof)| (hex::encode(address), hex::encode(proof)))
        .collect();
    let document = json!({
        "format": "merkle-proofs",
        "version": 1,
        "winner": text,
        "proofs": proofs,
    });
    match &args.out {
        None => print_json(&document),
        Some(path) => {
            let text = serde_json::to_vec_pretty(&document).map_err(Failure::failed)?;
            Ok(write_whole(path, &text)?)
        }
    }
}
