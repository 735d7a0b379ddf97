//! Durations as people write them, read strictly: a number must carry a unit,
//! and a typing slip must not become another duration.

use std::{fmt, time::Duration};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// The text does not read as numbers with units.
    #[error("`{0}` is not a duration: write a whole number and a unit, such as `2s` or `500ms`")]
    Malformed(String),
    /// The text reads as a duration too long to hold.
    #[error("`{0}` is too long to hold")]
    TooLong(String),
}

/// Reads `2s`, `500ms` or `1m30s`. No blanks, signs, fractions, leading zeros or
/// bare numbers.
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    if !is_numbers_with_units(text) {
        return Err(DurationError::Malformed(text.to_owned()));
    }
    humantime::parse_duration(text).map_err(|error| match error {
        humantime::DurationError::NumberOverflow => DurationError::TooLong(text.to_owned()),
        _ => DurationError::Malformed(text.to_owned()),
    })
}

/// Writes a duration so that [`parse`] reads the equal duration back.
pub fn format(duration: Duration) -> String {
    humantime::format_duration(duration)
        .to_string()
        .replace(' ', "")
}

/// A duration, written as `2s` or `1m30s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub Duration);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format(self.0))
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse(&text).map(Span).map_err(serde::de::Error::custom)
    }
}

/// Writes a duration as text. Together with [`deserialize`] it serves
/// `#[serde(with = "ant_text::duration")]`.
///
/// # Errors
///
/// When the serializer fails.
pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    Span(*duration).serialize(serializer)
}

/// Reads a duration that is written as text.
///
/// # Errors
///
/// When the text is not a duration.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    Span::deserialize(deserializer).map(|span| span.0)
}

/// Returns whether `text` is one or more times: digits without a leading zero,
/// then lower case letters. A single zero is let through: whether zero is allowed
/// is for the caller to decide.
fn is_numbers_with_units(text: &str) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, tail) = rest.split_at(digits);
        let letters = tail.bytes().take_while(u8::is_ascii_lowercase).count();
        let padded = number.len() > 1 && number.starts_with('0');
        if digits == 0 || letters == 0 || padded {
            return false;
        }
        rest = &tail[letters..];
    }
    !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_people_write() {
        for (text, millis) in [("2s", 2000), ("500ms", 500), ("1m30s", 90_000), ("0s", 0)] {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn refuses_loose_spellings() {
        for text in [
            "",
            "2",
            " 2s",
            "2s ",
            "1 2h",
            "1. 5s",
            "1.5s",
            "-2s",
            "+2s",
            "02s",
            "2x",
            "2S",
            "s",
            "2s-",
            "\u{ff12}s",
            "2\u{a0}s",
            "NaN",
        ] {
            assert!(
                matches!(parse(text), Err(DurationError::Malformed(_))),
                "{text:?} was read as {:?}",
                parse(text)
            );
        }
    }

    #[test]
    fn says_when_it_is_too_long() {
        let text = "99999999999999999999s";
        assert_eq!(parse(text), Err(DurationError::TooLong(text.to_owned())));
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(nanos in 0u64..=u64::MAX) {
            let duration = Duration::from_nanos(nanos);
            prop_assert_eq!(parse(&format(duration)), Ok(duration));
        }
    }
}
