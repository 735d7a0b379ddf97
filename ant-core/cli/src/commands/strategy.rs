//! `ant strategy`: shows people the catalogue of strategies.

use std::fmt::Write;

use ant_pacing::{Entry, StrategySpec, catalogue};

use crate::{exit::Failure, output::print};

/// The width of explanations, in characters.
const WIDTH: usize = 80;

pub(crate) fn list() -> Result<(), Failure> {
    let width = catalogue::all()
        .iter()
        .map(|entry| entry.grammar.len())
        .max();
    let width = width.unwrap_or(0);
    let mut text = String::new();
    for Entry {
        grammar, summary, ..
    } in catalogue::all()
    {
        let _ = writeln!(text, "{grammar:<width$}  {summary}");
    }
    text.push_str(
        "\nEach may end in `@payment` (the default: every payment has its own slots) or `@client` \n\
         (all payments of a client share them). `ant strategy explain NAME` says more.\n",
    );
    print(&text.replace(" \n", "\n"))
}

pub(crate) fn explain(name: &str) -> Result<(), Failure> {
    let entry = match catalogue::find(name) {
        Some(entry) => entry,
        None => name
            .parse::<StrategySpec>()
            .map_err(Failure::bad_input)?
            .entry(),
    };
    print(&explanation(entry))
}

fn explanation(entry: &Entry) -> String {
    let manual = &entry.manual;
    let mut text = format!("{}\n\n", entry.grammar);
    text.push_str(&wrapped("", entry.summary));
    for field in entry.fields {
        let label = format!("  {}  ", field.letter);
        let meaning = format!(
            "{}: {}; `{}` in a table",
            field.summary,
            field.kind.expected(),
            field.name
        );
        text.push_str(&wrapped(&label, &meaning));
    }
    text.push('\n');
    for (label, what) in [
        ("lets go when       ", manual.lets_go_when),
        ("frees a slot when  ", manual.frees_a_slot_when),
        ("learns from        ", manual.learns_from),
        ("use it when        ", manual.use_it_when),
        ("beware             ", manual.beware),
    ] {
        text.push_str(&wrapped(label, what));
    }
    let _ = writeln!(text, "\nfor example: {}", entry.examples.join(", "));
    text
}

/// Returns the label and the text after it, with further lines indented to where
/// the text began.
fn wrapped(label: &str, text: &str) -> String {
    let indent = label.chars().count();
    let mut result = label.to_owned();
    let mut column = indent;
    for (at, word) in text.split_whitespace().enumerate() {
        let width = word.chars().count();
        if at > 0 && column + 1 + width > WIDTH {
            result.push('\n');
            result.push_str(&" ".repeat(indent));
            column = indent;
        } else if at > 0 {
            result.push(' ');
            column += 1;
        }
        result.push_str(word);
        column += width;
    }
    result.push('\n');
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_strategy_is_explained_within_the_width() {
        for entry in catalogue::all() {
            let text = explanation(entry);
            assert!(
                text.lines().all(|line| line.chars().count() <= WIDTH),
                "{text}"
            );
            for part in [
                "lets go when",
                "frees a slot when",
                "learns from",
                "use it when",
                "beware",
            ] {
                assert!(text.contains(part), "{text}");
            }
        }
    }
}
