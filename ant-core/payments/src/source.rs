//! Where paid chunks come from, as a journal entry says it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A file that was being uploaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSource {
    /// The file.
    pub file: PathBuf,
    /// Whether its data map is stored too, for everybody.
    pub public: bool,
    /// What it held when it was paid for: a hash of its chunks' addresses.
    #[serde(default)]
    pub content: Option<String>,
}

impl FileSource {
    /// Whether it is the same file, whatever that held.
    pub fn is_file_of(&self, other: &Self) -> bool {
        (&self.file, self.public) == (&other.file, other.public)
    }
}
