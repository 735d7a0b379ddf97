//! A wide-area network as data: what a scenario's file says.

use std::{fs, path::Path, time::Duration};

use ant_text::{
    duration::{Span, at_share},
    nearest,
};
use serde::{Deserialize, Serialize};

use crate::LabError;

/// The scenarios that the program carries along, by name.
pub const SHIPPED: &[(&str, &str)] = &[
    ("residential", include_str!("../scenarios/residential.toml")),
    ("datacentre", include_str!("../scenarios/datacentre.toml")),
    ("lossy", include_str!("../scenarios/lossy.toml")),
];

/// The most nodes: each has a namespace, a device and a thread or two.
const MOST_NODES: usize = 250;

/// The longest delay of any kind; longer ones are typing slips.
const LONGEST: Duration = Duration::from_mins(1);

/// A wide-area network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// One line on what it is like.
    pub description: String,
    /// How many nodes.
    pub nodes: usize,
    /// How many addresses they share, so that their answers share receive
    /// queues; by default each has its own.
    #[serde(default)]
    pub addresses: Option<usize>,
    /// How many never answer candidate requests.
    #[serde(default)]
    pub silent: usize,
    /// How many answer late.
    #[serde(default)]
    pub slow: usize,
    /// How late those answer.
    #[serde(default = "slow_by")]
    pub slow_by: Span,
    /// How many only know the legacy form of a request.
    #[serde(default)]
    pub legacy: usize,
    /// Decides the delays of the pairs.
    #[serde(default)]
    pub seed: u64,
    /// How long a packet and its answer take.
    pub round_trip: RoundTrip,
    /// What each host's link does to packets.
    #[serde(default)]
    pub link: Link,
}

/// Round trips between hosts: percentiles of the pairs', or a median and a
/// spread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RoundTrip {
    /// Percentile and round trip, both rising. Below the first and above the
    /// last, pairs have that one's.
    pub percentiles: Vec<(u8, Span)>,
    /// Half of the pairs are faster.
    pub median: Option<Span>,
    /// Half of the pairs are within this of the median, all within twice this.
    pub spread: Span,
    /// A packet takes up to so much longer, evenly drawn. Packets of a pair
    /// never overtake each other.
    pub jitter: Span,
}

/// A host's link to the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Link {
    /// Which share of all packets is lost, from 0 to 0.5.
    pub loss: f64,
    /// How many megabits a second it carries, each way; 0 is no limit.
    pub mbit_per_s: u32,
}

const fn slow_by() -> Span {
    Span(Duration::from_secs(3))
}

impl Scenario {
    /// The scenario of this name, or in the file at this path.
    ///
    /// # Errors
    ///
    /// When there is none, or it makes no network: where, and what to write.
    pub fn find(name: &str) -> Result<Self, LabError> {
        let path = Path::new(name);
        let is_path = name.contains('/') || path.extension().is_some_and(|e| e == "toml");
        if is_path {
            let text = fs::read_to_string(path)
                .map_err(|error| LabError::Scenario(format!("{name}: {error}")))?;
            return Self::read(name, &text);
        }
        if let Some((_, text)) = SHIPPED.iter().find(|(shipped, _)| *shipped == name) {
            return Self::read(name, text);
        }
        let names: Vec<_> = SHIPPED.iter().map(|(name, _)| *name).collect();
        let near = nearest(name, names.iter().copied());
        let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        Err(LabError::Scenario(format!(
            "there is no scenario `{name}`{near}; there are {}, and files by their path",
            names.join(", ")
        )))
    }

    fn read(place: &str, text: &str) -> Result<Self, LabError> {
        let read: Self = toml::from_str(text).map_err(|error| {
            LabError::Scenario(format!("{place}: {error}").trim_end().to_owned())
        })?;
        match read.problem() {
            Some(problem) => Err(LabError::Scenario(format!("{place}: {problem}"))),
            None => Ok(read),
        }
    }

    /// What makes no network, if anything.
    pub fn problem(&self) -> Option<String> {
        let Self {
            nodes,
            addresses,
            round_trip,
            link,
            ..
        } = self;
        let RoundTrip {
            percentiles,
            median,
            spread,
            jitter,
        } = round_trip;
        let spans = percentiles.iter().map(|(_, span)| *span);
        let longest = spans
            .chain(*median)
            .chain([*spread, *jitter, self.slow_by])
            .max();
        if !(1..=MOST_NODES).contains(nodes) {
            return Some(format!("nodes = {nodes} is not from 1 to {MOST_NODES}"));
        }
        if let Some(addresses) = addresses
            && !(1..=*nodes).contains(addresses)
        {
            return Some(format!(
                "addresses = {addresses} is not from 1 to the {nodes} nodes; leave it out for an \
                 address each"
            ));
        }
        if percentiles.is_empty() == median.is_none() {
            return Some("[round_trip] takes either `percentiles` or `median`".to_owned());
        }
        if median.is_none() && spread.0 > Duration::ZERO {
            return Some("`spread` goes with `median`, not with `percentiles`".to_owned());
        }
        if longest.is_some_and(|span| span.0 > LONGEST) {
            return Some("a delay is longer than 1m".to_owned());
        }
        if median.is_some_and(|median| median.0 < spread.0 * 2) {
            return Some("the spread is more than half of the median".to_owned());
        }
        let rising = percentiles.is_sorted() && percentiles.is_sorted_by_key(|(_, span)| span);
        if !rising || percentiles.iter().any(|(percentile, _)| *percentile > 100) {
            return Some(
                "the percentiles do not rise, each with its round trip, to 100".to_owned(),
            );
        }
        if !(0.0..=0.5).contains(&link.loss) {
            return Some(format!("loss = {} is not from 0 to 0.5", link.loss));
        }
        let faulty = self
            .silent
            .saturating_add(self.slow)
            .saturating_add(self.legacy);
        if faulty > *nodes {
            return Some(format!(
                "{faulty} silent, slow and legacy of {nodes} nodes are too many"
            ));
        }
        None
    }

    /// The round trip that this share of the pairs stays below.
    pub(crate) fn round_trip(&self, share: f64) -> Duration {
        let RoundTrip {
            percentiles,
            median,
            spread,
            ..
        } = &self.round_trip;
        let points: Vec<(f64, Duration)> = match median {
            Some(median) => vec![
                (0.0, median.0.saturating_sub(spread.0 * 2)),
                (0.25, median.0.saturating_sub(spread.0)),
                (0.75, median.0 + spread.0),
                (1.0, median.0 + spread.0 * 2),
            ],
            None => percentiles
                .iter()
                .map(|(percentile, span)| (f64::from(*percentile) / 100.0, span.0))
                .collect(),
        };
        at_share(&points, share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_scenario_makes_a_network() {
        for (name, _) in SHIPPED {
            assert!(Scenario::find(name).unwrap().problem().is_none(), "{name}");
        }
    }

    #[test]
    fn round_trips_follow_the_percentiles() {
        let residential = Scenario::find("residential").unwrap();
        let datacentre = Scenario::find("datacentre").unwrap();
        let millis = |scenario: &Scenario, share| scenario.round_trip(share).as_millis();
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
            ("\"10ms\"", "\"10\"", "is no duration"),
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
                "from 0 to 0.5",
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
