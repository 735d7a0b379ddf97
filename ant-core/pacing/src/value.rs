//! What one number of a strategy may be: apart from the catalogue, which lists
//! them, and from specs, which hold them, since both need it.

use std::{fmt, num::NonZeroU32, time::Duration};

use ant_text::duration::{self, DurationError};

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

    pub(crate) const fn kind(self) -> FieldKind {
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

/// What a field holds. Every bound is inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A whole number from 1 to 4294967295.
    Count,
    /// A duration above zero.
    Duration,
}

impl FieldKind {
    /// Returns what a valid value looks like, in words.
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Count => "a whole number from 1 to 4294967295",
            Self::Duration => "a duration above zero, such as `2s` or `500ms`",
        }
    }

    /// Reads a value; the error says what is wrong with the text, as the end of
    /// a sentence about it.
    pub(crate) fn read(self, text: &str) -> Result<Value, &'static str> {
        match self {
            Self::Count => {
                let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                if !digits {
                    return Err("is not a whole number");
                }
                if text.len() > 1 && text.starts_with('0') {
                    return Err("has a leading zero");
                }
                match text.parse().map(NonZeroU32::new) {
                    Ok(Some(count)) => Ok(Value::Count(count)),
                    Ok(None) => Err("is not above zero"),
                    Err(_) => Err("is too large"),
                }
            }
            Self::Duration => match duration::parse(text) {
                Ok(Duration::ZERO) => Err("is not above zero"),
                Ok(duration) => Ok(Value::Duration(duration)),
                Err(DurationError::Malformed(_)) => Err("is not a duration"),
                Err(DurationError::TooLong(_)) => Err("is too long to hold"),
            },
        }
    }
}
