//! Walks the schedule of a measurement. What makes a run is known here as a trait only,
//! so that order, interruption and failure can be tested without a network.

use ant_core::Error;

use crate::{
    arm::MeasureArm,
    executor::{Executor, RunOrder},
    made_up::chunks,
    run::Run,
    schedule::MeasurePlan,
};

/// What a measurement is doing, for whoever watches.
#[derive(Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A run begins.
    Started {
        /// Its number, from 1.
        run: usize,
        /// How many runs there are.
        of: usize,
        /// The number of its block, from 0.
        block: usize,
        /// Its arm.
        arm: &'a MeasureArm,
    },
    /// It has ended.
    Ended(&'a Run),
}

/// Who watches a measurement.
pub type Watch<'a> = dyn FnMut(&Progress<'_>) + Send + 'a;

/// Makes every run of the plan, and adds each to `runs` with the index of its arm as
/// soon as it has ended: if this future is dropped, the runs that have ended stay.
///
/// # Errors
///
/// When a run cannot be made. Runs after it are not made.
pub(crate) async fn walk(
    plan: &MeasurePlan,
    executor: &dyn Executor,
    runs: &mut Vec<(usize, Run)>,
    watch: &mut Watch<'_>,
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
        executor.lose_answers(arm.loses_percent());
        let chunks = chunks(seed, at, plan.leaves);
        let order = RunOrder {
            arm,
            chunks: &chunks,
            data_size: plan.data_size,
        };
        let mut run = executor.execute(order).await?;
        run.block = scheduled.block;
        watch(&Progress::Ended(&run));
        runs.push((scheduled.arm, run));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
