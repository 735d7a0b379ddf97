//! `ant simulate`: the client's own collection and gate on a modelled network, in
//! virtual time.

use ant_config::{Sources, load};
use ant_measure::{ArmResult, MeasureArm, Run, table};
use ant_sim::{Scenario, SimArm, TreeOutcome, simulate};
use serde_json::json;

use crate::{
    args::SimulateArgs,
    exit::Failure,
    output::{print, print_json},
};

pub(crate) fn run(args: &SimulateArgs) -> Result<(), Failure> {
    let scenario = Scenario::find(&args.scenario).map_err(bad)?;
    if args.check {
        return check(&args.scenario, &scenario);
    }
    let arms = args
        .arms
        .iter()
        .map(|name| arm(args, &scenario, name.trim()));
    let arms = arms.collect::<Result<Vec<_>, _>>()?;
    let seed = args.seed.unwrap_or(scenario.population.seed);
    let trees = args.trees.map_or(scenario.trees, |trees| trees as usize);
    let results = arms.iter().map(|arm| {
        eprintln!("{}: {trees} trees", arm.name);
        let runs = simulate(&scenario, arm, seed, trees).enumerate();
        ArmResult::new(arm.name.clone(), runs.map(as_run).collect())
    });
    let results: Vec<_> = results.collect();
    if args.json {
        print_json(&json!({
            "scenario": args.scenario,
            "description": scenario.population.description,
            "seed": seed,
            "version": env!("CARGO_PKG_VERSION"),
            "arms": results,
        }))
    } else {
        print(&table(&results))
    }
}

fn bad(error: impl std::fmt::Display) -> Failure {
    Failure::BadInput(error.to_string())
}

fn arm(args: &SimulateArgs, scenario: &Scenario, name: &str) -> Result<SimArm, Failure> {
    if name != MeasureArm::DEFAULT {
        return scenario.arm(name).map_err(|error| {
            bad(format!(
                "--arms: {error}; `default` is what the settings say"
            ))
        });
    }
    let settings = load(&Sources::of_process(args.settings.given.clone())?)?.settings;
    let arms = settings.arms();
    let [own] = arms.as_slice() else {
        return Err(bad(
            "the settings have several arms; name one strategy with --strategy, or each in --arms",
        ));
    };
    Ok(SimArm {
        name: name.to_owned(),
        pacing: own.pacing.clone(),
        plan: settings.plan,
    })
}

/// Describes a simulated tree as a run, so that it is shown like a measured one.
fn as_run((tree, outcome): (usize, TreeOutcome)) -> Run {
    let mut run = Run::default();
    run.fill(&[&outcome.report]);
    run.block = tree;
    run.peak_slots = Some(outcome.peak_slots);
    run.answers_sent = Some(outcome.sent);
    run.late = Some(outcome.late());
    run.lost = Some(outcome.lost);
    run.error = (!outcome.full).then(|| "a pool stayed short".to_owned());
    run
}

/// Checks what the file of the scenario expects.
fn check(name: &str, scenario: &Scenario) -> Result<(), Failure> {
    let missed = scenario.check().map_err(bad)?;
    for missed in &missed {
        eprintln!("{missed}");
    }
    if missed.is_empty() {
        print("every expectation holds\n")
    } else {
        let count = missed.len();
        Err(Failure::failed(format!(
            "{name}: {count} expectations do not hold"
        )))
    }
}
