//! How layers make one pacing: a strategy replaces, a field adjusts.

use std::{num::NonZeroU32, str::FromStr};

use ant_pacing::{PacingSpec, PacingTable, StrategySpec, Value, nearest};

use crate::ConfigError;

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
    pub(crate) fn over(&self, below: &PacingSpec) -> PacingSpec {
        match self {
            Self::Strategy(spec) => spec.clone(),
            Self::Slots(slots) => PacingSpec {
                // A strategy without slots has nothing to adjust: a number
                // over it means a plain cap.
                strategy: below
                    .strategy
                    .with("slots", Value::Count(*slots))
                    .unwrap_or_else(|| StrategySpec::hold(*slots)),
                scope: below.scope,
            },
        }
    }
}

/// A profile's table over what lower layers gave.
pub(crate) fn table_over(
    table: &PacingTable,
    below: &PacingSpec,
    place: &str,
) -> Result<PacingSpec, ConfigError> {
    let failed = |problem: &dyn std::fmt::Display| ConfigError::new(place, problem);
    if table.strategy.is_some() {
        return PacingSpec::try_from(table).map_err(|error| failed(&error));
    }
    let mut full = PacingTable::from(below);
    full.slots = table.slots.or(full.slots);
    full.after = table.after.clone().or(full.after);
    full.scope = table.scope.clone().or(full.scope);
    PacingSpec::try_from(&full).map_err(|error| failed(&error))
}

/// The two variables, or flags, of one layer over what lower layers gave.
pub(crate) fn names_over(
    strategy: Option<(&str, &str)>,
    cap: Option<(&str, &str)>,
    below: PacingSpec,
) -> Result<PacingSpec, ConfigError> {
    let mut pacing = below;
    if let Some((place, text)) = strategy {
        pacing = text
            .parse()
            .map_err(|error| ConfigError::new(place, error))?;
    }
    if let Some((place, text)) = cap {
        let cap: Cap = text
            .parse()
            .map_err(|error| ConfigError::new(place, error))?;
        if let (Cap::Strategy(named), Some((other, _))) = (&cap, strategy)
            && *named != pacing
        {
            return Err(ConfigError::new(
                place,
                format!("it says `{named}` and {other} says `{pacing}`; name one strategy"),
            ));
        }
        pacing = cap.over(&pacing);
    }
    Ok(pacing)
}

/// The nearest of `names`, quoted as advice.
pub(crate) fn near<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    crate::error::advice(nearest(word, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(cap: &str, below: &str) -> String {
        let cap: Cap = cap.parse().unwrap();
        cap.over(&below.parse().unwrap()).to_string()
    }

    #[test]
    fn a_number_adjusts_and_a_name_replaces() {
        for (cap, below, result) in [
            ("24", "hold-32", "hold-24"),
            ("24", "hold-32@client", "hold-24@client"),
            ("24", "uncapped", "hold-24"),
            ("24", "release-2s-16", "release-2s-24"),
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

    #[test]
    fn one_layer_names_one_strategy() {
        let below: PacingSpec = "hold-32".parse().unwrap();
        let both = |strategy, cap| {
            names_over(Some(("S", strategy)), Some(("C", cap)), below.clone())
                .map(|spec| spec.to_string())
        };
        assert_eq!(both("release-2s-16", "8").unwrap(), "release-2s-8");
        assert_eq!(both("hold-8", "hold-8").unwrap(), "hold-8");
        let error = both("hold-16", "uncapped").unwrap_err().to_string();
        assert_eq!(
            error,
            "C: it says `uncapped` and S says `hold-16`; name one strategy"
        );
    }

    #[test]
    fn a_table_without_a_strategy_adjusts() {
        let below: PacingSpec = "release-2s-16".parse().unwrap();
        let read = |table: PacingTable| table_over(&table, &below, "p");
        let adjusted = read(PacingTable {
            slots: Some(8),
            ..PacingTable::default()
        });
        assert_eq!(adjusted.unwrap().to_string(), "release-2s-8");
        let replaced = read(PacingTable {
            strategy: Some("hold".to_owned()),
            slots: Some(8),
            ..PacingTable::default()
        });
        assert_eq!(replaced.unwrap().to_string(), "hold-8");
        let lacking = read(PacingTable {
            strategy: Some("hold".to_owned()),
            ..PacingTable::default()
        });
        assert!(lacking.is_err(), "nothing of the lower layer may stay");
    }
}
