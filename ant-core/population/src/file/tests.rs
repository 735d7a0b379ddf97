//! What scenarios read as, and what their slips are answered with.

use std::time::Duration;

use ant_text::duration::Span;

use super::*;
use crate::{Limits, RoundTrips};

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    #[serde(default)]
    leaves: usize,
    inner: Inner,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Inner {
    depth: usize,
}

const GOOD: &str = "\
description = \"x\"
nodes = 8
addresses = 3
silent = 1
slow = 2
slow_by = \"5s\"
legacy = 3
leaves = 9
seed = 7
[round_trip]
percentiles = [[10, \"10ms\"], [90, \"20ms\"]]
jitter = \"2ms\"
loss = 0.1
[inner]
depth = 4
";

fn millis(millis: u64) -> Span {
    Span(Duration::from_millis(millis))
}

#[test]
fn every_key_is_read_by_the_part_that_it_belongs_to() {
    let (population, own) = read::<Own>("p", GOOD).unwrap();
    let faults = Faults {
        silent: 1,
        slow: 2,
        slow_by: Duration::from_secs(5),
        legacy: 3,
    };
    assert_eq!(faults.count(), 6);
    let expected = Population {
        description: "x".to_owned(),
        nodes: 8,
        addresses: Some(3),
        faults,
        seed: 7,
        round_trip: RoundTrips {
            percentiles: vec![(10, millis(10)), (90, millis(20))],
            jitter: millis(2),
            loss: 0.1,
            ..RoundTrips::default()
        },
    };
    assert_eq!(population, expected);
    let inner = Inner { depth: 4 };
    assert_eq!(own, Own { leaves: 9, inner });
}

#[test]
fn what_is_left_out_has_its_default() {
    let text = "description = \"\"\nnodes = 1\nround_trip.median = \"9ms\"\ninner.depth = 1";
    let (population, _) = read::<Own>("p", text).unwrap();
    let expected = Population {
        nodes: 1,
        round_trip: RoundTrips {
            median: Some(millis(9)),
            ..RoundTrips::default()
        },
        ..Population::default()
    };
    assert_eq!(population, expected);
    assert_eq!(population.faults.slow_by, Duration::from_secs(3));
}

#[test]
fn a_slip_is_shown_where_it_stands() {
    for (from, to, line, part) in [
        ("nodes = 8", "nods = 8", 2, "unknown field `nods`"),
        (
            "nodes = 8",
            "nods = 8",
            2,
            "also has `description`, `nodes`",
        ),
        ("silent = 1", "silent = \"x\"", 4, "invalid type"),
        ("\"5s\"", "\"5\"", 6, "write a whole number and a unit"),
        ("seed = 7", "seed = -7", 9, "invalid value"),
        ("jitter", "jiter", 12, "unknown field `jiter`"),
        ("depth = 4", "dept = 4", 15, "unknown field `dept`"),
        ("seed = 7", "seed = ", 9, "string values"),
        ("seed = 7", "nodes = 7", 9, "duplicate key"),
        ("nodes = 8\n", "", 1, "missing field `nodes`"),
        ("depth = 4\n", "", 14, "missing field `depth`"),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let error = read::<Own>("p", &GOOD.replacen(from, to, 1)).unwrap_err();
        let error = error.to_string();
        let place = format!("p: TOML parse error at line {line}, column ");
        assert!(error.starts_with(&place), "{to}: {error}");
        assert!(error.contains(part), "{to}: {error}");
        let nested = to.starts_with("jiter") || to.starts_with("dept");
        assert!(!(nested && error.contains("also has")), "{error}");
    }
}

#[test]
fn the_keys_are_those_that_are_read() {
    // Each part refuses what it does not know, and these are all it knows.
    let known = |part: &str| {
        let at = part.find("expected one of ").unwrap();
        let names = part[at..].split('`').skip(1).step_by(2);
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let population = toml::from_str::<Population>("x = 1").unwrap_err();
    assert_eq!(known(population.message()), Population::KEYS);
    let faults = toml::from_str::<Faults>("x = 1").unwrap_err();
    assert_eq!(known(faults.message()), Faults::KEYS);
}

#[test]
fn values_that_make_no_network_say_what_is_allowed() {
    let limits = Limits {
        nodes: 250,
        longest: Duration::from_mins(1),
    };
    let validate = |from: &str, to: &str| {
        assert!(GOOD.contains(from), "{from}");
        let (population, _) = read::<Own>("p", &GOOD.replacen(from, to, 1)).unwrap();
        population.validate(&limits)
    };
    assert_eq!(validate("nodes = 8", "nodes = 8"), Ok(()));
    let points = "percentiles = [[10, \"10ms\"], [90, \"20ms\"]]";
    for (from, to, part) in [
        ("nodes = 8", "nodes = 0", "nodes = 0 is not from 1 to 250"),
        (
            "nodes = 8",
            "nodes = 251",
            "nodes = 251 is not from 1 to 250",
        ),
        (
            "addresses = 3",
            "addresses = 9",
            "addresses = 9 is not from 1 to 8, the number of nodes",
        ),
        (
            "silent = 1",
            "silent = 4",
            "silent, slow and legacy together are 9 of 8 nodes: too many",
        ),
        ("\"5s\"", "\"2m\"", "slow_by = 2m is longer than 1m"),
        ("\"20ms\"", "\"2m\"", "longer than 1m"),
        (
            "\"2ms\"",
            "\"2m\"",
            "round_trip.jitter = 2m is longer than 1m",
        ),
        (
            points,
            "median = \"2m\"",
            "round_trip.median = 2m is longer",
        ),
        (
            points,
            "median = \"9ms\"\nspread = \"5ms\"",
            "more than half",
        ),
        (points, "", "either `percentiles` or `median`"),
        ("jitter = ", "median = ", "either `percentiles` or `median`"),
        ("jitter = ", "spread = ", "goes with `median`"),
        ("[[10,", "[[91,", "round_trip.percentiles do not rise"),
        ("[90,", "[101,", "round_trip.percentiles do not rise"),
        ("\"10ms\"", "\"30ms\"", "round_trip.percentiles do not rise"),
        (
            "loss = 0.1",
            "loss = 1.5",
            "round_trip.loss = 1.5 is not from 0 to 1",
        ),
        ("loss = 0.1", "loss = nan", "round_trip.loss = NaN is not"),
    ] {
        let error = validate(from, to).unwrap_err().to_string();
        assert!(error.contains(part), "{to}: {error}");
    }
}

#[test]
fn scenarios_are_found_by_name_and_by_path() {
    let shipped = [("residential", "here"), ("lossy", "there")];
    assert_eq!(text_of("lossy", &shipped).unwrap(), "there");
    for (name, expected) in [
        (
            "residental",
            "there is no scenario `residental`; did you mean `residential`?; there are \
             residential, lossy, and files by their path",
        ),
        (
            "other",
            "there is no scenario `other`; there are residential, lossy, and files by their path",
        ),
    ] {
        let error = text_of(name, &shipped).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    for path in ["./none.toml", "none.toml", "no/ne"] {
        let error = text_of(path, &shipped).unwrap_err();
        assert!(error.to_string().starts_with(path), "{error}");
        assert!(std::error::Error::source(&error).is_some());
    }
}
