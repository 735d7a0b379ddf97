//! `ant config` and `ant profile`, as people run them.

use std::{fs, path::Path};

use crate::{
    command::{ant, ends_with, text},
    inputs::refused,
};

#[test]
fn the_settings_say_where_they_came_from() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("profiles")).unwrap();
    fs::write(
        folder.path().join("profiles/mine.toml"),
        "[plan]\nask = 20\n",
    )
    .unwrap();
    let show = |words: &[&str]| {
        let mut command = ant(&[&["config", "show", "--profile", "mine"], words].concat());
        command
            .env("ANT_MERKLE_CAP", "24")
            .current_dir(folder.path());
        text(&ends_with(&mut command, 0).stdout)
    };
    let listing = show(&[]);
    for part in [
        "hold-24",
        "ANT_MERKLE_CAP, over hold-16 (default)",
        "mine.toml:2, over 32",
    ] {
        assert!(listing.contains(part), "{part:?} not in {listing}");
    }
    let document: serde_json::Value = serde_json::from_str(&show(&["--json"])).unwrap();
    let pacing = document
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["key"] == "pacing")
        .unwrap();
    assert_eq!(pacing["value"], "hold-24");
    assert_eq!(pacing["origin"], "ANT_MERKLE_CAP");

    let mut list = ant(&["profile", "list"]);
    let list = text(&ends_with(list.current_dir(folder.path()), 0).stdout);
    for name in ["local", "mainnet", "mine", "testnet"] {
        assert!(list.contains(name), "{list}");
    }
    let shown = text(&ends_with(&mut ant(&["profile", "show", "mainnet"]), 0).stdout);
    assert!(shown.contains("strategy = \"shard-24\""), "{shown}");
    let message = refused(&[], &["profile", "show", "mainet"]);
    assert!(message.contains("did you mean `mainnet`?"), "{message}");
}

#[test]
fn every_fault_is_found_in_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("one.toml", "[plan]\nask = 15\nlookup = 3\n");
    write(
        "two.toml",
        "extends = \"three\"\n[pacing]\nstrategy = \"release-2x-16\"\n",
    );
    write("good.toml", "[pacing]\nstrategy = \"hold-600\"\n");
    let check = |words: &[&str], code: i32| {
        let words = [&["config", "check"], words].concat();
        let output = ends_with(ant(&words).current_dir(folder.path()), code);
        (text(&output.stdout), text(&output.stderr))
    };
    let (good, faults) = check(&["one.toml", "two.toml", "good.toml"], 2);
    assert_eq!(good, "good.toml: good\n");
    for part in [
        "./one.toml:2:7: `plan.ask`: `15` is not",
        " 2 | ask = 15\n   |       ^^",
        "./one.toml:3:1: there is no key `plan.lookup`; did you mean `lookups`?",
        "./two.toml:1:11: there is no profile `three`",
        " 3 | strategy = \"release-2x-16\"\n   |                     ^^",
        "write `release-2s-16`",
        "note: good.toml: the cap of `hold-600` never binds",
    ] {
        assert!(faults.contains(part), "{part:?} not in {faults}");
    }
    assert_eq!(faults.matches("error: ").count(), 4, "{faults}");
    assert_eq!(check(&[], 0).0, "the settings in force: good\n");
    assert!(
        check(&["none.toml"], 2)
            .1
            .contains("there is no file ./none.toml")
    );
    let message = refused(
        &[("ANT_MERKLE_ASK", "15"), ("ANT_MERKLE_CAP", "0")],
        &["config", "check"],
    );
    assert_eq!(message.matches("error: ").count(), 2, "{message}");
}

#[test]
fn a_new_profile_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let new = |code: i32| {
        let words = ["profile", "new", "mine", "--extends", "testnet"];
        ends_with(ant(&words).current_dir(folder.path()), code)
    };
    assert!(text(&new(0).stdout).contains("profiles/mine.toml"));
    assert!(text(&new(2).stderr).contains("there is such a profile already"));
    let show = ["config", "show", "--profile", "mine"];
    let shown = text(&ends_with(ant(&show).current_dir(folder.path()), 0).stdout);
    assert!(shown.contains("the shipped profile `testnet`"), "{shown}");
    let message = refused(&[], &["profile", "new", "Mine"]);
    assert!(message.contains("lower case"), "{message}");
}

#[test]
fn the_schema_is_the_one_beside_the_profiles() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../profiles/profile.schema.json");
    let printed = text(&ends_with(&mut ant(&["config", "schema"]), 0).stdout);
    assert_eq!(printed, fs::read_to_string(kept).unwrap());
}

#[test]
fn a_private_key_in_a_profile_is_never_printed() {
    let folder = tempfile::tempdir().unwrap();
    let key = "5e".repeat(32);
    fs::create_dir(folder.path().join("profiles")).unwrap();
    let file = folder.path().join("profiles/mine.toml");
    for text_of in [
        format!("wallet_key = \"{key}\"\n"),
        format!("[payment]\nrecord = \"0x{key}\"\n"),
    ] {
        fs::write(&file, text_of).unwrap();
        for words in [
            &["config", "show", "--profile", "mine"][..],
            &["config", "show", "--profile", "mine", "--json"],
            &["config", "check", "profiles/mine.toml"],
            &["profile", "show", "mine"],
        ] {
            let output = ant(words).current_dir(folder.path()).output().unwrap();
            let printed = text(&output.stdout) + &text(&output.stderr);
            assert!(!printed.contains(&key), "{printed}");
        }
    }
}

#[test]
fn what_is_not_ours_never_stops_the_start() {
    let mut command = ant(&["config", "show"]);
    command.envs([
        ("ANT_PEERS", "x"),
        ("ANT_MERKLE_CAP", " "),
        ("ANT_MERKLE_SERVICE_HOST", "10.0.0.1"),
        ("ANT_MERKLE_SERVICE_PORT_HTTP", "80"),
        ("ANT_MERKLE_PORT", "tcp://10.0.0.1:80"),
        ("ANT_MERKLE_PORT_80_TCP_ADDR", "10.0.0.1"),
    ]);
    ends_with(&mut command, 0);
}

#[test]
fn networks_half_on_this_host_start_nothing() {
    for (variables, words, part) in [
        (
            &[
                ("ANT_MERKLE_PROFILE", "mainnet"),
                ("ANT_MERKLE_LOCAL", "true"),
            ][..],
            &["quote"][..],
            "ANT_MERKLE_LOCAL: `true`",
        ),
        (
            &[("ANT_MERKLE_BOOTSTRAP", "207.148.94.42:10000")],
            &["measure"],
            "ANT_MERKLE_BOOTSTRAP: it names",
        ),
        (
            &[],
            &["soak", "--profile", "mainnet", "--network", "embedded"],
            "network.kind is `embedded`",
        ),
        (
            &[],
            &["quote", "--bootstrap", "127.0.0.1:9", "--local", "false"],
            "is on this host",
        ),
        (
            &[],
            &["soak", "--record", "/nowhere/at/all"],
            "payment.record",
        ),
        (&[], &["report", "none.jsonl"], "none.jsonl"),
    ] {
        let message = refused(variables, words);
        assert!(message.contains(part), "{message}");
    }
}
