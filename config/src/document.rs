//! One profile's text, checked against the list of keys.
//!
//! `config` (config-rs) reads the values. `toml` says where each one stands, so
//! that every fault has a line, a column and a caret, and so that a text with
//! several slips shows them all.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use ant_text::nearest;
use config::{File, FileFormat, Map, Source, Value as FileValue, ValueKind};
use toml::de::{DeTable, DeValue};

use crate::{
    Fault, Key, Origin, did_you_mean,
    fault::Spot,
    keys::{FILE_WORDS, KEYS},
    kind::Problem,
    layers::Entry,
    pacing_fields,
};

/// Nobody reads more faults of one file than this.
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
    /// Reads a profile's text. What is sound is read even if other parts are
    /// not, so that faults of all layers can be named at once.
    pub(crate) fn read(place: &str, text: &str) -> (Self, Vec<Fault>) {
        let mut reader = Reader {
            place,
            text,
            spans: BTreeMap::new(),
            judged: BTreeSet::new(),
            sound: text.to_owned(),
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
    /// Keys that need no second look, since no value of any key is like that.
    judged: BTreeSet<String>,
    /// The text with a zero in place of each number that is too large, which
    /// config-rs would stop at.
    sound: String,
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
            self.fault_at(error.span(), format!("no TOML: {}", error.message()));
        }
        // The values of a text with slips are not what was meant.
        if !self.faults.is_empty() {
            return;
        }
        self.index("", table.get_ref());
        match File::from_str(&self.sound, FileFormat::Toml).collect() {
            Ok(values) if values.is_empty() => self.fault("it sets nothing"),
            Ok(values) => self.walk("", &values),
            Err(error) => self.fault(error.to_string().trim_end()),
        }
    }

    /// Notes where everything stands, and what no number can hold.
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
            DeValue::Integer(number)
                if i64::from_str_radix(number.as_str(), number.radix()).is_err() =>
            {
                let expected = pacing_fields::find(path).map(|key| key.kind.expected());
                let expected = expected.map_or_else(String::new, |e| format!("; it is {e}"));
                let problem = format!("`{number}` is too large for `{path}`{expected}");
                self.judge(path, &spans, problem);
                let room = spans.value.len();
                self.sound
                    .replace_range(spans.value.clone(), &format!("{:room$}", 0));
            }
            DeValue::Datetime(_) => {
                self.judge(
                    path,
                    &spans,
                    format!("`{path}` is a date, which no key holds"),
                );
            }
            _ => {}
        }
        self.spans.insert(path.to_owned(), spans);
    }

    fn judge(&mut self, path: &str, spans: &Spans, problem: String) {
        self.fault_at(Some(spans.value.clone()), problem);
        self.judged.insert(path.to_owned());
    }

    fn walk(&mut self, path: &str, table: &Map<String, FileValue>) {
        for (name, value) in table {
            let below = join(path, name);
            // A dot within a name is not a path to a key.
            let key = pacing_fields::find(&below).filter(|_| !name.contains('.'));
            let judged =
                |judged: &String| judged == &below || judged.starts_with(&format!("{below}."));
            if key.is_some() && self.judged.iter().any(judged) {
                continue;
            }
            if let Some(key) = key {
                match key.kind.read_value(value) {
                    Ok(value) => {
                        let spot = self.spot(&below, |spans| spans.key);
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
                            self.bad_value(&below, key, problem);
                        }
                    }
                }
            } else if path.is_empty() && is_file_word(name) {
                if !self.judged.contains(name) {
                    self.file_word(name, value);
                }
            } else if is_section(&below) {
                if let ValueKind::Table(table) = &value.kind {
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

    fn file_word(&mut self, name: &str, value: &FileValue) {
        let ValueKind::String(text) = &value.kind else {
            let span = self.span(name, |spans| spans.value);
            self.fault_at(span, format!("`{name}` is text, in quotes"));
            return;
        };
        if name == "extends" {
            let spot = self.spot(name, |spans| spans.value);
            self.document.extends = Some((text.clone(), spot));
        } else {
            self.document.description = Some(text.clone());
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

/// The key most likely meant: near in its table, or of that name in another.
fn nearest_key(path: &str, name: &str) -> Option<String> {
    let in_files = pacing_fields::in_files;
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
