//! One profile's text, checked against the list of keys.
//!
//! `toml` reads it here, since it says where each value stands and goes on after a
//! slip: so every fault has a line, a column and a caret, and all of them are found
//! in one run. What has passed is read by config-rs: see `merge::load`.

use std::{collections::BTreeMap, ops::Range};

use ant_text::nearest;
use toml::de::{DeTable, DeValue};

use crate::{
    fault::{Fault, Spot, did_you_mean},
    keys::{self, FILE_WORDS, KEYS, Key, Problem},
    origin::Origin,
    sources::entry::Entry,
};

/// The most faults of one file that are shown; nobody reads more.
const MOST_FAULTS: usize = 100;

/// A profile as read.
#[derive(Debug, Default)]
pub(crate) struct Document {
    /// What it sets, in the order of its lines.
    pub(crate) entries: Vec<Entry>,
    /// One line on what it is for.
    pub(crate) description: Option<String>,
    /// The profile it starts from, and where it says so.
    pub(crate) extends: Option<(String, Option<Spot>)>,
}

impl Document {
    /// Reads a profile's text. Its good parts are read even if others are bad, so
    /// that the faults of all layers can be named at once.
    pub(crate) fn read(place: &str, text: &str) -> (Self, Vec<Fault>) {
        let mut reader = Reader {
            place,
            text,
            spans: BTreeMap::new(),
            more: 0,
            document: Self::default(),
            faults: Vec::new(),
        };
        reader.read();
        let Reader {
            mut document,
            mut faults,
            more,
            ..
        } = reader;
        if more > 0 {
            faults.push(Fault::new(place, format!("and {more} more faults")));
        }
        document
            .entries
            .sort_by_key(|entry| entry.spot.as_ref().map(|spot| spot.line));
        (document, faults)
    }
}

/// Where a key and its value stand, in bytes.
#[derive(Clone, Debug)]
struct Spans {
    key: Range<usize>,
    value: Range<usize>,
}

struct Reader<'a> {
    place: &'a str,
    text: &'a str,
    spans: BTreeMap<String, Spans>,
    /// Faults beyond those that anybody reads.
    more: usize,
    document: Document,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn read(&mut self) {
        if self.text.trim().is_empty() {
            self.fault("it is empty; a profile says what it sets, and `ant profile new` makes one");
            return;
        }
        let (table, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
            self.fault_at(
                error.span(),
                format!("this is not TOML: {}", error.message()),
            );
        }
        // The values of a text with slips are not what was meant.
        if !self.faults.is_empty() {
            return;
        }
        self.index("", table.get_ref());
        if table.get_ref().is_empty() {
            self.fault("it sets nothing");
        }
        self.walk("", table.get_ref());
    }

    /// Notes where everything stands.
    fn index(&mut self, path: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let below = join(path, name.get_ref());
            let spans = Spans {
                key: name.span(),
                value: value.span(),
            };
            self.index_value(&below, spans, value.get_ref());
        }
    }

    fn index_value(&mut self, path: &str, spans: Spans, value: &DeValue<'_>) {
        match value {
            DeValue::Table(table) => self.index(path, table),
            DeValue::Array(values) => {
                for (at, value) in values.iter().enumerate() {
                    let spans = Spans {
                        key: value.span(),
                        value: value.span(),
                    };
                    self.index_value(&format!("{path}.{at}"), spans, value.get_ref());
                }
            }
            _ => {}
        }
        self.spans.insert(path.to_owned(), spans);
    }

    fn walk(&mut self, path: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let (name, value) = (name.get_ref().as_ref(), value.get_ref());
            let below = join(path, name);
            // A name with a dot in it is not a path to a key.
            let key = keys::find_in_files(&below).filter(|_| !name.contains('.'));
            let is_word = path.is_empty() && is_file_word(name);
            if (key.is_some() || is_word) && matches!(value, DeValue::Datetime(_)) {
                let span = self.span(&below, |spans| spans.value);
                self.fault_at(span, format!("`{below}` is a date, which no key holds"));
            } else if let Some(key) = key {
                self.key(&below, key, value);
            } else if is_word {
                self.file_word(name, value);
            } else if is_section(&below) {
                if let DeValue::Table(table) = value {
                    self.walk(&below, table);
                } else {
                    let span = self.span(&below, |spans| spans.value);
                    self.fault_at(span, format!("`{below}` is a table: write `[{below}]`"));
                }
            } else if self.faults.len() >= MOST_FAULTS {
                // Not worth a search for what was meant.
                self.more += 1;
            } else {
                let span = self.span(&below, |spans| spans.key);
                let near = nearest_key(path, name);
                let advice = did_you_mean(near.as_deref());
                self.fault_at(span, format!("there is no key `{below}`{advice}"));
            }
        }
    }

    fn key(&mut self, path: &str, key: &'static Key, value: &DeValue<'_>) {
        match key.kind.read_value(value) {
            Ok(value) => {
                let spot = self.spot(path, |spans| spans.key);
                self.document.entries.push(Entry {
                    key,
                    value,
                    origin: Origin::Profile {
                        place: self.place.to_owned(),
                        line: spot.as_ref().map(|spot| spot.line),
                    },
                    spot,
                });
            }
            Err(problems) => {
                for problem in problems {
                    self.bad_value(path, key, problem);
                }
            }
        }
    }

    fn file_word(&mut self, name: &str, value: &DeValue<'_>) {
        let DeValue::String(text) = value else {
            let span = self.span(name, |spans| spans.value);
            self.fault_at(span, format!("`{name}` is text, in quotes"));
            return;
        };
        if name == "extends" {
            let spot = self.spot(name, |spans| spans.value);
            self.document.extends = Some((text.clone().into_owned(), spot));
        } else {
            self.document.description = Some(text.clone().into_owned());
        }
    }

    fn bad_value(&mut self, path: &str, key: &'static Key, problem: Problem) {
        let Problem {
            what,
            within,
            below,
            on_key,
        } = problem;
        let at = format!("{path}{below}");
        let span = self.span(&at, |spans| if on_key { spans.key } else { spans.value });
        // Within a text without escapes, the caret is below the bad part.
        let narrow = span.clone().zip(within).and_then(|(span, within)| {
            let inner = self.text.get(span.start + 1..span.end.checked_sub(1)?)?;
            let plain =
                !inner.contains(['\\', '"', '\'', '\n']) && inner.get(within.clone()).is_some();
            let start = span.start + 1;
            plain.then(|| start + within.start..start + within.end)
        });
        let spot = narrow.or(span).and_then(|span| Spot::of(self.text, span));
        let fault = Fault::new(self.place, format!("`{path}`: {what}"));
        self.add(fault.at(spot).about(key.setting()));
    }

    fn span(&self, path: &str, which: impl Fn(Spans) -> Range<usize>) -> Option<Range<usize>> {
        self.spans.get(path).cloned().map(which)
    }

    fn spot(&self, path: &str, which: impl Fn(Spans) -> Range<usize>) -> Option<Spot> {
        Spot::of(self.text, self.span(path, which)?)
    }

    fn fault(&mut self, problem: &str) {
        self.fault_at(None, problem.to_owned());
    }

    fn fault_at(&mut self, span: Option<Range<usize>>, problem: String) {
        let spot = span.and_then(|span| Spot::of(self.text, span));
        self.add(Fault::new(self.place, problem).at(spot));
    }

    fn add(&mut self, fault: Fault) {
        if self.faults.len() == MOST_FAULTS {
            self.more += 1;
        } else {
            self.faults.push(fault);
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

fn is_file_word(name: &str) -> bool {
    FILE_WORDS.iter().any(|(word, _)| *word == name)
}

fn is_section(path: &str) -> bool {
    KEYS.iter().any(|key| {
        let rest = key.name.strip_prefix(path);
        rest.is_some_and(|rest| rest.starts_with('.'))
    })
}

/// Returns the key that was most likely meant: one of a similar name in the same
/// table, or else in another.
fn nearest_key(path: &str, name: &str) -> Option<String> {
    let in_files = keys::in_files;
    let here = in_files().filter_map(|key| {
        let rest = key.name.strip_prefix(path)?;
        let rest = if path.is_empty() {
            rest
        } else {
            rest.strip_prefix('.')?
        };
        rest.split('.').next()
    });
    let words = FILE_WORDS.iter().map(|(word, _)| *word);
    let words = words.filter(|_| path.is_empty());
    if let Some(near) = nearest(name, here.chain(words)) {
        return Some(near.to_owned());
    }
    let elsewhere = in_files().filter_map(|key| key.name.rsplit('.').next());
    let near = nearest(name, elsewhere)?;
    let key = in_files().find(|key| key.name.rsplit('.').next() == Some(near))?;
    Some(key.name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_with_their_lines() {
        let text = "description = \"x\"\nextends = \"local\"\n\n[pacing]\nstrategy = \"hold-16\"\n\
                    [plan]\n# why\nask = 20\n";
        let (document, faults) = Document::read("p", text);
        assert_eq!(faults, []);
        assert_eq!(document.extends.unwrap().0, "local");
        let entries: Vec<_> = document
            .entries
            .iter()
            .map(|entry| format!("{} {} {}", entry.key.name, entry.value, entry.origin))
            .collect();
        assert_eq!(entries, ["pacing.strategy hold-16 p:5", "plan.ask 20 p:8"]);
    }

    #[test]
    fn all_faults_are_found_in_one_run() {
        let text = "Description = 1\n[plan]\nask = 15\nasks = 3\nlookups = \"4\"\n[pacin]\n";
        let (_, faults) = Document::read("p", text);
        let mut lines: Vec<_> = faults.iter().map(Fault::one_line).collect();
        lines.sort();
        assert_eq!(
            lines,
            [
                "p:1:1: there is no key `Description`; did you mean `description`?",
                "p:3:7: `plan.ask`: `15` is not a whole number of peers a pool from 16 to 256, in \
                 plain digits; write `16`",
                "p:4:1: there is no key `plan.asks`; did you mean `ask`?",
                "p:5:11: `plan.lookups`: the text \"4\" is not a whole number of lookups from 1 to \
                 64, in plain digits; write `4` without quotes",
                "p:6:2: there is no key `pacin`; did you mean `pacing`?",
            ]
        );
        let (_, faults) = Document::read("p", "a = \nb = 1 2\n");
        assert!(faults.len() > 1, "{faults:?}");
    }

    #[test]
    fn the_caret_is_below_the_bad_part() {
        for (text, bad) in [
            ("[pacing]\nstrategy = \"release-2x-16\"\n", "2x"),
            (
                "[[ab]]\nstrategy = \"hold-32\"\n[[ab]]\nstrategy = \"hold-a\"\n",
                "a",
            ),
            ("[[ab]]\nstrategy = \"hold-32\"\nweight = 0\n", "0"),
            ("[[ab]]\nstrategy = \"hold-32\"\nweigth = 1\n", "weigth"),
            ("[network]\nbootstrap = [\"127.0.0.1:1\", \"x\"]\n", "\"x\""),
            ("ask = 20\n", "ask"),
            ("plan = 20\n", "20"),
        ] {
            let (_, faults) = Document::read("p", text);
            assert_eq!(faults.len(), 1, "{faults:?}");
            let shown = faults[0].to_string();
            let lines: Vec<_> = shown.lines().collect();
            let (source, carets) = (lines[1], lines[2]);
            let start = carets.find('^').unwrap();
            assert_eq!(&source[start..carets.len()], bad, "{shown}");
        }
    }
}
