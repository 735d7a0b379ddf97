//! Bad input to the command: a clear error, exit code 2, nothing started.

use std::{fs, net::UdpSocket};

use crate::command::{ant, ends_with, text};

/// Runs `ant` with these variables and words, and expects it to refuse.
pub(crate) fn refused(variables: &[(&str, &str)], words: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut command = ant(words);
    command
        .envs(variables.iter().copied())
        .current_dir(folder.path());
    let output = ends_with(&mut command, 2);
    assert_eq!(text(&output.stdout), "", "nothing is printed as a result");
    let message = text(&output.stderr);
    assert!(!message.contains("starting"), "{message}");
    assert!(!message.contains("panicked"), "{message}");
    message
}

#[test]
fn bad_caps_and_strategies_name_the_nearest_valid_spelling() {
    for (value, advice) in [
        ("0", "write `uncapped`"),
        ("-1", "write `1`, or `uncapped` for no cap"),
        ("hold16", "write `hold-16`"),
        ("release-2x-16", "write `release-2s-16`"),
        ("99999999999999999999", "write `uncapped`"),
    ] {
        let message = refused(&[("ANT_MERKLE_CAP", value)], &["quote"]);
        assert!(message.contains("ANT_MERKLE_CAP"), "{message}");
        assert!(message.contains(advice), "{value}: {message}");
        let message = refused(&[], &["quote", "--cap", value]);
        assert!(
            message.contains("--cap") && message.contains(advice),
            "{message}"
        );
    }
    let message = refused(&[("ANT_MERKLE_STRATEGY", "Hold-16")], &["quote"]);
    assert!(message.contains("write `hold-16`"), "{message}");
    let message = refused(&[], &["measure", "--arms", "hold-16,hodl-32"]);
    assert!(message.contains("write `hold-32`"), "{message}");
}

#[test]
fn unknown_names_are_named_with_the_nearest() {
    let message = refused(&[("ANT_MERKLE_CAPP", "3")], &["quote"]);
    assert!(
        message.contains("did you mean `ANT_MERKLE_CAP`?"),
        "{message}"
    );
    let message = refused(&[("ANT_MERKLE_PROFILE", "mainet")], &["quote"]);
    assert!(message.contains("did you mean `mainnet`?"), "{message}");
    let message = refused(&[], &["strategy", "explain", "uncaped"]);
    assert!(message.contains("write `uncapped`"), "{message}");
    let message = refused(&[("RUST_LOG", "debgu")], &["strategy", "list"]);
    assert!(message.contains("did you mean `debug`?"), "{message}");
    refused(&[], &["quote", "--stratgy", "hold-16"]);
}

#[test]
fn bad_networks_are_refused_before_anything_starts() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("m.json");
    fs::write(&manifest, "not json").unwrap();
    let manifest = manifest.to_str().unwrap();
    for (words, part) in [
        (
            &["quote", "--manifest", manifest][..],
            "not a devnet manifest",
        ),
        (&["quote", "--manifest", "missing.json"], "missing.json"),
        (
            &["quote", "--bootstrap", "localhost"],
            "`localhost` is not an address",
        ),
        (&["quote", "--profile", "testnet"], "names no network"),
        (
            &["quote", "--profile", "mainnet", "--nodes", "35"],
            "--nodes",
        ),
        (&["quote", "--nodes", "15"], "15 nodes make no testnet"),
        (&["testnet", "--nodes", "20", "--silent", "18"], "too many"),
        (&["quote", "--leaves", "1"], "--leaves"),
        (&["quote", "--leaves", "257"], "--leaves"),
        (&["measure", "--blocks", "0"], "--blocks"),
    ] {
        let message = refused(&[], words);
        assert!(message.contains(part), "{words:?}: {message}");
    }
}

#[test]
fn an_address_list_of_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("one.txt");
    fs::write(&file, "11".repeat(32)).unwrap();
    let message = refused(&[], &["quote", "--addresses", file.to_str().unwrap()]);
    assert!(
        message.contains("2 to 256 addresses, and 1 are given"),
        "{message}"
    );
    assert!(message.contains("one.txt"), "{message}");
}

#[test]
fn a_taken_port_is_named() {
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let message = refused(&[], &["testnet", "--nodes", "16", "--port", &port]);
    assert!(message.contains(&format!("port {port}")), "{message}");
}

#[test]
fn a_file_in_the_way_of_the_manifest_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    fs::write(&file, "mine").unwrap();
    let words = [
        "testnet",
        "--nodes",
        "16",
        "--manifest",
        file.to_str().unwrap(),
    ];
    let message = refused(&[], &words);
    assert!(message.contains("not a devnet manifest"), "{message}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn strategies_are_listed_and_explained() {
    let list = text(&ends_with(&mut ant(&["strategy", "list"]), 0).stdout);
    for entry in ant_pacing::catalogue::all() {
        assert!(list.contains(entry.grammar), "{list}");
        for name in [entry.name, entry.examples[0]] {
            let output = ends_with(&mut ant(&["strategy", "explain", name]), 0);
            let text = text(&output.stdout);
            assert!(text.starts_with(entry.grammar), "{text}");
        }
    }
}
