//! Both written forms of every strategy in the catalogue.

use std::{num::NonZeroU32, time::Duration};

use proptest::prelude::*;

use super::{PacingSpec, PacingTable, Scope, StrategySpec};
use crate::{FieldKind, Value, catalogue};

fn any_value(kind: FieldKind) -> BoxedStrategy<Value> {
    match kind {
        FieldKind::Count => (1u32..)
            .prop_map(|n| Value::Count(NonZeroU32::new(n).unwrap()))
            .boxed(),
        FieldKind::Duration => (1u64..)
            .prop_map(|nanos| Value::Duration(Duration::from_nanos(nanos)))
            .boxed(),
    }
}

fn any_pacing() -> impl Strategy<Value = PacingSpec> {
    let entries = (0..catalogue::all().len()).prop_flat_map(|at| {
        let entry = &catalogue::all()[at];
        let values: Vec<_> = entry.fields.iter().map(|f| any_value(f.kind)).collect();
        // Sorted, as entries with several counts want them.
        values.prop_map(move |mut values: Vec<Value>| {
            if entry.fields.iter().all(|f| f.kind == FieldKind::Count) {
                values.sort_by_key(|value| value.count());
            }
            StrategySpec::new(entry, values).unwrap()
        })
    });
    (entries, prop::sample::select(&Scope::ALL[..]))
        .prop_map(|(strategy, scope)| PacingSpec { strategy, scope })
}

proptest! {
    #[test]
    fn what_is_displayed_parses_back(spec in any_pacing()) {
        prop_assert_eq!(spec.to_string().parse::<PacingSpec>().unwrap(), spec);
    }

    #[test]
    fn the_table_form_says_the_same(spec in any_pacing()) {
        prop_assert_eq!(PacingSpec::try_from(&PacingTable::from(&spec)).unwrap(), spec);
    }

    #[test]
    fn no_text_panics_and_every_suggestion_is_valid(text in ".{0,40}") {
        if let Err(error) = text.parse::<PacingSpec>() {
            prop_assert!(text.get(error.span()).is_some(), "{:?}", error);
            if let Some(suggestion) = error.suggestion() {
                prop_assert!(suggestion.parse::<PacingSpec>().is_ok(), "{:?}", error);
            }
        }
    }
}

#[test]
fn errors_point_at_the_bad_part_and_say_what_to_write() {
    for (text, bad, suggestion) in [
        ("hold16", "hold16", Some("hold-16")),
        ("release-2x-16", "2x", Some("release-2s-16")),
        ("release-2s-x", "x", Some("release-2s-16")),
        ("hold-0", "0", Some("hold-1")),
        ("hold-016", "016", Some("hold-16")),
        ("hold-+16", "+16", Some("hold-16")),
        ("hold-\u{ff11}\u{ff16}", "\u{ff11}\u{ff16}", Some("hold-16")),
        ("hold-4294967296", "4294967296", Some("hold-4294967295")),
        ("hold-16-", "-", Some("hold-16")),
        ("hold-16-3", "-3", Some("hold-16")),
        ("release-0s-16", "0s", Some("release-1s-16")),
        ("Hold-16", "Hold", Some("hold-16")),
        ("hold-16@clint", "clint", Some("hold-16@client")),
        ("hold16@client", "hold16", Some("hold-16@client")),
        ("xyzzy", "xyzzy", None),
        ("", "", None),
    ] {
        let error = text.parse::<PacingSpec>().unwrap_err();
        assert_eq!(&text[error.span()], bad, "{text:?}: {error}");
        assert_eq!(error.suggestion(), suggestion, "{text:?}: {error}");
    }
}

#[test]
fn an_error_reads_well() {
    let error = |text: &str| text.parse::<PacingSpec>().unwrap_err().to_string();
    assert_eq!(
        error("release-2x-16"),
        "`release-2x-16` is not a pacing strategy: `2x` is not a duration; `after` is a duration \
         above zero, such as `2s` or `500ms`; write `release-2s-16`"
    );
    assert_eq!(
        error("xyzzy"),
        "`xyzzy` is not a pacing strategy: no strategy is called `xyzzy`; there are `uncapped`, \
         `hold-N`, `release-T-N`, `shard-N`, `aimd-L-N-M`"
    );
}

#[test]
fn tables_are_read_strictly() {
    let read = |json: &str| serde_json::from_str::<PacingSpec>(json).map(|s| s.to_string());
    for (json, spec) in [
        (r#""hold-32@client""#, "hold-32@client"),
        (r#"{"strategy":"hold","slots":32}"#, "hold-32"),
        (
            r#"{"strategy":"hold-32","scope":"client"}"#,
            "hold-32@client",
        ),
        (
            r#"{"strategy":"release","after":"2s","slots":16}"#,
            "release-2s-16",
        ),
        (r#"{"strategy":"uncapped"}"#, "uncapped"),
    ] {
        assert_eq!(read(json).unwrap(), spec, "{json}");
    }
    for json in [
        r#"{"slots":32}"#,
        r#"{"strategy":"hold"}"#,
        r#"{"strategy":"hold","slots":0}"#,
        r#"{"strategy":"hold","slots":16,"after":"2s"}"#,
        r#"{"strategy":"hold-32","slots":16}"#,
        r#"{"strategy":"hold-32@client","scope":"payment"}"#,
        r#"{"strategy":"uncapped","slots":16}"#,
        r#"{"strategy":"hold","slots":16,"scope":"all"}"#,
        r#"{"strategy":"hold","slots":16,"slot":16}"#,
    ] {
        assert!(read(json).is_err(), "{json} was read as {:?}", read(json));
    }
}

#[test]
fn every_example_is_of_its_entry_and_builds() {
    for entry in catalogue::all() {
        assert!(!entry.examples.is_empty(), "{}", entry.name);
        for example in entry.examples {
            let spec: StrategySpec = example.parse().unwrap();
            assert_eq!(spec.entry().name, entry.name);
            assert_eq!(spec.to_string(), *example);
            let _ = spec.build();
        }
    }
}

#[test]
fn the_fields_four_variants_exist_under_their_names() {
    for name in ["uncapped", "hold-16", "release-2s-16", "hold-32"] {
        assert_eq!(name.parse::<StrategySpec>().unwrap().to_string(), name);
    }
}

/// A table in JSON, of these keys and values.
fn table(parts: &[(&str, String)]) -> String {
    let parts: Vec<_> = parts.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
    format!("{{{}}}", parts.join(","))
}

#[test]
fn every_strategy_has_a_table_form_and_each_slip_in_it_is_named() {
    let read = |parts: &[(&str, String)]| serde_json::from_str::<PacingSpec>(&table(parts));
    for entry in catalogue::all() {
        let example = entry.examples[0];
        let spec: PacingSpec = example.parse().unwrap();
        let quoted = |text: &str| format!("\"{text}\"");
        let mut parts = vec![("strategy", quoted(entry.name))];
        for (field, value) in entry.fields.iter().zip(spec.strategy.values()) {
            parts.push((
                field.name,
                match field.kind {
                    FieldKind::Count => value.to_string(),
                    FieldKind::Duration => quoted(&value.to_string()),
                },
            ));
        }
        assert_eq!(read(&parts).unwrap(), spec);
        let written = serde_json::to_string(&PacingTable::from(&spec)).unwrap();
        assert_eq!(serde_json::from_str::<PacingSpec>(&written).unwrap(), spec);
        let all: Vec<_> = entry
            .fields
            .iter()
            .map(|f| format!("`{}`", f.name))
            .collect();
        if let Err(error) = read(&parts[..1]) {
            let error = error.to_string();
            assert!(all.iter().all(|name| error.contains(name)), "{error}");
            assert!(error.contains("missing"), "{error}");
        }
        for at in 1..parts.len() {
            let (name, value) = parts[at].clone();
            let fails_with = |parts: &[(&str, String)], expected: &[&str]| {
                let error = read(parts).unwrap_err().to_string();
                for part in expected {
                    assert!(error.contains(part), "{}: {error}", table(parts));
                }
            };
            let mut omitted = parts.clone();
            omitted.remove(at);
            fails_with(&omitted, &[&format!("its `{name}` is missing"), example]);
            let mut doubled = parts.clone();
            doubled.push(parts[at].clone());
            fails_with(&doubled, &[&format!("gives `{name}` twice")]);
            let both = [("strategy", quoted(example)), (name, value.clone())];
            fails_with(&both, &[&format!("gives `{name}` a second time")]);
            let mut misspelt = parts.clone();
            let slip = format!("{name}s");
            misspelt[at].0 = &slip;
            fails_with(
                &misspelt,
                &[&format!("no `{slip}`"), &format!("it has `{name}`")],
            );
            let mut other = parts.clone();
            other[at].1 = if value.starts_with('"') {
                "7".to_owned()
            } else {
                quoted(&value)
            };
            fails_with(&other, &[&format!("which `{name}` is")]);
            other[at].1 = "-7".to_owned();
            fails_with(&other, &[&format!("`{name}`: "), "-7"]);
        }
    }
}
