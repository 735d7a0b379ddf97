//! What is done about answers that take much longer than others.

use ant_pacing::Peer;

use super::network::{Manner, Network, ms, peer, secs, target};
use crate::{Finish, Verdict};

fn sparing(spec: &str) -> Network {
    let mut network = Network::new(spec, 40);
    network.plan.first = Some(16);
    network.plan.finish = Finish::Decided;
    network.plan.reasks = 64;
    network
}

fn full(verdict: &Verdict<Peer>) -> bool {
    matches!(verdict, Verdict::Full(_))
}

#[test]
fn an_answer_lost_twice_is_asked_for_a_third_time() {
    for (lost, reasks, waits) in [(1, 1, false), (2, 2, false), (3, 3, false), (4, 3, true)] {
        let mut network = sparing("hold-32").with([2], Manner::Loses(lost, ms(100)));
        (0..40).for_each(|n| network.memory.answered_versioned(peer(n)));
        let (verdict, report, stats) = network.run(&[target(0)]);
        assert!(full(&verdict));
        assert_eq!(report.reasks, reasks, "{lost} lost");
        assert_eq!(
            report.took > secs(9),
            waits,
            "{lost} lost: {:?}",
            report.took
        );
        assert_eq!((stats.occupied, stats.waiting), (0, 0));
    }
}

#[test]
fn a_spare_is_asked_once_asking_again_has_not_helped() {
    let spares = |lost| {
        let mut network = sparing("hold-32").with([2], Manner::Loses(lost, ms(100)));
        (0..40).for_each(|n| network.memory.answered_versioned(peer(n)));
        network.run(&[target(0)]).1.spares
    };
    assert_eq!([1, 2, 3].map(spares), [0, 1, 1]);
}

#[test]
fn a_stranger_is_asked_again_once_it_has_shown_that_it_is_able() {
    // Its first answer is lost; its second, to another pool, makes it known.
    let mut network = sparing("hold-32").with([2], Manner::Loses(1, ms(100)));
    network.plan.lookups = 1;
    network.lookup_time = ms(400);
    let (verdict, report, _) = network.run(&[target(0), target(1)]);
    assert!(full(&verdict));
    assert_eq!((report.reasks, report.legacy_retries), (1, 0));
    assert!(report.took < secs(2), "{:?}", report.took);
}

#[test]
fn an_old_peer_is_never_asked_again_in_the_form_that_it_ignores() {
    let mut network = sparing("hold-32").with([2], Manner::Old(ms(100)));
    let (verdict, report, _) = network.run(&[target(0), target(1)]);
    assert!(full(&verdict));
    assert_eq!(report.reasks, 0);
    assert_eq!(report.legacy_retries, 2);
}

#[test]
fn a_slot_of_a_slow_peer_is_free_if_the_strategy_says_so() {
    // More silent peers than slots.
    let took = |spec| {
        let mut network = Network::new(spec, 40).with(10..30, Manner::Silent);
        let (verdict, report, stats) = network.run(&[target(0), target(0)]);
        assert_eq!((stats.occupied, stats.waiting), (0, 0));
        assert_eq!(
            report.reasks + report.spares,
            0,
            "the plan is the published one"
        );
        (report.took, stats.released_early, full(&verdict))
    };
    let (held, early, _) = took("hold-16");
    assert!(held > secs(40), "{held:?}");
    assert_eq!(early, 0);
    let (freed, early, _) = took("shard-16");
    assert!(freed < secs(32), "{freed:?}");
    assert!(early > 0);
}
