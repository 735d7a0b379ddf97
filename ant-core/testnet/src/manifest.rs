//! The manifest: the file by which clients of the ecosystem find a devnet.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use ant_protocol::DevnetManifest;

use crate::TestnetError;

/// A manifest on disk, for as long as its network runs. Dropping it removes the
/// file, unless somebody has replaced it since: a manifest that outlives its
/// network only misleads.
#[derive(Debug)]
pub struct ManifestFile {
    path: PathBuf,
    text: String,
}

impl ManifestFile {
    /// Writes `manifest` to `path`, whole or not at all: readers never see half
    /// a file. Replaces an older manifest, and nothing else.
    pub fn write(path: &Path, manifest: &DevnetManifest) -> Result<Self, TestnetError> {
        Self::check(path)?;
        let text = serde_json::to_string_pretty(manifest)
            .map_err(io::Error::from)
            .map_err(TestnetError::io(path))?;
        tempfile::NamedTempFile::new_in(folder(path))
            .and_then(|mut file| {
                io::Write::write_all(&mut file, text.as_bytes())?;
                file.persist(path).map_err(|error| error.error)
            })
            .map_err(TestnetError::io(path))?;
        Ok(Self {
            path: path.to_owned(),
            text,
        })
    }

    /// Checks, before the network is started, that a manifest may be written to
    /// `path`: there is a folder for it, and no foreign file in its way.
    pub fn check(path: &Path) -> Result<(), TestnetError> {
        match fs::read(path) {
            Ok(old) if serde_json::from_slice::<DevnetManifest>(&old).is_err() => {
                Err(TestnetError::NotAManifest(path.to_owned()))
            }
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => fs::metadata(folder(path))
                .map(|_| ())
                .map_err(TestnetError::io(folder(path))),
            Err(error) => Err(TestnetError::io(path)(error)),
        }
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

impl Drop for ManifestFile {
    fn drop(&mut self) {
        let ours = fs::read_to_string(&self.path).is_ok_and(|text| text == self.text);
        if ours && let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!("{}: not removed: {error}", self.path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(base_port: u16) -> DevnetManifest {
        DevnetManifest {
            base_port,
            node_count: 1,
            bootstrap: Vec::new(),
            data_dir: PathBuf::new(),
            created_at: String::new(),
            evm: None,
        }
    }

    #[test]
    fn is_there_while_held_and_gone_after() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.json");
        let file = ManifestFile::write(&path, &manifest(1)).unwrap();
        let read: DevnetManifest = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        assert_eq!(read.base_port, 1);
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn leaves_foreign_files_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        fs::write(&path, "mine").unwrap();
        let error = ManifestFile::write(&path, &manifest(1)).unwrap_err();
        assert!(matches!(error, TestnetError::NotAManifest(_)), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        for path in [folder.path(), Path::new("/nowhere/m.json")] {
            let error = ManifestFile::check(path).unwrap_err();
            assert!(matches!(error, TestnetError::Io { .. }), "{error}");
        }
    }

    #[test]
    fn a_later_networks_manifest_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.json");
        let first = ManifestFile::write(&path, &manifest(1)).unwrap();
        let second = ManifestFile::write(&path, &manifest(2)).unwrap();
        drop(first);
        assert!(path.exists());
        drop(second);
        assert!(!path.exists());
    }
}
