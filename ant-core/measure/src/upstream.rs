//! The network's published client as an arm, so that what is claimed of ours has
//! its reference beside it.
//!
//! It prepares on an endpoint that our client has made and warmed up, and does not tell
//! what it saw. But our client counts what reaches the endpoint: as answers that it
//! has not asked for.

use std::{sync::Arc, time::Instant};

use ant_core::{ClientConfig, Error};
use ant_pacing::StrategySpec;
use ant_protocol::DATA_TYPE_CHUNK;

use crate::{
    accounting::{Accounting, lost},
    run::Run,
    target::Target,
};

/// The published client's own defaults, with the limits of our configuration.
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

/// Prepares one tree with the published client.
pub(crate) async fn prepare_published(
    target: &Target<'_>,
    addresses: &[[u8; 32]],
    data_size: u64,
) -> Result<Run, Error> {
    let uncapped = StrategySpec::uncapped().into();
    let (client, warm_up) = target.fresh_client(uncapped).await?;
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
    run.lost = lost(run.answers_sent, Some(came.unasked));
    match prepared {
        Ok(batch) => {
            run.pools = Some(batch.pool_commitments.len());
            run.pools_full = run.pools;
        }
        Err(error) => run.error = Some(error.to_string()),
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn own(timeout: Duration, local: bool, ipv6: bool) -> ClientConfig {
        let mut own = ClientConfig {
            local,
            ipv6,
            ..ClientConfig::default()
        };
        own.plan.request_timeout = timeout;
        own
    }

    #[test]
    fn the_published_client_has_our_limits_and_otherwise_its_own_defaults() {
        let defaults = upstream::data::ClientConfig::default();
        for (local, ipv6) in [(true, false), (false, true)] {
            let config = config(&own(Duration::from_millis(10_500), local, ipv6));
            assert_eq!(config.quote_timeout_secs, 10);
            assert_eq!((config.allow_loopback, config.ipv6), (local, ipv6));
            assert_eq!(config.quote_concurrency, defaults.quote_concurrency);
            assert_eq!(config.close_group_size, defaults.close_group_size);
        }
    }

    #[test]
    fn the_published_client_never_waits_for_no_time_at_all() {
        let config = config(&own(Duration::from_millis(200), true, false));
        assert_eq!(config.quote_timeout_secs, 1);
    }

    #[test]
    fn the_published_client_reads_nothing_from_the_users_files() {
        assert!(!config(&ClientConfig::default()).adaptive.enabled);
    }
}
