//! The network's published client as an arm, so that what is claimed of ours has
//! its reference beside it.
//!
//! It prepares on an endpoint that our client has made and warmed up, and keeps
//! to itself what it saw. What reached the endpoint our client counts: to it all
//! these answers are unasked.

use std::{sync::Arc, time::Instant};

use ant_core::{ClientConfig, Error};
use ant_pacing::StrategySpec;
use ant_protocol::DATA_TYPE_CHUNK;

use crate::{
    Run,
    runner::{Accounting, Target, fresh_client},
};

/// The published client's own defaults.
fn config(own: &ClientConfig) -> upstream::data::ClientConfig {
    let mut config = upstream::data::ClientConfig {
        quote_timeout_secs: own.plan.request_timeout.as_secs().max(1),
        allow_loopback: own.local,
        ipv6: own.ipv6,
        ..upstream::data::ClientConfig::default()
    };
    // What it learns concerns storing and fetching, and would be read from the
    // user's files.
    config.adaptive.enabled = false;
    config
}

/// One tree, prepared by the published client.
pub(crate) async fn measure_published(
    target: &Target<'_>,
    addresses: &[[u8; 32]],
    data_size: u64,
) -> Result<Run, Error> {
    let (client, warm_up) = fresh_client(target, StrategySpec::uncapped().into()).await?;
    let endpoint = Arc::clone(client.endpoint());
    let published = upstream::data::Client::from_node(endpoint, config(&target.client));
    let accounting = Accounting::open(target, &client);
    let started = Instant::now();
    let prepared = published
        .prepare_merkle_batch_external(addresses, DATA_TYPE_CHUNK, data_size)
        .await;
    let mut run = Run {
        tree_s: Some(started.elapsed().as_secs_f64()),
        warm_up_s: Some(warm_up.as_secs_f64()),
        ..Run::default()
    };
    accounting.tree_ended(&mut run);
    let came = accounting.close(&mut run).await;
    client.close().await;
    run.lost = run
        .answers_sent
        .map(|sent| sent.saturating_sub(came.unasked));
    match prepared {
        Ok(batch) => {
            run.pools = Some(batch.pool_commitments.len());
            run.pools_full = run.pools;
        }
        Err(error) => run.error = Some(error.to_string()),
    }
    Ok(run)
}
