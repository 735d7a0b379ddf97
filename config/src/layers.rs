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
    let (strategy, cap) = (variable("ANT_MERKLE_STRATEGY"), variable("ANT_MERKLE_CAP"));
    if let Some((name, _)) = strategy {
        let spec = names_over(strategy, None, below(&pacings))?;
        pacings.push((spec, Origin::Variable(name)));
    }
    if let Some((name, _)) = cap {
        let spec = names_over(strategy, cap, below(&pacings))?;
        pacings.push((spec, Origin::Variable(name)));
    }
    let strategy = flags.strategy.as_deref().map(|text| ("--strategy", text));
    let cap = flags.cap.as_deref().map(|text| ("--cap", text));
    if let Some((name, _)) = strategy {
        let spec = names_over(strategy, None, below(&pacings))?;
        pacings.push((spec, Origin::Flag(name)));
    }
    if let Some((name, _)) = cap {
        let spec = names_over(strategy, cap, below(&pacings))?;
        pacings.push((spec, Origin::Flag(name)));
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
mod tests {
    use super::*;
    use std::{fs, time::Duration};

    fn sources(environment: &[(&str, &str)]) -> Sources {
        Sources {
            environment: environment.iter().copied().collect(),
            ..Sources::default()
        }
    }

    fn pacing(environment: &[(&str, &str)], flags: Flags) -> Result<String, String> {
        let sources = Sources {
            flags,
            ..sources(environment)
        };
        load(&sources)
            .map(|settings| settings.pacing.to_string())
            .map_err(|error| error.to_string())
    }

    fn with(profile: &str) -> (tempfile::TempDir, Sources) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mine.toml"), profile).unwrap();
        let sources = Sources {
            folders: vec![folder.path().to_owned()],
            ..sources(&[("ANT_MERKLE_PROFILE", "mine")])
        };
        (folder, sources)
    }

    #[test]
    fn every_shipped_profile_loads() {
        for (name, _) in profile::SHIPPED {
            let settings = load(&sources(&[("ANT_MERKLE_PROFILE", name)])).unwrap();
            assert_eq!(settings.profile, *name);
            assert_eq!(settings.plan, PlanSettings::default());
            let embedded = settings.network.kind == NetworkKind::Embedded;
            assert_eq!(embedded, *name == "local");
            assert_eq!(settings.network.local, *name == "local");
        }
        let mainnet = load(&sources(&[("ANT_MERKLE_PROFILE", "mainnet")])).unwrap();
        assert!(!mainnet.network.bootstrap.is_empty());
    }

    #[test]
    fn higher_layers_win() {
        let flags = |strategy: Option<&str>, cap: Option<&str>| Flags {
            strategy: strategy.map(str::to_owned),
            cap: cap.map(str::to_owned),
            ..Flags::default()
        };
        let strategy = |value| ("ANT_MERKLE_STRATEGY", value);
        let cap = |value| ("ANT_MERKLE_CAP", value);
        for (environment, flags, expected) in [
            (&[][..], flags(None, None), "hold-16"),
            (&[cap("24")], flags(None, None), "hold-24"),
            (
                &[strategy("release-2s-16")],
                flags(None, None),
                "release-2s-16",
            ),
            (
                &[strategy("release-2s-16"), cap("8")],
                flags(None, None),
                "release-2s-8",
            ),
            (&[cap("24")], flags(Some("uncapped"), None), "uncapped"),
            (&[cap("24")], flags(None, Some("3")), "hold-3"),
            (
                &[strategy("release-2s-16")],
                flags(None, Some("3")),
                "release-2s-3",
            ),
            (&[cap("uncapped")], flags(None, Some("3")), "hold-3"),
            (&[cap(" ")], flags(None, None), "hold-16"),
        ] {
            assert_eq!(
                pacing(environment, flags).unwrap(),
                expected,
                "{environment:?}"
            );
        }
    }

    #[test]
    fn a_bad_variable_is_an_error_that_names_it() {
        for (value, advice) in [
            (
                "0",
                "ANT_MERKLE_CAP: `0` lets nothing leave; for no cap write `uncapped`",
            ),
            ("hold16", "write `hold-16`"),
            ("release-2x-16", "write `release-2s-16`"),
        ] {
            let error = pacing(&[("ANT_MERKLE_CAP", value)], Flags::default()).unwrap_err();
            assert!(error.contains(advice), "{error}");
        }
        let error = load(&sources(&[("ANT_MERKLE_PROFILE", "mainet")])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "ANT_MERKLE_PROFILE: there is no profile `mainet`; did you mean `mainnet`?; there \
             are local, mainnet, testnet"
        );
    }

    #[test]
    fn every_value_knows_where_it_came_from_and_what_it_hides() {
        let (folder, sources) =
            with("[pacing]\nstrategy = \"release-2s-16\"\n\n[plan]\nask = 20\n");
        let path = folder.path().join("mine.toml").display().to_string();
        let environment: Environment = [("ANT_MERKLE_PROFILE", "mine"), ("ANT_MERKLE_CAP", "8")]
            .into_iter()
            .collect();
        let sources = Sources {
            environment,
            flags: Flags {
                bootstrap: Some(vec!["a".to_owned(), "b".to_owned()]),
                local: Some(false),
                ..Flags::default()
            },
            ..sources
        };
        let Loaded { settings, traces } = load_traced(&sources).unwrap();
        let show = |given: &Given| format!("{} ({})", given.value, given.origin);
        let line = |key: &str| {
            let traced = traces.iter().find(|traced| traced.key == key).unwrap();
            let shadows: Vec<_> = traced.shadows.iter().map(show).collect();
            format!("{} < {}", show(&traced.given), shadows.join(" < "))
        };
        assert_eq!(
            line("profile"),
            "mine (ANT_MERKLE_PROFILE) < local (default)"
        );
        assert_eq!(
            line("pacing"),
            format!("release-2s-8 (ANT_MERKLE_CAP) < release-2s-16 ({path}:1) < hold-16 (default)")
        );
        assert_eq!(line("plan.ask"), format!("20 ({path}:5) < 32 (default)"));
        assert_eq!(line("plan.lookups"), "16 (default) < ");
        let by_flag = "(--manifest or --bootstrap)";
        assert_eq!(
            line("network.bootstrap"),
            format!("a, b {by_flag} <  (default)")
        );
        assert_eq!(
            line("network.local"),
            format!("false {by_flag} < true (default)")
        );
        // Nothing in force is left without a trace.
        assert_eq!(traces.len(), 2 + PLAIN_KEYS.len());
        let keys = |value: Value| -> usize {
            let dict = value.into_dict().unwrap();
            dict.values()
                .map(|v| v.as_dict().map_or(1, Dict::len))
                .sum()
        };
        assert_eq!(keys(Value::serialize(settings).unwrap()), traces.len());
    }

    #[test]
    fn a_profile_beside_the_working_directory_is_read() {
        let (_folder, sources) = with(
            "[pacing]\nstrategy = \"release\"\nafter = \"1s\"\nslots = 4\n\
             [plan]\nask = 20\nrequest_timeout = \"1m30s\"\n",
        );
        let settings = load(&sources).unwrap();
        assert_eq!(settings.pacing.to_string(), "release-1s-4");
        assert_eq!(settings.plan.ask, 20);
        assert_eq!(settings.plan.lookups, 16, "from the defaults");
        assert_eq!(settings.plan.request_timeout.0, Duration::from_secs(90));
    }

    #[test]
    fn bad_profiles_say_where_and_what() {
        for (text, parts) in [
            (
                "[plan]\nasks = 20\n",
                &["mine.toml", "`asks`", "did you mean `ask`?"][..],
            ),
            ("[plan\n", &["mine.toml", "line 1"]),
            ("[plan]\nask = \"many\"\n", &["`plan.ask`", "many"]),
            ("[plan]\nask = -1\n", &["`plan.ask`", "-1"]),
            (
                "[plan]\nask = 15\n",
                &["`plan.ask`", "15 is not from 16 to 256"],
            ),
            ("[plan]\nask = 1.5\n", &["`plan.ask`"]),
            (
                "[plan]\nrequest_timeout = 10\n",
                &["`plan.request_timeout`"],
            ),
            (
                "[plan]\nrequest_timeout = \"10\"\n",
                &["`10` is no duration"],
            ),
            (
                "[plan]\nrequest_timeout = \"0s\"\n",
                &["0s is not from 100ms"],
            ),
            (
                "[pacing]\nstrategy = \"hold16\"\n",
                &["[pacing]", "write `hold-16`"],
            ),
            (
                "[pacing]\nslot = 16\n",
                &["`slot`", "did you mean `slots`?"],
            ),
            (
                "[network]\nkind = \"Remote\"\n",
                &["`network.kind`", "Remote"],
            ),
        ] {
            let (_folder, sources) = with(text);
            let error = load(&sources).unwrap_err().to_string();
            for part in parts {
                assert!(error.contains(part), "{part:?} not in {error:?}");
            }
        }
    }

    #[test]
    fn flags_choose_a_remote_network() {
        let sources = Sources {
            flags: Flags {
                bootstrap: Some(vec!["/ip4/127.0.0.1/udp/1/quic".to_owned()]),
                ..Flags::default()
            },
            ..Sources::default()
        };
        let settings = load(&sources).unwrap();
        assert_eq!(settings.network.kind, NetworkKind::Remote);
        assert_eq!(settings.network.bootstrap.len(), 1);
    }
}
