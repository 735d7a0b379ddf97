//! The two forms of a request, and what the client learns of who reads which.

use std::iter;

use ant_pacing::{Moment, Peer};

use super::network::{Agenda, Manner, Network, ms, peer, secs, target};
use crate::{
    Answer, Collection, Command,
    Dialect::{Legacy, Versioned},
    Event, RequestKey, Verdict,
    memory::Known,
};

const OLD: Manner = Manner::Old(ms(10));

/// Whose candidates the collection wants checked now. It wants nothing else.
fn checks(collection: &mut Collection<Peer>, now: Moment) -> Vec<RequestKey> {
    iter::from_fn(|| collection.poll(now))
        .map(|command| match command {
            Command::Check { request } => request,
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn an_old_peer_is_asked_again_and_learnt_after_two_trees() {
    let mut network = Network::new("hold-32", 16).with([3], OLD);
    for tree in 0..3 {
        let (verdict, report, _) = network.run(&[target(0)]);
        assert!(matches!(verdict, Verdict::Full(_)), "tree {tree}");
        assert_eq!(report.legacy_retries, u64::from(tree < 2), "tree {tree}");
    }
    assert_eq!(network.memory.known(peer(3)), Known::LegacyOnly);
    let forms: Vec<_> = network.sent.iter().filter(|(p, _)| *p == peer(3)).collect();
    let expected = [Versioned, Legacy, Versioned, Legacy, Legacy];
    assert!(forms.iter().map(|(_, d)| *d).eq(expected), "{forms:?}");
}

#[test]
fn a_lost_answer_costs_a_retry_and_demotes_nobody() {
    let mut network = Network::new("hold-32", 16).with([3], Manner::Loses(1, ms(10)));
    network.memory.answered_versioned(peer(3));
    let (verdict, report, _) = network.run(&[target(0)]);
    assert!(matches!(verdict, Verdict::Full(_)));
    assert_eq!(report.legacy_retries, 1);
    assert_eq!(report.took, ms(50) + secs(10) + ms(10));
    assert_eq!(network.memory.known(peer(3)), Known::Versioned);
    assert!(report.silent_peers.is_empty(), "it has answered");
}

#[test]
fn the_probe_is_the_smaller_of_timeout_and_ceiling() {
    for (timeout, ceiling, retry_at) in [(10, 15, 10), (120, 15, 15)] {
        let mut network = Network::new("hold-32", 16).with([0], OLD);
        network.plan.request_timeout = secs(timeout);
        network.plan.probe_ceiling = secs(ceiling);
        let (_, report, _) = network.run(&[target(0)]);
        assert_eq!(report.took, ms(50) + secs(retry_at) + ms(10));
    }
}

#[test]
fn a_late_answer_is_counted_and_proves_the_peer_able() {
    // It answers after 12 s; the probe ended at 10 s and the retry is out.
    let mut network = Network::new("hold-32", 16).with([0], Manner::Answers(secs(12)));
    let (verdict, report, _) = network.run(&[target(0)]);
    assert_eq!(network.memory.known(peer(0)), Known::Versioned);
    assert_eq!(
        report.late, 1,
        "the first answer, to the request given up on"
    );
    assert!(report.silent_peers.is_empty());
    // The retry's answer is later than its own timeout too.
    let Verdict::Short(failures) = verdict else {
        panic!("{verdict:?}");
    };
    assert_eq!(failures[0].counts.late, [peer(0)], "late, and not silent");
    assert!(failures[0].counts.silent.is_empty());
}

#[test]
fn one_burst_that_loses_a_peers_answers_for_every_pool_does_not_make_it_old() {
    // The first answers to four pools are lost, the retries come through.
    let mut network = Network::new("uncapped", 16).with([3], Manner::Loses(4, ms(10)));
    let targets = [target(0), target(60), target(120), target(180)];
    let (verdict, report, _) = network.run(&targets);
    assert!(matches!(verdict, Verdict::Full(_)));
    assert_eq!(report.legacy_retries, 4);
    assert_eq!(network.memory.known(peer(3)), Known::Nothing);
}

#[test]
fn a_peer_that_repeats_its_answer_is_checked_and_counted_once() {
    let mut network = Network::new("hold-32", 16);
    let mut collection = network.collection(&[target(0)]);
    let mut agenda = Agenda::default();
    while network.sent.is_empty() {
        network.step(&mut collection, &mut agenda);
    }
    let request = RequestKey(0);
    let answer = || Event::Answered {
        request,
        answer: Answer::Candidate,
    };
    collection.handle(answer(), network.now);
    assert_eq!(checks(&mut collection, network.now), [request]);
    for _ in 0..5 {
        collection.handle(answer(), network.now);
        assert_eq!(checks(&mut collection, network.now), []);
    }
    let result = Ok(peer(0));
    collection.handle(Event::Checked { request, result }, network.now);
    while network.step(&mut collection, &mut agenda) {}
    let (verdict, report) = collection.finish();
    assert!(matches!(verdict, Verdict::Full(_)));
    assert_eq!((report.answered, report.late), (16, 0));
}

#[test]
fn a_late_candidates_check_does_not_decide_for_the_retry() {
    let mut network = Network::new("hold-32", 16).with([0], Manner::Loses(1, ms(10)));
    let mut collection = network.collection(&[target(0)]);
    let mut agenda = Agenda::default();
    while network.sent.len() < 17 {
        assert!(network.step(&mut collection, &mut agenda));
    }
    // The first answer comes late, and does not check out.
    let first = RequestKey(0);
    let answer = Answer::Candidate;
    collection.handle(
        Event::Answered {
            request: first,
            answer,
        },
        network.now,
    );
    let checks = checks(&mut collection, network.now);
    assert_eq!(checks, [], "the retry is out");
    let forged = Err("bad signature".to_owned());
    let checked = Event::Checked {
        request: first,
        result: forged,
    };
    agenda.add(network.now + ms(10), checked);
    while network.step(&mut collection, &mut agenda) {}
    let (verdict, report) = collection.finish();
    assert!(matches!(verdict, Verdict::Full(_)), "{verdict:?}");
    assert_eq!(report.late, 1);
}

#[test]
fn a_broken_connection_is_retried_at_once() {
    let mut network = Network::new("hold-32", 16).with([0], Manner::Breaks(ms(20)));
    let (verdict, report, _) = network.run(&[target(0)]);
    assert!(matches!(verdict, Verdict::Full(_)));
    assert_eq!(report.legacy_retries, 1);
    assert_eq!(report.took, ms(150), "nobody waited for a timeout");
    assert_eq!(network.memory.known(peer(0)), Known::Nothing);
}

#[test]
fn an_unreachable_peer_is_tried_twice_and_is_not_silent() {
    let mut network = Network::new("hold-32", 17).with([0], Manner::Unreachable);
    let (verdict, report, _) = network.run(&[target(0)]);
    assert!(matches!(verdict, Verdict::Full(_)));
    assert_eq!(report.legacy_retries, 1);
    assert!(report.silent_peers.is_empty());
}

#[test]
fn a_send_that_never_returns_is_given_up_on() {
    let mut network = Network::new("hold-4", 17).with([0], Manner::Stuck);
    let (verdict, report, stats) = network.run(&[target(0)]);
    assert!(matches!(verdict, Verdict::Full(_)));
    assert_eq!(report.took, ms(50) + 2 * network.plan.send_timeout);
    assert_eq!(stats.occupied, 0);
}

#[test]
fn dropping_a_collection_midway_gives_everything_back() {
    let mut network = Network::new("hold-8", 32).with(0..8, Manner::Silent);
    let mut collection = network.collection(&[target(0)]);
    let mut agenda = Agenda::default();
    for _ in 0..5 {
        network.step(&mut collection, &mut agenda);
    }
    let stats = network.gate.stats();
    assert!(stats.occupied == 8 && stats.waiting > 0, "{stats:?}");
    drop(collection);
    let stats = network.gate.stats();
    assert_eq!((stats.occupied, stats.waiting), (0, 0));
}
