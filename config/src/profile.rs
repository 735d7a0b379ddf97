//! Profiles: where they are found, and how their files are read.
//!
//! `config` (config-rs) reads the files: it knows formats and reports the place
//! of a syntax error. Layering is figment's: see `layers`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use config::{Config, File, FileFormat};

use crate::{ConfigError, pacing::near};

/// The profiles that the program carries along, by name.
pub const SHIPPED: &[(&str, &str)] = &[
    ("local", include_str!("../../profiles/local.toml")),
    ("testnet", include_str!("../../profiles/testnet.toml")),
    ("mainnet", include_str!("../../profiles/mainnet.toml")),
];

/// A shipped profile's text.
pub fn shipped(name: &str) -> Option<&'static str> {
    SHIPPED
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, text)| *text)
}

/// A profile's text, and where it is.
///
/// # Errors
///
/// When there is no such profile, or it cannot be read.
pub fn profile_text(name: &str, folders: &[PathBuf]) -> Result<(String, String), ConfigError> {
    let profile = Profile::find(name, folders, "the profile's name")?;
    Ok((profile.place, profile.text))
}

/// A profile as read: a tree of values, and where it came from.
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) place: String,
    pub(crate) text: String,
    pub(crate) values: figment::value::Value,
}

impl Profile {
    /// Finds a profile by name: in the folders, then among those shipped.
    pub(crate) fn find(name: &str, folders: &[PathBuf], place: &str) -> Result<Self, ConfigError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if name.is_empty() || !name.bytes().all(plain) {
            return Err(ConfigError::new(
                place,
                format!(
                    "`{name}` is no profile's name; names are lower case letters, digits and `-`{}",
                    near(name, known(folders).iter().map(String::as_str))
                ),
            ));
        }
        for folder in folders {
            let path = folder.join(format!("{name}.toml"));
            match fs::read_to_string(&path) {
                Ok(text) => return Self::read(&path.display().to_string(), &text),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(ConfigError::new(path.display().to_string(), error)),
            }
        }
        if let Some(text) = shipped(name) {
            return Self::read(&format!("the shipped profile `{name}`"), text);
        }
        let known = known(folders);
        Err(ConfigError::new(
            place,
            format!(
                "there is no profile `{name}`{}; there are {}",
                near(name, known.iter().map(String::as_str)),
                known.join(", ")
            ),
        ))
    }

    fn read(place: &str, text: &str) -> Result<Self, ConfigError> {
        let failed = |error: &dyn std::fmt::Display| ConfigError::new(place, error);
        let file = File::from_str(text, FileFormat::Toml);
        let read = Config::builder()
            .add_source(file)
            .build()
            .and_then(Config::try_deserialize::<figment::value::Value>)
            .map_err(|error| failed(&error.to_string().trim_end()))?;
        Ok(Self {
            place: place.to_owned(),
            text: text.to_owned(),
            values: read,
        })
    }
}

/// The names of all profiles there are, the shipped ones included.
pub fn known(folders: &[PathBuf]) -> Vec<String> {
    let mut names: Vec<_> = SHIPPED.iter().map(|(name, _)| (*name).to_owned()).collect();
    let files = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok());
    for file in files.flatten().flatten() {
        let path = file.path();
        if path.extension().is_some_and(|e| e == "toml")
            && let Some(name) = path.file_stem().and_then(|stem| stem.to_str())
        {
            names.push(name.to_owned());
        }
    }
    names.sort();
    names.dedup();
    names
}

/// Where profiles are searched: beside the working directory, then in the
/// platform's place for the configuration of `ant`.
pub(crate) fn folders(working: &Path, config: Option<&Path>) -> Vec<PathBuf> {
    let platform = config.map(|config| config.join("ant").join("profiles"));
    [Some(working.join("profiles")), platform]
        .into_iter()
        .flatten()
        .collect()
}
