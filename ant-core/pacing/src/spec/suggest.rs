//! Finds the nearest valid spelling, so that an error can say what to write.

use ant_text::{duration, nearest, plain};

use super::{StrategySpec, error};
use crate::{
    FieldKind, Value,
    catalogue::{self, Entry, Field},
};

/// Returns a valid spec near `text`, as text.
pub(super) fn spec(text: &str) -> Option<String> {
    let folded = plain(text);
    let letters = folded.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, rest) = folded.split_at(letters);
    let entry = if name.is_empty() {
        catalogue::find("hold").filter(|_| rest.starts_with(|c: char| c.is_ascii_digit()))?
    } else {
        let name = nearest(name, catalogue::all().iter().map(|entry| entry.name))?;
        catalogue::find(name)?
    };
    let tokens = tokens(rest);
    let values = fill(entry, &tokens)?;
    match StrategySpec::new(entry, values) {
        Ok(spec) => Some(spec.to_string()),
        // Numbers that do not go together.
        Err(_) => error::example(entry),
    }
}

/// A number and the letters behind it.
type Token = (String, String);

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, tail) = rest.split_at(digits);
        let letters = tail.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, tail) = tail.split_at(letters);
        tokens.push((number.trim_start_matches('0').to_owned(), unit.to_owned()));
        rest = tail.trim_start_matches(|c: char| !c.is_ascii_digit());
    }
    tokens
}

/// Values for the entry's fields: from the tokens where they serve, else from
/// its first example.
fn fill(entry: &'static Entry, tokens: &[Token]) -> Option<Vec<Value>> {
    let enough = tokens.len() >= entry.fields.len();
    let mut tokens = tokens.iter().peekable();
    entry
        .fields
        .iter()
        .enumerate()
        .map(|(at, field)| {
            let fits =
                |token: &&Token| enough || field.kind == FieldKind::Count || !token.1.is_empty();
            match tokens.next_if(|token| fits(token)) {
                Some(token) => read(field, token),
                None => example(entry, at),
            }
        })
        .collect()
}

fn read(field: &Field, (number, unit): &Token) -> Option<Value> {
    let number = if number.is_empty() { "1" } else { number };
    match field.kind {
        FieldKind::Count => {
            let count = number.parse().unwrap_or(u32::MAX).to_string();
            field.read(&count).ok()
        }
        FieldKind::Duration => {
            let with_unit = format!("{number}{unit}");
            let text = match duration::parse(&with_unit) {
                Ok(_) => with_unit,
                Err(_) => format!("{number}s"),
            };
            field.read(&text).ok()
        }
    }
}

fn example(entry: &Entry, at: usize) -> Option<Value> {
    // The examples are tested to parse; this one is an entry's own.
    let mut numbers = entry.examples.first()?.split('-').skip(1);
    let text = numbers.nth(at)?;
    entry.fields[at].read(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_spelling_that_was_meant() {
        for (text, meant) in [
            ("hold16", "hold-16"),
            ("hold_16", "hold-16"),
            ("hold 16", "hold-16"),
            ("Hold-16", "hold-16"),
            (" hold-16 ", "hold-16"),
            ("hodl-16", "hold-16"),
            ("hold-016", "hold-16"),
            ("hold-0", "hold-1"),
            ("hold--16", "hold-16"),
            ("hold", "hold-16"),
            ("hold-99999999999", "hold-4294967295"),
            ("hold-\u{ff11}\u{ff16}", "hold-16"),
            ("16", "hold-16"),
            ("uncaped", "uncapped"),
            ("UNCAPPED", "uncapped"),
            ("uncapped-3", "uncapped"),
            ("release-2x-16", "release-2s-16"),
            ("release-2-16", "release-2s-16"),
            ("release-16", "release-2s-16"),
            ("release-500ms", "release-500ms-16"),
            ("release2s16", "release-2s-16"),
            ("relaese-2s-16", "release-2s-16"),
        ] {
            assert_eq!(spec(text).as_deref(), Some(meant), "{text:?}");
        }
    }

    #[test]
    fn does_not_guess() {
        for text in ["", "-1", "fast", "xyzzy-16", "-"] {
            assert_eq!(spec(text), None, "{text:?}");
        }
    }
}
