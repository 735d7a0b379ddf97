//! Bounds on a scenario's values, checked with one wording for all keys.

use std::{ops::RangeInclusive, time::Duration};

use ant_text::duration::{Span, format};

use crate::InvalidScenario;

/// What a kind of scenario allows at most.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most nodes.
    pub nodes: usize,
    /// The longest duration of any key: longer ones are typing slips.
    pub longest: Duration,
}

impl Limits {
    /// Checks a duration against the longest that is allowed.
    ///
    /// # Errors
    ///
    /// When it is longer, with the key's `name`.
    pub fn check_span(&self, name: &str, span: Span) -> Result<(), InvalidScenario> {
        if span.0 <= self.longest {
            return Ok(());
        }
        let longest = format(self.longest);
        Err(InvalidScenario(format!(
            "{name} = {span} is longer than {longest}"
        )))
    }
}

/// Checks that a count is in a range.
///
/// # Errors
///
/// When it is not, with the key's `name`.
pub fn check_range(
    name: &str,
    value: usize,
    allowed: RangeInclusive<usize>,
) -> Result<(), InvalidScenario> {
    if allowed.contains(&value) {
        return Ok(());
    }
    let (low, high) = allowed.into_inner();
    Err(InvalidScenario(format!(
        "{name} = {value} is not from {low} to {high}"
    )))
}

/// Checks that a share is from 0 to `most`.
///
/// # Errors
///
/// When it is not, with the key's `name`.
pub fn check_share(name: &str, value: f64, most: f64) -> Result<(), InvalidScenario> {
    if (0.0..=most).contains(&value) {
        return Ok(());
    }
    Err(InvalidScenario(format!(
        "{name} = {value} is not from 0 to {most}"
    )))
}
