//! Refusals of the settlement version: two distinct peers stop the payment,
//! one does not, and none goes unheard.

use super::network::{Manner, Network, ms, peer, secs, target};
use crate::{SettlementRefusal, Verdict};

const REFUSES: Manner = Manner::Refuses(ms(10));

#[test]
fn one_lying_peer_stops_nothing() {
    let mut network = Network::new("hold-32", 32).with([0], REFUSES);
    let (verdict, ..) = network.run(&[target(0), target(128)]);
    assert!(matches!(verdict, Verdict::Full(_)), "{verdict:?}");
}

#[test]
fn two_distinct_peers_stop_the_tree_at_once() {
    let mut network = Network::new("hold-32", 32)
        .with(0..2, REFUSES)
        .with(2..6, Manner::Silent);
    let (verdict, report, stats) = network.run(&[target(0)]);
    let Verdict::Refused(SettlementRefusal { peers, minimum }) = verdict else {
        panic!("{verdict:?}");
    };
    assert_eq!(peers, [peer(0), peer(1)]);
    assert_eq!(minimum, 2);
    assert_eq!(report.took, ms(60), "silent peers are not waited for");
    assert_eq!((stats.occupied, stats.waiting), (0, 0));
}

#[test]
fn a_refusal_outranks_a_short_pool() {
    let mut network = Network::new("hold-32", 32)
        .with(0..2, REFUSES)
        .with(2..30, Manner::Unreachable);
    let (verdict, ..) = network.run(&[target(0)]);
    assert!(matches!(verdict, Verdict::Refused(_)), "{verdict:?}");
}

#[test]
fn a_refusing_peer_is_not_asked_in_the_legacy_form() {
    let mut network = Network::new("hold-32", 32).with([0], REFUSES);
    network.run(&[target(0)]);
    let to_it = network.sent.iter().filter(|(p, _)| *p == peer(0));
    assert_eq!(to_it.count(), 1);
}

#[test]
fn a_late_refusal_is_heard_under_every_release_rule() {
    for spec in ["hold-16", "release-2s-16", "uncapped"] {
        let mut network = Network::new(spec, 32).with(0..2, Manner::Refuses(secs(12)));
        let (verdict, report, _) = network.run(&[target(0)]);
        assert!(
            matches!(verdict, Verdict::Refused(_)),
            "{spec}: {verdict:?}"
        );
        assert_eq!(report.late, 2, "{spec}");
    }
}

#[test]
fn a_client_once_refused_asks_nobody() {
    let mut network = Network::new("hold-32", 32);
    network.memory.settlement_refused(peer(1), 2);
    network.memory.settlement_refused(peer(2), 2);
    let (verdict, report, _) = network.run(&[target(0)]);
    assert!(matches!(verdict, Verdict::Refused(_)));
    assert_eq!(report.requests, 0);
}
