//! The journal across crashes, expiry and a second process.

use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions},
    io::Write,
};

use ant_core::EXPIRES_AFTER;
use ant_protocol::evm::journal::PaymentReceipt;

use super::{Journal, JournalEntry, SignedPayment};
use crate::samples::sample;

fn signed() -> SignedPayment {
    SignedPayment {
        payment: serde_json::from_str(r#"{"raw":[1,2,3]}"#).unwrap(),
        wallet: "0xabc".to_owned(),
        source: None,
    }
}

fn paid() -> PaymentReceipt {
    let hash = "11".repeat(32);
    let text = format!(
        r#"{{"transaction_hash":"0x{hash}","amount":"0x5","winner_pool":null,"gas_cost_wei":7}}"#
    );
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_receipt_says_how_far_its_payment_has_come() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::open(folder.path()).unwrap();
    let batch = sample(3);
    let addresses = batch.addresses.clone();
    assert!(journal.all().unwrap().is_empty());
    journal.begin(batch.into(), signed()).unwrap();

    let mut entry = journal.find(&addresses).unwrap().unwrap();
    assert!(entry.paid.is_none() && entry.stored.is_empty() && !entry.sent);
    entry.note_sent().unwrap();
    assert!(journal.find(&addresses).unwrap().unwrap().sent);
    entry.settled(paid()).unwrap();
    for address in &addresses {
        assert!(!entry.is_done());
        entry.note_stored(*address).unwrap();
    }
    let mut turned = addresses.clone();
    turned.reverse();
    let again = journal.find(&turned).unwrap().unwrap();
    assert!(again.is_done(), "whatever their order");
    assert_eq!(again.stored, entry.stored);
    again.forget().unwrap();
    assert!(journal.find(&addresses).unwrap().is_none());
}

#[test]
fn a_crash_at_any_moment_leaves_what_was_known() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::open(folder.path()).unwrap();
    let batch = sample(2);
    let addresses = batch.addresses.clone();
    let mut entry = journal.begin(batch.into(), signed()).unwrap();
    let own = entry.folder.clone();
    entry.note_stored(addresses[0]).unwrap();
    // Half a line, and half a file beside its place.
    let mut file = OpenOptions::new()
        .append(true)
        .open(own.join("stored"))
        .unwrap();
    write!(file, "{}", &hex::encode(addresses[1])[..20]).unwrap();
    fs::write(own.join("paid.json.part"), "{").unwrap();
    let again = journal.find(&addresses).unwrap().unwrap();
    assert_eq!(again.stored, BTreeSet::from([addresses[0]]));
    assert!(again.paid.is_none());
    // Half removed and paid for anew: what the old one said is not believed.
    fs::remove_file(own.join("signed.json")).unwrap();
    fs::write(own.join("paid.json"), "of the old one").unwrap();
    journal.begin(again.payable, signed()).unwrap();
    let anew = journal.find(&addresses).unwrap().unwrap();
    assert!(anew.paid.is_none() && anew.stored.is_empty());
    // Before it was signed there was no payment; one that cannot be read is
    // not passed over.
    fs::rename(own.join("signed.json"), own.join("x")).unwrap();
    assert!(journal.all().unwrap().is_empty());
    fs::write(own.join("signed.json"), "{").unwrap();
    let error = journal.all().unwrap_err().to_string();
    assert!(error.contains("signed.json"), "{error}");
}

#[test]
fn an_expired_receipt_is_set_aside_and_no_longer_found() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::open(folder.path()).unwrap();
    let batch = sample(2);
    let (time, addresses) = (batch.timestamp, batch.addresses.clone());
    let mut entry = journal.begin(batch.into(), signed()).unwrap();
    entry.settled(paid()).unwrap();
    assert!(!entry.payable.has_expired(time + EXPIRES_AFTER));
    assert!(entry.payable.has_expired(time + EXPIRES_AFTER + 1));
    let place = journal.find(&addresses).unwrap().unwrap();
    let place = place.set_aside().unwrap();
    assert!(journal.all().unwrap().is_empty());
    assert!(journal.find(&addresses).unwrap().is_none());
    let kept = JournalEntry::read(place).unwrap();
    assert!(kept.paid.is_some() && kept.payable.addresses() == addresses);
}

#[test]
fn two_processes_do_not_share_journal() {
    let folder = tempfile::tempdir().unwrap();
    let first = Journal::open(folder.path()).unwrap();
    let error = Journal::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("another process"), "{error}");
    drop(first);
    assert!(Journal::open(folder.path()).is_ok());
}
