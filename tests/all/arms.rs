//! What `ant measure` and `ant simulate` compare.

use serde_json::Value;

use crate::{
    command::{ant, ends_with, json, text},
    inputs::refused,
    network::{run, turn},
};

#[test]
fn the_published_client_and_losing_nodes_are_arms() {
    run(async {
        let _turn = turn().await;
        let arms = "upstream,default,default~50%";
        let words = ["measure", "--arms", arms, "--blocks", "1", "--leaves", "16"];
        let document = json(ant(&words).args(["--nodes", "24", "--json"]));
        let [published, own, losing] = [0, 1, 2].map(|at| &document["arms"][at]);
        let run = |arm: &Value| arm["runs"][0].clone();
        assert_eq!(published["arm"], "upstream");
        assert_eq!(run(published)["pools_full"], 4);
        // Its answers are counted, though it keeps what it saw to itself.
        assert!(run(published)["answers_sent"].as_u64().unwrap() >= 64);
        assert!(run(published)["lost"].is_u64());
        assert!(run(published)["late"].is_null());

        assert_eq!(run(own)["pools_full"], 4);
        assert_eq!(run(own)["closest_share"], 1.0);
        assert_eq!(run(own)["pools_other"], 0);

        assert_eq!(losing["arm"], "default~50%");
        let lost = run(losing)["lost"].as_u64().unwrap();
        assert!(lost > 8, "{lost} of half of all answers");
        assert!(run(losing)["reasks"].as_u64().unwrap() > 0);
    });
}

#[test]
fn a_measurement_pays_if_it_is_told_to() {
    run(async {
        let _turn = turn().await;
        let words = [
            "measure", "--pay", "--arms", "default", "--blocks", "1", "--leaves", "257",
        ];
        let document = json(ant(&words).args(["--nodes", "24", "--json"]));
        let run = &document["arms"][0]["runs"][0];
        assert!(run["pay_s"].as_f64().unwrap() > 0.0);
        assert!(run["paid_atto"].as_str().unwrap().parse::<u128>().unwrap() > 0);
        // Two trees, of 255 and 2.
        assert_eq!((&run["pools"], &run["proofs"]), (&18.into(), &257.into()));
        assert_eq!(run["accepted_share"], 1.0);
        assert!(run["error"].is_null());
    });
}

#[test]
fn bad_arms_are_refused_before_anything_starts() {
    for (words, part) in [
        (&["measure", "--arms", "default~0%"][..], "from 1% to 50%"),
        (
            &["measure", "--arms", "upstraem"],
            "`upstream` the published client",
        ),
        (
            &["measure", "--arms", "aimd-9-8-7"],
            "its numbers must rise",
        ),
        (
            &["measure", "--profile", "mainnet", "--arms", "default~5%"],
            "needs a testnet of our own",
        ),
        (
            &["measure", "--pay", "--arms", "upstream"],
            "leave it or --pay out",
        ),
        (
            &["measure", "--pay", "--profile", "mainnet"],
            "--i-will-spend",
        ),
        (&["simulate", "mainet"], "did you mean `mainnet`?"),
        (&["simulate", "./none.toml"], "./none.toml"),
        (&["simulate", "--arms", "hodl-16"], "write `hold-16`"),
        (&["simulate", "--ab", "hold-16,hold-32"], "several arms"),
        (&["simulate", "--check", "--trees", "3"], "--check"),
    ] {
        let message = refused(&[], words);
        assert!(message.contains(part), "{words:?}: {message}");
    }
}

#[test]
fn simulating_twice_gives_the_same_document() {
    let words = [
        "simulate", "shared", "--trees", "3", "--seed", "7", "--json",
    ];
    let [first, second] = [0, 1].map(|_| json(&mut ant(&words)));
    assert_eq!(first, second);
    let names: Vec<_> = first["arms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|arm| arm["arm"].clone())
        .collect();
    assert_eq!(
        names,
        ["uncapped", "hold-16", "release-2s-16", "hold-32", "default"]
    );
    // What the scenario expects holds, and one that expects otherwise fails.
    let checked = ends_with(&mut ant(&["simulate", "loopback", "--check"]), 0);
    assert_eq!(text(&checked.stdout), "every expectation holds\n");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.toml");
    let loopback = include_str!("../../ant-core/sim/scenarios/loopback.toml");
    std::fs::write(
        &file,
        loopback.replace("contention = 0.02", "contention = 0.03"),
    )
    .unwrap();
    let missed = ends_with(
        &mut ant(&["simulate", file.to_str().unwrap(), "--check"]),
        1,
    );
    assert!(text(&missed.stderr).contains("uncapped, seed 0: "));
}
