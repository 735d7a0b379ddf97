//! What a profile's file may hold for each kind of key: typed values, where a
//! variable has text.

use ant_pacing::catalogue;
use ant_text::nearest;
use config::{Map, Value as FileValue, ValueKind};

use crate::{
    address, did_you_mean,
    kind::{Kind, MOST_SLOTS, Problem},
    value::Value,
};

impl Kind {
    /// Reads what a file says; what is wrong with it, all of it.
    pub(crate) fn read_value(self, value: &FileValue) -> Result<Value, Vec<Problem>> {
        let one = |problem| vec![problem];
        match (self, &value.kind) {
            // A file may name the strategy alone, its numbers beside it.
            (Self::Strategy, ValueKind::String(text)) if catalogue::find(text).is_some() => {
                Ok(Value::Text(text.clone()))
            }
            (Self::Slots, ValueKind::I64(0)) => Err(one(Problem::new(
                "`0` lets nothing leave; for no cap write `strategy = \"uncapped\"`",
            ))),
            (Self::Slots, _) => {
                let (low, high, unit) = (1, MOST_SLOTS, "slots");
                Self::Count { low, high, unit }.read_value(value)
            }
            (Self::Count { .. }, kind) => match number(kind) {
                Some(text) => self.read_text(&text).map_err(one),
                None => Err(one(self.mismatch(value))),
            },
            (Self::Switch, ValueKind::Boolean(on)) => Ok(Value::Switch(*on)),
            (Self::Addresses, ValueKind::Array(values)) => read_addresses(values),
            (Self::Arms, ValueKind::Array(values)) => read_arms(values),
            (Self::Switch | Self::Addresses | Self::Arms, _) => Err(one(self.mismatch(value))),
            (_, ValueKind::String(text)) => self.read_text(text).map_err(one),
            _ => Err(one(self.mismatch(value))),
        }
    }

    fn mismatch(self, value: &FileValue) -> Problem {
        let is = described(value);
        let advice = match (self, &value.kind) {
            (Self::Addresses, ValueKind::String(text)) if address::check(text).is_ok() => {
                format!("; write `[\"{text}\"]`")
            }
            // As seconds, if those are within bounds.
            (Self::Span { .. }, ValueKind::I64(seconds)) => {
                match self.read_text(&format!("{seconds}s")) {
                    Ok(span) => format!("; write `\"{span}\"`"),
                    Err(_) => String::new(),
                }
            }
            (Self::Count { .. } | Self::Switch, ValueKind::String(text))
                if self.read_text(text).is_ok() =>
            {
                format!("; write `{text}` without quotes")
            }
            _ => String::new(),
        };
        let expected = match self {
            Self::Addresses => "a list of addresses".to_owned(),
            Self::Arms => "tables such as `[[ab]]` with `strategy` and `weight`".to_owned(),
            Self::File | Self::NameOrPath => "text".to_owned(),
            _ => self.expected(),
        };
        Problem::new(&format!("{is} is not {expected}{advice}"))
    }
}

/// A file's number as it would be written plainly.
fn number(kind: &ValueKind) -> Option<String> {
    match kind {
        ValueKind::I64(n) => Some(n.to_string()),
        ValueKind::I128(n) => Some(n.to_string()),
        ValueKind::U64(n) => Some(n.to_string()),
        ValueKind::U128(n) => Some(n.to_string()),
        // A whole one too is written with its point: `32.0` is not a count.
        ValueKind::Float(n) => Some(format!("{n:?}")),
        _ => None,
    }
}

fn described(value: &FileValue) -> String {
    match &value.kind {
        ValueKind::Nil => "nothing".to_owned(),
        ValueKind::Boolean(on) => format!("`{on}`"),
        ValueKind::String(text) => format!("the text \"{text}\""),
        ValueKind::Table(_) => "a table".to_owned(),
        ValueKind::Array(_) => "a list".to_owned(),
        kind => format!("the number {}", number(kind).unwrap_or_default()),
    }
}

fn read_addresses(values: &[FileValue]) -> Result<Value, Vec<Problem>> {
    let (mut texts, mut problems) = (Vec::new(), Vec::new());
    for (at, value) in values.iter().enumerate() {
        let read = match &value.kind {
            ValueKind::String(text) => address::check(text).map(|()| text),
            _ => Err(format!(
                "{} is not an address, which is text",
                described(value)
            )),
        };
        match read {
            Ok(text) => texts.push(text.clone()),
            Err(what) => problems.push(Problem::new(&what).below(&format!(".{at}"))),
        }
    }
    if problems.is_empty() {
        Ok(Value::List(texts))
    } else {
        Err(problems)
    }
}

/// Reads the tables `[[ab]]`.
fn read_arms(values: &[FileValue]) -> Result<Value, Vec<Problem>> {
    let (mut texts, mut problems) = (Vec::new(), Vec::new());
    for (at, value) in values.iter().enumerate() {
        let read = match &value.kind {
            ValueKind::Table(table) => read_arm(table),
            _ => Err(vec![Kind::Arms.mismatch(value)]),
        };
        match read {
            Ok(text) => texts.push(text),
            Err(found) => {
                let found = found.into_iter();
                problems.extend(found.map(|problem| problem.below(&format!(".{at}"))));
            }
        }
    }
    if !problems.is_empty() {
        Err(problems)
    } else if texts.is_empty() {
        Ok(Value::List(texts))
    } else {
        let read = Kind::Arms.read_text(&texts.join(","));
        read.map_err(|problem| vec![problem])
    }
}

/// One arm in its short form.
fn read_arm(table: &Map<String, FileValue>) -> Result<String, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut read = |name: &str, read: &dyn Fn(&FileValue) -> Result<Value, Vec<Problem>>| match read(
        table.get(name)?,
    ) {
        Ok(value) => Some(value.to_string()),
        Err(found) => {
            let found = found.into_iter();
            problems.extend(found.map(|problem| problem.below(&format!(".{name}"))));
            None
        }
    };
    // An arm has no table to take its numbers from: a name alone is not enough.
    let strategy = read("strategy", &|value| match &value.kind {
        ValueKind::String(text) => {
            let read = Kind::Strategy.read_text(text);
            read.map_err(|problem| vec![problem])
        }
        _ => Err(vec![Kind::Strategy.mismatch(value)]),
    });
    let weight = read("weight", &|value| match value.kind {
        ValueKind::I64(0) => Err(vec![Problem::new(
            "`0` is never drawn; leave the arm out, or write `1`",
        )]),
        _ => Kind::Slots.read_value(value),
    });
    if !table.contains_key("strategy") {
        problems.push(Problem::new("the arm names no `strategy`"));
    }
    let known = ["strategy", "weight"];
    let mut unknown: Vec<_> = table
        .keys()
        .filter(|n| !known.contains(&n.as_str()))
        .collect();
    unknown.sort();
    for name in unknown {
        let advice = did_you_mean(nearest(name, known));
        let problem = Problem {
            on_key: true,
            ..Problem::new(&format!("an arm has no key `{name}`{advice}"))
        };
        problems.push(problem.below(&format!(".{name}")));
    }
    match strategy.filter(|_| problems.is_empty()) {
        Some(strategy) => Ok(format!("{strategy}:{}", weight.as_deref().unwrap_or("1"))),
        None => Err(problems),
    }
}
