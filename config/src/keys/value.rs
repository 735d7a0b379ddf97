//! A setting's value as it was read, before it becomes part of the settings. All
//! layers use this one type, so a key has the same type in each of them.

use std::fmt;

use serde::Serialize;

/// What a key is set to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Value {
    /// The key has no value by default.
    Unset,
    /// On or off.
    Switch(bool),
    /// A whole number.
    Count(u64),
    /// Text; durations too, as they are written.
    Text(String),
    /// Several texts.
    List(Vec<String>),
}

impl Value {
    /// Returns the text; `None` for other values.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unset => Ok(()),
            Self::Switch(on) => on.fmt(f),
            Self::Count(count) => count.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::List(texts) => f.write_str(&texts.join(", ")),
        }
    }
}
