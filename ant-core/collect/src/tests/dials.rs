//! Peers without a connection are dialled a few at a time.

use ant_pacing::Moment;

use super::network::{Agenda, Manner, Network, ms, peer, secs, target};
use crate::{Event, Finish, Verdict};

fn targets() -> Vec<[u8; 32]> {
    (0..4).map(|n| target(n * 60)).collect()
}

fn unconnected(dials: usize) -> Network {
    let mut network = Network::new("uncapped", 40);
    network.dial_time = secs(1);
    network.plan.dials = dials;
    network
}

#[test]
fn so_many_are_dialled_at_once_and_each_once() {
    for dials in [1, 4, 16] {
        let mut network = unconnected(dials);
        let (verdict, report, stats) = network.run(&targets());
        assert!(matches!(verdict, Verdict::Full(_)));
        assert_eq!(network.peak_dials, dials);
        assert_eq!(report.requests, 4 * 32);
        assert_eq!((stats.occupied, stats.waiting), (0, 0));
        // 40 peers, so many at a time, a second each.
        let rounds = u64::try_from(40usize.div_ceil(dials)).unwrap();
        assert!(report.took >= secs(rounds), "{:?}", report.took);
        assert!(report.took < secs(rounds + 1), "{:?}", report.took);
    }
    let mut network = unconnected(0);
    network.run(&targets());
    assert_eq!(network.peak_dials, 40);
}

#[test]
fn those_connected_wait_for_nobody() {
    let mut network = unconnected(1);
    network.connected = (0..32).map(peer).collect();
    network.finds = Some((0..32).map(peer).collect());
    let (_, report, _) = network.run(&targets());
    assert!(report.took < secs(1), "{:?}", report.took);
    assert_eq!(network.peak_dials, 0);
}

#[test]
fn a_dial_that_fails_or_hangs_gives_its_turn_back() {
    for manner in [Manner::Unreachable, Manner::Stuck] {
        let mut network = unconnected(1).with([0, 1], manner);
        let (verdict, report, stats) = network.run(&targets());
        assert!(matches!(verdict, Verdict::Full(_)), "{manner:?}");
        assert!(report.pools_full == 4);
        assert_eq!((stats.occupied, stats.waiting), (0, 0));
    }
}

#[test]
fn what_waits_for_a_dial_is_not_asked_for_a_decided_pool() {
    let mut network = unconnected(1);
    network.connected = (0..16).map(peer).collect();
    network.plan.finish = Finish::Decided;
    let (_, report, stats) = network.run(&[target(0)]);
    // The first of the others was being dialled.
    assert_eq!(report.requests, 17);
    assert!(report.took < secs(1), "{:?}", report.took);
    assert_eq!((stats.occupied, stats.waiting), (0, 0));
}

#[test]
fn a_spare_is_asked_in_place_of_a_peer_that_takes_long_to_be_dialled() {
    let mut network = unconnected(8).with([3], Manner::Stuck);
    network.connected = (0..40).filter(|n| *n != 3).map(peer).collect();
    network.plan.first = Some(16);
    network.plan.finish = Finish::Decided;
    network.plan.substitutes = 1;
    network.plan.reasks = 8;
    (0..40).for_each(|n| network.memory.answered_versioned(peer(n)));
    let (verdict, report, _) = network.run(&[target(0)]);
    assert!(matches!(verdict, Verdict::Full(_)));
    assert_eq!((report.spares, report.reasks), (1, 0));
    assert!(report.took < ms(900), "{:?}", report.took);
}

/// 16 pools of 32 of 40 peers, one of which hangs when it is dialled.
fn one_hangs(dials: usize, substitutes: Option<usize>) -> std::time::Duration {
    let mut network = Network::new("hold-32", 40).with([7], Manner::Stuck);
    network.plan.dials = dials;
    network.dial_time = ms(10);
    if let Some(substitutes) = substitutes {
        network.plan.first = Some(16);
        network.plan.finish = Finish::Decided;
        network.plan.substitutes = substitutes;
    }
    let targets: Vec<_> = (0..16).map(|n| target(n * 2)).collect();
    let (verdict, report, stats) = network.run(&targets);
    assert!(matches!(verdict, Verdict::Full(_)));
    assert_eq!((stats.occupied, stats.waiting), (0, 0));
    report.took
}

#[test]
fn a_dial_that_hangs_fails_once_for_all_who_wait_for_it() {
    // The versioned request and the retry, 31 s each, as without a limit.
    for dials in [0, 2, 16] {
        let took = one_hangs(dials, None);
        assert!(took < secs(65), "{dials} dials: {took:?}");
    }
}

#[test]
fn who_waits_for_a_dial_that_hangs_is_replaced_like_who_dials() {
    for dials in [0, 2, 16] {
        let took = one_hangs(dials, Some(1));
        assert!(took < secs(2), "{dials} dials: {took:?}");
    }
}

#[test]
fn a_disconnect_makes_the_next_request_a_dial_that_the_others_wait_for() {
    let mut network = unconnected(1);
    network.connected = (0..40).map(peer).collect();
    let mut agenda = Agenda::default();
    // All four pools have asked it, and wait.
    let gone = Event::Disconnected { peer: peer(0) };
    agenda.add(Moment::ZERO + ms(100), gone);
    let (verdict, report, stats) = network.run_with(&[target(0); 4], agenda);
    assert!(matches!(verdict, Verdict::Full(_)));
    assert_eq!((report.requests, report.legacy_retries), (4 * 32 + 4, 4));
    assert_eq!((network.peak_dials, network.most_at_a_dial), (1, 1));
    assert_eq!(report.took, ms(100 + 1000 + 100), "one dial for all");
    assert_eq!((stats.occupied, stats.waiting), (0, 0));
}

#[test]
fn a_peer_that_was_found_connected_is_waited_for_no_longer() {
    let mut network = unconnected(1).with([0], Manner::Stuck);
    // The second lookup says who has been connected since.
    network.plan.lookups = 1;
    network.lookup_time = ms(100);
    let mut collection = network.collection(&targets());
    let mut agenda = Agenda::default();
    while network.sent.is_empty() {
        assert!(network.step(&mut collection, &mut agenda));
    }
    network.connected = (1..40).map(peer).collect();
    while network.step(&mut collection, &mut agenda) {}
    let (verdict, _) = collection.finish();
    assert!(matches!(verdict, Verdict::Full(_)));
    let others = network.sent.iter().zip(&network.sent_at);
    let others = others.filter(|((to, _), _)| *to != peer(0));
    let last = others.map(|(_, at)| at.since_epoch()).max();
    assert!(last < Some(secs(1)), "{last:?}");
}
