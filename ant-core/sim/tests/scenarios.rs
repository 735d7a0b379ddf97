//! What the shipped scenarios expect holds: one test each.

#![expect(clippy::unwrap_used, reason = "tests")]

use ant_sim::{SHIPPED, Scenario, Summary, simulate};

fn holds(name: &str) {
    let scenario = Scenario::find(name).unwrap();
    assert!(!scenario.expect.is_empty(), "{name} expects nothing");
    let missed: Vec<_> = scenario
        .check()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(missed.is_empty(), "{name}:\n{}", missed.join("\n"));
}

/// The median tree of an arm, over a few seeds.
fn median_s(scenario: &Scenario, arm: &str) -> f64 {
    let arm = scenario.arm(arm).unwrap();
    let first = scenario.population.seed;
    let seeds = first..first + 3;
    let trees: Vec<_> = seeds
        .flat_map(|seed| simulate(scenario, &arm, seed, scenario.trees).collect::<Vec<_>>())
        .collect();
    Summary::of(&trees).tree.as_secs_f64()
}

#[test]
fn aimd_is_nowhere_more_than_a_tenth_behind_the_best_fixed_cap() {
    let fixed = [
        "uncapped", "hold-16", "hold-32", "hold-64", "shard-16", "shard-24", "shard-32",
    ];
    for (name, _) in SHIPPED {
        let scenario = Scenario::find(name).unwrap();
        let learns = median_s(&scenario, "aimd-8-16-32");
        for cap in fixed {
            let holds = median_s(&scenario, cap);
            assert!(
                learns <= holds * 1.1,
                "{name}: {learns:.3} s, {cap} {holds:.3} s"
            );
        }
    }
}

macro_rules! scenarios {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                holds(stringify!($name));
            }
        )*

        #[test]
        fn every_shipped_scenario_has_a_test() {
            let mut shipped: Vec<_> = SHIPPED.iter().map(|(name, _)| *name).collect();
            let mut tested = vec![$(stringify!($name)),*];
            shipped.sort_unstable();
            tested.sort_unstable();
            assert_eq!(shipped, tested);
        }
    };
}

scenarios! { loopback losing mainnet old residential shared silent }
