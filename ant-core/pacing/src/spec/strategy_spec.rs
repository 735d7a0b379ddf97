//! A strategy's catalogue entry and its numbers, which always fit together.

use std::{fmt, num::NonZeroU32};

use super::SpecError;
use crate::{
    PacingStrategy, Value,
    catalogue::{self, Entry},
};

/// A strategy's name and numbers. Displays as the short form, which parses back
/// to the same value.
#[derive(Clone)]
pub struct StrategySpec {
    entry: &'static Entry,
    values: Vec<Value>,
}

impl StrategySpec {
    /// Makes the spec of `entry` with these values.
    ///
    /// # Errors
    ///
    /// When there are more or fewer values than fields, one is of another kind,
    /// or they do not go together.
    pub fn new(entry: &'static Entry, values: Vec<Value>) -> Result<Self, SpecError> {
        let kinds = entry.fields.iter().map(|field| field.kind);
        if values.len() != entry.fields.len() || !kinds.eq(values.iter().map(|v| v.kind())) {
            return Err(SpecError::shape(entry));
        }
        let spec = Self { entry, values };
        match (entry.check)(&spec.values) {
            None => Ok(spec),
            Some(problem) => Err(SpecError::values(entry, &spec.to_string(), problem)),
        }
    }

    /// Makes a cap of `slots`, held through the whole exchange: `hold-N`.
    pub fn hold(slots: NonZeroU32) -> Self {
        Self {
            entry: known("hold"),
            values: vec![Value::Count(slots)],
        }
    }

    /// Makes the spec without a cap.
    pub fn uncapped() -> Self {
        Self {
            entry: known("uncapped"),
            values: Vec::new(),
        }
    }

    /// Returns the catalogue entry that describes this strategy.
    pub const fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Returns the numbers, in the order of the entry's fields.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Returns the value of the field called `name`, if this strategy has it.
    pub fn value(&self, name: &str) -> Option<Value> {
        let at = self.entry.fields.iter().position(|f| f.name == name)?;
        self.values.get(at).copied()
    }

    /// Returns this strategy with these fields set to these values, all at once,
    /// since one alone may not go with the others; `None` if it lacks one of the
    /// fields.
    ///
    /// # Errors
    ///
    /// When a value is of another kind than its field, or the values do not go
    /// together.
    pub fn with(&self, fields: &[(&str, Value)]) -> Option<Result<Self, SpecError>> {
        let mut values = self.values.clone();
        for (name, value) in fields {
            let at = self.entry.fields.iter().position(|f| f.name == *name)?;
            values[at] = *value;
        }
        Some(Self::new(self.entry, values))
    }

    /// Makes the strategy that decides by these numbers.
    pub fn build(&self) -> Box<dyn PacingStrategy> {
        (self.entry.build)(&self.values)
    }
}

/// Returns an entry that the catalogue is known to have: a test looks up both.
fn known(name: &'static str) -> &'static Entry {
    catalogue::find(name).unwrap_or(&catalogue::all()[0])
}

impl PartialEq for StrategySpec {
    fn eq(&self, other: &Self) -> bool {
        self.entry.name == other.entry.name && self.values == other.values
    }
}

impl Eq for StrategySpec {}

impl fmt::Display for StrategySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)?;
        self.values.iter().try_for_each(|v| write!(f, "-{v}"))
    }
}

impl fmt::Debug for StrategySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
