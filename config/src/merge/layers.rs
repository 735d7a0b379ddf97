//! The layers one over another, for what people are shown: who gave each setting
//! its value, and what that hides. The pacing and the arms have rules of their own,
//! so their values are made here too.

use std::iter;

use ant_pacing::PacingSpec;
use figment::{
    Metadata, Profile as FigmentProfile, Provider,
    value::{Dict, Map},
};

use crate::{
    fault::Fault,
    keys::{KEYS, Key, Value},
    merge::pacing::{Step, of_names, of_table},
    origin::{Given, Origin},
    sources::Entry,
};

/// One layer, the lowest first.
pub(super) struct Layer {
    pub(super) name: String,
    pub(super) entries: Vec<Entry>,
    /// Whether it is a profile: its pacing is one table, not single names.
    pub(super) is_file: bool,
}

impl Layer {
    /// Returns the lowest layer: the keys' own defaults.
    pub(super) fn of_defaults() -> Self {
        Self {
            name: "default".to_owned(),
            entries: KEYS.iter().filter_map(default).collect(),
            is_file: false,
        }
    }
}

/// Returns what the lowest layer says of a key.
fn default(key: &'static Key) -> Option<Entry> {
    let value = match key.default {
        Some("") => Value::List(Vec::new()),
        // A test reads them all.
        Some(text) => key.kind.read_text(text).ok()?,
        None if key.setting() == "pacing" => return None,
        None => Value::Unset,
    };
    Some(Entry {
        key,
        value,
        origin: Origin::Default,
        spot: None,
    })
}

/// Returns the pacing after each layer that speaks of it, the lowest first.
pub(super) fn pacings(layers: &[Layer], faults: &mut Vec<Fault>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for layer in layers {
        // The default layer names a strategy, so what is below it, `uncapped`, is
        // never in force.
        let fallback = || ant_pacing::StrategySpec::uncapped().into();
        let below: PacingSpec = steps.last().map_or_else(fallback, |(spec, _)| spec.clone());
        let made = if layer.is_file {
            of_table(&layer.entries, &below)
        } else {
            of_names(&layer.entries, &below)
        };
        match made {
            Ok(made) => steps.extend(made),
            Err(fault) => faults.push(fault),
        }
    }
    steps
}

/// Returns the arms after each layer that speaks of them, the lowest first. A layer
/// that names a strategy or a cap, and no arms, takes the lower layers' arms away:
/// it says what it wants instead.
pub(super) fn arms(layers: &[Layer]) -> Vec<(Value, Origin)> {
    let mut steps: Vec<(Value, Origin)> = Vec::new();
    for layer in layers {
        let own = layer.entries.iter().find(|entry| entry.key.name == "ab");
        let chooses = |entry: &&Entry| matches!(entry.key.name, "pacing.strategy" | "pacing.slots");
        let pacing = layer.entries.iter().find(chooses);
        let drawn = matches!(steps.last(), Some((Value::List(arms), _)) if !arms.is_empty());
        if let Some(own) = own {
            steps.push((own.value.clone(), own.origin.clone()));
        } else if let Some(pacing) = pacing.filter(|_| drawn) {
            steps.push((Value::Unset, pacing.origin.clone()));
        }
    }
    steps
}

pub(super) fn given<T: std::fmt::Display>(steps: &[(T, Origin)]) -> Vec<Given> {
    let given = steps.iter();
    given
        .map(|(value, origin)| Given::new(value, origin.clone()))
        .collect()
}

pub(super) fn plain(layers: &[Layer], key: &Key) -> Vec<Given> {
    let entries = layers.iter().flat_map(|layer| &layer.entries);
    let own = entries.filter(|entry| entry.key.name == key.name);
    own.map(|entry| Given::new(&entry.value, entry.origin.clone()))
        .collect()
}

impl Provider for &Layer {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.name.clone())
    }

    fn data(&self) -> Result<Map<FigmentProfile, Dict>, figment::Error> {
        let mut dict = Dict::new();
        for Entry { key, value, .. } in &self.entries {
            let value = figment::value::Value::serialize(value)?;
            let mut parts = key.name.split('.').rev();
            let leaf = parts.next().unwrap_or_default();
            // `plan.ask` becomes a dictionary within a dictionary.
            let Some(section) = parts.next() else {
                continue;
            };
            let inner = iter::once((leaf.to_owned(), value)).collect::<Dict>();
            let entry = dict
                .entry(section.to_owned())
                .or_insert_with(|| Dict::new().into());
            if let figment::value::Value::Dict(_, existing) = entry {
                existing.extend(inner);
            }
        }
        Ok(FigmentProfile::Default.collect(dict))
    }
}
