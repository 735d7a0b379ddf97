//! Where settings come from: profiles, variables and flags. Each is read into the
//! same entries, strictly, and says all that is wrong with it at once.

mod document;
mod entry;
mod env;
mod file_value;
mod flags;
mod profile;

use std::path::PathBuf;

pub(crate) use document::Document;
pub(crate) use entry::Entry;
pub use env::Environment;
pub(crate) use flags::entries as flag_entries;
pub use flags::{Flag, joining, on_wan};
pub(crate) use profile::{Chain, Profile, is_name};
pub use profile::{SHIPPED, description, places, profile_text};

use crate::fault::{ConfigError, Fault};

/// Where settings come from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The environment.
    pub environment: Environment,
    /// The command line. A flag that was not given is not here, so that a
    /// flag's default never hides a lower layer.
    pub flags: Vec<Flag>,
    /// The folders that profiles are searched in.
    pub folders: Vec<PathBuf>,
}

impl Sources {
    /// Returns the process's environment and folders, and these flags.
    ///
    /// # Errors
    ///
    /// When the working directory is gone.
    pub fn of_process(flags: Vec<Flag>) -> Result<Self, ConfigError> {
        let working = std::env::current_dir()
            .map_err(|error| Fault::of_io("the working directory", error))?;
        Ok(Self {
            environment: Environment::of_process(),
            flags,
            folders: profile::folders(&working, dirs::config_dir().as_deref()),
        })
    }
}
