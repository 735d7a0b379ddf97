//! The table for people: a row an arm.

use std::fmt::Write;

use crate::{ArmResult, Run};

/// Up to so many losses are listed one by one; more are given as a range.
const LISTED: usize = 5;

const HEADINGS: [&str; 10] = [
    "arm",
    "full",
    "tree s",
    "lookup s",
    "added s",
    "lost answers",
    "late",
    "retries",
    "in flight",
    "cpu s",
];

/// The arms' table: medians over the runs; for the lost answers every
/// run's own, since one bad run in three is what they are about. `-` is unknown.
pub fn table(arms: &[ArmResult]) -> String {
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    rows.extend(arms.iter().map(row));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<_> = (0..HEADINGS.len()).filter_map(width).collect();
    let mut text = String::new();
    for row in &rows {
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = if at == 0 { "" } else { "  " };
            // The names line up on the left, the figures on the right.
            let written = if at == 0 {
                write!(text, "{cell:<width$}")
            } else {
                write!(text, "{gap}{cell:>width$}")
            };
            debug_assert!(written.is_ok(), "writing to a string");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    for arm in arms {
        for run in &arm.runs {
            if let Some(why) = &run.void {
                let _ = writeln!(text, "void: {} in block {}: {why}", arm.arm, run.block + 1);
            }
        }
    }
    text
}

fn row(arm: &ArmResult) -> [String; HEADINGS.len()] {
    let median = &arm.median;
    let decimals = |value: Option<f64>| figure(value, 2);
    let whole = |value: Option<f64>| figure(value, 0);
    let valid = || arm.runs.iter().filter(|run| run.void.is_none());
    let full = valid().filter(|run| run.full()).count();
    [
        arm.arm.clone(),
        format!("{full}/{}", valid().count()),
        decimals(median.tree_s),
        decimals(median.lookup_max_s),
        decimals(median.added_s),
        losses(&arm.runs),
        whole(median.late),
        whole(median.legacy_retries),
        whole(median.peak_in_flight),
        decimals(median.cpu_s),
    ]
}

fn figure(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}

fn losses(runs: &[Run]) -> String {
    let lost: Vec<_> = runs.iter().filter_map(|run| run.lost).collect();
    match (lost.iter().min(), lost.iter().max()) {
        (Some(least), Some(most)) if lost.len() > LISTED => format!("{least}..{most}"),
        (Some(_), Some(_)) => {
            let all: Vec<_> = lost.iter().map(ToString::to_string).collect();
            all.join(" ")
        }
        _ => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Host, MeasureArm, MeasurePlan};

    #[test]
    fn a_row_an_arm_and_what_is_unknown_is_a_dash() {
        let plan = MeasurePlan {
            arms: ["hold-32", "uncapped"]
                .map(|arm| MeasureArm::Reference(arm.parse().unwrap()))
                .to_vec(),
            blocks: 2,
            leaves: 2,
            data_size: 1,
            seed: 7,
            fresh: false,
        };
        let run = |lost, pools_full| Run {
            tree_s: Some(1.5),
            pools: Some(2),
            pools_full: Some(pools_full),
            lost,
            ..Run::default()
        };
        let runs = [
            (0, run(Some(356), 2)),
            (0, run(Some(0), 1)),
            (1, run(None, 2)),
        ];
        let document = Document::new(&plan, serde_json::Value::Null, Host::now(), &runs);
        let table = table(&document.arms);
        let lines: Vec<Vec<_>> = table.lines().map(|l| l.split("  ").collect()).collect();
        assert_eq!(lines.len(), 3);
        let cells = |line: &str| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let text: Vec<_> = table.lines().map(cells).collect();
        assert_eq!(
            text[1],
            [
                "hold-32", "1/2", "1.50", "-", "-", "356", "0", "-", "-", "-", "-"
            ]
        );
        assert_eq!(
            text[2],
            ["uncapped", "1/1", "1.50", "-", "-", "-", "-", "-", "-", "-"]
        );
    }
}
