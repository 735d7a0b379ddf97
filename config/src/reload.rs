//! Settings that change while a program runs.
//!
//! Nothing is watched: the files are small, so they are read again before each
//! payment, and their text is compared with what it was. It makes no difference
//! whether an editor renames a new file into place, Kubernetes swaps a link, or a
//! file is deleted and made again, and no notification can be missed.

use crate::{
    fault::{ConfigError, Fault},
    merge::{Loaded, load},
    sources::Sources,
};

/// What a look at the files has found.
#[derive(Debug)]
pub enum Look {
    /// What is in force, or what was rejected already.
    Same,
    /// Something else than at the last look. It may be half a file, so look
    /// again shortly: it counts once two looks agree.
    Unsettled,
    /// New settings, now in force: see [`Reloader::current`].
    Changed,
    /// Something with faults; the last good settings stay in force.
    Rejected(ConfigError),
}

/// Loads the settings, and again when they have changed.
#[derive(Debug)]
pub struct Reloader {
    sources: Sources,
    current: Loaded,
    /// What the last look found, if not what is in force.
    pending: Option<Found>,
    rejected: Option<ConfigError>,
    /// Whether the rejection is to be told once more.
    asked: bool,
    reloads: u64,
    rejections: u64,
}

/// What the files say, in a form that can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    Files(Vec<String>),
    Faults(ConfigError),
}

impl Reloader {
    /// Loads the settings for the first time.
    ///
    /// # Errors
    ///
    /// When [`load`] fails.
    pub fn new(sources: Sources) -> Result<Self, ConfigError> {
        Ok(Self {
            current: load(&sources)?,
            sources,
            pending: None,
            rejected: None,
            asked: false,
            reloads: 0,
            rejections: 0,
        })
    }

    /// Returns the settings in force: the last good ones.
    pub fn current(&self) -> &Loaded {
        &self.current
    }

    /// Returns how often new settings have come into force.
    pub fn reloads(&self) -> u64 {
        self.reloads
    }

    /// Returns how often something was rejected.
    pub fn rejections(&self) -> u64 {
        self.rejections
    }

    /// Looks at the files.
    pub fn look(&mut self) -> Look {
        let loaded = load(&self.sources).and_then(|loaded| self.unmoved(loaded));
        let found = match &loaded {
            Ok(loaded) => Found::Files(texts(loaded)),
            Err(error) => Found::Faults(error.clone()),
        };
        if found == Found::Files(texts(&self.current)) {
            self.settle();
            return Look::Same;
        }
        if self.pending.as_ref() != Some(&found) {
            self.pending = Some(found);
            return Look::Unsettled;
        }
        match loaded {
            Ok(loaded) => {
                self.current = loaded;
                self.settle();
                self.reloads += 1;
                Look::Changed
            }
            Err(error) if self.rejected.as_ref() != Some(&error) => {
                self.rejected = Some(error.clone());
                self.asked = false;
                self.rejections += 1;
                Look::Rejected(error)
            }
            // Told and counted already; but somebody asks.
            Err(error) if std::mem::take(&mut self.asked) => Look::Rejected(error),
            Err(_) => Look::Same,
        }
    }

    fn settle(&mut self) {
        self.pending = None;
        self.rejected = None;
        self.asked = false;
    }

    /// Makes the next looks tell again what was rejected, for somebody who asks.
    pub fn ask_again(&mut self) {
        self.asked = true;
    }

    /// Returns these settings, unless a file is gone and its name now leads
    /// elsewhere, such as to a shipped profile: a deletion must not switch networks.
    fn unmoved(&self, loaded: Loaded) -> Result<Loaded, ConfigError> {
        for (name, path, _) in &self.current.files {
            let Some(path) = path.as_ref().filter(|path| !path.exists()) else {
                continue;
            };
            if loaded.files.iter().any(|(other, ..)| other == name) {
                let problem = "the file is gone; the last good settings stay in force";
                return Err(Fault::new(path.display().to_string(), problem).into());
            }
        }
        Ok(loaded)
    }
}

fn texts(loaded: &Loaded) -> Vec<String> {
    let place = |path: &Option<std::path::PathBuf>| {
        path.as_ref()
            .map_or_else(String::new, |path| path.display().to_string())
    };
    let files = loaded.files.iter();
    files
        .map(|(name, path, text)| format!("{name}\0{}\0{text}", place(path)))
        .collect()
}

#[cfg(test)]
mod tests;
