//! The layers, and what they make together.
//!
//! figment lays them over each other and makes typed settings of the result.
//! The pacing is layered by our own rule ([`crate::pacing`]), which figment's
//! merging does not know. Where each value came from is read off the same list
//! of layers, so the account cannot differ from the result.

use std::{iter, path::PathBuf};

use ant_collect::Plan;
use ant_pacing::{Arms, PacingSpec};
use figment::{
    Figment, Metadata, Profile as FigmentProfile, Provider,
    value::{Dict, Map},
};
use serde::Deserialize;

use crate::{
    ConfigError, Environment, Fault, Key, NetworkSettings, PaymentSettings, Settings, address,
    checks,
    fault::Spot,
    keys::{self, KEYS},
    origin::{Given, Origin, Traced},
    pacing::{Step, of_names, of_table},
    profile::{self, Chain},
    value::Value,
};

/// What a layer says of one key.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: &'static Key,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
    /// Where the key stands, in a file.
    pub(crate) spot: Option<Spot>,
}

impl Entry {
    /// A fault of this entry, which only shows beside others.
    pub(crate) fn fault(&self, problem: impl std::fmt::Display) -> Fault {
        match &self.origin {
            Origin::Profile { place, .. } => {
                let problem = format!("`{}`: {problem}", self.key.name);
                Fault::new(place, problem).at(self.spot.clone())
            }
            origin => Fault::new(origin.to_string(), problem),
        }
        .about(self.key.setting())
    }
}

/// What the command line says of one key.
#[derive(Clone, Debug)]
pub struct Flag {
    /// The key.
    pub key: &'static Key,
    /// Its value, as text.
    pub text: String,
    /// The flag that said so, with its dashes: the key's own, or one that
    /// stands for several keys, as `--manifest` does.
    pub name: String,
}

impl Flag {
    /// What the flag `name` says of the key called `key`; nothing if there is
    /// no such key.
    pub fn new(key: &str, text: impl Into<String>, name: impl Into<String>) -> Option<Self> {
        Some(Self {
            key: keys::find(key)?,
            text: text.into(),
            name: name.into(),
        })
    }
}

/// Adds what joining through these addresses means, except where a flag says
/// otherwise: that the network is remote, and whether it is on loopback. `name`
/// is the flag that named them.
pub fn joining(flags: &mut Vec<Flag>, addresses: &[String], name: &str) {
    let on_loopback = addresses.iter().filter(|text| address::is_loopback(text));
    let on_loopback = on_loopback.count();
    let mut meant = vec![
        ("network.kind", "remote".to_owned()),
        ("network.bootstrap", addresses.join(",")),
    ];
    if on_loopback == addresses.len() {
        meant.push(("network.local", "true".to_owned()));
        meant.push(("network.ipv6", "false".to_owned()));
    } else if on_loopback == 0 {
        meant.push(("network.local", "false".to_owned()));
    }
    add(flags, meant, name);
}

/// Adds what a wide-area network in a box means, except where a flag says
/// otherwise; of this scenario, if one is given.
///
/// # Errors
///
/// When a flag says that it is another network, or another scenario.
pub fn on_wan(
    flags: &mut Vec<Flag>,
    scenario: Option<&str>,
    name: &str,
) -> Result<(), ConfigError> {
    let mut meant = vec![
        ("network.kind", "wan".to_owned()),
        ("network.local", "false".to_owned()),
        ("network.ipv6", "false".to_owned()),
    ];
    meant.extend(scenario.map(|scenario| ("network.scenario", scenario.to_owned())));
    for (key, text) in &meant {
        let other = flags
            .iter()
            .find(|flag| flag.key.name == *key && flag.text != *text);
        if let Some(other) = other.filter(|_| *key != "network.ipv6") {
            let problem = format!("it says `{}`, and {name} says `{text}`", other.text);
            return Err(Fault::new(&other.name, problem).into());
        }
    }
    add(flags, meant, name);
    Ok(())
}

fn add(flags: &mut Vec<Flag>, meant: Vec<(&str, String)>, name: &str) {
    for (key, text) in meant {
        if !flags.iter().any(|flag| flag.key.name == key) {
            flags.extend(Flag::new(key, text, name));
        }
    }
}

/// Where settings come from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The environment.
    pub environment: Environment,
    /// The command line. A flag that was not given is not here, so that a
    /// flag's default never hides a lower layer.
    pub flags: Vec<Flag>,
    /// The folders that profiles are searched in.
    pub folders: Vec<PathBuf>,
}

impl Sources {
    /// The process's environment and places, and these flags.
    ///
    /// # Errors
    ///
    /// When the working directory is gone.
    pub fn of_process(flags: Vec<Flag>) -> Result<Self, ConfigError> {
        let working =
            std::env::current_dir().map_err(|error| Fault::new("the working directory", error))?;
        Ok(Self {
            environment: Environment::of_process(),
            flags,
            folders: profile::folders(&working, dirs::config_dir().as_deref()),
        })
    }
}

/// The settings, and how they came about.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What is in force.
    pub settings: Settings,
    /// Every setting, in the order of a profile.
    pub traces: Vec<Traced>,
    /// The profiles that were read: name, file if it is in one, text.
    pub(crate) files: Vec<(String, Option<PathBuf>, String)>,
}

impl Loaded {
    /// What cannot take effect, and why; each a sentence.
    pub fn notes(&self) -> Vec<String> {
        let arms = self.settings.arms();
        let pacings = arms.as_slice().iter().map(|arm| &arm.pacing);
        let mut notes = self.notes_on(pacings);
        notes.extend(checks::notes_on_draws(&self.settings, &self.traces));
        notes
    }

    /// The same for a program that chooses these pacings by itself.
    pub fn notes_on<'a>(&self, pacings: impl IntoIterator<Item = &'a PacingSpec>) -> Vec<String> {
        let mut notes = checks::notes_on_pacings(&self.settings, pacings);
        notes.extend(checks::notes(&self.settings, &self.traces));
        notes
    }
}

/// One layer, the lowest first.
struct Layer {
    name: String,
    entries: Vec<Entry>,
    /// Whether its pacing is a table, not single names.
    is_file: bool,
}

/// Loads the settings, and says where each came from.
///
/// # Errors
///
/// When anything in any layer is not as it should be: every fault, each with
/// where it is and what to write instead.
pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
    let (variables, mut faults) = sources.environment.entries();
    let (flags, flag_faults) = flags(&sources.flags);
    faults.extend(flag_faults);

    let defaults: Vec<_> = KEYS.iter().filter_map(default).collect();
    let mut names = flags.iter().chain(&variables).chain(&defaults);
    let name = names.find(|entry| entry.key.name == "profile");
    let (name, asked_by) = name.map_or_else(Default::default, |entry| {
        (entry.value.to_string(), entry.origin.to_string())
    });
    let chain = Chain::read(&name, &sources.folders, &asked_by);
    faults.extend(chain.faults);

    let layer = |name: &str, entries, is_file| Layer {
        name: name.to_owned(),
        entries,
        is_file,
    };
    let mut files = Vec::new();
    let mut layers = vec![layer("default", defaults, false)];
    for (profile, document) in chain.links {
        layers.push(layer(&profile.place, document.entries, true));
        files.push((profile.name, profile.path, profile.text));
    }
    layers.push(layer("environment", variables, false));
    layers.push(layer("flags", flags, false));

    // Nothing is concluded from settings that may not be what was meant.
    let unclear = |faults: &[Fault], start| faults.iter().any(|fault| fault.may_concern(start));
    let pacings = if unclear(&faults, "pacing") {
        Vec::new()
    } else {
        pacings(&layers, &mut faults)
    };
    let arms = arms(&layers);
    let mut traces = Vec::new();
    for key in KEYS {
        let given = match key.name {
            "pacing.strategy" => given(&pacings),
            "ab" => given(&arms),
            _ if key.setting() == key.name => plain(&layers, key),
            _ => continue,
        };
        traces.extend(Traced::new(key.setting(), given));
    }
    if !unclear(&faults, "network.") {
        checks::network(&layers.iter().flat_map(|layer| &layer.entries), &mut faults);
    }
    ConfigError::of(faults)?;

    let figment = layers.iter().fold(Figment::new(), Figment::merge);
    let plain: Plain = figment
        .extract()
        .map_err(|error| Fault::new("the settings", error))?;
    let pacing = pacings.into_iter().next_back();
    let ab = match arms.last() {
        Some((Value::List(texts), by)) if !texts.is_empty() => {
            let arms: Result<Arms, _> = texts.join(",").parse();
            Some(arms.map_err(|error| Fault::new(by.to_string(), error))?)
        }
        _ => None,
    };
    let (pacing, _) = pacing.ok_or_else(|| Fault::new("the settings", "no pacing"))?;
    let settings = Settings {
        profile: name,
        pacing,
        ab,
        network: plain.network,
        plan: plain.plan,
        payment: plain.payment,
    };
    Ok(Loaded {
        settings,
        traces,
        files,
    })
}

/// What figment makes of the layers.
#[derive(Deserialize)]
struct Plain {
    network: NetworkSettings,
    plan: Plan,
    payment: PaymentSettings,
}

fn flags(flags: &[Flag]) -> (Vec<Entry>, Vec<Fault>) {
    let (mut entries, mut faults) = (Vec::new(), Vec::new());
    for Flag { key, text, name } in flags {
        match key.kind.read_text(text) {
            Ok(value) => entries.push(Entry {
                key,
                value,
                origin: Origin::Flag(name.clone()),
                spot: None,
            }),
            Err(problem) => {
                faults.push(Fault::new(name, problem.what).about(key.setting()));
            }
        }
    }
    (entries, faults)
}

/// What the lowest layer says of a key.
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

/// The pacing as each layer that speaks of it leaves it, lowest first.
fn pacings(layers: &[Layer], faults: &mut Vec<Fault>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for layer in layers {
        // The default layer names a strategy, so the spec it falls back to here
        // is never in force.
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

/// The arms as each layer that speaks of them leaves them. One that names a
/// strategy or a cap and no arms wants that, so it takes lower layers' arms away.
fn arms(layers: &[Layer]) -> Vec<(Value, Origin)> {
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

fn given<T: std::fmt::Display>(steps: &[(T, Origin)]) -> Vec<Given> {
    let given = steps.iter();
    given
        .map(|(value, origin)| Given::new(value, origin.clone()))
        .collect()
}

fn plain(layers: &[Layer], key: &Key) -> Vec<Given> {
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

#[cfg(test)]
mod tests;
