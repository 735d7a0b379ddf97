//! Where each setting came from and what it hides, so that nobody has to read four
//! layers to learn why a value is what it is.

use std::fmt;

use serde::Serialize;

use crate::fault::redacted;

/// The layer that a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Built in.
    Default,
    /// A profile: its file, or which shipped one, and the line.
    Profile {
        /// Which.
        place: String,
        /// From 1.
        line: Option<usize>,
    },
    /// An environment variable.
    Variable(&'static str),
    /// A flag on the command line, with its dashes.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Profile {
                place,
                line: Some(line),
            } => write!(f, "{place}:{line}"),
            Self::Profile { place, line: None } => f.write_str(place),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A value, and the layer that gave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Given {
    /// As text, the way it is written; what may be a private key is hidden.
    pub value: String,
    /// By whom.
    pub origin: Origin,
}

impl Given {
    pub(crate) fn new(value: impl fmt::Display, origin: Origin) -> Self {
        Self {
            value: redacted(&value.to_string()),
            origin,
        }
    }
}

/// One setting, what it is, and what lower layers said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Traced {
    /// Its key, as in a profile.
    pub key: &'static str,
    /// The value in force.
    #[serde(flatten)]
    pub given: Given,
    /// What it hides, the nearest layer first.
    pub shadows: Vec<Given>,
}

impl Traced {
    /// Returns the trace of a setting that these layers spoke of, lowest first.
    pub(crate) fn new(key: &'static str, mut layers: Vec<Given>) -> Option<Self> {
        let given = layers.pop()?;
        layers.reverse();
        Some(Self {
            key,
            given,
            shadows: layers,
        })
    }
}
