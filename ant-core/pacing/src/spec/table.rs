//! The table form: each part of a pacing under a key of its own. Which keys a
//! strategy's numbers have is what the catalogue says, so that a new strategy
//! needs nothing here.

use std::{collections::BTreeMap, fmt};

use ant_text::nearest;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, Visitor, value::MapAccessDeserializer},
};

use super::{PacingSpec, Scope, SpecError, StrategySpec, error, parse};
use crate::{
    FieldKind, Value,
    catalogue::{self, Entry, Field},
};

/// The table form of a [`PacingSpec`].
///
/// ```toml
/// [pacing]
/// strategy = "release"   # or the short form, "release-2s-16", and no numbers
/// after = "2s"
/// slots = 16
/// scope = "payment"
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PacingTable {
    /// A strategy's name, or a spec in the short form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// The strategy's numbers, by the names of its fields in the catalogue.
    #[serde(flatten)]
    pub fields: BTreeMap<String, TableValue>,
    /// `payment` or `client`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// A field's value as a table has it. It is checked against the catalogue once the
/// strategy is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum TableValue {
    /// A whole number.
    Number(u64),
    /// Text; durations are written so.
    Text(String),
}

impl TableValue {
    fn of(value: Value) -> Self {
        match value {
            Value::Count(count) => Self::Number(count.get().into()),
            Value::Duration(_) => Self::Text(value.to_string()),
        }
    }

    /// Reads the field's value: a count is a number, a duration is text.
    fn read(&self, field: &Field) -> Result<Value, String> {
        match (field.kind, self) {
            (FieldKind::Count, Self::Number(_)) | (FieldKind::Duration, Self::Text(_)) => {
                field.read(&self.to_string())
            }
            (kind, Self::Number(number)) => Err(format!(
                "the number {number} is not {}, which `{}` is",
                kind.expected(),
                field.name
            )),
            (kind, Self::Text(text)) => Err(format!(
                "the text \"{text}\" is not {}, which `{}` is",
                kind.expected(),
                field.name
            )),
        }
    }
}

impl fmt::Display for TableValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl From<&PacingSpec> for PacingTable {
    fn from(spec: &PacingSpec) -> Self {
        let strategy = &spec.strategy;
        let names = strategy.entry().fields.iter();
        let fields = names.zip(strategy.values());
        Self {
            strategy: Some(strategy.entry().name.to_owned()),
            fields: fields
                .map(|(field, value)| (field.name.to_owned(), TableValue::of(*value)))
                .collect(),
            scope: Some(spec.scope.name().to_owned()),
        }
    }
}

impl TryFrom<&PacingTable> for PacingSpec {
    type Error = SpecError;

    fn try_from(table: &PacingTable) -> Result<Self, SpecError> {
        let Some(text) = table.strategy.as_deref() else {
            let problem = "the table names no `strategy`".to_owned();
            return Err(SpecError::new("", 0..0, problem).of_field("strategy"));
        };
        let mut spec: Self = match catalogue::find(text) {
            Some(entry) => numbers(entry, &table.fields)?.into(),
            None => text.parse()?,
        };
        let second = |name: &str, without: String| {
            let problem = format!("the table gives `{name}` a second time");
            SpecError::new(text, 0..text.len(), problem)
                .of_field(name)
                .suggest(Some(without))
        };
        if catalogue::find(text).is_none()
            && let Some(name) = table.fields.keys().next()
        {
            let entry = spec.strategy.entry();
            known(entry, name)?;
            return Err(second(name, entry.name.to_owned()));
        }
        if let Some(name) = &table.scope {
            if spec.scope != Scope::default() {
                return Err(second("scope", spec.strategy.to_string()));
            }
            spec.scope = parse::scope(name).map_err(|problem| {
                SpecError::new(text, 0..text.len(), problem)
                    .of_field("scope")
                    .suggest(Some(format!("{}@{}", spec.strategy, Scope::Client.name())))
            })?;
        }
        Ok(spec)
    }
}

/// Returns the field of this name; the error names the nearest one.
fn known(entry: &'static Entry, name: &str) -> Result<&'static Field, SpecError> {
    let fields = || entry.fields.iter();
    fields().find(|field| field.name == name).ok_or_else(|| {
        let near = nearest(name, fields().map(|field| field.name));
        let advice = near.map_or_else(String::new, |near| format!(", but it has `{near}`"));
        bad(entry, name, format!("it has no `{name}`{advice}"))
    })
}

/// Reads the numbers that stand beside a strategy's bare name.
fn numbers(
    entry: &'static Entry,
    given: &BTreeMap<String, TableValue>,
) -> Result<StrategySpec, SpecError> {
    given
        .keys()
        .try_for_each(|name| known(entry, name).map(|_| ()))?;
    let missing = entry.fields.iter().filter(|f| !given.contains_key(f.name));
    let missing: Vec<_> = missing.map(|field| format!("`{}`", field.name)).collect();
    if !missing.is_empty() {
        let problem = parse::missing_fields(missing);
        return Err(bad(entry, "strategy", problem));
    }
    let fields = entry.fields.iter();
    let values = fields.filter_map(|field| {
        let value = given.get(field.name)?.read(field);
        Some(value.map_err(|problem| bad(entry, field.name, problem)))
    });
    StrategySpec::new(entry, values.collect::<Result<_, _>>()?)
}

fn bad(entry: &Entry, field: &str, problem: String) -> SpecError {
    SpecError::new(entry.name, 0..entry.name.len(), problem)
        .of_field(field)
        .suggest(error::example(entry))
}

impl<'de> Deserialize<'de> for PacingSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Forms;
        impl<'de> Visitor<'de> for Forms {
            type Value = PacingSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a pacing strategy, such as `hold-16`, or a table with `strategy`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<PacingSpec, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PacingSpec, A::Error> {
                let table = PacingTable::deserialize(MapAccessDeserializer::new(map))?;
                PacingSpec::try_from(&table).map_err(de::Error::custom)
            }
        }
        deserializer.deserialize_any(Forms)
    }
}

// By hand, since a derived one would take the last of two equal keys and say
// nothing.
impl<'de> Deserialize<'de> for PacingTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts;
        impl<'de> Visitor<'de> for Parts {
            type Value = PacingTable;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table with `strategy`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PacingTable, A::Error> {
                let mut table = PacingTable::default();
                while let Some(name) = map.next_key::<String>()? {
                    let about = |error| de::Error::custom(format_args!("`{name}`: {error}"));
                    let twice = match name.as_str() {
                        "strategy" => table.strategy.replace(map.next_value()?).is_some(),
                        "scope" => table.scope.replace(map.next_value()?).is_some(),
                        _ => {
                            let value = map.next_value().map_err(about)?;
                            table.fields.insert(name.clone(), value).is_some()
                        }
                    };
                    if twice {
                        let problem = format_args!("the table gives `{name}` twice");
                        return Err(de::Error::custom(problem));
                    }
                }
                Ok(table)
            }
        }
        deserializer.deserialize_map(Parts)
    }
}

impl<'de> Deserialize<'de> for TableValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = TableValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number, or text")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<TableValue, E> {
                Ok(TableValue::Number(number))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<TableValue, E> {
                let unexpected = de::Unexpected::Signed(number);
                let number = u64::try_from(number);
                number
                    .map(TableValue::Number)
                    .map_err(|_| E::invalid_value(unexpected, &self))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<TableValue, E> {
                Ok(TableValue::Text(text.to_owned()))
            }
        }
        deserializer.deserialize_any(Either)
    }
}
