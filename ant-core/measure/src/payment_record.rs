//! Payments in normal use, recorded one a line, so that what a fleet of clients
//! drew and how it fared can be summed up anywhere, by anything that reads JSON.

use std::{
    collections::BTreeSet,
    fs::OpenOptions,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

use ant_core::now;
use ant_pacing::PacingSpec;
use serde::{Deserialize, Serialize};

use crate::{document::ArmResult, run::Run, tree::Drawn};

/// One payment: what it drew, and how it fared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaymentRecord {
    /// When it ended, in seconds since 1970.
    pub at: u64,
    /// The profile in force.
    pub profile: String,
    /// The pacing that it drew.
    pub arm: PacingSpec,
    /// How often the client's terms had been changed before it.
    pub epoch: u64,
    /// What decides the draws.
    pub seed: u64,
    /// The number of the draw, from 0.
    pub draw: u64,
    /// How many addresses it was for.
    pub addresses: usize,
    /// Its figures.
    #[serde(flatten)]
    pub run: Run,
}

impl PaymentRecord {
    /// Returns the record of a payment that has ended now.
    pub fn now(profile: &str, drawn: &Drawn, addresses: usize, run: Run) -> Self {
        Self {
            // A payment does not fail because the clock stands before 1970.
            at: now().unwrap_or(0),
            profile: profile.to_owned(),
            arm: drawn.pacing.clone(),
            epoch: drawn.epoch,
            seed: drawn.seed,
            draw: drawn.draw,
            addresses,
            run,
        }
    }
}

/// Appends a record as a line to a file, and makes the file if it does not exist.
/// Several programs may append to one file: each line is written at once.
///
/// # Errors
///
/// When the file cannot be opened or written.
pub fn append_record(path: &Path, record: &PaymentRecord) -> io::Result<()> {
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    let mut file = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .open(path)?;
    // What a killed program left of a line must not spoil this one.
    if file.seek(SeekFrom::End(0))? > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            line.insert(0, b'\n');
        }
    }
    file.write_all(&line)
}

/// How every record begins: a line that begins so and cannot be read was cut short.
const BEGINS: &str = "{\"at\":";

/// A line of a file is not the record of a payment.
#[derive(Debug, thiserror::Error)]
#[error("{file}:{line}: not the record of a payment: {source}")]
#[non_exhaustive]
pub struct RecordError {
    /// The name of the file.
    pub file: String,
    /// The number of the line, from 1.
    pub line: usize,
    /// Why it is not a record.
    pub source: serde_json::Error,
}

/// What records say, summed up.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Each arm's payments, by name; named with their profile and how many
    /// addresses they were for, where those differ.
    pub arms: Vec<ArmResult>,
    /// How many records were cut short, as the last one of a program that was killed
    /// may be.
    pub cut_short: usize,
}

/// Sums up files of records, each given as its name and its text.
///
/// # Errors
///
/// When a line is not a record.
pub fn summed_up(files: &[(String, String)]) -> Result<Summary, RecordError> {
    let mut records: Vec<PaymentRecord> = Vec::new();
    let mut cut_short = 0;
    for (name, text) in files {
        let lines: Vec<_> = text.split_inclusive('\n').collect();
        for (at, line) in lines.iter().enumerate() {
            match serde_json::from_str(line.trim_end()) {
                Ok(record) => records.push(record),
                Err(_) if line.trim().is_empty() => {}
                Err(_) if BEGINS.starts_with(line.trim_end()) || line.starts_with(BEGINS) => {
                    cut_short += 1;
                }
                Err(source) => {
                    return Err(RecordError {
                        file: name.clone(),
                        line: at + 1,
                        source,
                    });
                }
            }
        }
    }
    // Payments that differ in more than the arm are not compared with each other.
    let several = |of: &dyn Fn(&PaymentRecord) -> String| {
        records.iter().map(of).collect::<BTreeSet<_>>().len() > 1
    };
    let profiles = several(&|record| record.profile.clone());
    let sizes = several(&|record| record.addresses.to_string());
    let label = |record: &PaymentRecord| {
        let mut label = record.arm.to_string();
        if profiles {
            label = format!("{}/{label}", record.profile);
        }
        if sizes {
            label = format!("{label} ({} addresses)", record.addresses);
        }
        label
    };
    let mut arms: Vec<(String, Vec<Run>)> = Vec::new();
    for record in &records {
        let name = label(record);
        match arms.iter_mut().find(|(arm, _)| *arm == name) {
            Some((_, runs)) => runs.push(record.run.clone()),
            None => arms.push((name, vec![record.run.clone()])),
        }
    }
    arms.sort_by(|a, b| a.0.cmp(&b.0));
    let arms = arms
        .into_iter()
        .map(|(arm, runs)| ArmResult::new(arm, runs));
    Ok(Summary {
        arms: arms.collect(),
        cut_short,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(profile: &str, arm: &str, tree_s: f64) -> PaymentRecord {
        let run = Run {
            tree_s: Some(tree_s),
            silent_peers: vec!["ab".to_owned()],
            ..Run::default()
        };
        let drawn = Drawn {
            pacing: arm.parse().unwrap(),
            epoch: 3,
            seed: 7,
            draw: 5,
        };
        PaymentRecord::now(profile, &drawn, 256, run)
    }

    #[test]
    fn what_is_appended_is_summed_up_per_arm() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("payments.jsonl");
        for (arm, tree_s) in [("hold-32", 1.0), ("uncapped", 5.0), ("hold-32", 3.0)] {
            append_record(&path, &record("local", arm, tree_s)).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3);
        let read: PaymentRecord = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!((read.epoch, read.addresses), (3, 256));
        assert_eq!((read.seed, read.draw), (7, 5));
        assert!(
            text.starts_with(BEGINS),
            "or cut lines are not known as such"
        );
        // Killed while it wrote; another goes on with the file.
        std::fs::write(&path, format!("{text}{{\"at\":1,\"prof")).unwrap();
        append_record(&path, &record("local", "hold-32", 2.0)).unwrap();
        let cut = std::fs::read_to_string(&path).unwrap();
        let report = summed_up(&[("a".to_owned(), cut)]).unwrap();
        assert_eq!(report.cut_short, 1);
        let arms: Vec<_> = report
            .arms
            .iter()
            .map(|arm| (arm.arm.as_str(), arm.runs.len(), arm.median.get("tree_s")))
            .collect();
        assert_eq!(
            arms,
            [("hold-32", 3, Some(2.0)), ("uncapped", 1, Some(5.0))]
        );
        // Other networks are other results.
        let other = serde_json::to_string(&record("dev", "hold-32", 9.0)).unwrap() + "\n";
        let both = [("a".to_owned(), text), ("b".to_owned(), other)];
        let names: Vec<_> = summed_up(&both)
            .unwrap()
            .arms
            .into_iter()
            .map(|arm| arm.arm)
            .collect();
        assert_eq!(names, ["dev/hold-32", "local/hold-32", "local/uncapped"]);
    }

    #[test]
    fn a_line_that_is_not_a_record_is_named() {
        let good = serde_json::to_string(&record("local", "hold-32", 1.0)).unwrap();
        for bad in ["{}", "x", "[1]"] {
            let text = format!("{good}\n\n{bad}\n{good}\n");
            let error = summed_up(&[("p.jsonl".to_owned(), text)]).unwrap_err();
            let error = error.to_string();
            assert!(
                error.starts_with("p.jsonl:3: not the record of a payment: "),
                "{error}"
            );
        }
        assert!(summed_up(&[]).unwrap().arms.is_empty());
        let mut small = record("local", "hold-32", 1.0);
        small.addresses = 2;
        let small = serde_json::to_string(&small).unwrap();
        let report = summed_up(&[("p".to_owned(), format!("{good}\n{small}\n"))]).unwrap();
        let names: Vec<_> = report.arms.iter().map(|arm| arm.arm.as_str()).collect();
        assert_eq!(names, ["hold-32 (2 addresses)", "hold-32 (256 addresses)"]);
    }
}
