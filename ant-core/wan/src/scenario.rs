//! A wide-area network as data: what a scenario's file says.

use std::time::Duration;

use ant_population::{
    InvalidScenario, Limits, Population, ScenarioError, check_share, read, text_of,
};
use serde::{Deserialize, Serialize};

use crate::Link;

/// The scenarios that the program carries along, by name.
pub const SHIPPED: &[(&str, &str)] = &[
    ("residential", include_str!("../scenarios/residential.toml")),
    ("datacentre", include_str!("../scenarios/datacentre.toml")),
    ("lossy", include_str!("../scenarios/lossy.toml")),
];

/// Each node has a namespace, a device and a thread or two.
const LIMITS: Limits = Limits {
    nodes: 250,
    longest: Duration::from_mins(1),
};

/// A wide-area network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scenario {
    /// The nodes. Packets of a pair never overtake each other, whatever their
    /// jitter, and are lost on links only.
    #[serde(flatten)]
    pub population: Population,
    /// What each host's link does to packets.
    pub link: Link,
}

/// The keys that only a wide-area network has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    #[serde(default)]
    link: Link,
}

impl Scenario {
    /// Finds and reads the shipped scenario of this name, or the file at this path.
    ///
    /// # Errors
    ///
    /// When there is none, or it makes no network: where, and what to write.
    pub fn find(name: &str) -> Result<Self, ScenarioError> {
        Self::read(name, &text_of(name, SHIPPED)?)
    }

    fn read(place: &str, text: &str) -> Result<Self, ScenarioError> {
        let (population, Own { link }) = read(place, text)?;
        let scenario = Self { population, link };
        scenario
            .validate()
            .map_err(|source| ScenarioError::Invalid {
                place: place.to_owned(),
                source,
            })?;
        Ok(scenario)
    }

    /// Checks that this makes a network.
    ///
    /// # Errors
    ///
    /// The first value that does not, and what is allowed.
    pub fn validate(&self) -> Result<(), InvalidScenario> {
        self.population.validate(&LIMITS)?;
        if self.population.round_trip.loss > 0.0 {
            return Err(InvalidScenario(
                "round_trip.loss has no effect here: packets are lost on links; write `loss` \
                 under [link]"
                    .to_owned(),
            ));
        }
        check_share("link.loss", self.link.loss, 0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_scenario_makes_a_network() {
        for (name, _) in SHIPPED {
            assert!(Scenario::find(name).unwrap().validate().is_ok(), "{name}");
        }
    }

    #[test]
    fn documents_have_its_keys_as_files_do() {
        let lossy = Scenario::find("lossy").unwrap();
        let expected = serde_json::json!({
            "description": "homes with 1 % packet loss, 20 Mbit/s links, slow and silent peers",
            "nodes": 35,
            "addresses": null,
            "silent": 2,
            "slow": 2,
            "slow_by": "3s",
            "legacy": 0,
            "seed": 0,
            "round_trip": {
                "percentiles": [
                    [10, "40ms"], [25, "95ms"], [50, "164ms"], [75, "249ms"], [90, "301ms"],
                ],
                "median": null,
                "spread": "0s",
                "jitter": "10ms",
            },
            "link": { "loss": 0.01, "mbit_per_s": 20 },
        });
        assert_eq!(serde_json::to_value(lossy).unwrap(), expected);
    }

    #[test]
    fn round_trips_follow_the_percentiles() {
        let residential = Scenario::find("residential").unwrap();
        let datacentre = Scenario::find("datacentre").unwrap();
        let millis =
            |scenario: &Scenario, share| scenario.population.round_trip.at(share).as_millis();
        for (share, expected) in [(0.0, 59), (0.1, 59), (0.5, 161), (0.625, 175), (1.0, 222)] {
            assert_eq!(millis(&residential, share), expected, "{share}");
        }
        for (share, expected) in [(0.0, 0), (0.25, 15), (0.5, 30), (0.75, 45), (1.0, 60)] {
            assert_eq!(millis(&datacentre, share), expected, "{share}");
        }
    }

    #[test]
    fn bad_scenarios_say_what_to_write() {
        let good = "description = \"x\"\nnodes = 8\n[round_trip]\nmedian = \"10ms\"\n";
        assert!(Scenario::read("p", good).is_ok());
        for (from, to, part) in [
            ("nodes = 8", "nodes = 0", "from 1 to 250"),
            ("nodes = 8", "node = 8", "unknown field `node`"),
            ("nodes = 8", "nodes = 8\naddresses = 9", "addresses = 9"),
            ("nodes = 8", "nodes = 8\nsilent = 9", "too many"),
            ("\"10ms\"", "\"10\"", "write a whole number and a unit"),
            ("\"10ms\"", "\"2m\"", "longer than 1m"),
            ("\"10ms\"", "\"10ms\"\nspread = \"6ms\"", "more than half"),
            (
                "\"10ms\"",
                "\"10ms\"\npercentiles = [[1, \"1ms\"]]",
                "either",
            ),
            (
                "median = \"10ms\"",
                "percentiles = [[9, \"9ms\"]]\nspread = \"1ms\"",
                "goes with `median`",
            ),
            (
                "median = \"10ms\"",
                "percentiles = [[9, \"9ms\"], [5, \"10ms\"]]",
                "rise",
            ),
            (
                "\"10ms\"\n",
                "\"10ms\"\n[link]\nloss = 1.5\n",
                "link.loss = 1.5 is not from 0 to 0.5",
            ),
            (
                "\"10ms\"\n",
                "\"10ms\"\nloss = 0.1\n",
                "write `loss` under [link]",
            ),
        ] {
            let text = good.replace(from, to);
            let error = Scenario::read("p", &text).unwrap_err().to_string();
            assert!(error.contains(part) && error.starts_with("p: "), "{error}");
        }
        for (name, part) in [
            ("resident", "there is no scenario"),
            ("residental", "did you mean `residential`?"),
            ("./x.toml", "./x.toml: "),
        ] {
            let error = Scenario::find(name).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
