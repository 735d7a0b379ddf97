//! Preparing payments on healthy networks.

use std::{net::UdpSocket, sync::Arc, time::Duration};

use ant_core::{Client, ClientConfig, Error, Plan, PreparedMerkleBatch};
use ant_pacing::{PacingSpec, Peer};
use ant_protocol::{
    compute_address,
    payment::verify_merkle_candidate_signature,
    transport::{CoreNodeConfig, IPDiversityConfig, NodeMode, P2PNode},
};
use ant_testnet::{Faults, TestnetConfig};

use crate::network::{Network, addresses, config, run};

fn spec(text: &str) -> PacingSpec {
    text.parse().unwrap()
}

/// What must be true of every prepared batch.
fn check(prepared: &PreparedMerkleBatch, leaves: usize, pools: usize) {
    let batch = &prepared.batch;
    assert_eq!(batch.addresses.len(), leaves);
    assert_eq!(batch.pools.len(), pools);
    for pool in &batch.pools {
        let target = pool.midpoint_proof.address().0;
        assert!(pool.midpoint_proof.branch.verify());
        let distances: Vec<_> = pool
            .candidate_nodes
            .iter()
            .map(|node| Peer(compute_address(&node.pub_key)).distance(&target))
            .collect();
        assert!(distances.is_sorted(), "closest first, and nobody twice");
        for node in &pool.candidate_nodes {
            assert!(verify_merkle_candidate_signature(node));
            assert_eq!(node.merkle_payment_timestamp, batch.timestamp);
        }
    }
    let commitments = batch.commitments().unwrap();
    for (commitment, pool) in commitments.iter().zip(&batch.pools) {
        assert_eq!(commitment.pool_hash, pool.hash());
    }
}

#[test]
fn trees_of_every_size_are_prepared_and_the_books_balance() {
    run(async {
        let network = Network::start(config(35)).await;
        let client = network.client("hold-16", Plan::default()).await;
        let sent_before = network.testnet.traffic();
        let mut taken = 0;
        let mut requests = 0;
        for (leaves, trees) in [(2, &[(2, 2)][..]), (257, &[(255, 16), (2, 2)])] {
            let batches = client.prepare(&addresses(leaves), 4096).await.unwrap();
            assert_eq!(batches.len(), trees.len());
            for (batch, (leaves, pools)) in batches.iter().zip(trees) {
                check(batch, *leaves, *pools);
                let report = &batch.report;
                assert_eq!(report.pacing.to_string(), "hold-16");
                assert_eq!(report.collection.pools_full, *pools);
                assert!(report.collection.peak_in_flight <= 16);
                assert!(report.gate.peak_occupied <= 16);
                assert_eq!((report.gate.occupied, report.gate.waiting), (0, 0));
                taken += report.collection.answered;
                requests += report.collection.requests;
            }
        }
        // Answers are counted on the node when their sending returns, which
        // may be after they have arrived here.
        tokio::time::sleep(Duration::from_secs(2)).await;
        let sent = network.testnet.traffic() - sent_before;
        // A busy host may lose some all the same; nobody may invent any.
        let traffic = client.traffic();
        assert!(
            sent.answers_sent >= taken + traffic.after_end,
            "{sent:?}, {taken} taken"
        );
        assert!(
            sent.requests_taken <= requests,
            "{sent:?}, {requests} requests"
        );
        assert_eq!(traffic.unasked, 0);
        client.close().await;
        network.stop().await;
    });
}

#[test]
fn pacing_switches_between_payments_and_a_dropped_one_leaves_nothing() {
    run(async {
        // Two silent nodes keep slots taken, so that there is something to leak.
        let network = Network::start(TestnetConfig {
            faults: Faults {
                silent: 2,
                ..Faults::default()
            },
            ..config(22)
        })
        .await;
        let plan = Plan {
            request_timeout: Duration::from_secs(1),
            ..Plan::default()
        };
        let client = network.client("hold-4@client", plan).await;
        let leaves = addresses(16);

        // Dropped midway: the client's slots are free for the next payment.
        {
            let dropped = std::pin::pin!(client.prepare(&leaves, 4096));
            let under_way = async {
                while network.testnet.traffic().requests_taken == 0 {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            tokio::select! {
                ended = dropped => panic!("ended before it was dropped: {ended:?}"),
                () = under_way => {}
            }
        }
        let batch = client.prepare(&leaves, 4096).await.unwrap().remove(0);
        check(&batch, 16, 4);
        assert_eq!(batch.report.epoch, 0);
        let gate = batch.report.gate;
        assert_eq!((gate.occupied, gate.waiting), (0, 0));
        assert!(gate.peak_occupied <= 4, "both payments share one gate");

        client.set_pacing(spec("uncapped"));
        let batch = client.prepare(&leaves, 4096).await.unwrap().remove(0);
        check(&batch, 16, 4);
        assert_eq!(batch.report.epoch, 1);
        assert_eq!(batch.report.pacing.to_string(), "uncapped");
        assert!(batch.report.collection.peak_in_flight > 4);

        // Two at once under one client-wide cap.
        client.set_pacing(spec("hold-3@client"));
        let others = addresses(2);
        let (one, two) = tokio::join!(client.prepare(&leaves, 4096), client.prepare(&others, 4096));
        for batch in [one.unwrap(), two.unwrap()].concat() {
            assert_eq!(batch.report.epoch, 2);
            assert!(batch.report.gate.peak_occupied <= 3);
        }
        client.close().await;
        network.stop().await;
    });
}

#[test]
fn a_client_works_on_an_endpoint_of_the_callers() {
    let bootstrap = run(async {
        let network = Network::start(config(18)).await;
        let mut core = CoreNodeConfig::builder()
            .port(0)
            .ipv6(false)
            .local(true)
            .mode(NodeMode::Client)
            .build()
            .unwrap();
        core.bootstrap_peers = network.testnet.bootstrap();
        core.diversity_config = Some(IPDiversityConfig::permissive());
        let node = Arc::new(P2PNode::new(core).await.unwrap());
        node.start().await.unwrap();
        let client = Client::on_node(Arc::clone(&node), spec("release-2s-16"), Plan::default());
        client.warm_up().await;
        let batch = client.prepare(&addresses(4), 4096).await.unwrap().remove(0);
        check(&batch, 4, 2);
        drop(client);
        node.stop().await.unwrap();
        let bootstrap = network.testnet.bootstrap();
        network.stop().await;
        bootstrap
    });
    // With the runtime that the nodes ran on, their ports are free.
    for address in bootstrap {
        let socket = address.socket_addr().unwrap();
        assert!(UdpSocket::bind(socket).is_ok(), "{socket} is still taken");
    }
}

#[test]
fn addresses_that_make_no_tree_are_refused_before_anybody_is_asked() {
    run(async {
        let network = Network::start(config(16)).await;
        let client = network.client("hold-4", Plan::default()).await;
        let before = network.testnet.traffic();
        for addresses in [vec![], vec![[1; 32]], vec![[1; 32], [1; 32]]] {
            let error = client.prepare(&addresses, 4096).await.unwrap_err();
            assert!(matches!(error, Error::Addresses(_)), "{error}");
            assert!(error.to_string().contains("nothing was paid"), "{error}");
        }
        assert_eq!(network.testnet.traffic(), before);
        client.close().await;
        network.stop().await;
    });
}

#[test]
fn nothing_to_join_fails_within_its_bound() {
    run(async {
        // A socket that answers nothing.
        let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = format!(
            "/ip4/127.0.0.1/udp/{}/quic",
            silent.local_addr().unwrap().port()
        );
        let join = |bootstrap: Vec<String>| {
            Client::connect(ClientConfig {
                bootstrap: bootstrap.iter().map(|a| a.parse().unwrap()).collect(),
                local: true,
                ipv6: false,
                join_within: Duration::from_secs(2),
                ..ClientConfig::default()
            })
        };
        let error = join(vec![address.clone()]).await.unwrap_err().to_string();
        assert!(error.contains("no bootstrap peer answered in "), "{error}");
        assert!(error.contains(&address), "{error}");
        let error = join(Vec::new()).await.unwrap_err();
        assert!(matches!(error, Error::NoBootstrap), "{error}");
    });
}
