//! The document that `--json` prints: a measurement with all that it depends on.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::{
    host::{Host, versions},
    medians::Medians,
    run::Run,
    schedule::MeasurePlan,
};

/// A measurement, with all it depends on.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// The seed of the addresses and of the order of the arms.
    pub seed: u64,
    /// What was measured, and the settings in force.
    pub settings: Value,
    /// The host, when the measurement began.
    pub host: Host,
    /// What it was built with.
    pub versions: BTreeMap<String, String>,
    /// Each arm's runs, in the order the arms were given.
    pub arms: Vec<ArmResult>,
}

/// One arm's runs.
#[derive(Clone, Debug, Serialize)]
pub struct ArmResult {
    /// Its name: the pacing.
    pub arm: String,
    /// Its runs, by block.
    pub runs: Vec<Run>,
    /// Their medians.
    pub median: Medians,
}

impl ArmResult {
    /// Returns the result of an arm with this name.
    pub fn new(arm: String, runs: Vec<Run>) -> Self {
        Self {
            arm,
            median: Medians::of(&runs),
            runs,
        }
    }
}

impl Document {
    /// Returns the document of these runs, each given with the index of its arm.
    pub fn new(plan: &MeasurePlan, settings: Value, host: Host, runs: &[(usize, Run)]) -> Self {
        let arms = plan.arms.iter().enumerate().map(|(at, arm)| {
            let own = runs.iter().filter(|(arm, _)| *arm == at);
            ArmResult::new(arm.to_string(), own.map(|(_, run)| run.clone()).collect())
        });
        Self {
            seed: plan.seed,
            settings,
            host,
            versions: versions(),
            arms: arms.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::MeasureArm;
    use serde_json::json;

    #[test]
    fn the_keys_are_the_documented_ones_and_unknown_is_null() {
        let plan = MeasurePlan {
            arms: ["hold-32", "uncapped"]
                .map(|arm| MeasureArm::Reference(arm.parse().unwrap()))
                .to_vec(),
            blocks: 1,
            leaves: 2,
            data_size: 1,
            seed: 7,
            fresh: false,
        };
        let run = Run {
            tree_s: Some(1.5),
            ..Run::default()
        };
        let document = Document::new(&plan, json!({"nodes": 35}), Host::now(), &[(0, run)]);
        let json = serde_json::to_value(&document).unwrap();
        for key in ["seed", "settings", "host", "versions", "arms"] {
            assert!(!json[key].is_null(), "{key}");
        }
        assert_eq!(json["arms"][0]["arm"], "hold-32");
        let run = json["arms"][0]["runs"][0].as_object().unwrap();
        for key in [
            "block",
            "tree_s",
            "lookup_max_s",
            "added_s",
            "pools",
            "pools_full",
            "requests",
            "answers_sent",
            "answers_taken",
            "late",
            "lost",
            "legacy_retries",
            "silent_peers",
            "peak_in_flight",
            "peak_slots",
            "cpu_s",
            "error",
        ] {
            assert!(run.contains_key(key), "{key}");
        }
        assert!(run["lost"].is_null() && run["error"].is_null());
        assert_eq!(json["arms"][0]["median"]["tree_s"], 1.5);
        assert!(json["arms"][1]["median"]["tree_s"].is_null());
        assert_eq!(json["arms"][1]["runs"], json!([]));
    }
}
