//! From the layers to the settings.
//!
//! - config-rs reads the profiles and lays each over the one that it extends;
//! - figment lays that over the defaults, the variables and the flags over it, and
//!   makes typed settings of the result;
//! - the pacing and the arms have rules that no merging of tables knows: see
//!   [`layers`].
//!
//! Nothing is read so before everything has passed the checks of the list of keys.

use std::path::PathBuf;

use ant_collect::Plan;
use ant_pacing::{Arms, PacingSpec};
use config::{Config, File, FileFormat};
use figment::{Figment, providers::Serialized, value::Dict};
use serde::Deserialize;

use crate::{
    fault::{ConfigError, Fault},
    keys::{KEYS, Value},
    merge::{
        checks,
        layers::{self, Layer},
        settings::{NetworkSettings, PaymentSettings, Settings},
    },
    origin::Traced,
    sources::{Chain, Document, Profile, Sources, flag_entries},
};

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
    /// Returns what cannot take effect, and why; each note is a sentence.
    pub fn notes(&self) -> Vec<String> {
        let arms = self.settings.arms();
        let pacings = arms.as_slice().iter().map(|arm| &arm.pacing);
        let mut notes = self.notes_on(pacings);
        notes.extend(checks::notes_on_draws(&self.settings, &self.traces));
        notes
    }

    /// Returns the same notes for a program that chooses these pacings by itself.
    pub fn notes_on<'a>(&self, pacings: impl IntoIterator<Item = &'a PacingSpec>) -> Vec<String> {
        let mut notes = checks::notes_on_pacings(&self.settings, pacings);
        notes.extend(checks::notes(&self.settings, &self.traces));
        notes
    }
}

/// Loads the settings, and says where each came from.
///
/// # Errors
///
/// When anything in any layer is not as it should be: every fault, each with
/// where it is and what to write instead.
pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
    let (variables, mut faults) = sources.environment.entries();
    let (flags, flag_faults) = flag_entries(&sources.flags);
    faults.extend(flag_faults);
    let defaults = Layer::of_defaults();

    let mut names = flags.iter().chain(&variables).chain(&defaults.entries);
    let name = names.find(|entry| entry.key.name == "profile");
    let (name, asked_by) = name.map_or_else(Default::default, |entry| {
        (entry.value.to_string(), entry.origin.to_string())
    });
    let chain = Chain::read(&name, &sources.folders, &asked_by);
    faults.extend(chain.faults);

    let mut profiles = Vec::new();
    let mut layers = vec![defaults];
    for (profile, Document { entries, .. }) in chain.links {
        layers.push(Layer {
            name: profile.place.clone(),
            entries,
            is_file: true,
        });
        profiles.push(profile);
    }
    for (name, entries) in [("environment", variables), ("flags", flags)] {
        layers.push(Layer {
            name: name.to_owned(),
            entries,
            is_file: false,
        });
    }

    // Nothing is concluded from settings that may not be what was meant.
    let unclear = |faults: &[Fault], start| faults.iter().any(|fault| fault.may_concern(start));
    let pacings = if unclear(&faults, "pacing") {
        Vec::new()
    } else {
        layers::pacings(&layers, &mut faults)
    };
    let arms = layers::arms(&layers);
    let mut traces = Vec::new();
    for key in KEYS {
        let given = match key.name {
            "pacing.strategy" => layers::given(&pacings),
            "ab" => layers::given(&arms),
            _ if key.setting() == key.name => layers::plain(&layers, key),
            _ => continue,
        };
        traces.extend(Traced::new(key.setting(), given));
    }
    if !unclear(&faults, "network.") {
        checks::network(&layers.iter().flat_map(|layer| &layer.entries), &mut faults);
    }
    ConfigError::of(faults)?;

    let plain = merged(&layers, &profiles)?;
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
    let files = profiles.into_iter();
    let files = files.map(|profile| (profile.name, profile.path, profile.text));
    Ok(Loaded {
        settings,
        traces,
        files: files.collect(),
    })
}

/// The settings that are merged key by key.
#[derive(Deserialize)]
struct Plain {
    network: NetworkSettings,
    plan: Plan,
    payment: PaymentSettings,
}

/// Lays the layers over each other, the profiles as one.
fn merged(layers: &[Layer], profiles: &[Profile]) -> Result<Plain, Fault> {
    let with_profiles = |figment: Figment| -> Result<Figment, Fault> {
        let values = extended(profiles).map_err(|error| Fault::new("the profiles", error))?;
        Ok(figment.merge(Serialized::defaults(values)))
    };
    let mut figment = Figment::new();
    for (at, layer) in layers.iter().filter(|layer| !layer.is_file).enumerate() {
        figment = figment.merge(layer);
        if at == 0 {
            figment = with_profiles(figment)?;
        }
    }
    figment
        .extract()
        .map_err(|error| Fault::new("the settings", error))
}

/// Reads the profiles, and lays each over the one that it extends.
fn extended(profiles: &[Profile]) -> Result<Dict, config::ConfigError> {
    let sources = profiles.iter().map(|profile| &profile.text);
    let builder = sources.fold(Config::builder(), |builder, text| {
        builder.add_source(File::from_str(text, FileFormat::Toml))
    });
    builder.build()?.try_deserialize()
}
