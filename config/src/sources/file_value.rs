//! What a profile's file may hold for each kind of key: typed values, where a
//! variable has text.

use std::collections::BTreeSet;

use ant_pacing::catalogue;
use ant_text::nearest;
use toml::de::{DeArray, DeTable, DeValue};

use crate::{
    address::read_address,
    fault::did_you_mean,
    keys::{Kind, MOST_SLOTS, Problem, Value},
};

impl Kind {
    /// Reads what a file says, or finds all that is wrong with it.
    pub(crate) fn read_value(self, value: &DeValue<'_>) -> Result<Value, Vec<Problem>> {
        let one = |problem| vec![problem];
        match (self, value) {
            // A file may name the strategy alone, its numbers beside it.
            (Self::Strategy, DeValue::String(text)) if catalogue::find(text).is_some() => {
                Ok(Value::Text(text.clone().into_owned()))
            }
            (Self::Slots, value) if integer(value) == Some(0) => Err(one(Problem::new(
                "`0` lets nothing leave; for no cap write `strategy = \"uncapped\"`",
            ))),
            (Self::Slots, _) => {
                let (low, high, unit) = (1, MOST_SLOTS, "slots");
                Self::Count { low, high, unit }.read_value(value)
            }
            (Self::Count { .. }, DeValue::Integer(number)) if integer(value).is_none() => {
                let expected = self.expected();
                let problem = format!("`{number}` is too large; write {expected}");
                Err(one(Problem::new(&problem)))
            }
            (Self::Count { .. }, value) => match number(value) {
                Some(text) => self.read_text(&text).map_err(one),
                None => Err(one(self.mismatch(value))),
            },
            (Self::Switch, DeValue::Boolean(on)) => Ok(Value::Switch(*on)),
            (Self::Addresses, DeValue::Array(values)) => read_addresses(values),
            (Self::Arms, DeValue::Array(values)) => read_arms(values),
            (Self::Switch | Self::Addresses | Self::Arms, _) => Err(one(self.mismatch(value))),
            (_, DeValue::String(text)) => self.read_text(text).map_err(one),
            _ => Err(one(self.mismatch(value))),
        }
    }

    fn mismatch(self, value: &DeValue<'_>) -> Problem {
        let is = described(value);
        let advice = match (self, value) {
            (Self::Addresses, DeValue::String(text)) if read_address(text).is_ok() => {
                format!("; write `[\"{text}\"]`")
            }
            // As seconds, if those are within bounds.
            (Self::Span { .. }, DeValue::Integer(seconds)) => {
                match self.read_text(&format!("{seconds}s")) {
                    Ok(span) => format!("; write `\"{span}\"`"),
                    Err(_) => String::new(),
                }
            }
            (Self::Count { .. } | Self::Switch, DeValue::String(text))
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

/// Returns a whole number that is not too large to hold.
fn integer(value: &DeValue<'_>) -> Option<i64> {
    match value {
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    }
}

/// Returns a number as it would be written plainly.
fn number(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::Integer(number) => {
            let plain = integer(value).map(|plain| plain.to_string());
            Some(plain.unwrap_or_else(|| number.to_string()))
        }
        // A whole one too is written with its point: `32.0` is not a count.
        DeValue::Float(number) => {
            let plain = number.as_str().parse::<f64>().ok();
            Some(plain.map_or_else(|| number.to_string(), |plain| format!("{plain:?}")))
        }
        _ => None,
    }
}

fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::Boolean(on) => format!("`{on}`"),
        DeValue::String(text) => format!("the text \"{text}\""),
        DeValue::Table(_) => "a table".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Integer(_) | DeValue::Float(_) => {
            format!("the number {}", number(value).unwrap_or_default())
        }
    }
}

fn read_addresses(values: &DeArray<'_>) -> Result<Value, Vec<Problem>> {
    let (mut texts, mut problems) = (Vec::new(), Vec::new());
    for (at, value) in values.iter().enumerate() {
        let read = match value.get_ref() {
            DeValue::String(text) => read_address(text)
                .map(|_| text.clone().into_owned())
                .map_err(|error| error.to_string()),
            value => Err(format!(
                "{} is not an address, which is text",
                described(value)
            )),
        };
        match read {
            Ok(text) => texts.push(text),
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
fn read_arms(values: &DeArray<'_>) -> Result<Value, Vec<Problem>> {
    let (mut texts, mut problems) = (Vec::new(), Vec::new());
    for (at, value) in values.iter().enumerate() {
        let read = match value.get_ref() {
            DeValue::Table(table) => read_arm(table),
            value => Err(vec![Kind::Arms.mismatch(value)]),
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

/// Reads one arm into its short form.
fn read_arm(table: &DeTable<'_>) -> Result<String, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut read =
        |name: &str, read: &dyn Fn(&DeValue<'_>) -> Result<Value, Vec<Problem>>| match read(
            table.get(name)?.get_ref(),
        ) {
            Ok(value) => Some(value.to_string()),
            Err(found) => {
                let found = found.into_iter();
                problems.extend(found.map(|problem| problem.below(&format!(".{name}"))));
                None
            }
        };
    // An arm has no table to take its numbers from: a name alone is not enough.
    let strategy = read("strategy", &|value| match value {
        DeValue::String(text) => {
            let read = Kind::Strategy.read_text(text);
            read.map_err(|problem| vec![problem])
        }
        _ => Err(vec![Kind::Strategy.mismatch(value)]),
    });
    let weight = read("weight", &|value| match integer(value) {
        Some(0) => Err(vec![Problem::new(
            "`0` is never drawn; leave the arm out, or write `1`",
        )]),
        _ => Kind::Slots.read_value(value),
    });
    if !table.contains_key("strategy") {
        problems.push(Problem::new("the arm names no `strategy`"));
    }
    let known = ["strategy", "weight"];
    let names = table.keys().map(|name| name.get_ref().as_ref());
    let unknown: BTreeSet<&str> = names.filter(|name| !known.contains(name)).collect();
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
