//! What is wrong with a written pacing, with the part that is bad and what to
//! write instead.

use std::{fmt, ops::Range};

use crate::catalogue::{self, Entry};

/// Why a text or a table does not say a pacing, which part of it is bad, and the
/// nearest valid spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    text: String,
    span: Range<usize>,
    field: Option<String>,
    problem: String,
    suggestion: Option<String>,
}

impl SpecError {
    pub(super) fn new(text: &str, span: Range<usize>, problem: String) -> Self {
        Self {
            text: text.to_owned(),
            span,
            field: None,
            problem,
            suggestion: None,
        }
    }

    /// The error of values that do not fit the entry's fields.
    pub(super) fn shape(entry: &Entry) -> Self {
        let problem = format!("a spec of this strategy is `{}`", entry.grammar);
        Self::new(entry.name, 0..entry.name.len(), problem)
    }

    /// The error of values, written as `text`, that do not go together.
    pub(super) fn values(entry: &Entry, text: &str, problem: String) -> Self {
        Self::new(text, entry.name.len()..text.len(), problem).suggest(example(entry))
    }

    pub(super) fn suggest(mut self, suggestion: Option<String>) -> Self {
        self.suggestion = suggestion;
        self
    }

    /// Names the key of the table that is to blame.
    pub(super) fn of_field(mut self, name: &str) -> Self {
        self.field = Some(name.to_owned());
        self
    }

    /// Says of an error in a part of `text` that it is the whole text's, and
    /// adds `end` to the suggestion.
    pub(super) fn within(mut self, text: &str, end: &str) -> Self {
        text.clone_into(&mut self.text);
        self.suggestion = self.suggestion.map(|suggestion| suggestion + end);
        self
    }

    /// Returns the bad part, as a byte range of the text that was read; in a
    /// table, of its `strategy`.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the key that is to blame, where a table gave one beside its
    /// `strategy`.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// Returns a valid spelling near the text, if one is near enough.
    pub fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, problem) = (&self.text, &self.problem);
        match &self.field {
            Some(_) if text.is_empty() => f.write_str(problem)?,
            // The strategy may be right, and its numbers wrong.
            Some(_) => write!(f, "`{text}`: {problem}")?,
            None if catalogue::find(text).is_some() => write!(f, "`{text}`: {problem}")?,
            None => write!(f, "`{text}` is not a pacing strategy: {problem}")?,
        }
        match &self.suggestion {
            Some(suggestion) => write!(f, "; write `{suggestion}`"),
            None => write!(f, "; there are {}", grammars()),
        }
    }
}

impl std::error::Error for SpecError {}

/// Returns the entry's first example, as a suggestion.
pub(super) fn example(entry: &Entry) -> Option<String> {
    entry.examples.first().map(|&example| example.to_owned())
}

fn grammars() -> String {
    let all: Vec<_> = catalogue::all()
        .iter()
        .map(|entry| format!("`{}`", entry.grammar))
        .collect();
    all.join(", ")
}
