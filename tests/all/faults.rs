//! Preparing payments on networks with silent and refusing nodes.

use std::time::Duration;

use ant_core::{Error, Plan};
use ant_testnet::{Fault, Faults, TestnetConfig};

use crate::network::{Network, addresses, config, run};

/// Short timeouts: the nodes of a test answer in milliseconds or never.
fn impatient() -> Plan {
    Plan {
        request_timeout: Duration::from_secs(2),
        ..Plan::default()
    }
}

fn faulty(network: &Network, fault: Fault) -> Vec<String> {
    let peers = network.testnet.peers().into_iter();
    let mut faulty: Vec<_> = peers
        .filter(|(_, has)| *has == Some(fault))
        .map(|(peer, _)| peer.to_hex())
        .collect();
    faulty.sort();
    faulty
}

#[test]
fn silent_nodes_are_named_and_one_liar_stops_nothing() {
    run(async {
        let network = Network::start(TestnetConfig {
            faults: Faults {
                silent: 4,
                ..Faults::default()
            },
            refusing: 1,
            ..config(24)
        })
        .await;
        let client = network.client("hold-32", impatient()).await;
        let batch = client.prepare(&addresses(4), 4096).await.unwrap().remove(0);
        let report = &batch.report.collection;
        assert_eq!(report.pools_full, 2);
        let named: Vec<_> = report
            .silent_peers
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(named, faulty(&network, Fault::Silent));
        assert!(client.refusal().is_none(), "one peer's word is not enough");
        client.close().await;
        network.stop().await;
    });
}

#[test]
fn a_short_pool_says_why_and_that_nothing_was_paid() {
    run(async {
        let network = Network::start(TestnetConfig {
            faults: Faults {
                silent: 3,
                ..Faults::default()
            },
            ..config(18)
        })
        .await;
        let client = network.client("hold-16", impatient()).await;
        let error = client.prepare(&addresses(4), 4096).await.unwrap_err();
        let text = error.to_string();
        let Error::Short { failures, report } = error else {
            panic!("{text}");
        };
        assert_eq!(failures.len(), 2);
        assert_eq!(report.collection.pools_full, 0);
        let counts = &failures[0].counts;
        assert_eq!((counts.valid, counts.silent.len()), (15, 3));
        for part in [
            "pool 1 of 2 has 15 of 16 candidates",
            "18 asked, 15 answered, 3 silent",
            "nothing was paid",
        ] {
            assert!(text.contains(part), "{part:?} not in {text:?}");
        }
        client.close().await;
        network.stop().await;
    });
}

#[test]
fn two_refusals_stop_the_payment_and_every_later_one() {
    run(async {
        let network = Network::start(TestnetConfig {
            refusing: 2,
            ..config(20)
        })
        .await;
        let client = network.client("hold-16", impatient()).await;
        let error = client.prepare(&addresses(4), 4096).await.unwrap_err();
        let text = error.to_string();
        let Error::Refused { refusal, report } = error else {
            panic!("{text}");
        };
        let mut named: Vec<_> = refusal.peers.iter().map(ToString::to_string).collect();
        named.sort();
        assert_eq!(named, faulty(&network, Fault::Refuses));
        assert_eq!(refusal.minimum, 2);
        assert!(report.is_some());
        assert!(text.contains("nothing was paid"), "{text}");

        let before = network.testnet.traffic();
        let error = client.prepare(&addresses(4), 4096).await.unwrap_err();
        assert!(
            matches!(error, Error::Refused { report: None, .. }),
            "{error}"
        );
        assert_eq!(
            network.testnet.traffic().requests_taken,
            before.requests_taken
        );
        client.close().await;
        network.stop().await;
    });
}

#[test]
fn slow_nodes_are_waited_for_and_old_ones_are_asked_in_the_legacy_form() {
    run(async {
        let network = Network::start(TestnetConfig {
            faults: Faults {
                slow: 2,
                slow_by: Duration::from_millis(300),
                legacy: 2,
                ..Faults::default()
            },
            ..config(20)
        })
        .await;
        let plan = Plan {
            probe_ceiling: Duration::from_secs(1),
            ..Plan::default()
        };
        let client = network.client("hold-16", plan).await;
        let batch = client.prepare(&addresses(2), 4096).await.unwrap().remove(0);
        let collection = &batch.report.collection;
        // Both pools ask all twenty, so both old nodes each.
        assert!(collection.legacy_retries >= 4, "{collection:?}");
        assert!(collection.silent_peers.is_empty(), "{collection:?}");
        client.close().await;
        network.stop().await;
    });
}
