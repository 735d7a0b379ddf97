//! Files that are there as a whole or not at all, whatever happens meanwhile.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

use serde::{Serialize, de::DeserializeOwned};

use crate::Error;

/// Writes a file beside its place, makes sure that it is on the disk, and then
/// moves it there.
///
/// # Errors
///
/// When it cannot be written; the file that was there before still is.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), Error> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let written = (|| {
        let mut file = File::create(&beside)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        // The name is on the disk once its folder is.
        File::open(folder)?.sync_all()
    })();
    if written.is_err() {
        // What there is of it is of no use to anybody.
        let _ = fs::remove_file(&beside);
    }
    written.map_err(|error: io::Error| Error::file(path, error))
}

/// Writes a value as a JSON file, whole or not at all.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_vec_pretty(value).map_err(|error| Error::file(path, error))?;
    write_whole(path, &text)
}

/// Reads a value from a JSON file.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = fs::read(path).map_err(|error| Error::file(path, error))?;
    serde_json::from_slice(&text).map_err(|error| Error::file(path, error))
}
