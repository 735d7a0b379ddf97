//! The layers, and what they make together.
//!
//! figment layers and keeps track of where each value came from, so that an
//! error names the file or the default at fault. The pacing is layered by our
//! own rule ([`crate::pacing`]), which figment's merging does not know.

use std::path::PathBuf;

use ant_pacing::{PacingSpec, PacingTable};
use figment::{
    Figment, Metadata, Profile as FigmentProfile, Provider,
    error::Kind,
    providers::Serialized,
    value::{Dict, Map, Value},
};
use serde::{Deserialize, Serialize};

use crate::{
    ConfigError, Environment, NetworkKind, NetworkSettings, PlanSettings, Settings,
    origin::{Given, Origin, Traced, line_of, text_at},
    pacing::{names_over, near, table_over},
    profile::{self, Profile},
    settings,
};

/// The profile where nothing names one.
const DEFAULT_PROFILE: &str = "local";

/// What the command line says. A flag that was not given is `None`, so that a
/// flag's default never hides a lower layer.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// `--profile`
    pub profile: Option<String>,
    /// `--strategy`
    pub strategy: Option<String>,
    /// `--cap`
    pub cap: Option<String>,
    /// `--bootstrap`: join this remote network.
    pub bootstrap: Option<Vec<String>>,
    /// Whether the flags name a network on loopback, as a manifest does.
    pub local: Option<bool>,
}

/// Where settings come from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The environment.
    pub environment: Environment,
    /// The command line.
    pub flags: Flags,
    /// The folders that profiles are searched in, first one first.
    pub folders: Vec<PathBuf>,
}

impl Sources {
    /// The process's environment and places, and these flags.
    ///
    /// # Errors
    ///
    /// When the working directory is gone.
    pub fn of_process(flags: Flags) -> Result<Self, ConfigError> {
        let working = std::env::current_dir()
            .map_err(|error| ConfigError::new("the working directory", error))?;
        Ok(Self {
            environment: Environment::of_process(),
            flags,
            folders: profile::folders(&working, dirs::config_dir().as_deref()),
        })
    }
}

/// A profile's file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ProfileFile {
    description: String,
    #[serde(skip_serializing)]
    pacing: Option<PacingTable>,
    network: NetworkSettings,
    plan: PlanSettings,
}

/// The settings, and where each of them came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What is in force.
    pub settings: Settings,
    /// Every key, in the order of a profile.
    pub traces: Vec<Traced>,
}

/// Loads the settings.
///
/// # Errors
///
/// When anything in any layer is not as it should be; the first fault found is
/// named, with where it is and what to write instead.
pub fn load(sources: &Sources) -> Result<Settings, ConfigError> {
    load_traced(sources).map(|loaded| loaded.settings)
}

/// Loads the settings and says where each came from.
///
/// # Errors
///
/// As [`load`].
pub fn load_traced(sources: &Sources) -> Result<Loaded, ConfigError> {
    let variables = sources.environment.ours()?;
    let variable = |name| variables.get(name).map(|value| (name, value.as_str()));
    let flags = &sources.flags;

    let mut names = vec![Given {
        value: DEFAULT_PROFILE.to_owned(),
        origin: Origin::Default,
    }];
    names.extend(variable("ANT_MERKLE_PROFILE").map(|(name, value)| Given {
        value: value.to_owned(),
        origin: Origin::Variable(name),
    }));
    names.extend(flags.profile.clone().map(|value| Given {
        value,
        origin: Origin::Flag("--profile"),
    }));
    let (place, name) = names.last().map_or_else(
        || (String::new(), String::new()),
        |given| (given.origin.to_string(), given.value.clone()),
    );
    let profile = Profile::find(&name, &sources.folders, &place)?;

    let file: ProfileFile = Figment::from(Serialized::defaults(ProfileFile::default()))
        .merge(&profile)
        .extract()
        .map_err(|error| describe(&profile.place, error))?;

    // Each layer that speaks of the pacing makes one, of what is below it.
    let mut pacings = vec![(settings::default_pacing(), Origin::Default)];
    let below = |pacings: &Vec<(PacingSpec, Origin)>| {
        let last = pacings.last().map(|(spec, _)| spec.clone());
        last.unwrap_or_else(settings::default_pacing)
    };
    if let Some(table) = &file.pacing {
        let place = format!("{}, [pacing]", profile.place);
        let spec = table_over(table, &below(&pacings), &place)?;
        pacings.push((spec, profile.origin("pacing")));
    }
    let layers = [
        (
            variable("ANT_MERKLE_STRATEGY"),
            variable("ANT_MERKLE_CAP"),
            Origin::Variable as fn(&'static str) -> Origin,
        ),
        (
            flags.strategy.as_deref().map(|text| ("--strategy", text)),
            flags.cap.as_deref().map(|text| ("--cap", text)),
            Origin::Flag,
        ),
    ];
    for (strategy, cap, origin) in layers {
        for (cap, by) in [(None, strategy), (cap, cap)] {
            if let Some((name, _)) = by {
                let spec = names_over(strategy, cap, below(&pacings))?;
                pacings.push((spec, origin(name)));
            }
        }
    }

    let mut network = file.network;
    if let Some(bootstrap) = &flags.bootstrap {
        network.kind = NetworkKind::Remote;
        network.bootstrap.clone_from(bootstrap);
    }
    if let Some(local) = flags.local {
        network.local = local;
        network.ipv6 &= !local;
    }
    let settings = Settings {
        profile: name,
        pacing: below(&pacings),
        network,
        plan: file.plan,
    };
    if let Some((key, problem)) = settings.out_of_bounds() {
        let place = format!("{}, `{key}`", profile.place);
        return Err(ConfigError::new(place, problem));
    }
    let pacings = pacings.into_iter().map(|(spec, origin)| Given {
        value: spec.to_string(),
        origin,
    });
    let mut traces = Vec::new();
    traces.extend(Traced::new("profile", names));
    traces.extend(Traced::new("pacing", pacings.collect()));
    traces.extend(trace(&settings, &profile, flags));
    Ok(Loaded { settings, traces })
}

/// The keys that defaults, profile and network flags give.
const PLAIN_KEYS: &[&str] = &[
    "network.kind",
    "network.bootstrap",
    "network.local",
    "network.ipv6",
    "network.join_within",
    "plan.ask",
    "plan.lookups",
    "plan.request_timeout",
];

fn trace(settings: &Settings, profile: &Profile, flags: &Flags) -> Vec<Traced> {
    let dict = |value: Result<Value, figment::Error>| match value {
        Ok(Value::Dict(_, dict)) => dict,
        _ => Dict::new(),
    };
    let defaults = dict(Value::serialize(ProfileFile::default()));
    let given = dict(Ok(profile.values.clone()));
    let in_force = dict(Value::serialize(settings));
    let by_flag = |key: &str| match key {
        "network.kind" | "network.bootstrap" => flags.bootstrap.is_some(),
        "network.local" => flags.local.is_some(),
        // A loopback network turns it off; any other leaves it as it was.
        "network.ipv6" => flags.local == Some(true),
        _ => false,
    };
    let traced = PLAIN_KEYS.iter().filter_map(|key| {
        let layers = [
            text_at(&defaults, key).map(|value| (value, Origin::Default)),
            text_at(&given, key).map(|value| (value, profile.origin(key))),
            text_at(&in_force, key)
                .filter(|_| by_flag(key))
                .map(|value| (value, Origin::Flag("--manifest or --bootstrap"))),
        ];
        let layers = layers.into_iter().flatten();
        let layers = layers.map(|(value, origin)| Given { value, origin });
        Traced::new(key, layers.collect())
    });
    traced.collect()
}

impl Profile {
    fn origin(&self, key: &str) -> Origin {
        Origin::Profile {
            place: self.place.clone(),
            line: line_of(&self.text, key),
        }
    }
}

/// figment's error, in our words: the place, the key, the nearest spelling.
fn describe(place: &str, error: figment::Error) -> ConfigError {
    let Some(first) = error.clone().into_iter().next() else {
        return ConfigError::new(place, error);
    };
    let key = first.path.join(".");
    match &first.kind {
        Kind::UnknownField(name, known) => {
            let advice = near(name, known.iter().copied());
            let known = known.join("`, `");
            ConfigError::new(
                place,
                format!("there is no key `{name}`{advice} (known here: `{known}`)"),
            )
        }
        kind if key.is_empty() => ConfigError::new(place, kind),
        kind => ConfigError::new(format!("{place}, `{key}`"), kind),
    }
}

impl Provider for &Profile {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.place.clone())
    }

    fn data(&self) -> Result<Map<FigmentProfile, Dict>, figment::Error> {
        let values = match &self.values {
            Value::Dict(_, dict) => dict.clone(),
            _ => Dict::new(),
        };
        Ok(FigmentProfile::Default.collect(values))
    }
}

#[cfg(test)]
mod tests;
