//! How layers make one pacing: a strategy replaces, a field adjusts.

use ant_pacing::{
    PacingSpec, PacingTable, Scope, SpecError, StrategySpec, TableValue, Value as FieldValue,
};

use crate::{
    fault::Fault,
    keys::{Cap, Value, strategies_with},
    origin::Origin,
    sources::Entry,
};

impl Cap {
    /// Returns the pacing that this cap makes of the one below it.
    pub(crate) fn over(&self, below: &PacingSpec) -> Result<PacingSpec, SpecError> {
        Ok(match self {
            Self::Strategy(spec) => spec.clone(),
            Self::Slots(slots) => PacingSpec {
                // A strategy without slots has nothing to adjust: a number
                // over it means a plain cap.
                strategy: below
                    .strategy
                    .with(&[("slots", FieldValue::Count(*slots))])
                    .unwrap_or_else(|| Ok(StrategySpec::hold(*slots)))?,
                scope: below.scope,
            },
        })
    }
}

/// What one layer makes of the pacing: what it is from there on, and who said so.
pub(crate) type Step = (PacingSpec, Origin);

/// Returns what a profile's table makes of the pacing below it.
pub(crate) fn of_table(entries: &[Entry], below: &PacingSpec) -> Result<Vec<Step>, Fault> {
    let Some(strategy) = part(entries, "pacing.strategy") else {
        return adjusted(entries, below.clone());
    };
    let fields = entries.iter().filter_map(|entry| {
        let value = match &entry.value {
            Value::Count(count) => TableValue::Number(*count),
            value => TableValue::Text(value.to_string()),
        };
        Some((field_of(entry)?.to_owned(), value))
    });
    let scope = part(entries, "pacing.scope");
    let table = PacingTable {
        strategy: strategy.value.text().map(str::to_owned),
        fields: fields.collect(),
        scope: scope.and_then(|entry| entry.value.text().map(str::to_owned)),
    };
    let spec = PacingSpec::try_from(&table).map_err(|error| {
        let blamed = error.field();
        let blamed = blamed.and_then(|field| part(entries, &format!("pacing.{field}")));
        blamed.unwrap_or(strategy).fault(error)
    })?;
    Ok(vec![(spec, strategy.origin.clone())])
}

/// Returns what the variables, or the flags, make of the pacing below them.
pub(crate) fn of_names(entries: &[Entry], below: &PacingSpec) -> Result<Vec<Step>, Fault> {
    let mut steps = Vec::new();
    let mut pacing = below.clone();
    if let Some(entry) = part(entries, "pacing.strategy") {
        let text = entry.value.text().unwrap_or_default();
        pacing = text.parse().map_err(|error| entry.fault(error))?;
        steps.push((pacing.clone(), entry.origin.clone()));
        if let Some(cap) = part(entries, "pacing.slots")
            && let Cap::Strategy(named) = cap_of(cap)?
            && named != pacing
        {
            return Err(cap.fault(format!(
                "it says `{named}` and {} says `{pacing}`; name one strategy",
                entry.origin
            )));
        }
    }
    steps.extend(adjusted(entries, pacing)?);
    Ok(steps)
}

/// Returns what the single fields of a layer make of a pacing.
fn adjusted(entries: &[Entry], mut pacing: PacingSpec) -> Result<Vec<Step>, Fault> {
    let mut steps = Vec::new();
    let mut numbers = Vec::new();
    for entry in entries {
        let Some(name) = field_of(entry) else {
            continue;
        };
        if name == "slots"
            && let cap = cap_of(entry)?
            && (matches!(cap, Cap::Strategy(_)) || pacing.strategy.value(name).is_none())
        {
            pacing = cap.over(&pacing).map_err(|error| entry.fault(error))?;
            steps.push((pacing.clone(), entry.origin.clone()));
        } else {
            numbers.push((name, entry));
        }
    }
    numbers.sort_by_key(|(name, _)| (*name != "slots", *name != "after"));
    // One number alone may not go with those below, so what counts is all of them.
    let below = pacing.strategy.clone();
    let mut set = Vec::new();
    for (at, (name, entry)) in numbers.iter().enumerate() {
        let text = entry.value.to_string();
        let fields = below.entry().fields.iter();
        let field = fields.clone().find(|field| field.name == *name);
        let field = field.ok_or_else(|| entry.fault(lacks(&pacing, name, &text)))?;
        let value = field.read(&text).map_err(|problem| entry.fault(problem))?;
        set.push((*name, value));
        match below.with(&set) {
            Some(Ok(strategy)) => {
                pacing.strategy = strategy;
                steps.push((pacing.clone(), entry.origin.clone()));
            }
            Some(Err(error)) if at + 1 == numbers.len() => return Err(entry.fault(error)),
            _ => {}
        }
    }
    if let Some(entry) = part(entries, "pacing.scope") {
        let name = entry.value.text().unwrap_or_default();
        let scope = Scope::ALL.into_iter().find(|scope| scope.name() == name);
        pacing.scope = scope.unwrap_or_default();
        steps.push((pacing.clone(), entry.origin.clone()));
    }
    Ok(steps)
}

/// Says that the strategy has no such number, and which strategies do.
fn lacks(pacing: &PacingSpec, name: &str, text: &str) -> String {
    let strategy = &pacing.strategy;
    if name == "after" {
        return format!(
            "`{strategy}` frees no slot after a time; name a strategy that does, such as \
             `release-{text}-16`"
        );
    }
    let with = strategies_with(name).join("`, `");
    format!("`{strategy}` has no `{name}`; name a strategy that does: `{with}`")
}

/// The name of the strategy's field that an entry sets, if it sets one.
fn field_of(entry: &Entry) -> Option<&'static str> {
    let name = entry.key.name.strip_prefix("pacing.")?;
    (name != "strategy" && name != "scope").then_some(name)
}

fn part<'a>(entries: &'a [Entry], name: &str) -> Option<&'a Entry> {
    entries.iter().find(|entry| entry.key.name == name)
}

fn cap_of(entry: &Entry) -> Result<Cap, Fault> {
    let text = entry.value.to_string();
    text.parse().map_err(|problem: String| entry.fault(problem))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use ant_pacing::{FieldKind, catalogue};

    use super::*;
    use crate::sources::Document;

    fn over(cap: &str, below: &str) -> Result<PacingSpec, SpecError> {
        let cap: Cap = cap.parse().unwrap();
        cap.over(&below.parse().unwrap())
    }

    #[test]
    fn a_number_adjusts_and_a_name_replaces() {
        for (cap, below, result) in [
            ("24", "hold-32", "hold-24"),
            ("24", "hold-32@client", "hold-24@client"),
            ("24", "uncapped", "hold-24"),
            ("24", "release-2s-16", "release-2s-24"),
            ("24", "aimd-4-16-32", "aimd-4-24-32"),
            ("uncapped", "release-2s-16", "uncapped"),
            ("release-2s-16", "hold-32@client", "release-2s-16"),
            ("hold-8@client", "uncapped", "hold-8@client"),
        ] {
            let made = over(cap, below).unwrap().to_string();
            assert_eq!(made, result, "{cap} over {below}");
        }
        let error = over("64", "aimd-4-16-32").unwrap_err().to_string();
        for part in [
            "`aimd-4-64-32`",
            "its numbers must rise, and 4, 64, 32 do not; write `aimd-8-16-32`",
        ] {
            assert!(error.contains(part), "{error}");
        }
    }

    /// What a profile with this `[pacing]` makes of the pacing below it.
    fn profile(pacing: &str, below: &str) -> String {
        let (document, faults) = Document::read("p", &format!("[pacing]\n{pacing}"));
        assert_eq!(faults, []);
        match of_table(&document.entries, &below.parse().unwrap()) {
            Ok(steps) => steps.last().unwrap().0.to_string(),
            Err(fault) => fault.one_line(),
        }
    }

    #[test]
    fn a_profile_takes_the_table_form_of_every_strategy() {
        for entry in catalogue::all() {
            let spec: PacingSpec = entry.examples[0].parse().unwrap();
            let mut text = format!("strategy = \"{}\"\n", entry.name);
            for (field, value) in entry.fields.iter().zip(spec.strategy.values()) {
                let quote = match field.kind {
                    FieldKind::Count => "",
                    FieldKind::Duration => "\"",
                };
                let _ = writeln!(text, "{} = {quote}{value}{quote}", field.name);
            }
            assert_eq!(profile(&text, "hold-7@client"), entry.examples[0]);
            text += "scope = \"client\"\n";
            let scoped = format!("{}@client", entry.examples[0]);
            assert_eq!(profile(&text, "hold-7"), scoped);
        }
    }

    #[test]
    fn single_numbers_adjust_together() {
        for (pacing, below, result) in [
            ("max = 64\n", "aimd-8-16-32@client", "aimd-8-16-64@client"),
            (
                "min = 40\nslots = 50\nmax = 60\n",
                "aimd-8-16-32",
                "aimd-40-50-60",
            ),
            (
                "slots = 4\nmax = 6\nmin = 2\n",
                "aimd-8-16-32",
                "aimd-2-4-6",
            ),
            (
                "slots = 4\nafter = \"1s\"\n",
                "release-2s-16",
                "release-1s-4",
            ),
        ] {
            assert_eq!(profile(pacing, below), result, "{pacing} over {below}");
        }
        let fault = profile("min = 64\n", "aimd-8-16-32");
        assert!(
            fault.starts_with("p:2:1: ") && fault.contains("must rise"),
            "{fault}"
        );
    }
}
