//! Faults: what is wrong, where, and what to write instead. All of them are shown
//! at once, so each is kept with its place.

use std::{error::Error, fmt, io, ops::Range, sync::Arc};

/// One thing that is not as it should be.
#[derive(Clone, Debug)]
pub struct Fault {
    place: String,
    spot: Option<Spot>,
    problem: String,
    /// The setting whose value is bad; `None` if it is unclear what was meant.
    about: Option<&'static str>,
    /// What the system said. Errors of parsers are not kept: they hold the text
    /// that was read, and with it what must not be shown.
    source: Option<Arc<io::Error>>,
}

/// Two faults are the same if they say the same of the same place.
impl PartialEq for Fault {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            place,
            spot,
            problem,
            about,
            source: _,
        } = self;
        (place, spot, problem, about) == (&other.place, &other.spot, &other.problem, &other.about)
    }
}

impl Eq for Fault {}

/// The bad part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// From 1.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
    /// The line before the bad part, the part, and what follows; cut where the
    /// line is long.
    before: String,
    bad: String,
    after: String,
}

/// How many characters of a line are shown before a bad part, how many of the
/// part, and how many after it.
const SHOWN: usize = 80;

impl Fault {
    pub(crate) fn new(place: impl Into<String>, problem: impl fmt::Display) -> Self {
        Self {
            place: printable(&redacted(&place.into())),
            spot: None,
            problem: printable(&redacted(&problem.to_string())),
            about: None,
            source: None,
        }
    }

    /// Returns the fault that the system named.
    pub(crate) fn of_io(place: impl Into<String>, error: io::Error) -> Self {
        let mut fault = Self::new(place, &error);
        fault.source = Some(Arc::new(error));
        fault
    }

    /// Returns this fault with the spot of the place that is bad.
    #[must_use]
    pub(crate) fn at(mut self, spot: Option<Spot>) -> Self {
        self.spot = spot;
        self
    }

    /// Returns this fault as one that is about this setting's value alone.
    #[must_use]
    pub(crate) fn about(mut self, setting: &'static str) -> Self {
        self.about = Some(setting);
        self
    }

    /// Whether this may be about a setting whose key starts like this, so that
    /// nothing should be concluded from what the setting seems to be.
    pub(crate) fn may_concern(&self, start: &str) -> bool {
        self.about.is_none_or(|about| about.starts_with(start))
    }

    /// Where: a file, a variable, or a flag.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The line and column in the file, from 1, if it is in one.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.spot.as_ref().map(|spot| (spot.line, spot.column))
    }

    /// What is wrong, and what to write instead.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// The fault in one line, for logs.
    pub fn one_line(&self) -> String {
        match &self.spot {
            Some(spot) => format!(
                "{}:{}:{}: {}",
                self.place, spot.line, spot.column, self.problem
            ),
            None => format!("{}: {}", self.place, self.problem),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.one_line())?;
        match &self.spot {
            Some(spot) => spot.fmt(f),
            None => Ok(()),
        }
    }
}

impl Error for Fault {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source = self.source.as_deref()?;
        Some(source)
    }
}

/// The line, and a caret under the bad part.
impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            before,
            bad,
            after,
            ..
        } = self;
        let margin = " ".repeat(line.to_string().len());
        let whole = printable(&redacted(&format!("{before}{bad}{after}")));
        write!(f, "\n {line} | {whole}")?;
        let [before, bad, after] = [before, bad, after].map(|part| printable(&redacted(part)));
        // What hides a key that spans two parts has no place for a caret.
        if format!("{before}{bad}{after}") == whole {
            // A tab stays one, so that the caret is below what it points at.
            let indent: String = before
                .chars()
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            let carets = "^".repeat(bad.chars().count().max(1));
            write!(f, "\n {margin} | {indent}{carets}")?;
        }
        Ok(())
    }
}

impl Spot {
    /// Returns the spot of these bytes of `text`.
    pub(crate) fn of(text: &str, span: Range<usize>) -> Option<Self> {
        let before = text.get(..span.start)?;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let before_in_line = &before[start..];
        let rest = text.get(span.start..)?.lines().next().unwrap_or("");
        let bad = text.get(span).unwrap_or("").lines().next().unwrap_or("");
        let after = rest.get(bad.len()..).unwrap_or("");
        let column = before_in_line.chars().count();
        let cut = column.saturating_sub(SHOWN);
        Some(Self {
            line: before.matches('\n').count() + 1,
            column: column + 1,
            before: before_in_line.chars().skip(cut).collect(),
            bad: bad.chars().take(SHOWN).collect(),
            after: after.chars().take(SHOWN).collect(),
        })
    }
}

/// Writes control characters out: they would act on terminals and break lines of
/// logs.
fn printable(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\t' {
            result.extend(c.escape_default());
        } else {
            result.push(c);
        }
    }
    result
}

/// Why there are no settings: every fault that was found, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(Vec<Fault>);

impl ConfigError {
    /// Fails with these faults, sorted by place, if there are any.
    pub(crate) fn of(mut faults: Vec<Fault>) -> Result<(), Self> {
        if faults.is_empty() {
            return Ok(());
        }
        faults.sort_by_key(|fault| (fault.place.clone(), fault.position()));
        Err(Self(faults))
    }

    /// Every fault, in the order of places and lines.
    pub fn faults(&self) -> &[Fault] {
        &self.0
    }

    /// All faults in one line, for logs.
    pub fn one_line(&self) -> String {
        let lines: Vec<_> = self.0.iter().map(Fault::one_line).collect();
        lines.join("; ")
    }
}

impl From<Fault> for ConfigError {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.0.iter().enumerate() {
            let newline = if at == 0 { "" } else { "\n" };
            write!(f, "{newline}{fault}")?;
        }
        Ok(())
    }
}

impl Error for ConfigError {
    /// Returns the cause of the fault, if there is only one.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self.0.as_slice() {
            [fault] => fault.source(),
            _ => None,
        }
    }
}

/// Returns `; did you mean X?` if there is an X.
pub(crate) fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!("; did you mean `{nearest}`?")
    })
}

/// How many hexadecimal digits a private key has.
const KEY_DIGITS: usize = 64;

/// Hides everything in a text that may be a private key: 64 hexadecimal digits or
/// more in a row. No key of a profile holds one, but people put them
/// there, and what we print goes to logs. Behind `/p2p/` they are a peer's
/// identity, which is public.
pub fn redacted(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_hexdigit()) {
        let (before, tail) = rest.split_at(start);
        let end = tail.find(|c: char| !c.is_ascii_hexdigit());
        let (digits, after) = tail.split_at(end.unwrap_or(tail.len()));
        result.push_str(before);
        if digits.len() >= KEY_DIGITS && !result.ends_with("/p2p/") {
            result.push_str("<redacted>");
        } else {
            result.push_str(digits);
        }
        rest = after;
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_shows_the_line_with_a_caret_below() {
        let text = "[plan]\n\task = 15 # few\n";
        let at = text.find("15").unwrap();
        let fault = Fault::new("p.toml", "too few").at(Spot::of(text, at..at + 2));
        assert_eq!(
            fault.to_string(),
            "p.toml:2:8: too few\n 2 | \task = 15 # few\n   | \t      ^^"
        );
        assert_eq!(fault.one_line(), "p.toml:2:8: too few");
        let end = Fault::new("p", "cut short").at(Spot::of(text, text.len()..text.len()));
        assert_eq!(end.to_string(), "p:3:1: cut short\n 3 | \n   | ^");
    }

    #[test]
    fn long_lines_are_cut_and_control_characters_written_out() {
        let text = format!("{}bad{}", "x".repeat(5000), "y".repeat(5000));
        let fault = Fault::new("p", "is \u{1b}[31mred\n").at(Spot::of(&text, 5000..5003));
        let shown = fault.to_string();
        assert!(shown.len() < 500 && shown.contains("p:1:5001"), "{shown}");
        assert!(shown.contains("is \\u{1b}[31mred\\n"), "{shown}");
        let hidden = format!("k = \"{}\"", "ab".repeat(32));
        let shown = Fault::new("p", "x")
            .at(Spot::of(&hidden, 4..70))
            .to_string();
        assert!(
            shown.ends_with("| k = \"<redacted>\"\n   |     ^^^^^^^^^^^^"),
            "{shown}"
        );
    }

    #[test]
    fn columns_are_counted_in_characters() {
        let text = "\u{e9}\u{e9} = x";
        let at = text.find('x').unwrap();
        let spot = Spot::of(text, at..at + 1).unwrap();
        assert_eq!((spot.line, spot.column), (1, 6));
    }

    #[test]
    fn what_may_be_a_private_key_is_hidden() {
        let key = "a1".repeat(32);
        for (text, shown) in [
            (
                format!("key = \"{key}\""),
                "key = \"<redacted>\"".to_owned(),
            ),
            (format!("0x{key},"), "0x<redacted>,".to_owned()),
            (
                format!("0X{}", key.to_uppercase()),
                "0X<redacted>".to_owned(),
            ),
            (format!("/run/{key}/x"), "/run/<redacted>/x".to_owned()),
            (format!("key={key}{key}"), "key=<redacted>".to_owned()),
            (format!("_{key}z"), "_<redacted>z".to_owned()),
            (format!("/p2p/{key}"), format!("/p2p/{key}")),
            ("ask = 32".to_owned(), "ask = 32".to_owned()),
        ] {
            assert_eq!(redacted(&text), shown);
        }
    }
}
