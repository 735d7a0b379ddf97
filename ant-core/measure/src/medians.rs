//! The medians of an arm's runs, figure by figure.

use serde::{Serialize, Serializer};

use crate::{
    run::{FIGURES, Run},
    stats::median,
};

/// The median of each figure, over the runs that have it and are not void. The times
/// of failed trees count too: they say how long the failure took.
#[derive(Clone, Debug, PartialEq)]
pub struct Medians(Vec<(&'static str, Option<f64>)>);

impl Medians {
    /// Returns the medians of these runs.
    pub fn of(runs: &[Run]) -> Self {
        let valid = || runs.iter().filter(|run| run.void.is_none());
        let each = FIGURES.iter();
        let each = each.map(|figure| (figure.name, median(valid().filter_map(figure.read))));
        Self(each.collect())
    }

    /// Returns the median of the figure with this name in JSON, if some run has it.
    pub fn get(&self, figure: &str) -> Option<f64> {
        self.0.iter().find(|(name, _)| *name == figure)?.1
    }
}

impl Serialize for Medians {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::Value;

    use super::*;

    #[test]
    fn void_runs_are_in_no_median() {
        let run = |tree_s, void: Option<&str>| Run {
            tree_s: Some(tree_s),
            void: void.map(str::to_owned),
            ..Run::default()
        };
        let runs = [run(1.0, None), run(9.0, Some("late")), run(3.0, None)];
        let medians = Medians::of(&runs);
        assert_eq!(medians.get("tree_s"), Some(2.0));
        assert_eq!((medians.get("lost"), medians.get("nothing")), (None, None));
    }

    /// Reads a kept document, and says whether its medians have exactly today's keys.
    fn check_kept(path: &Path) -> bool {
        let text = std::fs::read_to_string(path).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        let mut complete = true;
        for arm in document["arms"].as_array().into_iter().flatten() {
            let runs: Vec<Run> = serde_json::from_value(arm["runs"].clone()).unwrap();
            let again = serde_json::to_value(Medians::of(&runs)).unwrap();
            let kept = arm["median"].as_object().unwrap();
            for (name, kept) in kept {
                let again = &again[name];
                // Reading decimal digits may cost the last bit.
                let equal = match (kept.as_f64(), again.as_f64()) {
                    (Some(kept), Some(again)) => (kept - again).abs() <= kept.abs() * 1e-12,
                    _ => kept.is_null() && again.is_null(),
                };
                assert!(equal, "{}: {name}: {kept} and {again}", path.display());
            }
            complete &= kept.len() == again.as_object().unwrap().len();
            let runs = serde_json::to_value(&runs).unwrap();
            for (run, kept) in runs
                .as_array()
                .unwrap()
                .iter()
                .zip(arm["runs"].as_array().unwrap())
            {
                for (name, kept) in kept.as_object().unwrap() {
                    let (kept, again) = (kept, &run[name]);
                    assert_eq!(
                        kept.is_null(),
                        again.is_null(),
                        "{}: {name}",
                        path.display()
                    );
                    assert_eq!(kept.is_u64(), again.is_u64(), "{}: {name}", path.display());
                }
            }
        }
        complete
    }

    #[test]
    fn kept_documents_have_these_medians() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/measurements");
        let complete = folder.join("2026-11-30-whole-exchange/loopback.json");
        assert!(check_kept(&complete), "the keys of `median` have changed");
        for measurement in folder.read_dir().unwrap() {
            let measurement = measurement.unwrap().path();
            let files = measurement.read_dir().into_iter().flatten();
            for file in files.map(|file| file.unwrap().path()) {
                if file.extension().is_some_and(|kind| kind == "json") {
                    check_kept(&file);
                }
            }
        }
    }
}
