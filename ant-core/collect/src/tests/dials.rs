//! Peers without a connection are dialled a few at a time.

use super::network::{Manner, Network, ms, peer, secs, target};
use crate::{Finish, Verdict};

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
