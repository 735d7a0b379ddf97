//! Reading specs strictly, and saying which part is bad and what to write
//! instead.

use std::{fmt, num::NonZeroU32, ops::Range};

use ant_text::duration::{self, DurationError};

use crate::{
    PacingSpec, PacingTable, Scope, StrategySpec, Value,
    catalogue::{self, Entry, Field, FieldKind},
    suggest,
};

/// Why a text or table is no pacing, where in the text, and the nearest valid
/// spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    text: String,
    span: Range<usize>,
    problem: String,
    suggestion: Option<String>,
}

impl SpecError {
    /// The bad part, as a byte range of the text that was read.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// A valid spelling near the text, if one is near enough.
    pub fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }

    pub(crate) fn shape(entry: &Entry) -> Self {
        Self::new(
            entry.name,
            0..entry.name.len(),
            format!("a spec of this strategy is `{}`", entry.grammar),
        )
    }

    pub(crate) fn values(spec: &StrategySpec, problem: String) -> Self {
        let text = spec.to_string();
        let span = spec.entry().name.len()..text.len();
        let example = spec.entry().examples.first();
        Self::new(&text, span, problem).suggest(example.map(|&example| example.to_owned()))
    }

    fn new(text: &str, span: Range<usize>, problem: String) -> Self {
        Self {
            text: text.to_owned(),
            span,
            problem,
            suggestion: None,
        }
    }

    fn suggest(mut self, suggestion: Option<String>) -> Self {
        self.suggestion = suggestion;
        self
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no pacing strategy: {}", self.text, self.problem)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, "; write `{suggestion}`"),
            None => write!(f, "; there are {}", grammars()),
        }
    }
}

impl std::error::Error for SpecError {}

fn grammars() -> String {
    let all: Vec<_> = catalogue::all()
        .iter()
        .map(|entry| format!("`{}`", entry.grammar))
        .collect();
    all.join(", ")
}

/// Reads `STRATEGY` or `STRATEGY@SCOPE`.
pub(crate) fn pacing(text: &str) -> Result<PacingSpec, SpecError> {
    let Some((before, scope_text)) = text.split_once('@') else {
        return strategy(text).map(PacingSpec::from);
    };
    let at = before.len() + 1;
    let scope = scope(scope_text).map_err(|problem| {
        let near = ant_text::nearest(scope_text, Scope::ALL.map(Scope::name));
        let spec = suggest::spec(before).map(|s| format!("{s}@{}", near.unwrap_or("payment")));
        SpecError::new(text, at..text.len(), problem).suggest(spec)
    })?;
    let strategy = strategy(before).map_err(|error| SpecError {
        text: text.to_owned(),
        suggestion: error.suggestion.map(|s| format!("{s}@{}", scope.name())),
        ..error
    })?;
    Ok(PacingSpec { strategy, scope })
}

fn scope(text: &str) -> Result<Scope, String> {
    Scope::ALL
        .into_iter()
        .find(|scope| scope.name() == text)
        .ok_or_else(|| format!("`{text}` is no scope, `payment` and `client` are"))
}

/// Reads a strategy's short form: its name and its numbers, joined by `-`.
pub(crate) fn strategy(text: &str) -> Result<StrategySpec, SpecError> {
    let error = |span, problem| SpecError::new(text, span, problem).suggest(suggest::spec(text));
    let name = text.split('-').next().unwrap_or(text);
    let Some(entry) = catalogue::find(name) else {
        let problem = if text.is_empty() {
            "it is empty".to_owned()
        } else {
            format!("no strategy is called `{name}`")
        };
        return Err(error(0..name.len(), problem));
    };
    let mut values = Vec::with_capacity(entry.fields.len());
    let mut at = name.len();
    for field in entry.fields {
        let Some(part) = text.get(at + 1..).and_then(|rest| rest.split('-').next()) else {
            let problem = format!("its {} ({}) are missing", field.name, field.letter);
            return Err(error(at..text.len(), problem));
        };
        let span = at + 1..at + 1 + part.len();
        at = span.end;
        values.push(value(field, part).map_err(|problem| error(span, problem))?);
    }
    if at < text.len() {
        let problem = format!("nothing may follow, but `{}` does", &text[at..]);
        return Err(error(at..text.len(), problem));
    }
    StrategySpec::new(entry, values)
}

/// Reads one number.
pub(crate) fn value(field: &Field, text: &str) -> Result<Value, String> {
    let bad = |why: &str| {
        let (name, expected) = (field.name, field.kind.expected());
        Err(format!("`{text}` {why}; `{name}` is {expected}"))
    };
    match field.kind {
        FieldKind::Count => {
            let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            if !digits {
                return bad("is no whole number");
            }
            if text.len() > 1 && text.starts_with('0') {
                return bad("has a leading zero");
            }
            match text.parse().map(NonZeroU32::new) {
                Ok(Some(count)) => Ok(Value::Count(count)),
                Ok(None) => bad("is not above zero"),
                Err(_) => bad("is too large"),
            }
        }
        FieldKind::Duration => match duration::parse(text) {
            Ok(duration) if duration < catalogue::DURATION_BOUNDS.0 => bad("is not above zero"),
            Ok(duration) => Ok(Value::Duration(duration)),
            Err(DurationError::Malformed(_)) => bad("is no duration"),
            Err(DurationError::TooLong(_)) => bad("is too long to hold"),
        },
    }
}

/// Reads the table form.
pub(crate) fn table(table: &PacingTable) -> Result<PacingSpec, SpecError> {
    let Some(text) = table.strategy.as_deref() else {
        return Err(SpecError::new(
            "",
            0..0,
            "the table names no `strategy`".to_owned(),
        ));
    };
    let error = |problem| SpecError::new(text, 0..text.len(), problem);
    let given = [
        ("slots", table.slots.map(|slots| slots.to_string())),
        ("after", table.after.clone()),
    ];
    let given: Vec<_> = given
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
    let mut spec = match catalogue::find(text) {
        None => {
            let spec = pacing(text)?;
            if let Some((name, _)) = given.first() {
                let problem = format!("the table gives `{name}` a second time");
                return Err(error(problem).suggest(Some(spec.strategy.entry().name.to_owned())));
            }
            spec
        }
        Some(entry) => {
            if let Some((name, _)) = given
                .iter()
                .find(|(name, _)| entry.fields.iter().all(|field| field.name != *name))
            {
                return Err(error(format!("`{}` has no `{name}`", entry.name)));
            }
            let values = entry.fields.iter().map(|field| {
                let text = given.iter().find(|(name, _)| *name == field.name);
                let (_, text) = text.ok_or_else(|| format!("its `{}` is missing", field.name))?;
                value(field, text)
            });
            let example = entry.examples.first().map(|&example| example.to_owned());
            let values = values
                .collect::<Result<_, _>>()
                .map_err(|problem| error(problem).suggest(example))?;
            StrategySpec::new(entry, values)?.into()
        }
    };
    if let Some(text) = &table.scope {
        if spec.scope != Scope::default() {
            return Err(error("the table gives `scope` a second time".to_owned()));
        }
        spec.scope = scope(text).map_err(error)?;
    }
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::Duration;

    fn any_value(kind: FieldKind) -> BoxedStrategy<Value> {
        match kind {
            FieldKind::Count => (1u32..)
                .prop_map(|n| Value::Count(NonZeroU32::new(n).unwrap()))
                .boxed(),
            FieldKind::Duration => (1u64..)
                .prop_map(|nanos| Value::Duration(Duration::from_nanos(nanos)))
                .boxed(),
        }
    }

    fn any_pacing() -> impl Strategy<Value = PacingSpec> {
        let entries = (0..catalogue::all().len()).prop_flat_map(|at| {
            let entry = &catalogue::all()[at];
            let values: Vec<_> = entry.fields.iter().map(|f| any_value(f.kind)).collect();
            // Sorted, as entries with several counts want them.
            values.prop_map(move |mut values: Vec<Value>| {
                if entry.fields.iter().all(|f| f.kind == FieldKind::Count) {
                    values.sort_by_key(|value| value.count());
                }
                StrategySpec::new(entry, values).unwrap()
            })
        });
        (entries, prop::sample::select(&Scope::ALL[..]))
            .prop_map(|(strategy, scope)| PacingSpec { strategy, scope })
    }

    proptest! {
        #[test]
        fn what_is_displayed_parses_back(spec in any_pacing()) {
            prop_assert_eq!(spec.to_string().parse::<PacingSpec>().unwrap(), spec);
        }

        #[test]
        fn the_table_form_says_the_same(spec in any_pacing()) {
            prop_assert_eq!(PacingSpec::try_from(&PacingTable::from(&spec)).unwrap(), spec);
        }

        #[test]
        fn no_text_panics_and_every_suggestion_is_valid(text in ".{0,40}") {
            if let Err(error) = text.parse::<PacingSpec>() {
                prop_assert!(text.get(error.span()).is_some(), "{:?}", error);
                if let Some(suggestion) = error.suggestion() {
                    prop_assert!(suggestion.parse::<PacingSpec>().is_ok(), "{:?}", error);
                }
            }
        }
    }

    #[test]
    fn errors_point_at_the_bad_part_and_say_what_to_write() {
        for (text, bad, suggestion) in [
            ("hold16", "hold16", Some("hold-16")),
            ("release-2x-16", "2x", Some("release-2s-16")),
            ("release-2s-x", "x", Some("release-2s-16")),
            ("hold-0", "0", Some("hold-1")),
            ("hold-016", "016", Some("hold-16")),
            ("hold-+16", "+16", Some("hold-16")),
            ("hold-\u{ff11}\u{ff16}", "\u{ff11}\u{ff16}", Some("hold-16")),
            ("hold-4294967296", "4294967296", Some("hold-4294967295")),
            ("hold-16-", "-", Some("hold-16")),
            ("hold-16-3", "-3", Some("hold-16")),
            ("release-0s-16", "0s", Some("release-1s-16")),
            ("Hold-16", "Hold", Some("hold-16")),
            ("hold-16@clint", "clint", Some("hold-16@client")),
            ("hold16@client", "hold16", Some("hold-16@client")),
            ("xyzzy", "xyzzy", None),
            ("", "", None),
        ] {
            let error = text.parse::<PacingSpec>().unwrap_err();
            assert_eq!(&text[error.span()], bad, "{text:?}: {error}");
            assert_eq!(error.suggestion(), suggestion, "{text:?}: {error}");
        }
    }

    #[test]
    fn an_error_reads_well() {
        let error = |text: &str| text.parse::<PacingSpec>().unwrap_err().to_string();
        assert_eq!(
            error("release-2x-16"),
            "`release-2x-16` is no pacing strategy: `2x` is no duration; `after` is a duration \
             above zero, such as `2s` or `500ms`; write `release-2s-16`"
        );
        assert_eq!(
            error("xyzzy"),
            "`xyzzy` is no pacing strategy: no strategy is called `xyzzy`; there are `uncapped`, \
             `hold-N`, `release-T-N`, `shard-N`, `aimd-L-N-M`"
        );
    }

    #[test]
    fn tables_are_read_strictly() {
        let read = |json: &str| serde_json::from_str::<PacingSpec>(json).map(|s| s.to_string());
        for (json, spec) in [
            (r#""hold-32@client""#, "hold-32@client"),
            (r#"{"strategy":"hold","slots":32}"#, "hold-32"),
            (
                r#"{"strategy":"hold-32","scope":"client"}"#,
                "hold-32@client",
            ),
            (
                r#"{"strategy":"release","after":"2s","slots":16}"#,
                "release-2s-16",
            ),
            (r#"{"strategy":"uncapped"}"#, "uncapped"),
        ] {
            assert_eq!(read(json).unwrap(), spec, "{json}");
        }
        for json in [
            r#"{"slots":32}"#,
            r#"{"strategy":"hold"}"#,
            r#"{"strategy":"hold","slots":0}"#,
            r#"{"strategy":"hold","slots":16,"after":"2s"}"#,
            r#"{"strategy":"hold-32","slots":16}"#,
            r#"{"strategy":"hold-32@client","scope":"payment"}"#,
            r#"{"strategy":"uncapped","slots":16}"#,
            r#"{"strategy":"hold","slots":16,"scope":"all"}"#,
            r#"{"strategy":"hold","slots":16,"slot":16}"#,
        ] {
            assert!(read(json).is_err(), "{json} was read as {:?}", read(json));
        }
    }
}
