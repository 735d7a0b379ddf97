//! Payments to their end: a real chain, real storers, files and back.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use ant_core::{Payer, Plan, Receipts, read_batch, read_manifest};
use ant_protocol::evm::{Amount, Network as Chain, Wallet};
use ant_testnet::{ManifestFile, TestnetConfig};
use nix::sys::signal::Signal;

use crate::{
    command::{Running, ant, ends_with, text},
    network::{Network, addresses, run},
};

/// A testnet, 35 nodes if nothing else is said, with a chain.
pub(crate) async fn paying_network(config: TestnetConfig) -> Network {
    Network::start(TestnetConfig {
        chain: true,
        ..config
    })
    .await
}

pub(crate) fn payer(network: &Network, folder: &Path) -> Payer {
    let chain = network.testnet.chain().unwrap();
    let receipts = Receipts::open(folder).unwrap();
    let within = Duration::from_mins(1);
    Payer::new(chain.network().clone(), chain.key(), receipts, within).unwrap()
}

pub(crate) async fn balance(chain: &Chain, key: &str) -> Amount {
    let wallet = Wallet::new_from_private_key(chain.clone(), key).unwrap();
    wallet.balance_of_tokens().await.unwrap()
}

#[test]
fn small_and_large_payments_settle_in_the_ratio_of_their_leaves() {
    run(async {
        let network = paying_network(TestnetConfig::default()).await;
        let folder = tempfile::tempdir().unwrap();
        let payer = payer(&network, folder.path());
        let default = Plan {
            first: Some(16),
            ..Plan::default()
        };
        let client = network.client("shard-24", default).await;
        let mut settled = Vec::new();
        for (count, trees) in [(65, 1), (257, 2)] {
            let prepared = client.prepare(&addresses(count), 4096).await.unwrap();
            assert_eq!(prepared.len(), trees);
            let mut amount = Amount::ZERO;
            let mut proofs = 0;
            for prepared in prepared {
                let at_most = payer.at_most(&prepared.batch).unwrap();
                let receipt = payer.pay(&client, prepared.batch, None).await.unwrap();
                let paid = receipt.paid.clone().unwrap();
                assert!(paid.amount <= at_most && paid.gas_cost_wei > 0);
                amount += paid.amount;
                let winner = paid.winner_pool.unwrap();
                proofs += receipt.batch.proofs(winner).unwrap().len();
                // It is kept until its chunks are stored.
                assert!(!receipt.is_done());
            }
            assert_eq!(proofs, count);
            settled.push(amount);
        }
        // 65 are padded to 128, 255 to 256, and 2 stay 2.
        assert_eq!(
            settled[0] * Amount::from(258),
            settled[1] * Amount::from(128)
        );
        assert_eq!(payer.receipts().unwrap().len(), 3);
        client.close().await;
        network.stop().await;
    });
}

/// `ant` with the wallet and network of this testnet.
pub(crate) fn with(manifest: &Path, folder: &Path, words: &[&str]) -> Command {
    let mut command = ant(words);
    command.current_dir(folder).env("TMPDIR", folder);
    command.args(["--manifest", manifest.to_str().unwrap()]);
    if words[0] != "download" {
        command.args(["--receipts", folder.join("receipts").to_str().unwrap()]);
    }
    command
}

/// A file of this many random bytes.
pub(crate) fn random_file(path: &Path, bytes: usize) -> Vec<u8> {
    let content: Vec<u8> = (0..bytes).map(|_| rand::random()).collect();
    fs::write(path, &content).unwrap();
    content
}

#[test]
fn files_go_up_and_come_back_and_are_paid_once() {
    run(async {
        let network = paying_network(TestnetConfig::default()).await;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let manifest = place.join("m.json");
        let _manifest = ManifestFile::write(&manifest, &network.testnet.manifest()).unwrap();
        let chain = network.testnet.chain().unwrap();
        let content = random_file(&place.join("f.bin"), 9 << 20);
        let before = balance(chain.network(), chain.key()).await;

        let uploaded = ends_with(&mut with(&manifest, place, &["upload", "f.bin"]), 0);
        let said = text(&uploaded.stdout);
        assert!(
            said.contains("in 1 trees") && said.contains("storing"),
            "{said}"
        );
        let after = balance(chain.network(), chain.key()).await;
        assert!(after < before);
        let download = ["download", "f.bin.datamap", "back.bin"];
        ends_with(&mut with(&manifest, place, &download), 0);
        assert!(fs::read(place.join("back.bin")).unwrap() == content);

        // The same again costs nothing, and finds its data map in the way.
        let refused = ends_with(&mut with(&manifest, place, &["upload", "f.bin"]), 2);
        assert!(text(&refused.stderr).contains("--data-map"));
        let again = ["upload", "f.bin", "--data-map", "again.datamap"];
        let again = ends_with(&mut with(&manifest, place, &again), 0);
        assert!(text(&again.stdout).contains("paid        0 atto in 0 trees"));
        assert_eq!(balance(chain.network(), chain.key()).await, after);
        let nothing = ends_with(&mut with(&manifest, place, &["resume"]), 0);
        assert_eq!(text(&nothing.stdout), "nothing is left to resume\n");

        // For everybody: by an address alone. Only the data map is new, and is paid
        // as a single chunk.
        let public = ["upload", "f.bin", "--public", "--data-map", "p.datamap"];
        let public = ends_with(&mut with(&manifest, place, &public), 0);
        let said = text(&public.stdout);
        let address = said.lines().find_map(|line| line.strip_prefix("address"));
        let download = ["download", address.unwrap().trim(), "public.bin"];
        ends_with(&mut with(&manifest, place, &download), 0);
        assert!(fs::read(place.join("public.bin")).unwrap() == content);

        // The key is nowhere.
        let key = chain.key().trim_start_matches("0x").to_owned();
        for output in [&uploaded, &again, &public] {
            let said = text(&output.stdout) + &text(&output.stderr);
            assert!(!said.contains(&key));
        }
        network.stop().await;
    });
}

#[test]
fn whenever_an_upload_is_killed_its_payment_is_resumed_and_made_once() {
    run(async {
        let network = paying_network(TestnetConfig::default()).await;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let manifest = place.join("m.json");
        let _manifest = ManifestFile::write(&manifest, &network.testnet.manifest()).unwrap();
        let chain = network.testnet.chain().unwrap();
        // The receipt's file that shows how far it has come, and how many lines
        // it must have.
        for (step, lines) in [
            ("signed.json", 0),
            ("paid.json", 0),
            ("stored", 1),
            ("stored", 3),
        ] {
            let name = format!("{step}-{lines}.bin");
            let content = random_file(&place.join(&name), 13 << 20);
            let before = balance(chain.network(), chain.key()).await;
            let upload = Running::start(&mut with(&manifest, place, &["upload", &name]));
            let receipt = wait_for(place, step, lines);
            upload.signal(Signal::SIGKILL);
            assert_eq!(upload.end().0, None, "killed");
            let batch = read_batch(&receipt.join("batch.json"), now()).unwrap();

            let resumed = ends_with(&mut with(&manifest, place, &["resume"]), 0);
            let said = text(&resumed.stdout);
            assert!(said.contains("chunks"), "{said}");
            let after = balance(chain.network(), chain.key()).await;
            let once = single_payment(chain.network(), &batch, before - after);
            assert!(once, "paid {} in all for {step}", before - after);
            // Everything paid for is there: a second upload pays nothing and
            // makes the data map that the first one did not come to.
            ends_with(&mut with(&manifest, place, &["upload", &name]), 0);
            assert_eq!(balance(chain.network(), chain.key()).await, after);
            let (map, back) = (format!("{name}.datamap"), format!("{name}.back"));
            ends_with(&mut with(&manifest, place, &["download", &map, &back]), 0);
            assert!(fs::read(place.join(&back)).unwrap() == content);
        }
        network.stop().await;
    });
}

/// Whether this is what one of the batch's pools costs.
fn single_payment(chain: &Chain, batch: &ant_core::MerkleBatch, paid: Amount) -> bool {
    let commitments = batch.commitments().unwrap();
    let costs: BTreeSet<_> = commitments
        .into_iter()
        .map(|pool| chain.estimate_merkle_payment_cost(batch.depth(), &[pool]))
        .collect();
    costs.contains(&paid)
}

/// Waits until an upload's receipt has this file with so many lines; the receipt.
fn wait_for(place: &Path, file: &str, lines: usize) -> std::path::PathBuf {
    let started = Instant::now();
    loop {
        assert!(started.elapsed() < Duration::from_mins(3), "no {file}");
        let chains = fs::read_dir(place.join("receipts"));
        let receipts = chains.into_iter().flatten().flatten();
        let receipts = receipts.filter_map(|chain| fs::read_dir(chain.path()).ok());
        for receipt in receipts.flatten().flatten() {
            let path = receipt.path().join(file);
            if let Ok(content) = fs::read_to_string(&path)
                && content.lines().count() >= lines
            {
                return receipt.path();
            }
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap().as_secs()
}

#[test]
fn a_batch_is_signed_elsewhere_and_a_tampered_one_is_refused() {
    run(async {
        let network = paying_network(TestnetConfig::default()).await;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let manifest = place.join("m.json");
        let _manifest = ManifestFile::write(&manifest, &network.testnet.manifest()).unwrap();
        let path = manifest.to_str().unwrap();
        let words = [
            "quote",
            "--leaves",
            "3",
            "--out",
            "b.json",
            "--manifest",
            path,
        ];
        ends_with(ant(&words).current_dir(place), 0);
        let file = place.join("b.json");
        let batch = read_batch(&file, now()).unwrap();
        assert_eq!(batch.addresses.len(), 3);
        let written = fs::read_to_string(&file).unwrap();
        let document: serde_json::Value = serde_json::from_str(&written).unwrap();
        let vault = read_manifest(&manifest)
            .unwrap()
            .evm
            .unwrap()
            .payment_vault_address;
        assert_eq!(document["transaction"]["to"], vault.as_str());

        // Who signs elsewhere tells the winner; the proofs are those that the
        // library makes.
        let payer = payer(&network, &place.join("own"));
        let client = network.client("hold-16", Plan::default()).await;
        let receipt = payer.pay(&client, batch.clone(), None).await.unwrap();
        let winner = receipt.paid.unwrap().winner_pool.unwrap();
        let winner_text = hex::encode(winner);
        let words = ["finalize", "b.json", "--winner", &winner_text];
        let finalized = ends_with(ant(&words).current_dir(place), 0);
        let proofs: serde_json::Value = serde_json::from_slice(&finalized.stdout).unwrap();
        for (address, proof) in batch.proofs(winner).unwrap() {
            assert_eq!(proofs["proofs"][hex::encode(address)], hex::encode(proof));
        }

        let first = hex::encode(batch.addresses[0]);
        let pool = document["pools"][0].as_str().unwrap();
        let data = document["transaction"]["data"].as_str().unwrap();
        let swap = |from: &str, to: &str| written.replacen(from, to, 1);
        let timestamp = batch.timestamp.to_string();
        let old = (batch.timestamp - 1).to_string();
        for (text, part) in [
            (swap("merkle-batch", "other-batch"), "its format is"),
            (
                swap("\"version\": 1", "\"version\": 9"),
                "it is of version 9",
            ),
            (swap(&first, &"ab".repeat(32)), "is not in its tree"),
            (swap(&first, "zz"), "is no address"),
            (swap(&timestamp, &old), "not those of its tree's midpoints"),
            (swap(&pool[2000..2040], &"00".repeat(20)), "pool 1"),
            (
                swap(&data[100..140], &"11".repeat(20)),
                "does not pay its pools",
            ),
            (
                swap("\"at_most\": \"", "\"at_most\": \"9"),
                "are paid at most",
            ),
            (written[..written.len() / 2].to_owned(), "no batch's file"),
        ] {
            let other = place.join("tampered.json");
            fs::write(&other, &text).unwrap();
            let words = ["finalize", "tampered.json", "--winner", &winner_text];
            let refused = ends_with(ant(&words).current_dir(place), 2);
            let said = self::text(&refused.stderr);
            assert!(
                said.contains(part) && said.contains("tampered.json"),
                "{part}: {said}"
            );
        }
        let expired = read_batch(&file, batch.timestamp + ant_core::EXPIRES_AFTER + 1);
        assert!(
            expired
                .unwrap_err()
                .to_string()
                .contains("no payment after 7")
        );
        let words = ["finalize", "b.json", "--winner", &"00".repeat(32)];
        let refused = ends_with(ant(&words).current_dir(place), 2);
        assert!(text(&refused.stderr).contains("no pool of this batch"));
        client.close().await;
        network.stop().await;
    });
}

#[test]
fn a_wallet_that_cannot_pay_says_why_and_nothing_is_lost() {
    run(async {
        let network = paying_network(TestnetConfig::default()).await;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let manifest = place.join("m.json");
        let _manifest = ManifestFile::write(&manifest, &network.testnet.manifest()).unwrap();
        random_file(&place.join("f.bin"), 1 << 20);
        let empty = Wallet::random_private_key();
        for (key, code, part) in [
            (empty.as_str(), 4, "Insufficient tokens"),
            ("not a key", 2, "no private key"),
        ] {
            let mut command = with(&manifest, place, &["upload", "f.bin"]);
            let refused = ends_with(command.env("SECRET_KEY", key), code);
            let said = text(&refused.stderr);
            assert!(said.contains(part), "{said}");
            assert!(!said.contains(key.trim_start_matches("0x")), "{said}");
        }
        // No chain where it should be, and one without the contracts.
        let mut elsewhere = network.testnet.manifest();
        let evm = elsewhere.evm.as_mut().unwrap();
        evm.rpc_url = "http://127.0.0.1:1".to_owned();
        fs::write(&manifest, serde_json::to_vec(&elsewhere).unwrap()).unwrap();
        let refused = ends_with(&mut with(&manifest, place, &["upload", "f.bin"]), 4);
        assert!(text(&refused.stderr).contains("127.0.0.1:1"));
        let mut other = network.testnet.manifest();
        let evm = other.evm.as_mut().unwrap();
        evm.payment_token_address = format!("0x{}", "12".repeat(20));
        fs::write(&manifest, serde_json::to_vec(&other).unwrap()).unwrap();
        let refused = ends_with(&mut with(&manifest, place, &["upload", "f.bin"]), 4);
        assert!(text(&refused.stderr).contains("no such contracts"));
        // Nothing was signed, so nothing is left to resume.
        let left = fs::read_dir(place.join("receipts")).unwrap();
        for chain in left.flatten() {
            for entry in fs::read_dir(chain.path()).unwrap().flatten() {
                assert_eq!(entry.file_name(), "lock");
            }
        }
        network.stop().await;
    });
}
