//! Laws over random networks: every answer is accounted for, and the same seed
//! gives the same trees.

#![expect(clippy::unwrap_used, reason = "tests")]

use ant_sim::{Scenario, simulate};
use proptest::prelude::*;

fn any_scenario() -> impl Strategy<Value = Scenario> {
    let network = (
        16usize..60,
        1usize..16,
        0.0..0.3f64,
        0.0..0.2f64,
        0.0..0.1f64,
    );
    let faulty = (0usize..6, 0usize..5, 0usize..5);
    let host = (prop::bool::ANY, 2usize..40, 2usize..257, 1usize..3);
    (network, faulty, host).prop_map(|(network, (silent, slow, legacy), host)| {
        let (nodes, addresses, answers_lost, loss, contention) = network;
        let (shared, depth, leaves, a_client) = host;
        let cores = if shared { "shared_cores = 2" } else { "" };
        let text = format!(
            r#"
            description = ""
            nodes = {nodes}
            addresses = {addresses}
            silent = {silent}
            slow = {slow}
            legacy = {legacy}
            answers_lost = {answers_lost}
            leaves = {leaves}
            trees_a_client = {a_client}
            round_trip = {{ percentiles = [[10, "5ms"], [90, "300ms"]], jitter = "3ms", loss = {loss} }}
            client = {{ depth = {depth}, service = "1ms", contention = {contention}, check = "1ms" }}
            lookup = {{ rounds = 9, witnessed_rounds = 3, service = "1ms", stalls = "5s" }}
            [node]
            service = "4ms"
            {cores}
            [arms.own]
            strategy = "shard-8"
            plan = {{ first = 17, finish = "decided", reasks = 64, witnesses = 4, hedges = 8 }}
            "#
        );
        Scenario::read("this one", &text).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_answer_is_accounted_for_and_the_seed_decides(
        scenario in any_scenario(),
        arm in prop::sample::select(vec![
            "uncapped", "hold-3", "hold-32", "release-1s-8", "shard-4", "aimd-2-4-8", "own",
        ]),
        seed in any::<u64>(),
    ) {
        let arm = scenario.arm(arm).unwrap();
        let run = || simulate(&scenario, &arm, seed, 2).collect::<Vec<_>>();
        let trees = run();
        for tree in &trees {
            let report = &tree.report;
            let came = report.answered + report.late + tree.after_end;
            prop_assert_eq!(tree.sent, came + tree.lost);
            prop_assert!(tree.sent <= report.requests);
            prop_assert_eq!(tree.full, report.pools == report.pools_full);
            if let Some(slots) = arm.name.strip_prefix("hold-") {
                prop_assert!(report.peak_in_flight <= slots.parse().unwrap());
            }
        }
        prop_assert_eq!(run(), trees);
    }
}

#[test]
fn bad_scenarios_say_what_is_wrong() {
    let good = include_str!("../../../tests/scenarios/loopback.toml");
    for (from, to, advice) in [
        ("nodes = 35", "nodes = 0", "nodes = 0 is not from 1 to"),
        ("nodes = 35", "nods = 35", "unknown field `nods`"),
        (
            "addresses = 1",
            "addresses = 36",
            "addresses = 36 is not from 1 to 35",
        ),
        (
            "addresses = 1",
            "silent = 36",
            "silent, slow and legacy together",
        ),
        (
            "addresses = 1",
            "answers_lost = 1.5",
            "answers_lost = 1.5 is not from 0 to 1",
        ),
        ("[[50, ", "[[150, ", "round_trip.percentiles do not rise"),
        (
            "contention = 0.02",
            "contention = -1.0",
            "client.contention = -1",
        ),
        ("\"5ms\"", "\"5\"", "`5` is not a duration"),
        ("[expect.hold-16]", "[expect.hold16]", "write `hold-16`"),
    ] {
        assert!(good.contains(from), "{from}");
        let text = good.replacen(from, to, 1);
        let error = Scenario::read("it", &text).unwrap_err().to_string();
        assert!(
            error.starts_with("it: ") && error.contains(advice),
            "{to}: {error}"
        );
    }
    let error = Scenario::find("loopbak").unwrap_err().to_string();
    assert!(error.contains("did you mean `loopback`?"), "{error}");
    assert!(
        Scenario::find("./none.toml")
            .unwrap_err()
            .to_string()
            .starts_with("./none.toml: ")
    );
}
