//! `ant measure`: strategies compared, in a table or a JSON document.

use std::time::Duration;

use ant_config::Environment;
use ant_measure::{Document, Host, MeasureArm, MeasurePlan, Paying, Progress, measure, table};
use ant_protocol::{MAX_CHUNK_SIZE, evm::MAX_LEAVES};
use ant_testnet::Testnet;
use serde_json::{Value, json};

use crate::{
    args::MeasureArgs,
    exit::Failure,
    interrupt::Interrupt,
    network::{CommandContext, NetworkSelection},
    output::{outcome, print, print_json},
    wallet::PaymentChain,
};

/// How long a payment may take to settle before its run counts as failed.
const PAY_WITHIN: Duration = Duration::from_mins(3);

pub(crate) struct CheckedInput {
    args: MeasureArgs,
    plan: MeasurePlan,
    pub(crate) chosen: NetworkSelection,
}

impl CheckedInput {
    pub(crate) fn new(args: MeasureArgs) -> Result<Self, Failure> {
        let chosen = if args.pay {
            NetworkSelection::paying(&args.network, args.seed)?
        } else {
            NetworkSelection::new(&args.network, args.seed)?
        };
        if args.pay && chosen.own.is_none() && !args.i_will_spend {
            return Err(Failure::BadInput(format!(
                "--pay costs real tokens on the network of the profile `{}`; say --i-will-spend \
                 too, or choose --profile local",
                chosen.settings.profile
            )));
        }
        let plan = plan(&args, &chosen)?;
        let own = plan.arms.iter().any(MeasureArm::follows_settings);
        let pacings = plan.arms.iter().map(MeasureArm::pacing);
        let pacings: Vec<_> = pacings.flat_map(|arms| arms.as_slice().to_vec()).collect();
        let pacings = pacings.iter().map(|arm| &arm.pacing);
        for note in chosen.reloader.current().notes_on(pacings) {
            eprintln!("note: {note}");
        }
        let variable = Environment::of_process().chooses_pacing();
        if let Some(variable) = variable.filter(|_| !own) {
            eprintln!("note: {variable} has no effect here; --arms names the strategies");
        }
        if chosen.settings.payment.record.is_some() {
            eprintln!("note: payment.record has no effect here; --json prints every run");
        }
        Ok(Self { args, plan, chosen })
    }
}

pub(crate) async fn run(ready: CheckedInput, ground: CommandContext<'_>) -> Result<(), Failure> {
    let CheckedInput { args, plan, chosen } = ready;
    let host = Host::now();
    let interrupt = Interrupt::new()?;
    let (mut interrupt, testnet) = Box::pin(interrupt.starting(chosen.start(ground))).await?;
    let payer = if args.pay {
        let chain = match testnet.as_ref().and_then(Testnet::chain) {
            Some(chain) => PaymentChain::own(chain),
            None => PaymentChain::remote(args.network.manifest.as_deref(), &chosen.settings)?,
        };
        Some(chain.payer_in(&ground.folder.join("receipts"), PAY_WITHIN)?)
    } else {
        None
    };
    let target = chosen.target(ground, testnet.as_ref());
    let mut runs = Vec::new();
    let mut watch = show;
    let paying = payer.as_ref().map(Paying::by);
    let measuring = measure(&plan, &target, paying, &mut runs, &mut watch);
    let measured = interrupt
        .or(async { measuring.await.map_err(Failure::from) })
        .await;
    interrupt.last_call();
    if let Some(testnet) = testnet {
        testnet.stop().await;
    }
    // What was measured before a failure or Ctrl-C is shown all the same.
    if !runs.is_empty() {
        let document = Document::new(&plan, settings(&args, &chosen), host, &runs);
        if args.json {
            print_json(&document)?;
        } else {
            print(&table(&document.arms))?;
        }
    }
    measured
}

fn plan(args: &MeasureArgs, chosen: &NetworkSelection) -> Result<MeasurePlan, Failure> {
    let default = chosen.settings.arms();
    let read = |text: &String| {
        let arm = MeasureArm::parse(text.trim(), &default);
        let arm = arm.map_err(|error| Failure::BadInput(format!("--arms: {error}")))?;
        if arm.is_published() && args.pay {
            return Err(Failure::BadInput(
                "--arms: `upstream` prepares and does not pay; leave it or --pay out".to_owned(),
            ));
        }
        if arm.is_published() && args.leaves as usize > MAX_LEAVES {
            return Err(Failure::BadInput(format!(
                "--arms: `upstream` prepares single trees; leave it out, or give --leaves {MAX_LEAVES} \
                 at most"
            )));
        }
        if arm.loses_percent() > 0 && chosen.own.is_none() {
            return Err(Failure::BadInput(format!(
                "--arms: `{arm}` needs a testnet of our own, and the profile `{}` joins another; \
                 choose --profile local",
                chosen.settings.profile
            )));
        }
        Ok(arm)
    };
    Ok(MeasurePlan {
        arms: args.arms.iter().map(read).collect::<Result<_, _>>()?,
        blocks: args.blocks as usize,
        leaves: args.leaves as usize,
        data_size: MAX_CHUNK_SIZE as u64,
        seed: args.seed,
        fresh: args.pay && chosen.own.is_none(),
    })
}

/// The settings that the figures depend on.
fn settings(args: &MeasureArgs, chosen: &NetworkSelection) -> Value {
    json!({
        "profile": chosen.settings.profile,
        "network": chosen.settings.network,
        "plan": chosen.settings.plan,
        "blocks": args.blocks,
        "leaves": args.leaves,
        "nodes": chosen.own.as_ref().map(|own| own.config.nodes),
        "silent": chosen.own.as_ref().map(|own| own.config.faults.silent),
        "scenario": chosen.scenario(),
    })
}

/// Prints what the measurement is doing, on stderr.
fn show(progress: &Progress<'_>) {
    match *progress {
        Progress::Started {
            run,
            of,
            block,
            arm,
        } => eprint!("[{run}/{of}] block {}, {arm}: ", block + 1),
        Progress::Ended(run) => eprintln!("{}", outcome(run)),
        _ => {}
    }
}
