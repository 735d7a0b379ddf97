//! One payment's trees on a client of ours, with all that was counted meanwhile.

use ant_core::{
    Client, ClientTraffic, Error, PreparedMerkleBatch, Report, TreeReport, batch_sizes,
};
use ant_pacing::PacingSpec;

use crate::{
    accounting::{Accounting, lost},
    boxed::Boxed,
    closeness::{answering, closeness},
    run::Run,
    target::Target,
};

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

/// Prepares one payment's trees on a client that lives on, under the pacing that it
/// draws.
pub fn measure_on<'a>(
    target: &'a Target<'_>,
    client: &'a Client,
    addresses: &'a [[u8; 32]],
    data_size: u64,
) -> Boxed<'a, Measured> {
    Box::pin(prepare_on(target, client, addresses, data_size))
}

pub(crate) async fn prepare_on(
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
    // Of several trees one failed, and the answers to the others are in no report.
    let whole = prepared.is_ok() || batch_sizes(addresses.len()).len() == 1;
    take_over(&mut run, &reports, &came, whole);
    let drawn = reports.first().map(|report| drawn(report));
    run.error = prepared.as_ref().err().map(ToString::to_string);
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

fn drawn(report: &TreeReport) -> Drawn {
    Drawn {
        pacing: report.pacing.clone(),
        epoch: report.epoch,
        seed: report.seed,
        draw: report.draw,
    }
}

/// Adds to the run what the trees' reports say, what came besides, and so what was
/// lost. `whole` says whether the reports are those of all trees.
fn take_over(run: &mut Run, reports: &[&TreeReport], came: &ClientTraffic, whole: bool) {
    let trees: Vec<&Report> = reports.iter().map(|report| &report.collection).collect();
    run.fill(&trees);
    run.peak_slots = reports.iter().map(|r| r.gate.peak_occupied).max();
    run.late = run.late.map(|late| late + came.after_end);
    let taken = run.answers_taken.zip(run.late);
    let taken = taken.map(|(taken, late)| taken + late);
    run.lost = lost(run.answers_sent, taken).filter(|_| whole);
}

#[cfg(test)]
mod tests {
    use ant_pacing::GateStats;

    use super::*;

    fn report(answered: u64, late: u64, peak_occupied: u32) -> TreeReport {
        TreeReport {
            pacing: "hold-16".parse().unwrap(),
            epoch: 3,
            seed: 7,
            draw: 5,
            collection: Report {
                answered,
                late,
                ..Report::default()
            },
            gate: GateStats {
                peak_occupied,
                ..GateStats::default()
            },
        }
    }

    fn taken_over(sent: Option<u64>, reports: &[&TreeReport], whole: bool) -> Run {
        let mut run = Run {
            answers_sent: sent,
            ..Run::default()
        };
        let came = ClientTraffic {
            after_end: 4,
            unasked: 1000,
            lagged: 0,
        };
        take_over(&mut run, reports, &came, whole);
        run
    }

    #[test]
    fn sent_is_taken_and_late_and_lost() {
        let (one, two) = (report(100, 3, 16), report(50, 2, 9));
        let run = taken_over(Some(165), &[&one, &two], true);
        assert_eq!(run.answers_taken, Some(150));
        assert_eq!(run.late, Some(9), "those after the tree's end too");
        assert_eq!(run.lost, Some(6), "what nobody asked for is no answer");
        assert_eq!(run.peak_slots, Some(16));
    }

    #[test]
    fn losses_are_unknown_where_not_all_was_counted() {
        let one = report(100, 3, 16);
        assert_eq!(taken_over(None, &[&one], true).lost, None);
        assert_eq!(taken_over(Some(165), &[&one], false).lost, None);
        let before_any_tree = taken_over(Some(165), &[], true);
        assert_eq!((before_any_tree.lost, before_any_tree.late), (None, None));
    }

    #[test]
    fn a_payment_says_what_it_drew() {
        let drawn = drawn(&report(1, 0, 1));
        assert_eq!(drawn.pacing.to_string(), "hold-16");
        assert_eq!((drawn.epoch, drawn.seed, drawn.draw), (3, 7, 5));
    }
}
