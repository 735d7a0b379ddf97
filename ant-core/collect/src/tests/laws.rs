//! Laws over random networks: a collection always ends, gives back what it
//! took, keeps to the cap, and does the same thing twice.

use proptest::prelude::*;

use super::network::{Agenda, Manner, Network, ms, secs, target};
use crate::Verdict;

fn any_manner() -> impl Strategy<Value = Manner> {
    prop_oneof![
        8 => (1u64..3000).prop_map(|t| Manner::Answers(ms(t))),
        1 => (9u64..25).prop_map(|t| Manner::Answers(secs(t))),
        1 => Just(Manner::Silent),
        1 => (1u64..500).prop_map(|t| Manner::Old(ms(t))),
        1 => (1u32..4, 1u64..500).prop_map(|(n, t)| Manner::Loses(n, ms(t))),
        1 => (1u64..25_000).prop_map(|t| Manner::Refuses(ms(t))),
        1 => Just(Manner::Declines),
        1 => Just(Manner::Forges),
        1 => Just(Manner::Unreachable),
        1 => Just(Manner::Stuck),
        1 => (1u64..500).prop_map(|t| Manner::Breaks(ms(t))),
    ]
}

fn any_spec() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("uncapped".to_owned()),
        (1u32..40).prop_map(|n| format!("hold-{n}")),
        (1u64..5000, 1u32..40).prop_map(|(t, n)| format!("release-{t}ms-{n}")),
    ]
}

fn network(spec: &str, manners: &[Manner], lookups: usize) -> Network {
    let peers = u8::try_from(manners.len()).unwrap();
    let mut network = Network::new(spec, peers);
    for (n, manner) in (0..).zip(manners) {
        network = network.with([n], *manner);
    }
    network.plan.lookups = lookups;
    network
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_tree_ends_and_nothing_is_left(
        spec in any_spec(),
        manners in prop::collection::vec(any_manner(), 0..45),
        lookups in 1usize..20,
        pools in 1u8..5,
        dials in 0usize..6,
        hedges in 0u32..3,
        lookup_times in prop::collection::btree_map(0u64..8, (1u64..30_000).prop_map(ms), 0..4),
    ) {
        let mut network = network(&spec, &manners, lookups);
        network.plan.dials = dials;
        network.dial_time = ms(300);
        network.plan.hedges = hedges;
        network.lookup_times = lookup_times;
        let targets: Vec<_> = (0..pools).map(|n| target(n * 50)).collect();
        let (verdict, report, stats) = network.run(&targets);
        prop_assert_eq!((stats.occupied, stats.waiting), (0, 0));
        let sent = network.sent.len() as u64;
        prop_assert_eq!(report.requests, sent);
        prop_assert!(report.hedges <= u64::from(hedges));
        prop_assert!(dials == 0 || network.peak_dials <= dials);
        if let Some(slots) = spec.strip_prefix("hold-") {
            prop_assert!(report.peak_in_flight <= slots.parse().unwrap());
        }
        if let Verdict::Full(pools) = verdict {
            prop_assert_eq!(pools.len(), targets.len());
            for (pool, target) in pools.iter().zip(&targets) {
                let distances: Vec<_> =
                    pool.candidates.iter().map(|(peer, _)| peer.distance(target)).collect();
                prop_assert_eq!(distances.len(), 16);
                prop_assert!(distances.is_sorted());
            }
        }
    }

    #[test]
    fn the_same_script_gives_the_same_tree(
        spec in any_spec(),
        manners in prop::collection::vec(any_manner(), 16..45),
    ) {
        let run = || {
            let mut network = network(&spec, &manners, 16);
            let (verdict, report, stats) = network.run(&[target(0), target(100)]);
            (format!("{verdict:?}"), report, stats)
        };
        prop_assert_eq!(run(), run());
    }

    #[test]
    fn dropped_anywhere_it_frees_every_slot(
        spec in any_spec(),
        manners in prop::collection::vec(any_manner(), 16..45),
        steps in 0usize..200,
    ) {
        let mut network = network(&spec, &manners, 16);
        let mut collection = network.collection(&[target(0), target(100)]);
        let mut agenda = Agenda::default();
        for _ in 0..steps {
            if !network.step(&mut collection, &mut agenda) {
                break;
            }
        }
        drop(collection);
        let stats = network.gate.stats();
        prop_assert_eq!((stats.occupied, stats.waiting), (0, 0));
    }
}
