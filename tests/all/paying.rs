//! Payments to their end: a real chain, real storers, files and back.

use std::fs;

use ant_core::{EXPIRES_AFTER, Plan, now};
use ant_payments::{Payable, read_batch};
use ant_protocol::evm::{Amount, Wallet};
use ant_testnet::TestnetConfig;

use crate::{
    chain::Paying,
    command::{ant, ends_with, text},
    network::{addresses, run},
};

#[test]
fn small_and_large_payments_settle_in_the_ratio_of_their_leaves() {
    run(async {
        let paying = Paying::start(TestnetConfig::default()).await;
        let payer = paying.payer();
        let default = Plan {
            first: Some(16),
            ..Plan::default()
        };
        let client = paying.network.client("shard-24", default).await;
        let mut settled = Vec::new();
        for (count, trees) in [(65, 1), (257, 2)] {
            let prepared = client.prepare(&addresses(count), 4096).await.unwrap();
            assert_eq!(prepared.len(), trees);
            let mut amount = Amount::ZERO;
            let mut proofs = 0;
            for prepared in prepared {
                let payable = Payable::from(prepared.batch);
                let at_most = payer.at_most(&payable).unwrap();
                let receipt = payer.pay(&client, payable, None).await.unwrap();
                let paid = receipt.paid.clone().unwrap();
                assert!(paid.amount <= at_most && paid.gas_cost_wei > 0);
                amount += paid.amount;
                proofs += receipt.proofs().unwrap().len();
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
        assert_eq!(payer.entries().unwrap().len(), 3);
        client.close().await;
        paying.stop().await;
    });
}

#[test]
fn files_go_up_and_come_back_and_are_paid_once() {
    run(async {
        let paying = Paying::start(TestnetConfig::default()).await;
        let content = paying.random_file("f.bin", 9 << 20);
        let before = paying.balance().await;

        let uploaded = paying.ends(&["upload", "f.bin"], 0);
        let said = text(&uploaded.stdout);
        assert!(
            said.contains("in 1 payments") && said.contains("storing"),
            "{said}"
        );
        let after = paying.balance().await;
        assert!(after < before);
        paying.reads("f.bin.datamap", &content);

        // The same again costs nothing, and finds its data map in the way.
        let refused = paying.ends(&["upload", "f.bin"], 2);
        assert!(text(&refused.stderr).contains("--data-map"));
        let again = ["upload", "f.bin", "--data-map", "again.datamap"];
        let again = paying.ends(&again, 0);
        assert!(text(&again.stdout).contains("paid        0 atto in 0 payments"));
        assert_eq!(paying.balance().await, after);
        let nothing = paying.ends(&["resume"], 0);
        assert_eq!(text(&nothing.stdout), "nothing is left to resume\n");

        // For everybody: by an address alone. Only the data map is new, and is paid
        // as a single chunk.
        let public = ["upload", "f.bin", "--public", "--data-map", "p.datamap"];
        let public = paying.ends(&public, 0);
        let said = text(&public.stdout);
        let address = said.lines().find_map(|line| line.strip_prefix("address"));
        paying.reads(address.unwrap().trim(), &content);

        // The key is nowhere.
        let key = paying.chain().key().trim_start_matches("0x").to_owned();
        for output in [&uploaded, &again, &public] {
            let said = text(&output.stdout) + &text(&output.stderr);
            assert!(!said.contains(&key));
        }
        paying.stop().await;
    });
}

#[test]
fn a_batch_is_signed_elsewhere_and_a_tampered_one_is_refused() {
    run(async {
        let paying = Paying::start(TestnetConfig::default()).await;
        paying.ends(&["quote", "--leaves", "3", "--out", "b.json"], 0);
        let file = paying.path("b.json");
        let batch = read_batch(&file, now().unwrap()).unwrap();
        assert_eq!(batch.addresses.len(), 3);
        let written = fs::read_to_string(&file).unwrap();
        let document: serde_json::Value = serde_json::from_str(&written).unwrap();
        let vault = paying.evm().payment_vault_address().to_string();
        assert_eq!(document["transaction"]["to"], vault.as_str());

        // Who signs elsewhere tells the winner; the proofs are those that the
        // library makes.
        let payer = paying.payer();
        let client = paying.network.client("hold-16", Plan::default()).await;
        let receipt = payer.pay(&client, batch.clone(), None).await.unwrap();
        let winner = receipt.paid.unwrap().winner_pool.unwrap();
        let winner_text = hex::encode(winner);
        let place = paying.path("");
        let finalize = |words: &[&str], code| ends_with(ant(words).current_dir(&place), code);
        let words = ["finalize", "b.json", "--winner", &winner_text];
        let finalized = finalize(&words, 0);
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
            (swap(&first, "zz"), "is not an address"),
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
            (
                written[..written.len() / 2].to_owned(),
                "not a batch's file",
            ),
        ] {
            let other = paying.path("tampered.json");
            fs::write(&other, &text).unwrap();
            let words = ["finalize", "tampered.json", "--winner", &winner_text];
            let refused = finalize(&words, 2);
            let said = self::text(&refused.stderr);
            assert!(
                said.contains(part) && said.contains("tampered.json"),
                "{part}: {said}"
            );
        }
        let expired = read_batch(&file, batch.timestamp + EXPIRES_AFTER + 1);
        assert!(
            expired
                .unwrap_err()
                .to_string()
                .contains("no payment after 7")
        );
        let words = ["finalize", "b.json", "--winner", &"00".repeat(32)];
        let refused = finalize(&words, 2);
        assert!(text(&refused.stderr).contains("no pool of this batch"));
        client.close().await;
        paying.stop().await;
    });
}

#[test]
fn a_wallet_that_cannot_pay_says_why_and_nothing_is_lost() {
    run(async {
        let paying = Paying::start(TestnetConfig::default()).await;
        paying.random_file("f.bin", 1 << 20);
        let empty = Wallet::random_private_key();
        for (key, code, part) in [
            (empty.as_str(), 4, "Insufficient tokens"),
            ("not a key", 2, "not a private key"),
        ] {
            let mut command = paying.ant(&["upload", "f.bin"]);
            let refused = ends_with(command.env("SECRET_KEY", key), code);
            let said = text(&refused.stderr);
            assert!(said.contains(part), "{said}");
            assert!(!said.contains(key.trim_start_matches("0x")), "{said}");
        }
        // No chain where it should be, and one without the contracts.
        let mut elsewhere = paying.network.testnet.manifest();
        let evm = elsewhere.evm.as_mut().unwrap();
        evm.rpc_url = "http://127.0.0.1:1".to_owned();
        fs::write(paying.manifest(), serde_json::to_vec(&elsewhere).unwrap()).unwrap();
        let refused = paying.ends(&["upload", "f.bin"], 4);
        assert!(text(&refused.stderr).contains("127.0.0.1:1"));
        let mut other = paying.network.testnet.manifest();
        let evm = other.evm.as_mut().unwrap();
        evm.payment_token_address = format!("0x{}", "12".repeat(20));
        fs::write(paying.manifest(), serde_json::to_vec(&other).unwrap()).unwrap();
        let refused = paying.ends(&["upload", "f.bin"], 4);
        assert!(text(&refused.stderr).contains("no such contracts"));
        // Nothing was signed, so nothing is left to resume.
        assert!(paying.open_receipts().is_empty());
        paying.stop().await;
    });
}
