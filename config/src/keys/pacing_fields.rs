//! The keys that `[pacing]` takes in files beyond those of the list: the numbers
//! of the strategies in the catalogue, so that a new strategy needs nothing here.

use std::{sync::LazyLock, time::Duration};

use ant_pacing::{FieldKind, catalogue};

use super::{
    cap::MOST_SLOTS,
    key::Key,
    kind::Kind,
    list::{KEYS, find as find_listed},
};

/// The catalogue's fields that are not in the list of keys. They have neither a
/// variable nor a flag.
static FIELDS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let mut found: Vec<Key> = Vec::new();
    for field in catalogue::all().iter().flat_map(|entry| entry.fields) {
        let name = format!("pacing.{}", field.name);
        if find_listed(&name).is_some() || found.iter().any(|key| key.name == name) {
            continue;
        }
        found.push(Key {
            // Once for each field, for the life of the program, as the list's are.
            name: name.leak(),
            variable: "",
            flag: "",
            kind: match field.kind {
                FieldKind::Count => Kind::Count {
                    low: 1,
                    high: MOST_SLOTS,
                    unit: "",
                },
                FieldKind::Duration => Kind::Span {
                    low: Duration::from_nanos(1),
                    high: Duration::MAX,
                },
            },
            default: None,
            summary: field.summary,
            reason: "the strategy says it",
            example: "",
        });
    }
    found
});

/// Returns every key that a profile's file may set.
pub(crate) fn in_files() -> impl Iterator<Item = &'static Key> {
    KEYS.iter().filter(|key| key.in_files()).chain(&*FIELDS)
}

/// Returns the key of this name, if a profile's file may set it.
pub(crate) fn find(name: &str) -> Option<&'static Key> {
    in_files().find(|key| key.name == name)
}

/// Returns the names of the strategies that have this field.
pub(crate) fn strategies_with(field: &str) -> Vec<&'static str> {
    let entries = catalogue::all().iter();
    let with = entries.filter(|entry| entry.fields.iter().any(|f| f.name == field));
    with.map(|entry| entry.name).collect()
}
