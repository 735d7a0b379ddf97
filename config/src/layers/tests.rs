//! The layers over each other, and what they say of mistakes.

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
    let (folder, sources) = with("[pacing]\nstrategy = \"release-2s-16\"\n\n[plan]\nask = 20\n");
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
    // A strategy and a cap of one layer are told apart.
    let both = Sources {
        environment: [
            ("ANT_MERKLE_STRATEGY", "release-2s-16"),
            ("ANT_MERKLE_CAP", "8"),
        ]
        .into_iter()
        .collect(),
        ..Sources::default()
    };
    let both = load_traced(&both).unwrap().traces;
    let pacing = both.iter().find(|traced| traced.key == "pacing").unwrap();
    assert_eq!(show(&pacing.given), "release-2s-8 (ANT_MERKLE_CAP)");
    assert_eq!(
        show(&pacing.shadows[0]),
        "release-2s-16 (ANT_MERKLE_STRATEGY)"
    );
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
