//! Profiles: where they are found, how their files are read, and what each one
//! starts from.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use ant_text::nearest;

use crate::{
    fault::{ConfigError, Fault, Spot, did_you_mean},
    sources::document::Document,
};

/// The profiles that the program carries along, by name.
pub const SHIPPED: &[(&str, &str)] = &[
    ("local", include_str!("../../../profiles/local.toml")),
    ("wan", include_str!("../../../profiles/wan.toml")),
    ("testnet", include_str!("../../../profiles/testnet.toml")),
    ("mainnet", include_str!("../../../profiles/mainnet.toml")),
];

/// The largest file that is read, in bytes. Profiles are far smaller.
const LARGEST: u64 = 1 << 20;

/// A profile's text, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Profile {
    /// By which name it was asked for.
    pub(crate) name: String,
    /// Its file, if it is in one.
    pub(crate) path: Option<PathBuf>,
    /// Where it is, in words.
    pub(crate) place: String,
    pub(crate) text: String,
}

/// A profile and all that it extends.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    /// The one that extends nothing comes first, the one asked for last.
    pub(crate) links: Vec<(Profile, Document)>,
    pub(crate) faults: Vec<Fault>,
}

impl Chain {
    /// Reads the profile of this name and all that it extends.
    pub(crate) fn read(name: &str, folders: &[PathBuf], asked_by: &str) -> Self {
        let mut chain = Self::default();
        let mut wanted = name.to_owned();
        let mut by: (String, Option<Spot>) = (asked_by.to_owned(), None);
        loop {
            let asking = chain.links.last().and_then(|(link, _)| link.path.clone());
            let profile = match Profile::find(&wanted, folders, asking.as_deref(), &by.0) {
                Ok(profile) => profile,
                Err(fault) => {
                    // The spot is the asking file's, if that is where the fault is.
                    let spot = by.1.filter(|_| fault.place() == by.0);
                    chain.faults.push(fault.at(spot));
                    break;
                }
            };
            let seen = |(link, _): &(Profile, Document)| link.place == profile.place;
            if chain.links.iter().any(seen) {
                let mut circle: Vec<_> = chain.links.iter().map(|(l, _)| l.name.as_str()).collect();
                circle.push(&wanted);
                let circle = circle.join(" → ");
                let fault = Fault::new(by.0, format!("profiles extend in a circle: {circle}"));
                chain.faults.push(fault.at(by.1));
                break;
            }
            let (document, faults) = Document::read(&profile.place, &profile.text);
            chain.faults.extend(faults);
            let extends = document.extends.clone();
            by.0.clone_from(&profile.place);
            chain.links.push((profile, document));
            let Some((next, spot)) = extends else {
                break;
            };
            (wanted, by.1) = (next, spot);
        }
        chain.links.reverse();
        chain
    }
}

impl Profile {
    /// Finds a profile: a file by its path, or by name in the folders, then
    /// among those shipped. What a file extends is searched beside it first,
    /// and paths are relative to it, so that profiles can be moved together.
    fn find(
        name: &str,
        folders: &[PathBuf],
        asking: Option<&Path>,
        asked_by: &str,
    ) -> Result<Self, Fault> {
        let own_folder = asking.and_then(Path::parent);
        if is_path(name) {
            let path = own_folder.map_or_else(|| PathBuf::from(name), |own| own.join(name));
            return match read(&path)? {
                Some(text) => Ok(Self::at(name, path, text)),
                None => Err(Fault::new(
                    asked_by,
                    format!("there is no file {}", path.display()),
                )),
            };
        }
        let known = known(folders);
        let near = did_you_mean(nearest(name, known.iter().map(String::as_str)));
        if !is_name(name) {
            return Err(Fault::new(
                asked_by,
                format!(
                    "`{name}` is not a profile's name, which is made of lower case letters, \
                     digits and `-`; or write a path, such as `./{name}.toml`{near}"
                ),
            ));
        }
        let shipped = SHIPPED.iter().find(|(shipped, _)| *shipped == name);
        let file = format!("{name}.toml");
        // A file of a shipped profile's name that extends that name means the
        // shipped one.
        let hidden = asking.filter(|_| shipped.is_some());
        let text_at = |folder: &Path| -> Result<Option<Self>, Fault> {
            let path = folder.join(&file);
            if hidden.is_some_and(|hidden| hidden == path) {
                return Ok(None);
            }
            Ok(read(&path)?.map(|text| Self::at(name, path, text)))
        };
        if let Some(own) = own_folder
            && let Some(beside) = text_at(own)?
        {
            return Ok(beside);
        }
        let mut found: Vec<Self> = Vec::new();
        for folder in folders {
            found.extend(text_at(folder)?);
        }
        if let [one, other, ..] = found.as_slice() {
            return Err(Fault::new(
                asked_by,
                format!(
                    "two profiles are called `{name}`: {} and {}; rename one, or give a path",
                    one.place, other.place
                ),
            ));
        }
        if let Some(profile) = found.pop() {
            return Ok(profile);
        }
        let Some((_, text)) = shipped else {
            return Err(Fault::new(
                asked_by,
                format!(
                    "there is no profile `{name}`{near}; there are {}",
                    known.join(", ")
                ),
            ));
        };
        Ok(Self {
            name: name.to_owned(),
            path: None,
            place: format!("the shipped profile `{name}`"),
            text: (*text).to_owned(),
        })
    }

    fn at(name: &str, path: PathBuf, text: String) -> Self {
        Self {
            name: name.to_owned(),
            place: path.display().to_string(),
            path: Some(path),
            text,
        }
    }
}

/// Whether this can be a profile's name.
pub(crate) fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(plain)
}

/// Names are plain words, so everything else is a path.
fn is_path(name: &str) -> bool {
    let toml = Path::new(name).extension().is_some_and(|e| e == "toml");
    toml || name.contains(std::path::MAIN_SEPARATOR)
}

/// Reads a file's text; `None` if there is no such file.
fn read(path: &Path) -> Result<Option<String>, Fault> {
    let fault = |problem: &str| Fault::new(path.display().to_string(), problem);
    let failed = |error| Fault::of_io(path.display().to_string(), error);
    // A link that leads nowhere is there, and is not passed over.
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(None),
        // A folder that this user may not search, such as somebody else's home,
        // does not concern us. (A file that may not be read is found, and is an
        // error below.)
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
        Err(error) => return Err(failed(error)),
        Ok(_) => {}
    }
    let kind = fs::metadata(path).map_err(failed)?;
    if kind.is_dir() {
        return Err(fault("it is a folder, and a profile is a file"));
    }
    // Reading a pipe would wait for somebody to write.
    if !kind.is_file() {
        return Err(fault("it is not an ordinary file"));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(failed)?;
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(fault("it is larger than 1 MiB, which no profile is"));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to() + 1;
        fault(&format!("it is not UTF-8 text: see byte {at}"))
    })?;
    Ok(Some(text))
}

/// Reads a profile's place and text.
///
/// # Errors
///
/// When there is no such profile, or it cannot be read.
pub fn profile_text(name: &str, folders: &[PathBuf]) -> Result<(String, String), ConfigError> {
    let profile = Profile::find(name, folders, None, "the profile's name")?;
    Ok((profile.place, profile.text))
}

/// Returns what a profile says that it is for, if it can be read and says so.
pub fn description(name: &str, folders: &[PathBuf]) -> Option<String> {
    let profile = Profile::find(name, folders, None, "").ok()?;
    Document::read(&profile.place, &profile.text).0.description
}

/// Lists the names of all profiles, the shipped ones included, sorted, with the
/// place of each. One in a folder hides a shipped one.
pub fn places(folders: &[PathBuf]) -> Vec<(String, String)> {
    let mut places: Vec<_> = files(folders).collect();
    for (name, _) in SHIPPED {
        if !places.iter().any(|(known, _)| known == name) {
            places.push(((*name).to_owned(), "shipped".to_owned()));
        }
    }
    places.sort();
    places
}

fn known(folders: &[PathBuf]) -> Vec<String> {
    let mut names: Vec<_> = places(folders).into_iter().map(|(name, _)| name).collect();
    names.dedup();
    names
}

fn files(folders: &[PathBuf]) -> impl Iterator<Item = (String, String)> {
    let entries = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok());
    entries.flatten().flatten().filter_map(|file| {
        let path = file.path();
        let name = path.file_stem()?.to_str()?.to_owned();
        let toml = path
            .extension()
            .is_some_and(|extension| extension == "toml");
        (toml && is_name(&name)).then(|| (name, path.display().to_string()))
    })
}

/// Returns the folders in which profiles are searched: `profiles` in the working
/// directory, and the platform's place for the configuration of `ant`.
pub(crate) fn folders(working: &Path, config: Option<&Path>) -> Vec<PathBuf> {
    let beside = working.join("profiles");
    let platform = config.map(|config| config.join("ant").join("profiles"));
    // From within the platform's place the two are one.
    let real = |path: &Path| fs::canonicalize(path).ok();
    let other = platform.filter(|path| real(path).is_none() || real(path) != real(&beside));
    [Some(beside), other].into_iter().flatten().collect()
}
