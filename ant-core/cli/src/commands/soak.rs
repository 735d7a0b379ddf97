//! `ant soak`: trees one after another, each under the settings that are in force
//! when it starts.

use std::collections::VecDeque;

use ant_core::Client;
use ant_measure::{
    ArmResult, Drawn, Measured, PaymentRecord, Run, Target, addresses, measure_on, table,
};
use ant_protocol::MAX_CHUNK_SIZE;
use tokio::signal::unix::Signal;

use crate::{
    args::SoakArgs,
    exit::Failure,
    following::SettingsFollower,
    interrupt::Interrupt,
    network::{CommandContext, NetworkSelection},
    output::{outcome, print, print_on},
    record,
};

pub(crate) struct CheckedInput {
    args: SoakArgs,
    pub(crate) chosen: NetworkSelection,
}

impl CheckedInput {
    pub(crate) fn new(args: SoakArgs) -> Result<Self, Failure> {
        let chosen = NetworkSelection::new(&args.network, args.seed)?;
        record::check(&chosen.settings)?;
        Ok(Self { args, chosen })
    }
}

pub(crate) async fn run(ready: CheckedInput, ground: CommandContext<'_>) -> Result<(), Failure> {
    let CheckedInput { args, chosen } = ready;
    let (interrupt, hangup) = Interrupt::and_hangup()?;
    let (mut interrupt, testnet) = Box::pin(interrupt.starting(chosen.start(ground))).await?;
    let target = chosen.target(ground, testnet.as_ref());
    let mut soak = Soak {
        args: &args,
        follower: SettingsFollower::new(chosen.reloader),
        hangup,
        arms: Vec::new(),
        unrecorded: 0,
    };
    let ended = interrupt.or(soak.run(&target)).await;
    interrupt.last_call();
    if let Some(testnet) = testnet {
        testnet.stop().await;
    }
    soak.sum_up()?;
    match ended {
        // A soak is meant to end by a signal.
        Err(Failure::Stopped(_)) => Ok(()),
        ended => ended,
    }
}

/// How many runs of each arm are kept for the summary, the latest ones: a soak may last
/// for weeks.
const KEPT: usize = 10_000;

struct Soak<'a> {
    args: &'a SoakArgs,
    follower: SettingsFollower,
    hangup: Signal,
    /// Each arm's latest runs.
    arms: Vec<(String, VecDeque<Run>)>,
    /// How many payments could not be recorded.
    unrecorded: u64,
}

impl Soak<'_> {
    async fn run(&mut self, target: &Target<'_>) -> Result<(), Failure> {
        let client = Client::connect(target.client.clone()).await?;
        client.warm_up().await;
        for tree in 0.. {
            if self.args.trees.is_some_and(|trees| tree >= trees) {
                break;
            }
            self.follower.look(&client).await;
            let measured = self.tree(target, &client, tree).await;
            if !self.record(tree, measured)? {
                break;
            }
        }
        client.close().await;
        Ok(())
    }

    /// Prepares one tree. Who asks for a reload meanwhile is answered at once.
    async fn tree(&mut self, target: &Target<'_>, client: &Client, tree: u64) -> Measured {
        let block = usize::try_from(tree).unwrap_or(usize::MAX);
        let leaves = addresses(self.args.seed, block, self.args.leaves as usize);
        let measuring = measure_on(target, client, &leaves, MAX_CHUNK_SIZE as u64);
        // Polled beside the tree, not instead of it. If a look is dropped midway, the
        // next one is before the next tree.
        let answering = async {
            while self.hangup.recv().await.is_some() {
                self.follower.asked(client).await;
            }
            std::future::pending().await
        };
        let mut measured = tokio::select! {
            measured = measuring => measured,
            never = answering => never,
        };
        measured.run.block = block;
        measured
    }

    /// Prints, records and keeps a tree. Returns whether anybody still reads the output.
    fn record(&mut self, tree: u64, measured: Measured) -> Result<bool, Failure> {
        let Measured {
            run,
            failure,
            drawn,
            batches: _,
        } = measured;
        let number = tree + 1;
        let Some(drawn) = drawn else {
            // It failed before it began.
            let error = run.error.unwrap_or_default();
            let read = print_on(&format!("tree {number}: no payment: {error}\n"))?;
            return failure.map_or(Ok(read), |error| Err(error.into()));
        };
        let settings = self.follower.settings();
        let addresses = self.args.leaves as usize;
        let payment = PaymentRecord::now(&settings.profile, &drawn, addresses, run.clone());
        if let Err(failure) = record::append(settings, &payment) {
            // The soak goes on: a full disk is no reason to stop measuring.
            self.unrecorded += 1;
            if self.unrecorded == 1 {
                failure.report();
            }
        }
        let line = if self.args.json {
            serde_json::to_string(&payment).map_err(Failure::failed)?
        } else {
            let Drawn { pacing, epoch, .. } = &drawn;
            format!("tree {number}: {pacing}, epoch {epoch}: {}", outcome(&run))
        };
        let read = print_on(&format!("{line}\n"))?;
        let name = drawn.pacing.to_string();
        let at = self.arms.iter().position(|(arm, _)| *arm == name);
        let at = at.unwrap_or_else(|| {
            self.arms.push((name, VecDeque::new()));
            self.arms.len() - 1
        });
        let runs = &mut self.arms[at].1;
        runs.push_back(run);
        if runs.len() > KEPT {
            runs.pop_front();
        }
        match failure {
            // Peers will refuse the next one too; other failures are results.
            Some(error @ ant_core::Error::Refused { .. }) => Err(error.into()),
            _ => Ok(read),
        }
    }

    fn sum_up(self) -> Result<(), Failure> {
        let (reloads, rejections) = self.follower.counts();
        eprintln!("the settings were reloaded {reloads} times and rejected {rejections} times");
        if self.unrecorded > 0 {
            eprintln!("{} payments were not recorded", self.unrecorded);
        }
        if self.args.json || self.arms.is_empty() {
            return Ok(());
        }
        let arms = self.arms.into_iter();
        let arms: Vec<_> = arms
            .map(|(arm, runs)| ArmResult::new(arm, runs.into()))
            .collect();
        print(&table(&arms))
    }
}
