//! The one list of keys. Parsing, flags, help, the schema, `ant profile new`, the
//! tables of docs/configuration.md and the tests walk it, so that a new key is
//! written once, in the file of its section.

mod network;
mod pacing;
mod payment;
mod plan;

use crate::keys::{key::Key, kind::Kind};

/// What all our variables start with. Others that start with `ANT_` belong to
/// other programs and are left alone.
pub(crate) const PREFIX: &str = "ANT_MERKLE_";

/// What a profile's file says of itself, beside keys.
pub(crate) const FILE_WORDS: &[(&str, &str)] = &[
    ("description", "one line on what the profile is for"),
    ("extends", "the profile that this one starts from"),
];

/// Keys that belong together.
#[derive(Debug)]
pub(crate) struct Section {
    /// The table of a profile that holds them; empty for the key that chooses
    /// the profile.
    pub(crate) name: &'static str,
    pub(crate) keys: &'static [Key],
}

/// Every section, in the order of a profile.
pub(crate) const SECTIONS: &[Section] = &[
    Section {
        name: "",
        keys: &[PROFILE],
    },
    Section {
        name: "pacing",
        keys: pacing::KEYS,
    },
    Section {
        name: "network",
        keys: network::KEYS,
    },
    Section {
        name: "plan",
        keys: plan::KEYS,
    },
    Section {
        name: "payment",
        keys: payment::KEYS,
    },
];

const PROFILE: Key = Key {
    name: "profile",
    variable: "ANT_MERKLE_PROFILE",
    flag: "profile",
    kind: Kind::NameOrPath,
    default: Some("local"),
    summary: "the profile to start from",
    reason: "it needs no network and costs nothing",
    example: "testnet",
};

/// Every key, in the order of a profile.
pub const KEYS: &[Key] = &all();

const COUNT: usize = {
    let (mut count, mut section) = (0, 0);
    while section < SECTIONS.len() {
        count += SECTIONS[section].keys.len();
        section += 1;
    }
    count
};

/// Joins the sections' lists. (Iterators do not run at compile time.)
const fn all() -> [Key; COUNT] {
    let mut keys = [PROFILE; COUNT];
    let (mut filled, mut section) = (0, 0);
    while section < SECTIONS.len() {
        let mut at = 0;
        while at < SECTIONS[section].keys.len() {
            keys[filled] = SECTIONS[section].keys[at];
            filled += 1;
            at += 1;
        }
        section += 1;
    }
    keys
}

/// Returns the key of this name.
pub(crate) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn every_key_is_set_in_its_own_way() {
        for names in [
            KEYS.iter().map(|key| key.name).collect::<BTreeSet<_>>(),
            KEYS.iter().map(|key| key.variable).collect(),
            KEYS.iter().map(|key| key.flag).collect(),
        ] {
            assert_eq!(names.len(), KEYS.len());
        }
        for key in KEYS {
            assert!(key.variable.starts_with(PREFIX), "{}", key.variable);
            assert!(!key.summary.is_empty() && !key.reason.is_empty());
        }
    }

    #[test]
    fn every_default_and_example_is_valid() {
        for key in KEYS {
            for text in key.default.into_iter().chain([key.example]) {
                // No network is a list without addresses.
                if !text.is_empty() {
                    let read = key.kind.read_text(text);
                    assert!(read.is_ok(), "{}: {text}: {read:?}", key.name);
                }
            }
            assert_ne!(key.default, Some(key.example), "{}", key.name);
        }
    }

    #[test]
    fn every_key_is_in_its_own_section() {
        for section in SECTIONS.iter().filter(|section| !section.name.is_empty()) {
            for key in section.keys {
                let own = key.name.split_once('.').map_or("pacing", |(own, _)| own);
                assert_eq!(own, section.name, "{}", key.name);
            }
        }
    }

    #[test]
    fn the_plan_has_a_key_for_each_field_and_the_same_defaults() {
        let plan = serde_json::to_value(ant_collect::Plan::default()).unwrap();
        let fields: BTreeMap<_, _> = plan
            .as_object()
            .unwrap()
            .iter()
            .map(|(field, default)| {
                let default = match default {
                    serde_json::Value::Null => None,
                    serde_json::Value::String(text) => Some(text.clone()),
                    other => Some(other.to_string()),
                };
                (format!("plan.{field}"), default)
            })
            .collect();
        let keys: BTreeMap<_, _> = plan::KEYS
            .iter()
            .map(|key| (key.name.to_owned(), key.default.map(str::to_owned)))
            .collect();
        assert_eq!(keys, fields, "the keys, and the fields of Plan");
    }
}
