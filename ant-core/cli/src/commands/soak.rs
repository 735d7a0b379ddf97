//! `ant soak`: trees one after another, each under the settings as they are when
//! it starts.

use std::{path::Path, pin::pin};

use ant_core::Client;
use ant_measure::{ArmResult, Measured, PaymentRecord, Run, Target, addresses, measure_on, table};
use ant_protocol::MAX_CHUNK_SIZE;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::{
    args::SoakArgs, commands::measure::outcome, exit::Failure, interrupt::Interrupt, live::Live,
    network::Chosen, output::print, record,
};

pub(crate) async fn run(args: SoakArgs, folder: &Path) -> Result<(), Failure> {
    let chosen = Chosen::new(&args.network, args.seed, args.settings.given.clone())?;
    record::check(&chosen.settings)?;
    let mut interrupt = Interrupt::new()?;
    let hangup = signal(SignalKind::hangup())
        .map_err(|error| Failure::failed(format!("signals: {error}")))?;
    let testnet = interrupt.or(chosen.start(folder)).await?;
    let target = chosen.target(testnet.as_ref());
    let mut soak = Soak {
        args: &args,
        live: Live::new(chosen.reloader),
        hangup,
        arms: Vec::new(),
    };
    let ended = interrupt.or(soak.run(&target)).await;
    interrupt.last_call();
    if let Some(testnet) = testnet {
        testnet.stop().await;
    }
    soak.sum_up()?;
    match ended {
        // The way a soak is meant to end.
        Err(Failure::Stopped(_)) => Ok(()),
        ended => ended,
    }
}

struct Soak<'a> {
    args: &'a SoakArgs,
    live: Live,
    hangup: Signal,
    arms: Vec<(String, Vec<Run>)>,
}

impl Soak<'_> {
    async fn run(&mut self, target: &Target<'_>) -> Result<(), Failure> {
        let client = Client::connect(target.client.clone()).await?;
        client.warm_up().await;
        for tree in 0.. {
            if self.args.trees.is_some_and(|trees| tree >= trees) {
                break;
            }
            self.live.look(&client).await;
            let measured = self.tree(target, &client, tree).await;
            self.book(tree, measured)?;
        }
        client.close().await;
        Ok(())
    }

    /// One tree; who asks for a reload meanwhile is answered at once.
    async fn tree(&mut self, target: &Target<'_>, client: &Client, tree: u64) -> Measured {
        let block = usize::try_from(tree).unwrap_or(usize::MAX);
        let leaves = addresses(self.args.seed, block, self.args.leaves as usize);
        let mut measuring = pin!(measure_on(target, client, &leaves, MAX_CHUNK_SIZE as u64));
        let mut measured = loop {
            tokio::select! {
                measured = &mut measuring => break measured,
                Some(()) = self.hangup.recv() => self.live.asked(client).await,
            }
        };
        measured.run.block = block;
        measured
    }

    fn book(&mut self, tree: u64, measured: Measured) -> Result<(), Failure> {
        let Measured {
            run,
            failure,
            drawn,
        } = measured;
        if let Some(drawn) = &drawn {
            let settings = self.live.settings();
            let addresses = self.args.leaves as usize;
            let payment = PaymentRecord::now(&settings.profile, drawn, addresses, run.clone());
            record::append(settings, &payment)?;
            if self.args.json {
                let line = serde_json::to_string(&payment).map_err(Failure::failed)?;
                print(&format!("{line}\n"))?;
            } else {
                let (pacing, epoch) = drawn;
                let number = tree + 1;
                let outcome = outcome(&run);
                print(&format!(
                    "tree {number}: {pacing}, epoch {epoch}: {outcome}\n"
                ))?;
            }
            let name = drawn.0.to_string();
            match self.arms.iter_mut().find(|(arm, _)| *arm == name) {
                Some((_, runs)) => runs.push(run),
                None => self.arms.push((name, vec![run])),
            }
        }
        match failure {
            // Peers will refuse the next one too; other failures are results.
            Some(error @ ant_core::Error::Refused { .. }) => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn sum_up(self) -> Result<(), Failure> {
        let (reloads, rejections) = self.live.counts();
        eprintln!("the settings were reloaded {reloads} times and rejected {rejections} times");
        if self.args.json || self.arms.is_empty() {
            return Ok(());
        }
        let arms = self.arms.into_iter();
        let arms: Vec<_> = arms.map(|(arm, runs)| ArmResult::new(arm, runs)).collect();
        print(&table(&arms))
    }
}
