//! Scenarios by name or path, and their text taken apart: the keys that every
//! scenario has, and those of one kind.
//!
//! Serde cannot do this with a flattened field: it would then accept unknown keys.
//! So the table is split by its keys and each part read strictly.

use std::{borrow::Cow, fs, path::Path};

use ant_text::nearest;
use serde::{Deserialize, de::DeserializeOwned};
use toml::{
    Spanned,
    de::{DeString, DeTable, Deserializer, Error},
};

use crate::{Faults, Population, ScenarioError};

/// Returns the text of a scenario: the shipped one of this name, or the file if
/// `name` has a slash or ends in `.toml`. `shipped` has names and texts.
///
/// # Errors
///
/// When no scenario has the name, or the file cannot be read.
pub fn text_of(
    name: &str,
    shipped: &[(&str, &'static str)],
) -> Result<Cow<'static, str>, ScenarioError> {
    let path = Path::new(name);
    if name.contains('/') || path.extension().is_some_and(|e| e == "toml") {
        let text = fs::read_to_string(path);
        return text.map(Cow::Owned).map_err(|source| ScenarioError::File {
            path: name.to_owned(),
            source,
        });
    }
    if let Some((_, text)) = shipped.iter().find(|(shipped, _)| *shipped == name) {
        return Ok(Cow::Borrowed(text));
    }
    let names = || shipped.iter().map(|(name, _)| *name);
    Err(ScenarioError::Unknown {
        name: name.to_owned(),
        near: nearest(name, names()).map(ToString::to_string),
        shipped: names().map(str::to_owned).collect(),
    })
}

/// Reads a scenario's text: its population, and `R` from all other keys. `place`
/// is what errors call the text. Nothing is validated yet.
///
/// # Errors
///
/// When the text is not TOML, lacks a key, or has an unknown one.
pub fn read<R: DeserializeOwned>(
    place: &str,
    text: &str,
) -> Result<(Population, R), ScenarioError> {
    let fault = |source: Error, more| ScenarioError::Syntax {
        place: place.to_owned(),
        source,
        more,
    };
    let table = DeTable::parse(text).map_err(|source| fault(source, String::new()))?;
    let keys: Vec<_> = table.get_ref().keys().map(Spanned::span).collect();
    read_parts(table).map_err(|mut source| {
        source.set_input(Some(text));
        let at_the_top = source.span().is_some_and(|span| keys.contains(&span));
        let unknown = source.message().starts_with("unknown field");
        // The error lists only the keys of `R`.
        let more = if at_the_top && unknown {
            let shared = [Population::KEYS, Faults::KEYS].concat();
            format!("; every scenario also has `{}`", shared.join("`, `"))
        } else {
            String::new()
        };
        fault(source, more)
    })
}

/// Reads the parts of a scenario's table.
fn read_parts<R: DeserializeOwned>(table: Spanned<DeTable<'_>>) -> Result<(Population, R), Error> {
    let span = table.span();
    let whole = |part| Deserializer::from(Spanned::new(span.clone(), part));
    let (nodes, rest) = split(table.into_inner(), Population::KEYS);
    let (faults, rest) = split(rest, Faults::KEYS);
    // First the part that meets unknown keys: one of those explains a missing key
    // better than that the key is missing.
    let rest = R::deserialize(whole(rest))?;
    let faults = Faults::deserialize(whole(faults))?;
    let population = Population::deserialize(whole(nodes))?;
    Ok((
        Population {
            faults,
            ..population
        },
        rest,
    ))
}

/// Splits a table into the entries with these keys, and all others.
fn split<'t>(table: DeTable<'t>, keys: &[&str]) -> (DeTable<'t>, DeTable<'t>) {
    let named = |key: &Spanned<DeString<'_>>| keys.contains(&key.get_ref().as_ref());
    table.into_iter().partition(|(key, _)| named(key))
}

#[cfg(test)]
mod tests;
