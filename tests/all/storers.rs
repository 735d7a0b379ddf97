//! What real storers refuse, and payments that peers refuse.

use ant_core::{Client, MerkleBatch, Plan};
use ant_payments::{Error, Payer, Storage};
use ant_protocol::compute_address;
use ant_testnet::TestnetConfig;

use crate::{chain::Paying, network::run};

/// Chunks that no test has used before.
fn chunks(count: usize) -> Vec<Vec<u8>> {
    (0..count)
        .map(|_| (0..2048).map(|_| rand::random()).collect())
        .collect()
}

async fn paid(client: &Client, payer: &Payer, chunks: &[Vec<u8>]) -> (MerkleBatch, [u8; 32]) {
    let addresses: Vec<_> = chunks.iter().map(|chunk| compute_address(chunk)).collect();
    let prepared = client.prepare(&addresses, 2048).await.unwrap().remove(0);
    let batch = prepared.batch;
    let receipt = payer.pay(client, batch.clone(), None).await.unwrap();
    let winner = receipt.paid.unwrap().winner_pool.unwrap();
    (batch, winner)
}

#[test]
fn storers_take_the_proofs_of_a_paid_batch_and_no_others() {
    run(async {
        let paying = Paying::start(TestnetConfig::default()).await;
        let payer = paying.payer();
        let client = paying.network.client("hold-16", Plan::default()).await;
        let storage = Storage::new(&client);
        let contents = chunks(4);
        let (batch, winner) = paid(&client, &payer, &contents).await;
        let proofs = batch.proofs(winner).unwrap();
        let proof = |chunk: &Vec<u8>| proofs[&compute_address(chunk)].clone();
        let put =
            async |chunk: &Vec<u8>, proof: Vec<u8>| storage.put(chunk.clone().into(), proof).await;
        let refused = |result: Result<usize, Error>, what: &str| {
            let Err(Error::NotStored {
                stored, reasons, ..
            }) = result
            else {
                panic!("{what}: {result:?}");
            };
            assert_eq!(stored, 0, "{what}");
            assert!(!reasons.is_empty(), "{what}");
        };

        // A proof for another chunk, two swapped, none, and one of a pool that the
        // contract has not drawn.
        let stranger = chunks(1).remove(0);
        refused(put(&stranger, proof(&contents[0])).await, "another chunk's");
        refused(put(&contents[0], proof(&contents[1])).await, "swapped");
        refused(put(&contents[1], proof(&contents[0])).await, "swapped");
        refused(put(&contents[0], Vec::new()).await, "none");
        let other = batch
            .pools
            .iter()
            .map(ant_protocol::evm::MerklePaymentCandidatePool::hash);
        let other = other.into_iter().find(|hash| *hash != winner).unwrap();
        let unpaid = batch.proofs(other).unwrap();
        let unpaid = unpaid[&compute_address(&contents[0])].clone();
        refused(put(&contents[0], unpaid).await, "not drawn");
        // One that was prepared and never paid.
        let fresh = chunks(2);
        let addresses: Vec<_> = fresh.iter().map(|chunk| compute_address(chunk)).collect();
        let prepared = client.prepare(&addresses, 2048).await.unwrap().remove(0);
        let hash = prepared.batch.pools[0].hash();
        let never = prepared.batch.proofs(hash).unwrap()[&addresses[0]].clone();
        refused(put(&fresh[0], never).await, "never paid");

        // Each with its own is stored.
        for chunk in &contents {
            assert!(put(chunk, proof(chunk)).await.unwrap() >= 4);
            assert!(storage.has(compute_address(chunk)).await.unwrap());
        }
        assert!(!storage.has(compute_address(&stranger)).await.unwrap());
        client.close().await;
        paying.stop().await;
    });
}

#[test]
fn peers_that_refuse_stop_a_payment_before_it_is_sent_and_one_does_not() {
    // Of ten, two are among those asked.
    for (refusing, code) in [(1, 0), (10, 3)] {
        run(async {
            let paying = Paying::start(TestnetConfig {
                refusing,
                ..TestnetConfig::default()
            })
            .await;
            paying.random_file("f.bin", 5 << 20);
            let before = paying.balance().await;
            paying.ends(&["upload", "f.bin"], code);
            assert_eq!(paying.balance().await == before, code != 0);
            paying.stop().await;
        });
    }
}
