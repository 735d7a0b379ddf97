//! Making the runs: a fresh client for each, warmed the same way, and after its
//! tree a wait until every answer under way has arrived or is lost.

use std::time::{Duration, Instant};

use ant_core::{
    Client, ClientConfig, ClientTraffic, Error, Payer, PreparedMerkleBatch, Report, TreeReport,
    batch_sizes,
};
use ant_pacing::{Arms, PacingSpec};
use ant_protocol::compute_address;
use ant_testnet::{Testnet, Traffic};
use ant_wan::{Counts, Lab};
use bytes::Bytes;

use crate::{
    MeasureArm, MeasurePlan, Run,
    closeness::{answering, closeness},
    host::cpu_seconds,
    paid::pay,
    plan::chunks,
    upstream::measure_published,
};

/// The accounting are closed when nothing has been counted for this long. Answers
/// travel in milliseconds here; what is still queued has been worked off.
const QUIET: Duration = Duration::from_secs(1);

/// They are closed after this long in any case.
const CLOSE_WITHIN: Duration = Duration::from_secs(15);

const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The network that is measured on.
#[derive(Debug)]
pub struct Target<'a> {
    /// How clients join it. The pacing is each arm's own.
    pub client: ClientConfig,
    /// The embedded testnet, if it is one: it knows what was sent.
    pub testnet: Option<&'a Testnet>,
    /// The wide-area network that it is on, if it is on one.
    pub lab: Option<&'a Lab>,
}

/// What a measurement is doing, for whoever watches.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A run begins: its number, how many there are, its block, its arm.
    Started {
        /// Its number, from 1.
        run: usize,
        /// How many there are.
        of: usize,
        /// Its block, from 0.
        block: usize,
        /// Its arm.
        arm: &'a MeasureArm,
    },
    /// It has ended.
    Ended(&'a Run),
}

/// What a payment drew to run under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The pacing.
    pub pacing: PacingSpec,
    /// The epoch of the terms it was drawn from.
    pub epoch: u64,
    /// What decides the client's draws.
    pub seed: u64,
    /// The number of the draw, from 0.
    pub draw: u64,
}

/// A run, and the failure behind its `error`, if it has one.
#[derive(Debug)]
pub struct Measured {
    /// Its figures.
    pub run: Run,
    /// Why the tree failed, if it did.
    pub failure: Option<Error>,
    /// What its payment drew, unless it failed before.
    pub drawn: Option<Drawn>,
    /// What was prepared.
    pub batches: Vec<PreparedMerkleBatch>,
}

/// Makes every run of the plan, adding each to `runs` with its arm's index as it
/// ends, so that an interrupted measurement keeps what it has. With a payer, what
/// is prepared is paid, and some of it stored.
///
/// # Errors
///
/// When a client cannot join; a tree that fails is a result.
pub async fn measure(
    plan: &MeasurePlan,
    target: &Target<'_>,
    payer: Option<&Payer>,
    runs: &mut Vec<(usize, Run)>,
    mut watch: impl FnMut(&Progress<'_>),
) -> Result<(), Error> {
    let schedule = plan.schedule();
    let seed = if plan.fresh {
        rand::random()
    } else {
        plan.seed
    };
    for (at, scheduled) in schedule.iter().enumerate() {
        let arm = &plan.arms[scheduled.arm];
        watch(&Progress::Started {
            run: at + 1,
            of: schedule.len(),
            block: scheduled.block,
            arm,
        });
        let chunks = chunks(seed, at, plan.leaves);
        let addresses: Vec<_> = chunks.iter().map(|chunk| compute_address(chunk)).collect();
        let target = Target {
            client: ClientConfig {
                plan: arm.plan(target.client.plan),
                ..target.client.clone()
            },
            ..*target
        };
        if let Some(testnet) = target.testnet {
            testnet.lose_answers(arm.loses_percent());
        }
        let mut run = if arm.is_published() {
            Box::pin(measure_published(&target, &addresses, plan.data_size)).await?
        } else {
            let by = payer.map(|payer| (payer, chunks.as_slice()));
            let size = plan.data_size;
            let measured = measure_fresh(&target, arm.pacing(), &addresses, size, by);
            Box::pin(measured).await?.run
        };
        run.block = scheduled.block;
        watch(&Progress::Ended(&run));
        runs.push((scheduled.arm, run));
    }
    Ok(())
}

/// One payment's trees, on a client of its own.
///
/// # Errors
///
/// When the client cannot join.
pub async fn measure_tree(
    target: &Target<'_>,
    pacing: impl Into<Arms>,
    addresses: &[[u8; 32]],
    data_size: u64,
) -> Result<Measured, Error> {
    measure_fresh(target, pacing.into(), addresses, data_size, None).await
}

/// The same, paid by somebody who has the chunks of these addresses, if at all.
async fn measure_fresh(
    target: &Target<'_>,
    pacing: Arms,
    addresses: &[[u8; 32]],
    data_size: u64,
    by: Option<(&Payer, &[Bytes])>,
) -> Result<Measured, Error> {
    let (client, warm_up) = fresh_client(target, pacing).await?;
    let mut measured = measure_on(target, &client, addresses, data_size).await;
    measured.run.warm_up_s = Some(warm_up.as_secs_f64());
    if let Some((payer, chunks)) = by {
        let Measured { run, batches, .. } = &mut measured;
        if let Err(error) = Box::pin(pay(payer, &client, batches, chunks, run)).await {
            run.error = Some(error.to_string());
        }
    }
    client.close().await;
    Ok(measured)
}

/// A client that knows its peers, and what becoming so took.
pub(crate) async fn fresh_client(
    target: &Target<'_>,
    pacing: Arms,
) -> Result<(Client, Duration), Error> {
    let joining = Instant::now();
    let client = Client::connect(ClientConfig {
        pacing,
        ..target.client.clone()
    })
    .await?;
    client.warm_up().await;
    Ok((client, joining.elapsed()))
}

/// One payment's trees on a client that lives on, under the pacing that it draws.
pub async fn measure_on(
    target: &Target<'_>,
    client: &Client,
    addresses: &[[u8; 32]],
    data_size: u64,
) -> Measured {
    let accounting = Accounting::open(target, client);
    let prepared = client.prepare(addresses, data_size).await;
    let mut run = Run::default();
    accounting.tree_ended(&mut run);
    let came = accounting.close(&mut run).await;

    let reports: Vec<&TreeReport> = match &prepared {
        Ok(batches) => batches.iter().map(|batch| &batch.report).collect(),
        Err(error) => error.report().into_iter().collect(),
    };
    let drawn = reports.first().map(|report| Drawn {
        pacing: report.pacing.clone(),
        epoch: report.epoch,
        seed: report.seed,
        draw: report.draw,
    });
    let trees: Vec<&Report> = reports.iter().map(|report| &report.collection).collect();
    run.fill(&trees);
    run.peak_slots = reports.iter().map(|r| r.gate.peak_occupied).max();
    run.error = prepared.as_ref().err().map(ToString::to_string);
    run.late = run.late.map(|late| late + came.after_end);
    // An answer that arrived though its sending failed on the node's side is not
    // counted as sent, and hides one loss.
    let taken = run.answers_taken.zip(run.late);
    // Of several trees one failed, and the answers to the others are in no report.
    let whole = prepared.is_ok() || batch_sizes(addresses.len()).len() == 1;
    let lost = taken.zip(run.answers_sent).filter(|_| whole);
    run.lost = lost.map(|((taken, late), sent)| sent.saturating_sub(taken + late));
    let (batches, failure) = match prepared {
        Ok(batches) => (batches, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    if let Some(testnet) = target.testnet {
        run.chose(closeness(&batches, &answering(testnet)));
    }
    Measured {
        run,
        failure,
        drawn,
        batches,
    }
}

/// What had been counted when a tree began.
pub(crate) struct Accounting<'a> {
    target: &'a Target<'a>,
    client: &'a Client,
    sent: Option<Traffic>,
    routed: Option<Counts>,
    came: ClientTraffic,
    cpu: Option<f64>,
}

impl<'a> Accounting<'a> {
    pub(crate) fn open(target: &'a Target<'_>, client: &'a Client) -> Self {
        Self {
            target,
            client,
            sent: target.testnet.map(Testnet::traffic),
            routed: target.lab.map(Lab::counts),
            came: client.traffic(),
            cpu: cpu_seconds(),
        }
    }

    /// What the tree itself took, of the processor and of the router.
    pub(crate) fn tree_ended(&self, run: &mut Run) {
        run.cpu_s = self.cpu.and_then(|before| Some(cpu_seconds()? - before));
        let routed = self.target.lab.map(Lab::counts).zip(self.routed.clone());
        if let Some((after, before)) = routed {
            run.routed(&(after - before));
        }
    }

    /// Waits until all answers have arrived or are lost; says what came that is in
    /// no tree's report.
    pub(crate) async fn close(self, run: &mut Run) -> ClientTraffic {
        close_accounting(self.target, self.client).await;
        if let Some((testnet, before)) = self.target.testnet.zip(self.sent) {
            let traffic = testnet.traffic() - before;
            run.requests_taken = Some(traffic.requests_taken);
            run.answers_sent = Some(traffic.answers_sent);
        }
        let now = self.client.traffic();
        ClientTraffic {
            after_end: now.after_end - self.came.after_end,
            unasked: now.unasked - self.came.unasked,
            lagged: now.lagged - self.came.lagged,
        }
    }
}

/// Waits until no more answers are sent or arrive.
async fn close_accounting(target: &Target<'_>, client: &Client) {
    let count = || (target.testnet.map(Testnet::traffic), client.traffic());
    let started = Instant::now();
    let mut last = count();
    let mut quiet_since = started;
    while quiet_since.elapsed() < QUIET && started.elapsed() < CLOSE_WITHIN {
        tokio::time::sleep(LOOK_EVERY).await;
        let now = count();
        if now != last {
            last = now;
            quiet_since = Instant::now();
        }
    }
}
