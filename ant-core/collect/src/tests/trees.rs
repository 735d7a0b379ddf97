//! Whole trees: full ones, short ones, slow ones.

use std::collections::BTreeSet;

use ant_pacing::Peer;

use super::network::{Agenda, Manner, Network, ms, peer, secs, target};
use crate::{PoolFailure, PoolId, Verdict};

fn sixteen_targets() -> Vec<[u8; 32]> {
    (0..16).map(|n| target(n * 16)).collect()
}

fn full(verdict: Verdict<Peer>) -> Vec<Vec<Peer>> {
    match verdict {
        Verdict::Full(pools) => pools
            .into_iter()
            .map(|pool| pool.candidates.into_iter().map(|(peer, _)| peer).collect())
            .collect(),
        other => panic!("not full: {other:?}"),
    }
}

fn short(verdict: Verdict<Peer>) -> Vec<PoolFailure> {
    match verdict {
        Verdict::Short(failures) => failures,
        other => panic!("not short: {other:?}"),
    }
}

#[test]
fn a_pool_is_the_sixteen_closest_of_those_asked() {
    let mut network = Network::new("uncapped", 40);
    let targets = sixteen_targets();
    let (verdict, report, _) = network.run(&targets);
    for (pool, target) in full(verdict).into_iter().zip(&targets) {
        let mut all: Vec<_> = (0..40).map(peer).collect();
        all.sort_by_key(|peer| peer.distance(target));
        assert_eq!(pool, all[..16]);
    }
    assert_eq!(report.requests, 16 * 32);
    assert_eq!(report.answered, 16 * 32);
    assert_eq!(report.peak_in_flight, 16 * 32, "uncapped");
    assert_eq!((report.pools, report.pools_full), (16, 16));
    assert_eq!(report.took, ms(150));
    assert_eq!(report.slowest_lookup(), ms(50));
    assert_eq!(report.added(), ms(100));
}

#[test]
fn far_valid_candidates_replace_close_ones_that_fail() {
    let mut network = Network::new("uncapped", 32).with(0..4, Manner::Forges);
    let (verdict, ..) = network.run(&[target(0)]);
    assert_eq!(full(verdict)[0], (4..20).map(peer).collect::<Vec<_>>());
}

#[test]
fn a_held_cap_bounds_requests_outstanding() {
    for slots in [1, 8, 16, 32] {
        let mut network = Network::new(&format!("hold-{slots}"), 35);
        let (verdict, report, stats) = network.run(&sixteen_targets());
        assert_eq!(full(verdict).len(), 16);
        assert_eq!(report.peak_in_flight, slots);
        assert_eq!(stats.peak_occupied, slots);
        assert_eq!((stats.occupied, stats.waiting), (0, 0));
    }
}

#[test]
fn waiting_for_a_slot_is_in_no_timeout() {
    // The last of 32 waits 31 s for its turn, three times its own timeout.
    let mut network = Network::new("hold-1", 32).with(0..32, Manner::Answers(secs(1)));
    let (verdict, report, _) = network.run(&[target(0)]);
    full(verdict);
    assert_eq!(report.legacy_retries, 0);
    assert_eq!(report.took, ms(50) + secs(32));
}

#[test]
fn silent_peers_are_named_and_the_pool_is_full_without_them() {
    let mut network = Network::new("hold-32", 35).with(0..4, Manner::Silent);
    let (verdict, report, _) = network.run(&[target(0)]);
    full(verdict);
    assert_eq!(report.silent_peers, (0..4).map(peer).collect::<Vec<_>>());
    assert_eq!(report.legacy_retries, 4);
    assert_eq!(report.took, ms(50) + secs(20), "probe and retry");
}

#[test]
fn releasing_lets_the_others_pass_silent_peers() {
    let trees = |spec: &str| {
        let mut network = Network::new(spec, 32).with(0..16, Manner::Silent);
        network.plan.ask = 32;
        let mut collection = network.collection(&[target(0)]);
        let mut agenda = Agenda::default();
        let mut answered_at = None;
        while network.step(&mut collection, &mut agenda) {
            let asked: BTreeSet<_> = network.sent.iter().map(|(peer, _)| *peer).collect();
            if asked.len() == 32 && answered_at.is_none() {
                answered_at = Some(network.now);
            }
        }
        let (_, report) = collection.finish();
        (answered_at.unwrap().since_epoch(), report)
    };
    let (all_asked, report) = trees("release-2s-16");
    assert_eq!(all_asked, ms(50) + secs(2));
    assert!(report.peak_in_flight > 16, "a request outlives its slot");
    let (all_asked, report) = trees("hold-16");
    assert!(all_asked > secs(20), "held through probe and retry");
    assert_eq!(report.peak_in_flight, 16);
}

#[test]
fn a_short_pool_says_what_became_of_everyone() {
    let mut network = Network::new("hold-16", 32)
        .with(0..3, Manner::Silent)
        .with(3..5, Manner::Declines)
        .with(5..9, Manner::Forges)
        .with(9..20, Manner::Unreachable);
    let (verdict, report, stats) = network.run(&[target(0), target(128)]);
    let failures = short(verdict);
    assert_eq!(failures.len(), 2, "every pool is drained");
    let PoolFailure {
        pool, of, counts, ..
    } = &failures[1];
    assert_eq!((*pool, *of), (PoolId(1), 2));
    assert_eq!(
        (counts.asked, counts.valid, counts.answered()),
        (32, 12, 18)
    );
    assert_eq!(counts.silent.len(), 3);
    assert_eq!(counts.refused.len(), 2);
    assert_eq!(counts.invalid.len(), 4);
    assert_eq!(counts.unsent.len(), 11);
    assert_eq!((report.pools, report.pools_full), (2, 0));
    assert_eq!((stats.occupied, stats.waiting), (0, 0));
    let text = failures[0].to_string();
    for part in [
        "pool 1 of 2 has 12 of 16 candidates",
        "32 asked, 18 answered, 3 silent, 0 late, 11 unreachable, 2 refused, 4 invalid",
        "silent: 00000000 01000000 02000000",
        "refused: no room (03000000 04000000)",
        "invalid: bad signature (05000000",
    ] {
        assert!(text.contains(part), "{part:?} not in {text:?}");
    }
}

#[test]
fn connected_peers_fill_up_a_short_lookup() {
    let mut network = Network::new("hold-16", 20);
    network.finds = Some((0..10).map(peer).collect());
    network.connected = (5..16).map(peer).collect();
    let (verdict, report, _) = network.run(&[target(0)]);
    full(verdict);
    assert_eq!(report.lookups[0].found, 10);

    network.finds = None;
    network.connected = (0..20).map(peer).collect();
    full(network.run(&[target(0)]).0);
}

#[test]
fn too_few_peers_are_not_asked_at_all() {
    let mut network = Network::new("hold-16", 15);
    let (verdict, report, _) = network.run(&[target(0)]);
    let text = short(verdict)[0].to_string();
    assert!(text.contains("15 peers found, 16 needed"), "{text}");
    assert_eq!(report.requests, 0);
    network.finds = None;
    let (verdict, ..) = network.run(&[target(0)]);
    let text = short(verdict)[0].to_string();
    assert!(text.contains("its lookup failed (no route)"), "{text}");
}

#[test]
fn lookups_keep_to_their_limit() {
    let mut network = Network::new("uncapped", 35);
    network.plan.lookups = 3;
    let (verdict, report, _) = network.run(&sixteen_targets());
    full(verdict);
    assert_eq!(network.peak_lookups, 3);
    assert_eq!(report.lookups.len(), 16);
    assert!(report.lookups.iter().all(|lookup| lookup.took == ms(50)));
    assert_eq!(report.took, ms(6 * 50 + 100));
}

#[test]
fn a_tree_of_no_pools_is_full_at_once() {
    let mut network = Network::new("hold-1", 0);
    assert_eq!(full(network.run(&[]).0), Vec::<Vec<Peer>>::new());
}
