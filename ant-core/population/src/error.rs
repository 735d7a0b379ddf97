//! Why a scenario is refused, in words that say what to write instead.

use std::io;

/// A value that makes no network: its key, the value, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidScenario(pub String);

/// Why a scenario was not found or not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// No shipped scenario has this name.
    #[error(
        "there is no scenario `{name}`{}; there are {}, and files by their path",
        near.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?")),
        shipped.join(", ")
    )]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The shipped name that is spelled most like it, if one is close.
        near: Option<String>,
        /// The names of all shipped scenarios.
        shipped: Vec<String>,
    },
    /// The file could not be read.
    #[error("{path}: {source}")]
    File {
        /// The path that was given.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The text is not TOML, lacks a key, or has one that no scenario has.
    #[error("{place}: {}{more}", source.to_string().trim_end())]
    Syntax {
        /// The file or the shipped scenario.
        place: String,
        /// Where in the text, and what is wrong there.
        source: toml::de::Error,
        /// Further advice; empty if there is none.
        more: String,
    },
    /// The text reads, but a value makes no network.
    #[error("{place}: {source}")]
    Invalid {
        /// The file or the shipped scenario.
        place: String,
        /// Which value, and what is allowed.
        source: InvalidScenario,
    },
}
