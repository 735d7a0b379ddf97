//! A new profile in which every key is explained, so that nobody starts from an
//! empty file.

use std::{fmt::Write, fs, io::Write as _, path::Path};

use crate::{
    fault::{ConfigError, Fault},
    keys::{KEYS, Key, Kind},
    merge::load,
    sources::{Flag, Sources, is_name, places},
};

/// Writes a new profile into `folder`, which is made if it is missing, and returns
/// its path. The profile extends `base` and changes nothing yet.
///
/// # Errors
///
/// When there is such a profile already, `base` is not a profile, or the file
/// cannot be written.
pub fn new_profile(
    name: &str,
    base: &str,
    folder: &Path,
    sources: &Sources,
) -> Result<String, ConfigError> {
    if !is_name(name) {
        let problem = "a profile's name is of lower case letters, digits and `-`";
        return Err(Fault::new(format!("`{name}`"), problem).into());
    }
    let taken = places(&sources.folders);
    if let Some((_, place)) = taken.iter().find(|(known, _)| known == name) {
        let problem = format!("there is such a profile already: {place}");
        return Err(Fault::new(format!("`{name}`"), problem).into());
    }
    // What it extends must have no faults of its own.
    let alone = Sources {
        flags: Flag::new("profile", base, "--extends")
            .into_iter()
            .collect(),
        folders: sources.folders.clone(),
        ..Sources::default()
    };
    load(&alone)?;
    let path = folder.join(format!("{name}.toml"));
    let failed = |error| Fault::of_io(path.display().to_string(), error);
    fs::create_dir_all(folder).map_err(failed)?;
    let mut file = fs::File::create_new(&path).map_err(failed)?;
    if let Err(error) = file.write_all(template(base).as_bytes()) {
        // Half a profile would be read as a whole one. The error is returned below.
        let _ = fs::remove_file(&path);
        return Err(failed(error).into());
    }
    Ok(path.display().to_string())
}

fn template(base: &str) -> String {
    let mut text = format!(
        "description = \"\"\n\
         # Everything that is not set here is as there.\n\
         extends = {base:?}\n"
    );
    let mut section = "";
    for key in KEYS.iter().filter(|key| key.in_files()) {
        let (table, name) = key.name.split_once('.').unwrap_or(("", key.name));
        if table != section && !table.is_empty() {
            section = table;
            let _ = write!(text, "\n[{table}]");
        }
        let _ = write!(text, "\n{}", comment(key, name));
    }
    text
}

/// Returns a key as a comment: what it is, and how it would be set.
fn comment(key: &Key, name: &str) -> String {
    let meaning = key.meaning();
    let value = match key.kind {
        Kind::Arms => {
            return format!(
                "# {}; one table for each:\n# [[ab]]\n#   strategy = \"hold-32\"\n#   weight = 1\n",
                key.summary
            );
        }
        Kind::Addresses => format!("[\"{}\"]", key.example),
        Kind::Count { .. } | Kind::Slots | Kind::Switch => key.example.to_owned(),
        _ => format!("\"{}\"", key.example),
    };
    format!("# {meaning}\n# {name} = {value}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_profile_loads_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let profiles = folder.path().join("profiles");
        let sources = Sources {
            folders: vec![profiles.clone()],
            ..Sources::default()
        };
        let place = new_profile("mine", "testnet", &profiles, &sources).unwrap();
        let of = |name: &str| {
            let flags = Flag::new("profile", name, "--profile");
            let sources = Sources {
                flags: flags.into_iter().collect(),
                ..sources.clone()
            };
            load(&sources).unwrap().settings
        };
        let (mine, base) = (of("mine"), of("testnet"));
        assert_eq!(mine.pacing, base.pacing);
        assert_eq!(mine.network, base.network);
        let again = new_profile("mine", "testnet", &profiles, &sources).unwrap_err();
        assert!(again.to_string().contains(&place), "{again}");
        for (name, base, part) in [
            ("local", "testnet", "already: shipped"),
            ("Mine", "local", "lower case"),
            ("../x", "local", "lower case"),
            ("other", "mainet", "did you mean `mainnet`?"),
        ] {
            let error = new_profile(name, base, &profiles, &sources).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
        assert_eq!(fs::read_dir(&profiles).unwrap().count(), 1);
    }

    #[test]
    fn every_commented_example_is_valid_once_it_is_not_a_comment() {
        let mut text = template("local");
        for key in KEYS.iter().filter(|key| key.in_files()) {
            let name = key.name.rsplit('.').next().unwrap();
            text = text.replace(&format!("# {name} ="), &format!("{name} ="));
        }
        let (document, faults) = crate::sources::Document::read("p", &text);
        assert_eq!(faults, []);
        let set = KEYS.iter().filter(|key| key.in_files()).count() - 1;
        assert_eq!(document.entries.len(), set, "all but [[ab]]:\n{text}");
    }
}
