//! How layers make one pacing: a strategy replaces, a field adjusts.

use std::{num::NonZeroU32, str::FromStr};

use ant_pacing::{PacingSpec, PacingTable, Scope, SpecError, StrategySpec, Value};
use ant_text::duration;

use crate::{Fault, Origin, layers::Entry};

/// What `ANT_MERKLE_CAP` and `--cap` say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cap {
    /// So many slots, of whatever strategy is in force.
    Slots(NonZeroU32),
    /// A strategy in place of the one in force; `uncapped` among them.
    Strategy(PacingSpec),
}

impl FromStr for Cap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_prefix(['-', '+']).unwrap_or(text);
        if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
            return slots(text).map(Self::Slots);
        }
        text.parse()
            .map(Self::Strategy)
            .map_err(|error: ant_pacing::SpecError| error.to_string())
    }
}

fn slots(text: &str) -> Result<NonZeroU32, String> {
    let takes = "a cap is a whole number from 1 to 4294967295, `uncapped`, or a strategy";
    let digits = text.trim_start_matches(['-', '+']);
    let plain = digits.trim_start_matches('0');
    match text.parse() {
        _ if plain.is_empty() => Err(format!(
            "`{text}` lets nothing leave; for no cap write `uncapped`"
        )),
        _ if text.starts_with('-') => Err(format!(
            "`{text}` is negative; {takes}; write `{plain}`, or `uncapped` for no cap"
        )),
        _ if text != plain => Err(format!("`{text}` is not written plainly; write `{plain}`")),
        Ok(slots) => Ok(slots),
        Err(_) => Err(format!("`{text}` is too large; {takes}; write `uncapped`")),
    }
}

impl Cap {
    /// This cap over what lower layers gave.
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

/// One layer's word on the pacing: what it is from here on, and by whom.
pub(crate) type Step = (PacingSpec, Origin);

/// What a profile's table makes of the pacing below it.
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

/// What the variables, or the flags, make of the pacing below them.
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

/// The single fields of a layer over a pacing.
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

    fn over(cap: &str, below: &str) -> String {
        let cap: Cap = cap.parse().unwrap();
        match cap.over(&below.parse().unwrap()) {
            Ok(pacing) => pacing.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_number_adjusts_and_a_name_replaces() {
        for (cap, below, result) in [
            ("24", "hold-32", "hold-24"),
            ("24", "hold-32@client", "hold-24@client"),
            ("24", "uncapped", "hold-24"),
            ("24", "release-2s-16", "release-2s-24"),
            ("24", "aimd-4-16-32", "aimd-4-24-32"),
            (
                "64",
                "aimd-4-16-32",
                "`aimd-4-64-32` is no pacing strategy: its numbers must rise, and 4, 64, 32 do not; \
                 write `aimd-8-16-32`",
            ),
            ("uncapped", "release-2s-16", "uncapped"),
            ("release-2s-16", "hold-32@client", "release-2s-16"),
            ("hold-8@client", "uncapped", "hold-8@client"),
        ] {
            assert_eq!(over(cap, below), result, "{cap} over {below}");
        }
    }

    #[test]
    fn bad_caps_say_what_to_write() {
        for (text, advice) in [
            ("0", "write `uncapped`"),
            ("00", "write `uncapped`"),
            ("-0", "write `uncapped`"),
            ("-1", "write `1`, or `uncapped`"),
            ("+3", "write `3`"),
            ("016", "write `16`"),
            ("99999999999999999999", "write `uncapped`"),
            ("hold16", "write `hold-16`"),
            ("release-2x-16", "write `release-2s-16`"),
            ("UNCAPPED", "write `uncapped`"),
            (" 16", "write `hold-16`"),
            ("1.5", "write `hold-1`"),
            ("\u{ff11}\u{ff16}", "write `hold-16`"),
        ] {
            let error = text.parse::<Cap>().unwrap_err();
            assert!(error.contains(advice), "{text:?}: {error}");
        }
        assert!(
            "none"
                .parse::<Cap>()
                .unwrap_err()
                .contains("there are `uncapped`")
        );
    }
}
