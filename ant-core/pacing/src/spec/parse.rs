//! Reads the short form strictly, and says which part is bad and what to write
//! instead.

use std::str::FromStr;

use super::{PacingSpec, Scope, SpecError, StrategySpec, suggest};
use crate::catalogue;

impl FromStr for PacingSpec {
    type Err = SpecError;

    /// Reads `STRATEGY` or `STRATEGY@SCOPE`.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let Some((before, scope_text)) = text.split_once('@') else {
            return text.parse().map(StrategySpec::into);
        };
        let at = before.len() + 1;
        let scope = scope(scope_text).map_err(|problem| {
            let near = ant_text::nearest(scope_text, Scope::ALL.map(Scope::name));
            let spec = suggest::spec(before).map(|s| format!("{s}@{}", near.unwrap_or("payment")));
            SpecError::new(text, at..text.len(), problem).suggest(spec)
        })?;
        let strategy = before.parse();
        let strategy = strategy
            .map_err(|error: SpecError| error.within(text, &format!("@{}", scope.name())))?;
        Ok(Self { strategy, scope })
    }
}

/// Reads a scope's name.
pub(super) fn scope(text: &str) -> Result<Scope, String> {
    Scope::ALL
        .into_iter()
        .find(|scope| scope.name() == text)
        .ok_or_else(|| format!("`{text}` is not a scope; `payment` and `client` are"))
}

impl FromStr for StrategySpec {
    type Err = SpecError;

    /// Reads a strategy's name and its numbers, joined by `-`.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let error =
            |span, problem| SpecError::new(text, span, problem).suggest(suggest::spec(text));
        let name = text.split('-').next().unwrap_or(text);
        let Some(entry) = catalogue::find(name) else {
            let problem = if text.is_empty() {
                "it is empty".to_owned()
            } else {
                format!("no strategy is called `{name}`")
            };
            return Err(error(0..name.len(), problem));
        };
        let mut values = Vec::with_capacity(entry.fields.len());
        let mut at = name.len();
        for (nth, field) in entry.fields.iter().enumerate() {
            let Some(part) = text.get(at + 1..).and_then(|rest| rest.split('-').next()) else {
                let missing = entry.fields[nth..].iter();
                let missing = missing.map(|field| format!("`{}` ({})", field.name, field.letter));
                return Err(error(at..text.len(), missing_fields(missing.collect())));
            };
            let span = at + 1..at + 1 + part.len();
            at = span.end;
            values.push(field.read(part).map_err(|problem| error(span, problem))?);
        }
        if at < text.len() {
            let problem = format!("nothing may follow, but `{}` does", &text[at..]);
            return Err(error(at..text.len(), problem));
        }
        Self::new(entry, values)
    }
}

/// Says that these fields are missing.
pub(super) fn missing_fields(mut names: Vec<String>) -> String {
    let Some(last) = names.pop() else {
        return "nothing is missing".to_owned();
    };
    if names.is_empty() {
        format!("its {last} is missing")
    } else {
        format!("its {} and {last} are missing", names.join(", "))
    }
}
