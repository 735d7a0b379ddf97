//! Errors that say what was wrong, where, and what to write instead.

use std::fmt;

/// Why there are no settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    place: String,
    problem: String,
}

impl ConfigError {
    pub(crate) fn new(place: impl Into<String>, problem: impl fmt::Display) -> Self {
        Self {
            place: place.into(),
            problem: problem.to_string(),
        }
    }

    /// Where: a file and key, a variable, or a flag.
    pub fn place(&self) -> &str {
        &self.place
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl std::error::Error for ConfigError {}

/// `; write X` if there is an X.
pub(crate) fn advice(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!("; did you mean `{nearest}`?")
    })
}
