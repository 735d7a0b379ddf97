//! Whom a pool asks, when it asks others, and when it needs nobody any more.

use std::collections::BTreeSet;

use ant_pacing::Peer;
use proptest::prelude::*;

use super::network::{Manner, Network, ms, peer, secs, target};
use crate::{Dialect, Finish, POOL_SIZE, Verdict};

fn chosen(verdict: &Verdict<Peer>) -> Vec<BTreeSet<Peer>> {
    let Verdict::Full(pools) = verdict else {
        panic!("{verdict:?}");
    };
    let peers = pools
        .iter()
        .map(|pool| pool.candidates.iter().map(|(peer, _)| *peer));
    peers.map(Iterator::collect).collect()
}

fn targets() -> Vec<[u8; 32]> {
    (0..4).map(|n| target(n * 60)).collect()
}

/// A network of 40 that asks the closest 16 first.
fn sparing(first: usize) -> Network {
    let mut network = Network::new("hold-32", 40);
    network.plan.first = Some(first);
    network.plan.finish = Finish::Decided;
    network
}

#[test]
fn with_nothing_failing_the_closest_16_are_asked_and_chosen() {
    let (reference, ..) = Network::new("hold-32", 40).run(&targets());
    let mut network = sparing(16);
    let (verdict, report, stats) = network.run(&targets());
    assert_eq!(chosen(&verdict), chosen(&reference));
    assert_eq!((report.requests, report.spares), (4 * 16, 0));
    assert_eq!((stats.occupied, stats.waiting), (0, 0));
}

#[test]
fn a_peer_that_fails_is_replaced_by_the_next_closest() {
    for manner in [Manner::Declines, Manner::Forges, Manner::Unreachable] {
        let (reference, ..) = Network::new("hold-32", 40)
            .with([0, 3], manner)
            .run(&targets());
        let (verdict, report, _) = sparing(16).with([0, 3], manner).run(&targets());
        assert_eq!(chosen(&verdict), chosen(&reference), "{manner:?}");
        assert!(report.spares > 0, "{manner:?}");
        assert!(report.requests < 4 * 32, "{manner:?}");
    }
}

#[test]
fn a_slow_peer_holds_nobody_up_who_may_be_substituted() {
    let manner = Manner::Answers(secs(8));
    let took = |substitutes| {
        let mut network = sparing(16).with([0, 3], manner);
        network.plan.substitutes = substitutes;
        let (verdict, report, stats) = network.run(&targets());
        assert_eq!((stats.occupied, stats.waiting), (0, 0));
        (chosen(&verdict), report)
    };
    let (reference, ..) = Network::new("hold-32", 40)
        .with([0, 3], manner)
        .run(&targets());
    let reference = chosen(&reference);
    let (exact, report) = took(0);
    assert_eq!(exact, reference);
    assert!(report.took > secs(8));
    let (near, report) = took(2);
    assert!(report.took < secs(2), "{:?}", report.took);
    assert!(report.spares > 0);
    for (near, exact) in near.iter().zip(&reference) {
        assert!(near.difference(exact).count() <= 2);
    }
}

#[test]
fn nobody_waits_for_a_peer_too_far_to_matter() {
    // The farthest of those asked are silent: the closest 16 decide.
    let mut network = sparing(24);
    let far: Vec<u8> = (16..24).collect();
    network = network.with(far, Manner::Silent);
    let (verdict, report, stats) = network.run(&[target(0)]);
    assert_eq!(chosen(&verdict)[0], (0..16).map(peer).collect());
    assert!(report.took < secs(1), "{:?}", report.took);
    assert_eq!((stats.occupied, stats.waiting), (0, 0));
    network.plan.finish = Finish::All;
    let (_, report, _) = network.run(&[target(0)]);
    assert!(report.took > secs(10));
}

#[test]
fn what_was_not_asked_yet_is_not_asked_for_a_decided_pool() {
    let mut network = Network::new("hold-1", 40);
    network.plan.finish = Finish::Decided;
    let (_, report, stats) = network.run(&[target(0)]);
    // One at a time, the closest first: the other 16 of the 32 wait in vain.
    assert_eq!(report.requests, 16);
    assert_eq!((stats.occupied, stats.waiting), (0, 0));
}

#[test]
fn a_lost_answer_costs_a_round_trip_if_the_peer_is_known_to_be_able() {
    let lost = Manner::Loses(1, ms(100));
    let run = |known: bool, reasks| {
        let mut network = sparing(16).with([2], lost);
        network.plan.reasks = reasks;
        if known {
            (0..40).for_each(|n| network.memory.answered_versioned(peer(n)));
        }
        let (verdict, report, stats) = network.run(&[target(0)]);
        assert_eq!(chosen(&verdict)[0], (0..16).map(peer).collect());
        assert_eq!((stats.occupied, stats.waiting), (0, 0));
        let to_it: Vec<_> = network.sent.iter().filter(|(p, _)| *p == peer(2)).collect();
        let versioned = to_it
            .iter()
            .filter(|(_, d)| *d == Dialect::Versioned)
            .count();
        (report, versioned)
    };
    let (report, versioned) = run(true, 8);
    assert_eq!((report.reasks, report.legacy_retries, versioned), (1, 0, 2));
    assert!(report.took < secs(2), "{:?}", report.took);
    // Of a stranger silence may mean that it is old; without a budget nobody is
    // asked again.
    for (known, reasks) in [(false, 8), (true, 0)] {
        let (report, versioned) = run(known, reasks);
        assert_eq!((report.reasks, versioned), (0, 1));
        assert!(report.took > secs(9), "{:?}", report.took);
    }
}

#[test]
fn the_first_answer_wins_and_the_other_is_late() {
    // Slower than the limit, so it is asked again, and answers both.
    let mut network = sparing(16).with([2], Manner::Answers(ms(900)));
    // Another keeps the tree open until the second answer has come.
    network = network.with([5], Manner::Answers(ms(2000)));
    network.plan.reasks = 1;
    (0..40).for_each(|n| network.memory.answered_versioned(peer(n)));
    let (verdict, report, stats) = network.run(&[target(0)]);
    assert_eq!(chosen(&verdict)[0], (0..16).map(peer).collect());
    assert_eq!(
        (report.reasks, report.late, report.legacy_retries),
        (1, 1, 0)
    );
    // A spare was asked in the other's place, the budget being spent.
    assert_eq!((report.answered, report.spares), (18, 2));
    assert_eq!((stats.occupied, stats.waiting), (0, 0));
}

#[test]
fn a_pool_short_of_witnessed_peers_is_looked_up_again() {
    // At first too few are found; then those that are found do not answer.
    for (found, silent) in [(10, 0..0), (20, 0..9)] {
        let mut network = sparing(16).with(silent, Manner::Declines);
        network.plan.witnesses = 4;
        network.witnessed = Some((0..found).map(peer).collect());
        let (verdict, report, stats) = network.run(&targets());
        chosen(&verdict);
        assert_eq!(report.lookups.len(), 8, "each pool was looked up twice");
        assert_eq!((stats.occupied, stats.waiting), (0, 0));
    }
    for (in_doubt, lookups) in [(false, 4), (true, 8)] {
        let mut network = sparing(16);
        network.plan.witnesses = 4;
        network.in_doubt = in_doubt;
        let (verdict, report, _) = network.run(&targets());
        chosen(&verdict);
        assert_eq!(report.lookups.len(), lookups);
    }
}

fn any_answer() -> impl Strategy<Value = Manner> {
    prop_oneof![
        6 => (1u64..400).prop_map(|t| Manner::Answers(ms(t))),
        1 => (400u64..9000).prop_map(|t| Manner::Answers(ms(t))),
        1 => Just(Manner::Declines),
        1 => Just(Manner::Forges),
        1 => Just(Manner::Unreachable),
        1 => Just(Manner::Silent),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_choice_is_the_references_but_for_the_substitutes(
        manners in prop::collection::vec(any_answer(), 40),
        first in 16usize..33,
        substitutes in 0usize..4,
        reasks in 0u32..20,
        spec in prop_oneof![Just("uncapped"), Just("hold-3"), Just("hold-32")],
    ) {
        let network = |sparing: bool| {
            let mut network = Network::new(spec, 40);
            if sparing {
                network.plan.first = Some(first);
                network.plan.finish = Finish::Decided;
                network.plan.substitutes = substitutes;
                network.plan.reasks = reasks;
            }
            for (n, manner) in (0..).zip(&manners) {
                network = network.with([n], *manner);
            }
            network
        };
        let (reference, ..) = network(false).run(&targets());
        let (verdict, report, stats) = network(true).run(&targets());
        prop_assert_eq!((stats.occupied, stats.waiting), (0, 0));
        prop_assert!(report.reasks <= u64::from(reasks));
        if let (Verdict::Full(_), Verdict::Full(_)) = (&reference, &verdict) {
            for (near, exact) in chosen(&verdict).iter().zip(chosen(&reference)) {
                prop_assert_eq!(near.len(), POOL_SIZE);
                prop_assert!(near.difference(&exact).count() <= substitutes);
            }
        }
        // What asking all can fill, asking some can.
        prop_assert!(matches!(verdict, Verdict::Full(_)) || !matches!(reference, Verdict::Full(_)));
    }
}
