//! What a key may hold: what people are told of it, and how it is read, strictly,
//! from text. `sources::file_value` reads it from files, `schema` tells editors.

use std::{ops::Range, time::Duration};

use ant_pacing::{Arms, PacingSpec, catalogue};
use ant_text::{duration, nearest, plain};

use crate::{
    address::read_address,
    keys::{
        cap::{Cap, MOST_SLOTS},
        value::Value,
    },
};

/// What a key holds. Every bound is inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The name of something shipped, or a file's path.
    NameOrPath,
    /// A pacing strategy.
    Strategy,
    /// A strategy's slots.
    Slots,
    /// A duration.
    Span {
        /// The shortest.
        low: Duration,
        /// The longest.
        high: Duration,
    },
    /// A whole number.
    Count {
        /// The least.
        low: u64,
        /// The most.
        high: u64,
        /// What is counted; empty if nothing is.
        unit: &'static str,
    },
    /// True or false.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Network addresses.
    Addresses,
    /// A file.
    File,
    /// Strategies with weights.
    Arms,
}

/// Why a value is not of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// What is wrong, and what to write instead.
    pub(crate) what: String,
    /// The bad part, in bytes of the text that was read.
    pub(crate) within: Option<Range<usize>>,
    /// The bad part of a list or table, below the key: `.0.weight`.
    pub(crate) below: String,
    /// Whether it is the name of that part which is bad, not its value.
    pub(crate) on_key: bool,
}

impl Problem {
    pub(crate) fn new(what: &(impl ToString + ?Sized)) -> Self {
        Self {
            what: what.to_string(),
            within: None,
            below: String::new(),
            on_key: false,
        }
    }

    pub(crate) fn below(mut self, part: &str) -> Self {
        self.below = format!("{part}{}", self.below);
        self
    }
}

impl Kind {
    /// Returns what a valid value is, in words.
    pub fn expected(self) -> String {
        match self {
            Self::NameOrPath => "a name, or a path".to_owned(),
            Self::Strategy => {
                let grammars = catalogue::all().iter().map(|e| format!("`{}`", e.grammar));
                grammars.collect::<Vec<_>>().join(", ")
            }
            Self::Slots => whole(1, MOST_SLOTS, "slots"),
            Self::Span {
                high: Duration::MAX,
                ..
            } => "a duration above zero, such as `2s`".to_owned(),
            Self::Span { low, high } => format!(
                "a duration from {} to {}, such as `2s`",
                duration::format(low),
                duration::format(high)
            ),
            Self::Count { low, high, unit } => whole(low, high, unit),
            Self::Switch => "`true` or `false`".to_owned(),
            Self::Choice([others @ .., last]) => {
                format!("`{}` or `{last}`", others.join("`, `"))
            }
            Self::Choice([]) => "nothing".to_owned(),
            Self::Addresses => {
                "addresses such as `127.0.0.1:20000` or `/ip4/127.0.0.1/udp/20000/quic`".to_owned()
            }
            Self::File => "a path".to_owned(),
            Self::Arms => "strategies with weights, such as `hold-32:2,uncapped:1`".to_owned(),
        }
    }

    /// Reads what a variable or flag says.
    pub(crate) fn read_text(self, text: &str) -> Result<Value, Problem> {
        let text_value = || Value::Text(text.to_owned());
        match self {
            Self::NameOrPath | Self::File if text.trim().is_empty() => Err(self.not(text, None)),
            Self::NameOrPath | Self::File => Ok(text_value()),
            Self::Strategy => match text.parse::<PacingSpec>() {
                Ok(spec) => Ok(Value::Text(spec.to_string())),
                Err(error) => Err(Problem {
                    within: Some(error.span()),
                    ..Problem::new(&error)
                }),
            },
            // The pacing's own rule makes slots or a strategy of it.
            Self::Slots => text
                .parse::<Cap>()
                .map(|_| text_value())
                .map_err(|problem| Problem::new(&problem)),
            Self::Span { low, high } => self.read_span(text, low, high),
            Self::Count { low, high, .. } => self.read_count(text, low, high),
            Self::Switch => match text {
                "true" => Ok(Value::Switch(true)),
                "false" => Ok(Value::Switch(false)),
                _ => {
                    let near = match plain(text).as_str() {
                        "1" | "yes" | "on" | "true" => Some("true"),
                        "0" | "no" | "off" | "false" => Some("false"),
                        other => nearest(other, ["true", "false"]),
                    };
                    Err(self.not(text, near))
                }
            },
            Self::Choice(words) if words.contains(&text) => Ok(text_value()),
            Self::Choice(words) => {
                let folded = plain(text);
                Err(self.not(text, nearest(&folded, words.iter().copied())))
            }
            Self::Addresses => {
                let parts = text.split(',').map(|part| {
                    let address = read_address(part).map_err(|problem| Problem::new(&problem));
                    address.map(|_| part.to_owned())
                });
                parts.collect::<Result<_, _>>().map(Value::List)
            }
            Self::Arms => match text.parse::<Arms>() {
                Ok(arms) => Ok(list(&arms)),
                Err(error) => Err(Problem::new(&error)),
            },
        }
    }

    fn read_span(self, text: &str, low: Duration, high: Duration) -> Result<Value, Problem> {
        match duration::parse(text) {
            Ok(span) if (low..=high).contains(&span) => Ok(Value::Text(duration::format(span))),
            Ok(span) => {
                // Nobody who writes zero means a nanosecond.
                let near = span.clamp(low.max(Duration::from_millis(100)), high);
                Err(self.not(text, Some(&duration::format(near))))
            }
            Err(_) => {
                let spelt = plain(text).replace([' ', '_'], "");
                let spelt = spelt.trim_start_matches(['0', '+', '-']);
                let with_unit = format!("{spelt}s");
                let near = [spelt, &with_unit]
                    .into_iter()
                    .find_map(|text| duration::parse(text).ok());
                let near = near.map(|span| duration::format(span.clamp(low, high)));
                Err(self.not(text, near.as_deref()))
            }
        }
    }

    fn read_count(self, text: &str, low: u64, high: u64) -> Result<Value, Problem> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let padded = text.len() > 1 && text.starts_with('0');
        match text.parse() {
            Ok(count) if digits && !padded && (low..=high).contains(&count) => {
                Ok(Value::Count(count))
            }
            _ => {
                let spelt = plain(text).replace(['_', ' '], "");
                let spelt = spelt.trim_start_matches(['0', '+', '-']);
                let end = spelt.find(|c: char| !c.is_ascii_digit());
                let digits = &spelt[..end.unwrap_or(spelt.len())];
                let near = match digits {
                    "" if text.contains('0') => Some(low),
                    "" => None,
                    digits => Some(digits.parse().unwrap_or(high).clamp(low, high)),
                };
                Err(self.not(text, near.map(|near| near.to_string()).as_deref()))
            }
        }
    }

    /// The problem that `text` is not what was expected; `near` is what was
    /// probably meant.
    fn not(self, text: &str, near: Option<&str>) -> Problem {
        let advice = near.map_or_else(String::new, |near| format!("; write `{near}`"));
        Problem::new(&format!("`{text}` is not {}{advice}", self.expected()))
    }
}

fn whole(low: u64, high: u64, unit: &str) -> String {
    let of = if unit.is_empty() { "" } else { " of " };
    format!("a whole number{of}{unit} from {low} to {high}, in plain digits")
}

fn list(arms: &Arms) -> Value {
    Value::List(arms.as_slice().iter().map(ToString::to_string).collect())
}
