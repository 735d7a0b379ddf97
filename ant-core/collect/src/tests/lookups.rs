//! Lookups that hang, and how many run at once.

use ant_pacing::Peer;

use super::network::{Network, ms, peer, secs, target};
use crate::{Plan, Verdict};

/// Sixteen pools, whose lookups take 50 ms each but for one that hangs.
fn hanging(hedges: u32) -> Network {
    let mut network = Network::new("hold-32", 40);
    network.plan.hedges = hedges;
    network.lookup_times.insert(5, secs(25));
    network
}

fn targets() -> Vec<[u8; 32]> {
    (0..16).map(|n| target(n * 15)).collect()
}

fn full(verdict: &Verdict<Peer>) -> bool {
    matches!(verdict, Verdict::Full(pools) if pools.len() == 16)
}

#[test]
fn a_lookup_that_hangs_is_started_again() {
    let (verdict, report, _) = hanging(16).run(&targets());
    assert!(full(&verdict));
    assert_eq!(report.hedges, 1);
    // Half a second after it started the second one did.
    assert!(report.took < secs(2), "{:?}", report.took);
    assert_eq!(report.slowest_lookup(), ms(550));
    assert_eq!(report.lookups.len(), 16);
    let (verdict, report, _) = hanging(0).run(&targets());
    assert!(full(&verdict));
    assert_eq!(report.hedges, 0);
    assert!(report.took > secs(25));
}

#[test]
fn one_that_merely_takes_long_is_not() {
    let mut network = hanging(16);
    network.lookup_times.clear();
    network.lookup_time = secs(3);
    network.lookup_times.insert(5, secs(5));
    let (_, report, _) = network.run(&targets());
    assert_eq!(report.hedges, 0);
}

#[test]
fn the_budget_bounds_what_is_started_again() {
    let mut network = hanging(2);
    network.lookup_times.extend((3..8).map(|n| (n, secs(25))));
    let (verdict, report, _) = network.run(&targets());
    assert!(full(&verdict));
    assert_eq!(report.hedges, 2);
}

#[test]
fn before_half_have_ended_nothing_is_known_to_hang() {
    let mut network = hanging(16);
    network.lookup_times.extend((0..9).map(|n| (n, secs(25))));
    let (_, report, _) = network.run(&targets());
    assert_eq!(report.hedges, 0);
}

#[test]
fn the_first_that_finds_enough_wins_and_the_other_changes_nothing() {
    // The second one finds too few: the first one is waited for.
    let mut network = hanging(16);
    network.lookup_times.insert(5, secs(2));
    network.lookup_finds.insert(16, (0..9).map(peer).collect());
    let (verdict, report, _) = network.run(&targets());
    assert!(full(&verdict));
    assert_eq!((report.hedges, report.slowest_lookup()), (1, secs(2)));
    // Both find too few: what the better one found is asked, and those connected.
    let mut network = hanging(16);
    network.lookup_times.insert(5, secs(2));
    network.lookup_finds.insert(5, (0..3).map(peer).collect());
    network.lookup_finds.insert(16, (0..9).map(peer).collect());
    network.connected = (20..30).map(peer).collect();
    let (verdict, report, _) = network.run(&targets());
    assert!(full(&verdict));
    assert_eq!(report.requests, 15 * 32 + 19);
    // The first one returns while its pool is being asked: nobody new is.
    let mut network = hanging(16);
    network.lookup_times.insert(5, ms(600));
    network.lookup_finds.insert(5, (20..40).map(peer).collect());
    let (_, report, stats) = network.run(&targets());
    assert_eq!(report.requests, 16 * 32);
    assert_eq!((stats.occupied, stats.waiting), (0, 0));
}

#[test]
fn a_hanging_lookup_keeps_no_place_once_its_pool_has_found_whom_to_ask() {
    let mut network = hanging(16);
    network.plan.lookups = 1;
    network.lookup_times.clear();
    network.lookup_times.insert(10, secs(25));
    let (verdict, report, _) = network.run(&targets());
    assert!(full(&verdict));
    assert!(report.took < secs(3), "{:?}", report.took);
}

#[test]
fn queues_bound_the_lookups() {
    let plan = |lookups, queue_lookups| Plan {
        lookups,
        queue_lookups,
        ..Plan::default()
    };
    for (lookups, each, queues, expected) in [
        (16, None, 1, 16),
        (16, Some(4), 0, 4),
        (16, Some(4), 1, 4),
        (16, Some(4), 2, 8),
        (16, Some(4), 8, 16),
        (2, Some(4), 8, 2),
    ] {
        assert_eq!(plan(lookups, each).on_queues(queues).lookups, expected);
    }
}
