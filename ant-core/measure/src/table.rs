//! The table for people: a row an arm, a column for each figure that has one.

use std::fmt::Write;

use crate::{
    document::ArmResult,
    figure::{Column, Figure, Shown},
    run::{FIGURES, Run},
};

/// Up to this many runs' values are listed one by one; more are given as a range.
const LISTED: usize = 5;

/// Returns the table of these arms as text. `-` stands for what is unknown.
pub fn table(arms: &[ArmResult]) -> String {
    let columns = FIGURES.iter();
    let columns: Vec<_> = columns
        .filter_map(|figure| Some((figure, figure.column?)))
        .collect();
    let headings = columns.iter().map(|(_, column)| column.heading);
    let headings = ["arm", "full"].into_iter().chain(headings);
    let mut rows = vec![headings.map(str::to_owned).collect()];
    rows.extend(arms.iter().map(|arm| row(arm, &columns)));
    let mut text = aligned(&rows);
    for arm in arms {
        for run in &arm.runs {
            if let Some(why) = &run.void {
                let _ = writeln!(text, "void: {} in block {}: {why}", arm.arm, run.block + 1);
            }
        }
    }
    text
}

/// Returns the rows as text with their columns under each other. All rows are as long
/// as the first.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<_> = (0..columns).filter_map(width).collect();
    let mut text = String::new();
    for row in rows {
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            // The names line up on the left, the figures on the right.
            let written = if at == 0 {
                write!(text, "{cell:<width$}")
            } else {
                write!(text, "  {cell:>width$}")
            };
            debug_assert!(written.is_ok(), "writing to a string");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

fn row(arm: &ArmResult, columns: &[(&Figure<Run>, Column)]) -> Vec<String> {
    let valid = || arm.runs.iter().filter(|run| run.void.is_none());
    let full = valid().filter(|run| run.full()).count();
    let mut cells = vec![arm.arm.clone(), format!("{full}/{}", valid().count())];
    cells.extend(columns.iter().map(|(figure, column)| match column.shown {
        Shown::Median(decimals) => cell(arm.median.get(figure.name), decimals),
        Shown::EachRun => each(&arm.runs, figure),
    }));
    cells
}

fn cell(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}

/// Returns the values of all runs that have this figure.
fn each(runs: &[Run], figure: &Figure<Run>) -> String {
    let values: Vec<_> = runs.iter().filter_map(figure.read).collect();
    let smallest = values.iter().copied().reduce(f64::min);
    let largest = values.iter().copied().reduce(f64::max);
    match (smallest, largest) {
        (Some(smallest), Some(largest)) if values.len() > LISTED => {
            format!("{smallest:.0}..{largest:.0}")
        }
        (Some(_), Some(_)) => {
            let values: Vec<_> = values.iter().map(|value| format!("{value:.0}")).collect();
            values.join(" ")
        }
        _ => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(line: &str) -> Vec<&str> {
        line.split_whitespace().collect()
    }

    #[test]
    fn a_row_an_arm_and_what_is_unknown_is_a_dash() {
        let run = |lost, pools_full| Run {
            tree_s: Some(1.5),
            pools: Some(2),
            pools_full: Some(pools_full),
            lost,
            ..Run::default()
        };
        let arms = [
            ArmResult::new(
                "hold-32".to_owned(),
                vec![run(Some(356), 2), run(Some(0), 1)],
            ),
            ArmResult::new("uncapped".to_owned(), vec![run(None, 2)]),
        ];
        let table = table(&arms);
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(
            cells(lines[1]),
            [
                "hold-32", "1/2", "1.50", "-", "-", "356", "0", "-", "-", "-", "-"
            ]
        );
        assert_eq!(
            cells(lines[2]),
            ["uncapped", "1/1", "1.50", "-", "-", "-", "-", "-", "-", "-"]
        );
    }

    #[test]
    fn the_columns_are_the_documented_ones() {
        let run = |late, lost| Run {
            tree_s: Some(1.0),
            lookup_max_s: Some(0.25),
            added_s: Some(0.75),
            pools: Some(1),
            pools_full: Some(1),
            late: Some(late),
            lost: Some(lost),
            legacy_retries: Some(3),
            peak_in_flight: Some(32),
            cpu_s: Some(0.5),
            ..Run::default()
        };
        let runs = (0..6).map(|at| run(at, 10 * at)).collect();
        let arms = [ArmResult::new("hold-32".to_owned(), runs)];
        assert_eq!(
            table(&arms),
            "arm      full  tree s  lookup s  added s  lost answers  late  retries  in flight  cpu s\n\
             hold-32   6/6    1.00      0.25     0.75         0..50     2        3         32   0.50\n"
        );
    }

    #[test]
    fn void_runs_are_named_and_not_counted() {
        let run = |void: Option<&str>| Run {
            pools: Some(1),
            pools_full: Some(1),
            void: void.map(str::to_owned),
            ..Run::default()
        };
        let runs = vec![run(None), run(Some("late")), run(None)];
        let table = table(&[ArmResult::new("x".to_owned(), runs)]);
        assert!(table.contains("2/2"), "{table}");
        assert!(table.contains("void: x in block 1: late"), "{table}");
    }
}
