//! What a cap may be: a number of slots, or a whole strategy. One variable and one
//! flag take both, since "no cap" is a strategy of its own.

use std::{num::NonZeroU32, str::FromStr};

use ant_pacing::{PacingSpec, SpecError};

/// The most slots that a strategy can have.
pub(crate) const MOST_SLOTS: u64 = u32::MAX as u64;

/// What `ANT_MERKLE_CAP` and `--cap` say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cap {
    /// This number of slots, for the strategy in force.
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
            .map_err(|error: SpecError| error.to_string())
    }
}

fn slots(text: &str) -> Result<NonZeroU32, String> {
    let takes =
        format!("a cap is a whole number from 1 to {MOST_SLOTS}, `uncapped`, or a strategy");
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

#[cfg(test)]
mod tests {
    use super::*;

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
