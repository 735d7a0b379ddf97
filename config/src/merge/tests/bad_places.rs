//! Files that are none, profiles that lead to others, networks that are mixed,
//! and secrets in the wrong place.

use std::fs;

use super::{
    bad_input::{in_folder, profile, variable},
    bench::BASE,
};
use crate::{merge::load, sources::Sources};

#[test]
fn with_extends() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let says = |text: &str, part: &str| {
        write("mine.toml", text);
        let error = in_folder(folder.path());
        assert!(error.contains(part), "{error}");
        error
    };
    says("extends = \"mine\"\n", "in a circle: mine → mine");
    write("other.toml", "# loops\nextends = \"mine\"\n");
    let error = says("extends = \"other\"\n", "in a circle: mine → other → mine");
    assert!(error.contains("other.toml:2:11"), "{error}");
    let error = says("extends = \"othr\"\n", "did you mean `other`?");
    assert!(error.contains("mine.toml:1:11"), "{error}");
    says("extends = 3\n", "`extends` is text");
    says("extends = \"\"\n", "not a profile's name");
    // By a path from where the file is, and by the name of a shipped one that
    // the file itself hides.
    fs::create_dir(folder.path().join("sub")).unwrap();
    write("sub/base.toml", "[plan]\nask = 15\n");
    let error = says("extends = \"./sub/base.toml\"\n", "write `16`");
    assert!(error.contains("base.toml:2:7"), "{error}");
    write("sub/next.toml", "extends = \"base\"\n");
    says("extends = \"sub/next.toml\"\n", "base.toml:2:7");
    write("local.toml", "extends = \"local\"\n[plan]\nask = 20\n");
    let sources = Sources {
        folders: vec![folder.path().to_owned()],
        ..Sources::default()
    };
    assert_eq!(load(&sources).unwrap().settings.plan.ask, 20);
    write("other.toml", "[plan]\nask = 15\n");
    let error = says("extends = \"other\"\n", "write `16`");
    assert!(error.contains("other.toml:2:7"), "{error}");
}

#[test]
fn in_place_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let says = |part: &str| {
        let error = in_folder(folder.path());
        assert!(error.contains(part), "{error}");
        assert!(error.contains("mine"), "{error}");
    };
    says("there is no profile `mine`");
    fs::create_dir(&path).unwrap();
    says("it is a folder");
    fs::remove_dir(&path).unwrap();
    fs::write(&path, vec![b'#'; 2 << 20]).unwrap();
    says("larger than 1 MiB");
    fs::remove_file(&path).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        symlink(folder.path().join("nowhere"), &path).unwrap();
        says("mine.toml: No such file");
        fs::remove_file(&path).unwrap();
        symlink("/dev/null", &path).unwrap();
        says("not an ordinary file");
        fs::remove_file(&path).unwrap();
        fs::write(&path, BASE).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
        // The superuser reads everything.
        if fs::read(&path).is_err() {
            says("ermission denied");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

#[test]
fn two_profiles_of_one_name() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    for folder in &folders {
        fs::write(folder.path().join("mine.toml"), BASE).unwrap();
    }
    let sources = Sources {
        environment: [("ANT_MERKLE_PROFILE", "mine")].into_iter().collect(),
        folders: folders.iter().map(|f| f.path().to_owned()).collect(),
        ..Sources::default()
    };
    let error = load(&sources)
        .map(|loaded| loaded.settings)
        .unwrap_err()
        .to_string();
    assert!(error.contains("two profiles are called `mine`"), "{error}");
    for folder in &folders {
        assert!(error.contains(folder.path().to_str().unwrap()), "{error}");
    }
}

#[test]
fn networks_that_are_half_on_this_host() {
    let outside = "207.148.94.42:10000";
    for (variables, place) in [
        (
            &[
                ("ANT_MERKLE_PROFILE", "local"),
                ("ANT_MERKLE_BOOTSTRAP", outside),
            ][..],
            "ANT_MERKLE_BOOTSTRAP: it names",
        ),
        (
            &[("ANT_MERKLE_PROFILE", "wan"), ("ANT_MERKLE_LOCAL", "true")],
            "ANT_MERKLE_LOCAL: `true`, but the wide-area network",
        ),
        (
            &[
                ("ANT_MERKLE_PROFILE", "local"),
                ("ANT_MERKLE_LOCAL", "false"),
            ],
            "ANT_MERKLE_LOCAL: `false`",
        ),
        (
            &[
                ("ANT_MERKLE_PROFILE", "mainnet"),
                ("ANT_MERKLE_LOCAL", "true"),
            ],
            "ANT_MERKLE_LOCAL: `true`",
        ),
        (
            &[
                ("ANT_MERKLE_PROFILE", "mainnet"),
                ("ANT_MERKLE_NETWORK", "embedded"),
            ],
            "bootstrap",
        ),
        (
            &[
                ("ANT_MERKLE_PROFILE", "mainnet"),
                ("ANT_MERKLE_BOOTSTRAP", "127.0.0.1:1"),
            ],
            "is on this host",
        ),
        (
            &[
                ("ANT_MERKLE_PROFILE", "mainnet"),
                ("ANT_MERKLE_BOOTSTRAP", "127.0.0.1:1,207.148.94.42:1"),
            ],
            "is on this host",
        ),
    ] {
        let sources = Sources {
            environment: variables.iter().copied().collect(),
            ..Sources::default()
        };
        let error = load(&sources)
            .map(|loaded| loaded.settings)
            .unwrap_err()
            .to_string();
        assert!(error.contains(place), "{error}");
    }
}

#[test]
fn a_private_key_in_the_wrong_place_is_not_shown() {
    let key = "5e".repeat(32);
    for text in [
        format!("wallet_key = \"{key}\"\n"),
        format!("[plan]\nask = \"0x{key}\"\n"),
        format!("[network]\nkind = \"{key}\"\n"),
    ] {
        let error = profile(text.as_bytes());
        assert!(
            !error.contains(&key) && error.contains("<redacted>"),
            "{error}"
        );
    }
    let error = variable("ANT_MERKLE_SCOPE", &key);
    assert!(!error.contains(&key), "{error}");
}
