//! Runs on a real network: a fresh client for each, warmed up in the same way.

use ant_core::{Client, Error};
use ant_pacing::Arms;
use bytes::Bytes;

use crate::{
    boxed::Boxed,
    executor::{Executor, RunOrder},
    made_up::addresses_of,
    paid::Paying,
    run::Run,
    runner::{Watch, walk},
    schedule::MeasurePlan,
    target::Target,
    tree::{Measured, prepare_on},
    upstream::prepare_published,
};

/// Makes every run of the plan, and adds each to `runs` with the index of its arm as
/// soon as it has ended: if this future is dropped, the runs that have ended stay.
/// With somebody who pays, what is prepared is paid, and some of it stored.
///
/// # Errors
///
/// When a client cannot join. A tree that fails is a result.
pub fn measure<'a>(
    plan: &'a MeasurePlan,
    target: &'a Target<'_>,
    paying: Option<Paying<'a>>,
    runs: &'a mut Vec<(usize, Run)>,
    watch: &'a mut Watch<'_>,
) -> Boxed<'a, Result<(), Error>> {
    Box::pin(async move { walk(plan, &FreshClients { target, paying }, runs, watch).await })
}

/// Prepares one payment's trees on a fresh client.
///
/// # Errors
///
/// When the client cannot join.
pub fn measure_tree<'a>(
    target: &'a Target<'_>,
    pacing: Arms,
    addresses: &'a [[u8; 32]],
    data_size: u64,
) -> Boxed<'a, Result<Measured, Error>> {
    Box::pin(async move {
        let (client, measured) = prepare_fresh(target, pacing, addresses, data_size).await?;
        client.close().await;
        Ok(measured)
    })
}

/// Prepares on a fresh client. The caller closes it.
async fn prepare_fresh(
    target: &Target<'_>,
    pacing: Arms,
    addresses: &[[u8; 32]],
    data_size: u64,
) -> Result<(Client, Measured), Error> {
    let (client, warm_up) = target.fresh_client(pacing).await?;
    let mut measured = prepare_on(target, &client, addresses, data_size).await;
    measured.run.warm_up_s = Some(warm_up.as_secs_f64());
    Ok((client, measured))
}

/// The executor for real networks.
struct FreshClients<'a> {
    target: &'a Target<'a>,
    paying: Option<Paying<'a>>,
}

impl FreshClients<'_> {
    async fn run(&self, order: RunOrder<'_>) -> Result<Run, Error> {
        let RunOrder {
            arm,
            chunks,
            data_size,
        } = order;
        let target = self.target.with_plan(arm.plan(self.target.client.plan));
        let addresses = addresses_of(chunks);
        if arm.is_published() {
            return prepare_published(&target, &addresses, data_size).await;
        }
        let prepared = prepare_fresh(&target, arm.pacing(), &addresses, data_size);
        let (client, mut measured) = prepared.await?;
        self.pay(&client, &mut measured, chunks).await;
        client.close().await;
        Ok(measured.run)
    }

    /// Pays what was prepared, if it is to be paid. A payment that fails is a result:
    /// the error of the run.
    async fn pay(&self, client: &Client, measured: &mut Measured, chunks: &[Bytes]) {
        let Some(paying) = self.paying else { return };
        let Measured { run, batches, .. } = measured;
        if let Err(error) = paying.pay(client, batches, chunks, run).await {
            run.error = Some(error.to_string());
        }
    }
}

impl Executor for FreshClients<'_> {
    fn lose_answers(&self, percent: u8) {
        if let Some(testnet) = self.target.testnet {
            testnet.lose_answers(percent);
        }
    }

    fn execute<'a>(&'a self, order: RunOrder<'a>) -> Boxed<'a, Result<Run, Error>> {
        Box::pin(self.run(order))
    }
}
