//! How layers make one pacing: a strategy replaces, a field adjusts.

use ant_pacing::{PacingSpec, PacingTable, Scope, SpecError, StrategySpec, Value};
use ant_text::duration;

use crate::{fault::Fault, keys::Cap, origin::Origin, sources::Entry};

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
                    .with("slots", Value::Count(*slots))
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
    let text = |name| part(entries, name).and_then(|entry| entry.value.text());
    let slots = part(entries, "pacing.slots").and_then(|entry| entry.value.count());
    let table = PacingTable {
        strategy: strategy.value.text().map(str::to_owned),
        slots: slots.and_then(|slots| u32::try_from(slots).ok()),
        after: text("pacing.after").map(str::to_owned),
        scope: text("pacing.scope").map(str::to_owned),
    };
    let spec = PacingSpec::try_from(&table).map_err(|error| strategy.fault(error))?;
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
    if let Some(entry) = part(entries, "pacing.slots") {
        let over = cap_of(entry)?.over(&pacing);
        pacing = over.map_err(|error| entry.fault(error))?;
        steps.push((pacing.clone(), entry.origin.clone()));
    }
    if let Some(entry) = part(entries, "pacing.after") {
        let text = entry.value.text().unwrap_or_default();
        let after = duration::parse(text).map_err(|error| entry.fault(error))?;
        let strategy = pacing.strategy.with("after", Value::Duration(after));
        let strategy = strategy.ok_or_else(|| {
            entry.fault(format!(
                "`{}` frees no slot after a time; name a strategy that does, such as \
                 `release-{text}-16`",
                pacing.strategy
            ))
        })?;
        pacing.strategy = strategy.map_err(|error| entry.fault(error))?;
        steps.push((pacing.clone(), entry.origin.clone()));
    }
    if let Some(entry) = part(entries, "pacing.scope") {
        let name = entry.value.text().unwrap_or_default();
        let scope = Scope::ALL.into_iter().find(|scope| scope.name() == name);
        pacing.scope = scope.unwrap_or_default();
        steps.push((pacing.clone(), entry.origin.clone()));
    }
    Ok(steps)
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
    use super::*;

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
}
