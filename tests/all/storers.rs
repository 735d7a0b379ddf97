//! What real storers refuse, and payments that peers, or the chain, hold up.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
};

use ant_core::{Client, Error, MerkleBatch, Payer, Plan, Storage};
use ant_protocol::{compute_address, evm::Network as Chain};
use ant_testnet::{ManifestFile, TestnetConfig};

use crate::{
    command::{ends_with, text},
    network::run,
    paying::{balance, payer, paying_network, random_file, with},
};

/// Chunks that no test has used before.
fn chunks(count: usize) -> Vec<Vec<u8>> {
    (0..count)
        .map(|_| (0..2048).map(|_| rand::random()).collect())
        .collect()
}

async fn paid(client: &Client, payer: &Payer, chunks: &[Vec<u8>]) -> (MerkleBatch, [u8; 32]) {
    let addresses: Vec<_> = chunks.iter().map(|chunk| compute_address(chunk)).collect();
    let prepared = client.prepare(&addresses, 2048).await.unwrap().remove(0);
    let receipt = payer.pay(client, prepared.batch, None).await.unwrap();
    let winner = receipt.paid.unwrap().winner_pool.unwrap();
    (receipt.batch, winner)
}

#[test]
fn storers_take_the_proofs_of_a_paid_batch_and_no_others() {
    run(async {
        let network = paying_network(TestnetConfig::default()).await;
        let folder = tempfile::tempdir().unwrap();
        let payer = payer(&network, folder.path());
        let client = network.client("hold-16", Plan::default()).await;
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
        network.stop().await;
    });
}

#[test]
fn peers_that_refuse_stop_a_payment_before_it_is_sent_and_one_does_not() {
    // Of ten, two are among those asked.
    for (refusing, code) in [(1, 0), (10, 3)] {
        run(async {
            let network = paying_network(TestnetConfig {
                refusing,
                ..TestnetConfig::default()
            })
            .await;
            let folder = tempfile::tempdir().unwrap();
            let place = folder.path();
            let manifest = place.join("m.json");
            let _file = ManifestFile::write(&manifest, &network.testnet.manifest()).unwrap();
            let chain = network.testnet.chain().unwrap();
            random_file(&place.join("f.bin"), 5 << 20);
            let before = balance(chain.network(), chain.key()).await;
            ends_with(&mut with(&manifest, place, &["upload", "f.bin"]), code);
            let after = balance(chain.network(), chain.key()).await;
            assert_eq!(after == before, code != 0);
            network.stop().await;
        });
    }
}

/// Asks the chain for something, by hand: one request, one answer.
fn ask(chain: &Chain, method: &str, parameters: &str) {
    let url = chain.rpc_url();
    let port = url.port().unwrap();
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{parameters}}}"#);
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let length = body.len();
    write!(
        stream,
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("\"result\""), "{answer}");
}

#[test]
fn a_payment_that_does_not_settle_is_kept_and_resumed() {
    run(async {
        let network = paying_network(TestnetConfig::default()).await;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let manifest = place.join("m.json");
        let _file = ManifestFile::write(&manifest, &network.testnet.manifest()).unwrap();
        let chain = network.testnet.chain().unwrap();
        // The allowance is there already, so that the payment is all that waits.
        random_file(&place.join("first.bin"), 5 << 20);
        ends_with(&mut with(&manifest, place, &["upload", "first.bin"]), 0);

        let content = random_file(&place.join("f.bin"), 5 << 20);
        let before = balance(chain.network(), chain.key()).await;
        ask(chain.network(), "evm_setAutomine", "[false]");
        let words = ["upload", "f.bin", "--settle-within", "3s"];
        for _ in 0..2 {
            // A second try waits for the first payment, and makes no other.
            let stuck = ends_with(&mut with(&manifest, place, &words), 4);
            assert!(text(&stuck.stderr).contains("has not settled after 3 s"));
        }
        ask(chain.network(), "evm_setAutomine", "[true]");
        ask(chain.network(), "evm_mine", "[]");
        ends_with(&mut with(&manifest, place, &["resume"]), 0);
        let after = balance(chain.network(), chain.key()).await;
        assert!(after < before);
        ends_with(&mut with(&manifest, place, &words), 0);
        assert_eq!(balance(chain.network(), chain.key()).await, after);
        ends_with(
            &mut with(&manifest, place, &["download", "f.bin.datamap", "back"]),
            0,
        );
        assert!(fs::read(place.join("back")).unwrap() == content);
        network.stop().await;
    });
}

/// The field's flaky test: 65 and then 257 addresses, again and again, with no
/// pool short. Minutes long, so it is run by hand:
/// `cargo test --release -p ant-tests -- --ignored twenty`.
#[test]
#[ignore = "takes minutes"]
fn twenty_payments_in_a_row_of_either_size_have_no_short_pool() {
    run(async {
        let network = paying_network(TestnetConfig::default()).await;
        let folder = tempfile::tempdir().unwrap();
        let payer = payer(&network, folder.path());
        let own = Plan {
            first: Some(16),
            finish: ant_core::Finish::Decided,
            reasks: 64,
            lookup: ant_core::Lookup::Witnessed(4),
            queue_lookups: Some(4),
            hedges: 16,
            dials: 16,
            ..Plan::default()
        };
        for (pacing, plan) in [("hold-16", Plan::default()), ("shard-24", own)] {
            let client = network.client(pacing, plan).await;
            for round in 0..20 {
                for count in [65, 257] {
                    let addresses = crate::network::addresses(count);
                    let started = std::time::Instant::now();
                    let prepared = client.prepare(&addresses, 4096).await.unwrap();
                    let took = started.elapsed();
                    let mut proofs = 0;
                    for prepared in prepared {
                        let receipt = payer.pay(&client, prepared.batch, None).await.unwrap();
                        let winner = receipt.paid.as_ref().unwrap().winner_pool.unwrap();
                        proofs += receipt.batch.proofs(winner).unwrap().len();
                        receipt.forget().unwrap();
                    }
                    assert_eq!(proofs, count);
                    eprintln!("{pacing}, round {round}: {count} paid, prepared in {took:.1?}");
                }
            }
            client.close().await;
        }
        network.stop().await;
    });
}
