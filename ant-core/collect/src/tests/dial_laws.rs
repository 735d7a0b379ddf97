//! Laws of dialling over random networks, and a bound on what it costs.

use ant_pacing::{Moment, Peer};
use proptest::prelude::*;

use super::network::{Agenda, Manner, Network, ms, peer, secs, target};
use crate::{Event, Finish, POOL_SIZE, Verdict, parts::LOOKED_UP};

/// How long a dial takes here.
const DIAL: u64 = 300;

fn any_manner() -> impl Strategy<Value = Manner> {
    prop_oneof![
        6 => (1u64..3000).prop_map(|t| Manner::Answers(ms(t))),
        1 => Just(Manner::Silent),
        1 => (1u64..500).prop_map(|t| Manner::Old(ms(t))),
        1 => (1u32..4, 1u64..500).prop_map(|(n, t)| Manner::Loses(n, ms(t))),
        1 => Just(Manner::Declines),
        2 => Just(Manner::Unreachable),
        1 => Just(Manner::Stuck),
        2 => (1u64..500).prop_map(|t| Manner::Breaks(ms(t))),
    ]
}

fn any_spec() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("uncapped".to_owned()),
        (1u32..40).prop_map(|n| format!("hold-{n}")),
        (1u64..5000, 1u32..40).prop_map(|(t, n)| format!("release-{t}ms-{n}")),
        (1u32..20).prop_map(|n| format!("shard-{n}")),
    ]
}

fn network(spec: &str, manners: &[Manner], dials: usize) -> Network {
    let mut network = Network::new(spec, u8::try_from(manners.len()).unwrap());
    for (n, manner) in (0..).zip(manners) {
        network = network.with([n], *manner);
    }
    network.plan.dials = dials;
    network.dial_time = ms(DIAL);
    network
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_more_peers_are_dialled_at_once_than_may_be_and_each_by_one_request(
        spec in any_spec(),
        manners in prop::collection::vec(any_manner(), 16..45),
        pools in 1u8..6,
        dials in 1usize..6,
        connected in prop::collection::btree_set(0u8..45, 0..20),
        disconnects in prop::collection::vec((0u8..45, 0u64..20_000), 0..60),
        reasks in 0u32..10,
        sparing in any::<bool>(),
    ) {
        let mut network = network(&spec, &manners, dials);
        network.connected = connected.into_iter().map(peer).collect();
        network.connected.retain(|peer| network.manners.contains_key(peer));
        network.plan.reasks = reasks;
        if sparing {
            network.plan.first = Some(POOL_SIZE);
            network.plan.finish = Finish::Decided;
            network.plan.substitutes = 1;
        }
        let mut agenda = Agenda::default();
        for (n, at) in disconnects {
            let at = Moment::ZERO + ms(at);
            agenda.add(at, Event::Disconnected { peer: peer(n) });
        }
        let targets: Vec<_> = (0..pools).map(|n| target(n * 40)).collect();
        let (_, report, stats) = network.run_with(&targets, agenda);
        prop_assert_eq!((stats.occupied, stats.waiting), (0, 0));
        prop_assert!(network.peak_dials <= dials, "{} at once", network.peak_dials);
        prop_assert!(network.most_at_a_dial <= 1, "{} to one", network.most_at_a_dial);
        // Repeats are above the cap.
        if let Some(slots) = spec.strip_prefix("hold-").filter(|_| reasks == 0) {
            prop_assert!(report.peak_in_flight <= slots.parse().unwrap());
        }
    }

    #[test]
    fn a_peer_whose_send_hangs_holds_up_its_own_exchanges_alone(
        stuck in prop::collection::btree_set(0u8..40, 1..4),
        free in 1usize..5,
        pools in 1u8..17,
        spec in prop_oneof![Just("uncapped"), Just("hold-64")],
        substitutes in 0usize..5,
    ) {
        let dials = stuck.len() + free;
        let mut manners = [Manner::Answers(ms(20)); 40];
        for n in &stuck {
            manners[usize::from(*n)] = Manner::Stuck;
        }
        let mut network = network(spec, &manners, dials);
        let targets: Vec<_> = (0..pools).map(|n| target(n * 15)).collect();
        let (verdict, report, _) = network.run(&targets);
        prop_assert!(matches!(verdict, Verdict::Full(_)));
        // The others are dialled as if there were no dials but the free ones.
        let rounds = u64::try_from(40usize.div_ceil(free)).unwrap();
        let dialled = ms(50 + (rounds + 1) * DIAL + 16 * 32 * 20 / 64);
        let stuck: Vec<_> = stuck.into_iter().map(peer).collect();
        for ((to, _), at) in network.sent.iter().zip(&network.sent_at) {
            let late = at.since_epoch() > dialled && !stuck.contains(to);
            prop_assert!(!late, "{to} at {at:?}, not by {dialled:?}");
        }
        // Each dial of a peer that hangs counts for all who wait for it.
        prop_assert!(report.took < secs(62) + dialled, "{:?}", report.took);
        // Who may be substituted is not waited for.
        if substitutes >= stuck.len() {
            network.plan.finish = Finish::Decided;
            network.plan.substitutes = substitutes;
            let (verdict, report, _) = network.run(&targets);
            prop_assert!(matches!(verdict, Verdict::Full(_)));
            prop_assert!(report.took < dialled + secs(1), "{:?}", report.took);
        }
    }
}

/// How many things a tree of 16 pools with nobody connected looks up for each of
/// its exchanges.
fn looked_up_an_exchange(peers_a_pool: u16) -> u64 {
    let mut network = Network::new("hold-32", 0);
    let all = (0..peers_a_pool + 500).map(|n| {
        let mut id = [0; 32];
        // Spread over the identities, so that the pools differ.
        id[..2].copy_from_slice(&n.wrapping_mul(0x9e37).to_be_bytes());
        id[2..4].copy_from_slice(&n.to_be_bytes());
        Peer(id)
    });
    let all: Vec<_> = all.collect();
    for peer in &all {
        network.manners.insert(*peer, Manner::Answers(ms(100)));
    }
    network.finds = Some(all);
    network.plan.ask = peers_a_pool.into();
    network.plan.dials = 16;
    network.dial_time = ms(DIAL);
    let before = LOOKED_UP.get();
    let targets: Vec<_> = (0..16).map(|n| target(n * 16)).collect();
    let (verdict, report, _) = network.run(&targets);
    assert!(matches!(verdict, Verdict::Full(_)));
    assert_eq!(report.requests, 16 * u64::from(peers_a_pool));
    (LOOKED_UP.get() - before) / report.requests
}

#[test]
fn what_dialling_costs_grows_no_faster_than_what_is_asked() {
    let [few, many] = [250, 1000].map(looked_up_an_exchange);
    assert!(many <= few + few / 10, "{few} an exchange, then {many}");
    assert!(many < 400, "{many} an exchange");
}
