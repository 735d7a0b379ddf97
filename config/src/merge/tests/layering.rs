//! The layers over each other: what wins, what it hides, and that what is shown is
//! what is in force.

use std::{fs, path::Path, time::Duration};

use super::bench::{BASE, Bench, PLACES, Place, find, said_by, two_values};
use crate::{
    keys::{self, KEYS, Key},
    merge::{Loaded, NetworkKind, load},
    sources::{Flag, SHIPPED, Sources},
};

/// Returns the text of a setting's value in the typed settings.
fn in_force(loaded: &Loaded, key: &str) -> String {
    let settings = serde_json::to_value(&loaded.settings).unwrap();
    let value = &settings[key.split_once('.').unwrap().0][key.split_once('.').unwrap().1];
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(texts) => {
            let texts = texts.iter().map(|text| text.as_str().unwrap());
            texts.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[test]
fn over_every_pair_of_layers_the_higher_one_wins_and_the_lower_one_is_shadowed() {
    let keys = KEYS.iter().filter(|key| key.in_files() && !key.is_pacing());
    for key in keys {
        for (at, low) in PLACES.iter().enumerate() {
            for high in &PLACES[at + 1..] {
                let [one, other] = &two_values(key);
                for [under, over] in [[one, other], [other, one]] {
                    let mut bench = Bench::new();
                    if key.name == "network.kind" {
                        bench.base = "description = \"\"\n".to_owned();
                    }
                    if *low != Place::Default {
                        bench.set(*low, key, under);
                    }
                    bench.set(*high, key, over);
                    let loaded = bench.load().unwrap();
                    let traced = find(&loaded, key.name);
                    let what = format!("{} {low:?} {high:?}", key.name);
                    assert_eq!(&traced.given.value, over, "{what}");
                    assert_eq!(&in_force(&loaded, key.name), over, "{what}");
                    assert_eq!(said_by(&traced.given.origin), *high, "{what}");
                    let mut shadows: Vec<_> = traced
                        .shadows
                        .iter()
                        .map(|given| (said_by(&given.origin), given.value.as_str()))
                        .collect();
                    let default = shadows.pop().unwrap();
                    assert_eq!(default.0, Place::Default, "{what}");
                    if *low != Place::Default {
                        assert_eq!(shadows[0], (*low, under.as_str()), "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn over_every_pair_of_layers_a_strategy_replaces_and_a_field_adjusts() {
    let (strategy, slots) = ("pacing.strategy", "pacing.slots");
    let (after, scope) = ("pacing.after", "pacing.scope");
    for (under, name, over, result) in [
        ("release-2s-16", strategy, "hold-32", "hold-32"),
        ("hold-32@client", strategy, "uncapped", "uncapped"),
        ("hold-32", slots, "24", "hold-24"),
        ("hold-32@client", slots, "24", "hold-24@client"),
        ("release-2s-16", slots, "8", "release-2s-8"),
        ("uncapped", slots, "24", "hold-24"),
        ("release-2s-16", after, "1s", "release-1s-16"),
        ("hold-32", scope, "client", "hold-32@client"),
        ("release-2s-16@client", scope, "payment", "release-2s-16"),
    ] {
        let key = keys::find(name).unwrap();
        let strategy = keys::find(strategy).unwrap();
        for (at, low) in PLACES.iter().enumerate().skip(1) {
            for high in &PLACES[at + 1..] {
                let mut bench = Bench::new();
                bench.set(*low, strategy, under);
                bench.set(*high, key, over);
                let loaded = bench.load().unwrap();
                let what = format!("{under} {low:?}, {name} {over} {high:?}");
                assert_eq!(loaded.settings.pacing.to_string(), result, "{what}");
                let traced = find(&loaded, "pacing");
                assert_eq!(traced.given.value, result, "{what}");
                assert_eq!(said_by(&traced.given.origin), *high, "{what}");
                assert_eq!(traced.shadows[0].value, under, "{what}");
                assert_eq!(said_by(&traced.shadows[0].origin), *low, "{what}");
            }
        }
        // Within one layer of names too.
        for place in [Place::Variable, Place::Flag] {
            let mut bench = Bench::new();
            bench.set(place, strategy, under);
            if name != strategy.name {
                bench.set(place, key, over);
                assert_eq!(bench.load().unwrap().settings.pacing.to_string(), result);
            }
        }
    }
}

#[test]
fn a_cap_may_name_a_strategy_but_not_another_one() {
    let strategy = keys::find("pacing.strategy").unwrap();
    let cap = keys::find("pacing.slots").unwrap();
    let with = |words: [(&Key, &str); 2]| {
        let mut bench = Bench::new();
        for (key, text) in words {
            bench.set(Place::Variable, key, text);
        }
        bench
            .load()
            .map(|loaded| loaded.settings.pacing.to_string())
    };
    assert_eq!(
        with([(strategy, "hold-8"), (cap, "hold-8")]).unwrap(),
        "hold-8"
    );
    assert_eq!(
        with([(strategy, "hold-16"), (cap, "uncapped")]).unwrap_err(),
        "ANT_MERKLE_CAP: it says `uncapped` and ANT_MERKLE_STRATEGY says `hold-16`; name one \
         strategy"
    );
    let after = keys::find("pacing.after").unwrap();
    let error = with([(strategy, "hold-16"), (after, "2s")]).unwrap_err();
    assert!(error.contains("`release-2s-16`"), "{error}");
}

#[test]
fn over_every_pair_of_layers_arms_win_over_a_lower_pacing_and_lose_to_a_higher_one() {
    let arms = "[[ab]]\nstrategy = \"hold-32\"\nweight = 2\n[[ab]]\nstrategy = \"uncapped\"\n";
    let ab = keys::find("ab").unwrap();
    let draw = |bench: &mut Bench, place: Place| match place {
        Place::Base => bench.base.push_str(arms),
        Place::Profile => bench.profile.push_str(arms),
        _ => bench.set(place, ab, "hold-32:2,uncapped"),
    };
    for (name, text) in [("pacing.strategy", "hold-8"), ("pacing.slots", "8")] {
        let key = keys::find(name).unwrap();
        for (at, low) in PLACES.iter().enumerate().skip(1) {
            for high in &PLACES[at..] {
                // In one layer and above the pacing, the arms are drawn from.
                let mut bench = Bench::new();
                bench.set(*low, key, text);
                draw(&mut bench, *high);
                let loaded = bench.load().unwrap();
                let drawn = loaded.settings.arms().to_string();
                assert_eq!(drawn, "hold-32:2,uncapped:1", "{low:?} {high:?}");
                assert_eq!(said_by(&find(&loaded, "ab").given.origin), *high);
                assert!(
                    loaded
                        .notes()
                        .iter()
                        .any(|note| note.contains("draw from the arms"))
                );
                if low == high {
                    continue;
                }
                // What chooses no strategy leaves them.
                let mut bench = Bench::new();
                draw(&mut bench, *low);
                bench.set(*high, keys::find("pacing.scope").unwrap(), "client");
                assert!(bench.load().unwrap().settings.ab.is_some());
                let mut bench = Bench::new();
                draw(&mut bench, *low);
                bench.set(*high, key, text);
                let loaded = bench.load().unwrap();
                assert_eq!(loaded.settings.ab, None, "{low:?} {high:?}");
                let traced = find(&loaded, "ab");
                assert_eq!(said_by(&traced.given.origin), *high);
                assert_eq!(traced.shadows[0].value, "hold-32:2, uncapped:1");
            }
        }
    }
}

#[test]
fn changing_one_variable_changes_exactly_one_setting() {
    let values = |bench: &Bench| -> Vec<_> {
        let traces = bench.load().unwrap().traces.into_iter();
        traces
            .map(|traced| (traced.key, traced.given.value))
            .collect()
    };
    for key in KEYS.iter().filter(|key| key.name != "profile") {
        let mut bench = Bench::new();
        if key.name == "pacing.after" {
            bench
                .profile
                .push_str("[pacing]\nstrategy = \"release-2s-16\"\n");
        }
        if key.name == "network.kind" {
            bench.base = "description = \"\"\n".to_owned();
        }
        let before = values(&bench);
        bench.set(Place::Variable, key, key.example);
        let after = values(&bench);
        let changed: Vec<_> = before.iter().zip(&after).filter(|(b, a)| b != a).collect();
        assert_eq!(changed.len(), 1, "{}: {changed:?}", key.variable);
        assert_eq!(changed[0].0.0, key.setting());
    }
}

#[test]
fn every_setting_in_force_is_traced() {
    let loaded = Bench::new().load().unwrap();
    let json = serde_json::to_value(&loaded.settings).unwrap();
    let mut names = Vec::new();
    for (name, value) in json.as_object().unwrap() {
        match value.as_object() {
            Some(table) => names.extend(table.keys().map(|key| format!("{name}.{key}"))),
            None => names.push(name.clone()),
        }
    }
    let mut traced: Vec<_> = loaded.traces.iter().map(|traced| traced.key).collect();
    names.sort();
    traced.sort_unstable();
    assert_eq!(names, traced);
}

#[test]
fn every_shipped_profile_loads_without_a_note() {
    for (name, _) in SHIPPED {
        let sources = Sources {
            flags: Flag::new("profile", *name, "--profile")
                .into_iter()
                .collect(),
            ..Sources::default()
        };
        let loaded = load(&sources).unwrap();
        assert_eq!(loaded.settings.profile, *name);
        assert_eq!(loaded.notes(), Vec::<String>::new(), "{name}");
        let network = loaded.settings.network;
        let kind = match *name {
            "local" => NetworkKind::Embedded,
            "wan" => NetworkKind::Wan,
            _ => NetworkKind::Remote,
        };
        assert_eq!(network.kind, kind);
        assert_eq!(network.local, *name == "local");
        assert_eq!(network.bootstrap.is_empty(), *name != "mainnet");
    }
}

#[test]
fn a_text_that_looks_like_something_else_stays_text() {
    let mut bench = Bench::new();
    for (key, text) in [("payment.record", "1e3"), ("profile", "007")] {
        bench.set(Place::Variable, keys::find(key).unwrap(), text);
    }
    fs::write(bench.folder.path().join("007.toml"), "extends = \"true\"\n").unwrap();
    fs::write(bench.folder.path().join("true.toml"), BASE).unwrap();
    let settings = bench.load().unwrap().settings;
    assert_eq!(settings.profile, "007");
    assert_eq!(settings.payment.record.unwrap(), Path::new("1e3"));
}

#[test]
fn a_list_of_a_profile_replaces_the_one_that_it_extends() {
    let mut bench = Bench::new();
    bench
        .base
        .push_str("bootstrap = [\"127.0.0.1:1\", \"127.0.0.1:2\"]\n");
    let addresses = |bench: &Bench| bench.load().unwrap().settings.network.bootstrap;
    assert_eq!(addresses(&bench).len(), 2);
    let extends = bench.profile.clone();
    for (list, left) in [("[\"127.0.0.1:3\"]", 1), ("[]", 0)] {
        bench.profile = format!("{extends}network.bootstrap = {list}\n");
        assert_eq!(addresses(&bench).len(), left, "{list}");
    }
}

#[test]
fn a_profile_is_found_by_its_path_too() {
    let bench = Bench::new();
    let mut sources = bench.sources();
    let path = bench.folder.path().join("base.toml").display().to_string();
    sources.environment = [("ANT_MERKLE_PROFILE", path.as_str())]
        .into_iter()
        .collect();
    let settings = load(&sources).unwrap().settings;
    assert_eq!(
        (settings.profile, settings.network.kind),
        (path, NetworkKind::Remote)
    );
    assert_eq!(settings.plan.request_timeout, Duration::from_secs(10));
}
