//! The runner with a stand-in for the network.

use std::{
    collections::BTreeSet,
    pin::pin,
    sync::Mutex,
    task::{Context, Poll, Waker},
};

use super::*;
use crate::{boxed::Boxed, made_up::addresses_of};

/// Makes up runs: `tree_s` is the number of the run, from 0.
#[derive(Default)]
struct StandIn {
    /// What was asked for, in order: the arm and the nodes' losses in percent.
    executed: Mutex<Vec<(String, u8)>>,
    addresses: Mutex<Vec<Vec<[u8; 32]>>>,
    losing: Mutex<u8>,
    /// The number of the run that cannot be made.
    cannot: Option<usize>,
    /// The number of the run that never ends.
    hangs: Option<usize>,
    /// What the runs of this arm are like, besides.
    special: Option<(&'static str, Run)>,
}

impl Executor for StandIn {
    fn lose_answers(&self, percent: u8) {
        *self.losing.lock().unwrap() = percent;
    }

    fn execute<'a>(&'a self, order: RunOrder<'a>) -> Boxed<'a, Result<Run, Error>> {
        Box::pin(async move {
            let arm = order.arm.to_string();
            let losing = *self.losing.lock().unwrap();
            let number = {
                let mut executed = self.executed.lock().unwrap();
                executed.push((arm.clone(), losing));
                executed.len() - 1
            };
            let addresses = addresses_of(order.chunks);
            self.addresses.lock().unwrap().push(addresses);
            if self.hangs == Some(number) {
                std::future::pending::<()>().await;
            }
            if self.cannot == Some(number) {
                return Err(Error::NoBootstrap);
            }
            let special = self.special.clone().filter(|(name, _)| *name == arm);
            let run = special.map_or_else(Run::default, |(_, run)| run);
            Ok(Run {
                tree_s: Some(f64::from(u32::try_from(number).unwrap())),
                ..run
            })
        })
    }
}

fn plan(arms: &[&str], blocks: usize) -> MeasurePlan {
    let default = ant_pacing::StrategySpec::uncapped().into();
    let read = |arm: &&str| MeasureArm::parse(arm, &default).unwrap();
    MeasurePlan {
        arms: arms.iter().map(read).collect(),
        blocks,
        leaves: 3,
        data_size: 1,
        seed: 7,
        fresh: false,
    }
}

/// How a walk went: to its end, to an error, or to the run that hangs.
struct Walked {
    result: Poll<Result<(), Error>>,
    runs: Vec<(usize, Run)>,
    /// What was told on the way.
    seen: Vec<String>,
}

fn walked(plan: &MeasurePlan, executor: &StandIn) -> Walked {
    let (mut runs, mut seen) = (Vec::new(), Vec::new());
    let mut watch = |progress: &Progress<'_>| {
        seen.push(match progress {
            Progress::Started {
                run,
                of,
                block,
                arm,
            } => format!("{run}/{of} {block} {arm}"),
            Progress::Ended(run) => format!("{:?} {}", run.tree_s, run.block),
        });
    };
    let result = {
        let mut walk = pin!(walk(plan, executor, &mut runs, &mut watch));
        walk.as_mut().poll(&mut Context::from_waker(Waker::noop()))
    };
    Walked { result, runs, seen }
}

#[test]
fn runs_are_made_in_the_order_of_the_schedule_and_belong_to_their_block() {
    let plan = plan(&["hold-16", "uncapped", "default", "upstream"], 5);
    let executor = StandIn::default();
    let Walked { result, runs, seen } = walked(&plan, &executor);
    assert!(matches!(result, Poll::Ready(Ok(()))));
    let schedule = plan.schedule();
    assert_eq!(runs.len(), 20);
    let executed = executor.executed.into_inner().unwrap();
    for (at, scheduled) in schedule.iter().enumerate() {
        let (arm, run) = &runs[at];
        assert_eq!((*arm, run.block), (scheduled.arm, scheduled.block));
        let name = plan.arms[scheduled.arm].to_string();
        assert_eq!(executed[at].0, name);
        let block = scheduled.block;
        assert_eq!(seen[2 * at], format!("{}/20 {block} {name}", at + 1));
        assert_eq!(seen[2 * at + 1], format!("Some({at}.0) {block}"));
    }
    assert_eq!(seen.len(), 40);
}

#[test]
fn every_run_pays_for_other_chunks_and_the_seed_decides_which() {
    let addresses = |plan: &MeasurePlan| {
        let executor = StandIn::default();
        assert!(matches!(
            walked(plan, &executor).result,
            Poll::Ready(Ok(()))
        ));
        executor.addresses.into_inner().unwrap()
    };
    let plan = plan(&["hold-16", "uncapped"], 3);
    let of_seed = addresses(&plan);
    let all: BTreeSet<_> = of_seed.iter().flatten().collect();
    assert_eq!(all.len(), 6 * 3);
    assert_eq!(addresses(&plan), of_seed);
    let fresh = MeasurePlan {
        fresh: true,
        ..plan
    };
    assert_ne!(addresses(&fresh), of_seed);
}

#[test]
fn each_arm_has_its_own_losses_and_no_arm_inherits_them() {
    let plan = plan(&["hold-16~5%", "hold-16", "upstream~20%", "upstream"], 6);
    let executor = StandIn::default();
    assert!(matches!(
        walked(&plan, &executor).result,
        Poll::Ready(Ok(()))
    ));
    for (arm, losing) in executor.executed.into_inner().unwrap() {
        let expected = match arm.as_str() {
            "hold-16~5%" => 5,
            "upstream~20%" => 20,
            _ => 0,
        };
        assert_eq!(losing, expected, "{arm}");
    }
}

#[test]
fn a_measurement_that_is_interrupted_keeps_the_runs_that_have_ended() {
    let plan = plan(&["hold-16", "uncapped"], 4);
    let executor = StandIn {
        hangs: Some(5),
        ..StandIn::default()
    };
    let Walked { result, runs, seen } = walked(&plan, &executor);
    assert!(result.is_pending());
    assert_eq!(runs.len(), 5);
    assert!(seen.last().unwrap().starts_with("6/8 2 "), "{seen:?}");
}

#[test]
fn a_client_that_cannot_join_ends_the_measurement() {
    let plan = plan(&["hold-16", "uncapped"], 4);
    let executor = StandIn {
        cannot: Some(3),
        ..StandIn::default()
    };
    let Walked { result, runs, seen } = walked(&plan, &executor);
    assert!(matches!(result, Poll::Ready(Err(Error::NoBootstrap))));
    assert_eq!(runs.len(), 3);
    assert_eq!(executor.executed.into_inner().unwrap().len(), 4);
    assert!(seen.last().unwrap().starts_with("4/8 1 "), "{seen:?}");
}

#[test]
fn failed_and_void_runs_are_results_and_the_others_go_on() {
    let plan = plan(&["hold-16", "uncapped"], 4);
    let failed = Run {
        error: Some("a pool is short".to_owned()),
        void: Some("the router was late".to_owned()),
        ..Run::default()
    };
    let executor = StandIn {
        special: Some(("uncapped", failed)),
        ..StandIn::default()
    };
    let Walked { result, runs, .. } = walked(&plan, &executor);
    assert!(matches!(result, Poll::Ready(Ok(()))));
    assert_eq!(runs.len(), 8);
    for (arm, run) in &runs {
        assert_eq!(run.error.is_some(), *arm == 1);
        assert_eq!(run.void.is_some(), *arm == 1);
    }
}
