//! A strategy as data: its name and numbers, read from the short form
//! (`hold-32@client`) or from a table with the same meaning.

use std::{fmt, num::NonZeroU32, str::FromStr, time::Duration};

use ant_text::duration;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    PacingStrategy, SpecError,
    catalogue::{Entry, FieldKind},
    parse,
};

/// One number of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A positive count.
    Count(NonZeroU32),
    /// A duration above zero.
    Duration(Duration),
}

impl Value {
    pub(crate) fn count(self) -> NonZeroU32 {
        match self {
            Self::Count(count) => count,
            // A spec's values have their fields' kinds: `StrategySpec::new`.
            Self::Duration(_) => NonZeroU32::MIN,
        }
    }

    pub(crate) fn duration(self) -> Duration {
        match self {
            Self::Duration(duration) => duration,
            Self::Count(_) => Duration::ZERO,
        }
    }

    const fn kind(self) -> FieldKind {
        match self {
            Self::Count(_) => FieldKind::Count,
            Self::Duration(_) => FieldKind::Duration,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Duration(duration) => f.write_str(&duration::format(*duration)),
        }
    }
}

/// A strategy's name and numbers. Displays as the short form, which parses back
/// to the same value.
#[derive(Clone)]
pub struct StrategySpec {
    entry: &'static Entry,
    values: Vec<Value>,
}

impl StrategySpec {
    /// The spec of `entry` with these values.
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
            Some(problem) => Err(SpecError::values(&spec, problem)),
        }
    }

    /// A cap of `slots`, held through the whole exchange: `hold-N`.
    pub fn hold(slots: NonZeroU32) -> Self {
        Self {
            entry: known("hold"),
            values: vec![Value::Count(slots)],
        }
    }

    /// No cap.
    pub fn uncapped() -> Self {
        Self {
            entry: known("uncapped"),
            values: Vec::new(),
        }
    }

    /// Where the catalogue describes this strategy.
    pub const fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The numbers, in the order of the entry's fields.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The value of the field called `name`, if this strategy has it.
    pub fn value(&self, name: &str) -> Option<Value> {
        let at = self.entry.fields.iter().position(|f| f.name == name)?;
        self.values.get(at).copied()
    }

    /// The same strategy with the field called `name` set to `value`; `None` if
    /// it has no such field.
    ///
    /// # Errors
    ///
    /// When the field is of another kind, or does not go with the others then.
    pub fn with(&self, name: &str, value: Value) -> Option<Result<Self, SpecError>> {
        let at = self.entry.fields.iter().position(|f| f.name == name)?;
        let mut values = self.values.clone();
        values[at] = value;
        Some(Self::new(self.entry, values))
    }

    /// Makes the strategy itself.
    pub fn build(&self) -> Box<dyn PacingStrategy> {
        (self.entry.build)(&self.values)
    }
}

/// An entry that the catalogue is known to have: a test walks both names.
fn known(name: &'static str) -> &'static Entry {
    crate::catalogue::find(name).unwrap_or(&crate::catalogue::all()[0])
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

impl FromStr for StrategySpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        parse::strategy(text)
    }
}

/// Which exchanges share the strategy's slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Those of one payment: two payments at once have their slots each.
    #[default]
    Payment,
    /// All of one client: payments at once share the slots.
    Client,
}

impl Scope {
    /// Both scopes.
    pub const ALL: [Self; 2] = [Self::Payment, Self::Client];

    /// The scope's name, as written after the `@`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Client => "client",
        }
    }
}

/// A strategy and its scope: all there is to say about pacing.
///
/// The short form is `STRATEGY` or `STRATEGY@SCOPE`; `@payment` is the default
/// and not displayed. Deserialises from the short form or from a
/// [`PacingTable`], serialises as the short form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacingSpec {
    /// The strategy.
    pub strategy: StrategySpec,
    /// Who shares its slots.
    pub scope: Scope,
}

impl From<StrategySpec> for PacingSpec {
    fn from(strategy: StrategySpec) -> Self {
        Self {
            strategy,
            scope: Scope::default(),
        }
    }
}

impl fmt::Display for PacingSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.strategy)?;
        match self.scope {
            Scope::Payment => Ok(()),
            Scope::Client => write!(f, "@{}", self.scope.name()),
        }
    }
}

impl FromStr for PacingSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        parse::pacing(text)
    }
}

impl Serialize for PacingSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PacingSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Short(String),
            Table(PacingTable),
        }
        match Form::deserialize(deserializer)? {
            Form::Short(text) => text.parse(),
            Form::Table(table) => Self::try_from(&table),
        }
        .map_err(serde::de::Error::custom)
    }
}

/// The table form of a [`PacingSpec`]: each part under a key of its own, as
/// text or whole number.
///
/// ```toml
/// [pacing]
/// strategy = "release"   # or the short form, "release-2s-16"
/// after = "2s"
/// slots = 16
/// scope = "payment"
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacingTable {
    /// A strategy's name, or a spec in the short form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// The slots, of a strategy that has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<u32>,
    /// After how long a slot is free, of a strategy that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// `payment` or `client`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

impl From<&PacingSpec> for PacingTable {
    fn from(spec: &PacingSpec) -> Self {
        let strategy = &spec.strategy;
        let fields = strategy.entry().fields.iter();
        if fields
            .clone()
            .any(|f| f.name != "slots" && f.name != "after")
        {
            // The table has no keys for such numbers: the name carries all.
            return Self {
                strategy: Some(strategy.to_string()),
                scope: Some(spec.scope.name().to_owned()),
                ..Self::default()
            };
        }
        Self {
            strategy: Some(strategy.entry().name.to_owned()),
            slots: strategy.value("slots").map(|v| v.count().get()),
            after: strategy.value("after").map(|v| v.to_string()),
            scope: Some(spec.scope.name().to_owned()),
        }
    }
}

impl TryFrom<&PacingTable> for PacingSpec {
    type Error = SpecError;

    fn try_from(table: &PacingTable) -> Result<Self, SpecError> {
        parse::table(table)
    }
}
