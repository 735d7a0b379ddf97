//! Where each setting came from, and what it hides: the answer to "why is it
//! that?", without reading four layers.

use std::fmt;

use figment::value::{Dict, Value};
use serde::Serialize;
use toml::de::DeTable;

/// The layer that a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// A flag on the command line.
    Flag(&'static str),
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
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
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
    /// As text, the way it is written.
    pub value: String,
    /// By whom.
    pub origin: Origin,
}

/// One key, what it is set to, and what lower layers said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Traced {
    /// The key, as in a profile.
    pub key: &'static str,
    /// The value in force.
    #[serde(flatten)]
    pub given: Given,
    /// What it hides, the nearest layer first.
    pub shadows: Vec<Given>,
}

impl Traced {
    /// The trace of a key that these layers spoke of, lowest first.
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

/// The value at a dotted key, as text.
pub(crate) fn text_at(dict: &Dict, key: &str) -> Option<String> {
    let mut parts = key.split('.');
    let mut value = dict.get(parts.next()?)?;
    for part in parts {
        value = value.as_dict()?.get(part)?;
    }
    Some(text(value))
}

fn text(value: &Value) -> String {
    match value {
        Value::String(_, text) => text.clone(),
        Value::Bool(_, flag) => flag.to_string(),
        Value::Num(_, number) => {
            let whole = number.to_u128().map(|n| n.to_string());
            let whole = whole.or_else(|| number.to_i128().map(|n| n.to_string()));
            let text = whole.or_else(|| number.to_f64().map(|n| n.to_string()));
            text.unwrap_or_default()
        }
        Value::Array(_, values) => values.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Char(_, letter) => letter.to_string(),
        Value::Dict(..) | Value::Empty(..) => String::new(),
    }
}

/// The line of a dotted key in a profile's text, from 1.
pub(crate) fn line_of(profile: &str, key: &str) -> Option<usize> {
    let table = DeTable::parse(profile).ok()?;
    let mut table = table.get_ref();
    let mut parts = key.split('.').peekable();
    loop {
        let part = parts.next()?;
        let (name, value) = table.iter().find(|(name, _)| name.get_ref() == part)?;
        if parts.peek().is_none() {
            let before = profile.get(..name.span().start)?;
            return Some(before.matches('\n').count() + 1);
        }
        table = value.get_ref().as_table()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_on_their_lines() {
        let text =
            "description = \"x\"\n\n[pacing]\nstrategy = \"hold-16\"\n[plan]\n# why\nask = 20\n";
        for (key, line) in [
            ("description", Some(1)),
            ("pacing", Some(3)),
            ("pacing.strategy", Some(4)),
            ("plan.ask", Some(7)),
            ("plan.lookups", None),
            ("description.x", None),
        ] {
            assert_eq!(line_of(text, key), line, "{key}");
        }
    }
}
