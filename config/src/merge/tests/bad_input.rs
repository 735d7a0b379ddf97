//! Every kind of bad input: what is said of it, and where.

use std::{fs, path::Path};

use super::bench::Bench;
use crate::{
    fault::Fault,
    merge::load,
    sources::{Flag, Sources},
};

pub(super) fn profile(text: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.toml"), text).unwrap();
    in_folder(folder.path())
}

/// What is said of the profile `mine` in this folder.
pub(super) fn in_folder(folder: &Path) -> String {
    let sources = Sources {
        environment: [("ANT_MERKLE_PROFILE", "mine")].into_iter().collect(),
        folders: vec![folder.to_owned()],
        ..Sources::default()
    };
    load(&sources)
        .map(|loaded| loaded.settings)
        .unwrap_err()
        .to_string()
}

pub(super) fn variable(name: &str, value: &str) -> String {
    let mut bench = Bench::new();
    bench.variables.push((name.to_owned(), value.to_owned()));
    bench.load().map(|loaded| loaded.settings).unwrap_err()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn in_a_profile() {
    for (text, parts) in [
        (
            "[plan]\nasks = 20\n",
            &["mine.toml:2:1", "did you mean `ask`?"][..],
        ),
        (
            "[Plan]\nask = 20\n",
            &["mine.toml:1:2", "did you mean `plan`?"],
        ),
        (
            "[plan]\nAsk = 20\n",
            &["mine.toml:2:1", "did you mean `ask`?"],
        ),
        ("ask = 20\n", &["mine.toml:1:1", "did you mean `plan.ask`?"]),
        ("profile = \"x\"\n", &["no key `profile`"]),
        (
            "[network]\nkind = \"Remote\"\n",
            &["mine.toml:2:8", "write `remote`"],
        ),
        (
            "[pacing]\nstrategy = \"Hold-16\"\n",
            &["mine.toml:2:13", "write `hold-16`"],
        ),
        (
            "[plan]\nask = \"many\"\n",
            &["`plan.ask`", "the text \"many\""],
        ),
        (
            "[plan]\nask = true\n",
            &["`plan.ask`", "`true` is not a whole number"],
        ),
        ("[plan]\nask = [20]\n", &["a list is not a whole number"]),
        ("plan = 3\n", &["`plan` is a table: write `[plan]`"]),
        (
            "[network]\nbootstrap = \"127.0.0.1:1\"\n",
            &["write `[\"127.0.0.1:1\"]`"],
        ),
        (
            "[network]\nbootstrap = [1]\n",
            &["the number 1 is not an address"],
        ),
        (
            "[network]\nlocal = \"true\"\n",
            &["write `true` without quotes"],
        ),
        ("[plan]\nask = -1\n", &["`-1` is not", "write `16`"]),
        (
            "[plan]\nask = 15\n",
            &["`15` is not", "from 16 to 256", "write `16`"],
        ),
        ("[plan]\nask = 257\n", &["write `256`"]),
        ("[plan]\nask = 1.5\n", &["`1.5` is not", "write `16`"]),
        ("[plan]\nask = nan\n", &["`NaN` is not a whole number"]),
        ("[plan]\nask = inf\n", &["`inf` is not a whole number"]),
        (
            "[plan]\nask = 99999999999999999999\n",
            &["mine.toml:2:7", "too large", "16 to 256"],
        ),
        ("[plan]\nask = 0o777777777777777777777777\n", &["too large"]),
        (
            "[plan]\nask = 032\n",
            &["mine.toml:2:7", "this is not TOML"],
        ),
        (
            "[plan]\nask = \u{ff13}\u{ff12}\n",
            &["mine.toml:2:7", "this is not TOML"],
        ),
        ("[pacing]\nslots = 0\n", &["strategy = \"uncapped\""]),
        (
            "[pacing]\nslots = 4294967296\n",
            &["`pacing.slots`", "write `4294967295`"],
        ),
        ("[pacing]\nstrategy = \" hold-16\"\n", &["write `hold-16`"]),
        (
            "[pacing]\nstrategy = \"hold-016\"\n",
            &["mine.toml:2:18", "write `hold-16`"],
        ),
        (
            "[pacing]\nstrategy = \"hold-16\"\nslots = 3\n",
            &["`slots` a second time"],
        ),
        (
            "[pacing]\nstrategy = \"hold\"\n",
            &["mine.toml:2:1", "its `slots` is missing"],
        ),
        (
            "[pacing]\nstrategy = \"aimd\"\nslots = 16\n",
            &["`min` and `max` are missing", "write `aimd-8-16-32`"],
        ),
        (
            "[pacing]\nstrategy = \"aimd\"\nmni = 8\nslots = 16\nmax = 32\n",
            &["mine.toml:3:1", "there is no key `pacing.mni`", "`min`"],
        ),
        (
            "[pacing]\nstrategy = \"hold\"\nslots = 16\nmax = 32\n",
            &["mine.toml:4:1", "`hold`: it has no `max`"],
        ),
        (
            "[pacing]\nstrategy = \"aimd\"\nmin = 0\nslots = 16\nmax = 32\n",
            &["mine.toml:3:7", "`0` is not a whole number"],
        ),
        (
            "[pacing]\nmax = 32\n",
            &["mine.toml:2:1", "has no `max`", "`aimd`"],
        ),
        (
            "[pacing]\nafter = \"2s\"\n",
            &["mine.toml:2:1", "`release-2s-16`"],
        ),
        (
            "[plan]\nrequest_timeout = 10\n",
            &["the number 10", "write `\"10s\"`"],
        ),
        (
            "[plan]\nrequest_timeout = \"10\"\n",
            &["`10` is not a duration", "write `10s`"],
        ),
        ("[plan]\nrequest_timeout = \"10 s\"\n", &["write `10s`"]),
        ("[plan]\nrequest_timeout = \"0s\"\n", &["write `100ms`"]),
        ("[plan]\nrequest_timeout = \"1y\"\n", &["write `10m`"]),
        (
            "[plan]\nrequest_timeout = \"1.5s\"\n",
            &["is not a duration"],
        ),
        (
            "[pacing]\nstrategy = \"release\"\nslots = 1\nafter = \"0s\"\n",
            &["`0s` is not"],
        ),
        ("[[ab]]\nweight = 1\n", &["names no `strategy`"]),
        (
            "[[ab]]\nstrategy = \"hold\"\n",
            &["mine.toml:2:", "write `hold-16`"],
        ),
        (
            "[[ab]]\nstrategy = \"hold-16\"\nslots = 1\n",
            &["an arm has no key `slots`"],
        ),
        (
            "[[ab]]\nstrategy = \"hold-16\"\n[[ab]]\nstrategy = \"hold-16\"\n",
            &["`hold-16` is named twice"],
        ),
        ("[ab]\nstrategy = \"hold-16\"\n", &["`[[ab]]`"]),
        ("description = 3\n", &["`description` is text"]),
        ("[plan\n", &["mine.toml:1:", "this is not TOML"]),
        (
            "[plan]\nask = 20\nask = 21\n",
            &["mine.toml:3:1", "this is not TOML"],
        ),
        ("\"plan.ask\" = 20\n", &["there is no key `plan.ask`"]),
        (
            "\"x[3000000000]\" = 1\n",
            &["there is no key `x[3000000000]`"],
        ),
        ("\"plan[0]\" = 3\n", &["there is no key `plan[0]`"]),
        ("description = 2020-01-01\n", &["`description` is a date"]),
        (
            "[payment]\nrecord = 1979-05-27\n",
            &["`payment.record` is a date"],
        ),
        ("[payment]\nrecord = \"\"\n", &["`` is not a path"]),
        (
            "[network]\nbootstrap = [\"/ip4/1.2.3.4/udp/1/quic/x\"]\n",
            &["is not an address"],
        ),
        (
            "[plan]\nrequest_timeout = -5\n",
            &["the number -5 is not a duration"],
        ),
        ("# nothing\n", &["it sets nothing"]),
        ("", &["it is empty"]),
        (" \n\t\n", &["it is empty"]),
        ("\0\u{1}\u{2}", &["this is not TOML"]),
    ] {
        let error = profile(text.as_bytes());
        for part in parts {
            assert!(error.contains(part), "{text:?}: {part:?} not in:\n{error}");
        }
    }
    let error = profile(b"[plan]\nask = \xff\n");
    assert!(error.contains("not UTF-8 text: see byte 14"), "{error}");
}

#[test]
fn in_a_variable() {
    for (name, value, part) in [
        ("ANT_MERKLE_ASKS", "20", "did you mean `ANT_MERKLE_ASK`?"),
        ("ANT_MERKLE_ask", "20", "did you mean `ANT_MERKLE_ASK`?"),
        ("ANT_MERKLE_ASK", "many", "`many` is not a whole number"),
        ("ANT_MERKLE_ASK", "15", "write `16`"),
        ("ANT_MERKLE_ASK", "99999999999999999999", "write `256`"),
        ("ANT_MERKLE_ASK", "NaN", "`NaN` is not a whole number"),
        ("ANT_MERKLE_ASK", "\u{ff13}\u{ff12}", "write `32`"),
        ("ANT_MERKLE_ASK", "032", "write `32`"),
        ("ANT_MERKLE_ASK", " 32 ", "write `32`"),
        ("ANT_MERKLE_ASK", "+32", "write `32`"),
        ("ANT_MERKLE_ASK", "3_2", "write `32`"),
        ("ANT_MERKLE_ASK", "0", "write `16`"),
        ("ANT_MERKLE_REQUEST_TIMEOUT", "10", "write `10s`"),
        ("ANT_MERKLE_REQUEST_TIMEOUT", "0s", "write `100ms`"),
        ("ANT_MERKLE_REQUEST_TIMEOUT", "10S", "write `10s`"),
        ("ANT_MERKLE_REQUEST_TIMEOUT", " 10s", "write `10s`"),
        ("ANT_MERKLE_NETWORK", "Remote", "write `remote`"),
        (
            "ANT_MERKLE_NETWORK",
            "mainnet",
            "`mainnet` is not `embedded`, `wan` or `remote`",
        ),
        ("ANT_MERKLE_IPV6", "True", "write `true`"),
        ("ANT_MERKLE_IPV6", "0", "write `false`"),
        ("ANT_MERKLE_SCOPE", "clients", "write `client`"),
        (
            "ANT_MERKLE_BOOTSTRAP",
            "localhost",
            "`localhost` is not an address",
        ),
        (
            "ANT_MERKLE_BOOTSTRAP",
            "127.0.0.1:1,",
            "`` is not an address",
        ),
        ("ANT_MERKLE_AB", "hold-16:0", "`0` is not a weight"),
        ("ANT_MERKLE_AB", "hold16", "write `hold-16`"),
        ("ANT_MERKLE_PROFILE", "mainet", "did you mean `mainnet`?"),
        ("ANT_MERKLE_PROFILE", "Mainnet", "did you mean `mainnet`?"),
        ("ANT_MERKLE_PROFILE", " mainnet", "did you mean `mainnet`?"),
        (
            "ANT_MERKLE_PROFILE",
            "./none.toml",
            "there is no file ./none.toml",
        ),
    ] {
        let error = variable(name, value);
        assert!(error.contains(part), "{name}={value:?}: {error}");
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn all_of_it_is_said_at_once() {
    let mut bench = Bench::new();
    bench.base = "[plan]\nask = 15\nlookups = 0\n".to_owned();
    bench.profile.push_str("[pacing]\nstrategy = \"hold16\"\n");
    bench.variables.push(("ANT_MERKLE_CAP".into(), "0".into()));
    bench.flags.extend(Flag::new("plan.ask", "1", "--ask"));
    let error = load(&bench.sources())
        .map(|loaded| loaded.settings)
        .unwrap_err();
    let places: Vec<_> = error.faults().iter().map(Fault::place).collect();
    assert_eq!(places.len(), 5, "{error}");
    for place in ["--ask", "ANT_MERKLE_CAP"] {
        assert!(places.contains(&place), "{error}");
    }
}

#[test]
fn all_of_a_file_is_said_at_once_and_nothing_that_only_follows() {
    let faults = |text: &str| -> Vec<String> {
        let error = profile(text.as_bytes());
        let lines = error.lines().filter(|line| line.contains("mine.toml"));
        lines
            .map(|line| line.split_once("mine.toml:").unwrap().1.to_owned())
            .collect()
    };
    let at = |text: &str| -> Vec<String> {
        let positions = faults(text).into_iter();
        positions
            .map(|line| line.splitn(3, ':').take(2).collect::<Vec<_>>().join(":"))
            .collect()
    };
    let arms = "[[ab]]\nstrategy = \"hold16\"\nweight = 0\n[[ab]]\nweigth = 2\n";
    assert_eq!(at(arms), ["2:13", "3:10", "4:1", "5:1"]);
    let addresses = "[network]\nkind = \"Remote\"\nbootstrap = [\"x\", \"127.0.0.1:1\", \"y\"]\n";
    assert_eq!(at(addresses), ["2:8", "3:14", "3:34"]);
    let overflow = "[plan]\nask = 99999999999999999999\nasks = 3\nlookups = 0\n";
    assert_eq!(at(overflow), ["2:7", "3:1", "4:11"]);
    assert_eq!(
        at("[pacing]\nstrategy = \"relese\"\nafter = \"2s\"\n"),
        ["2:13"]
    );
    assert_eq!(
        at("[pacing]\nstratgy = \"release-2s-1\"\nafter = \"2s\"\n"),
        ["2:1"]
    );
    // More than anybody reads is counted.
    let many: String = (0..150)
        .flat_map(|at| [format!("k{at} = 1"), "\n".into()])
        .collect();
    let said = faults(&many);
    assert_eq!(said.len(), 101, "a hundred, and how many more");
    assert!(profile(many.as_bytes()).contains("and 50 more faults"));
    let sources = Sources {
        environment: [
            ("ANT_MERKLE_PROFILE", "mainet"),
            ("ANT_MERKLE_LOCAL", "false"),
        ]
        .into_iter()
        .collect(),
        ..Sources::default()
    };
    let error = load(&sources).map(|loaded| loaded.settings).unwrap_err();
    assert_eq!(error.faults().len(), 1, "{error}");
}
