//! The tables of keys in docs/configuration.md, made of the list, so that the page
//! cannot say anything else than the program. What is around them is written by
//! hand.

use std::fmt::Write;

use crate::keys::{Key, SECTIONS, Section};

/// Returns a page with every table of keys made anew. Each stands between two
/// comments, `<!-- keys: plan -->` and `<!-- end -->`, that name its section. A
/// comment that names no section, or has no end, is left as it is.
pub fn with_tables(page: &str) -> String {
    let (mut made, mut rest) = (String::new(), page);
    for section in SECTIONS {
        let (start, end) = (marker(section), "<!-- end -->");
        let parts = rest
            .split_once(&start)
            .and_then(|(before, after)| Some((before, after.split_once(end)?.1)));
        if let Some((before, after)) = parts {
            let _ = write!(made, "{before}{start}\n{}{end}", table(section));
            rest = after;
        }
    }
    made + rest
}

/// Returns the comment that stands before a section's table.
fn marker(section: &Section) -> String {
    let name = match section.name {
        "" => "profile",
        name => name,
    };
    format!("<!-- keys: {name} -->")
}

fn table(section: &Section) -> String {
    let mut text = String::from(
        "| key | variable, flag | default | what it sets |\n| --- | --- | --- | --- |\n",
    );
    for key in section.keys {
        let _ = writeln!(
            text,
            "| {} | `{}`, `--{}` | {} | {} |",
            name(key),
            key.variable,
            key.flag,
            default(key),
            key.meaning()
        );
    }
    text
}

fn name(key: &Key) -> String {
    if key.in_files() {
        format!("`{}`", key.name)
    } else {
        "(not in files)".to_owned()
    }
}

fn default(key: &Key) -> String {
    format!("{}: {}", key.default_text(), key.reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_key() {
        let page = include_str!("../../docs/configuration.md");
        let made = with_tables(page);
        for section in SECTIONS {
            assert!(
                page.contains(&marker(section)),
                "put {} and <!-- end --> where the table of these keys is to be",
                marker(section)
            );
            let table = table(section);
            assert!(
                page.contains(&table),
                "run `cargo run -p ant-config --example generate`, or write below {}:\n\n{table}",
                marker(section)
            );
        }
        assert_eq!(page, made, "the sections stand in the order of the list");
    }

    #[test]
    fn what_is_around_the_tables_stays() {
        let page = "a\n<!-- keys: profile -->\nold\n<!-- end -->\nb\n<!-- keys: plan -->\nc\n";
        let made = with_tables(page);
        assert!(
            made.starts_with("a\n<!-- keys: profile -->\n| key"),
            "{made}"
        );
        assert!(
            made.ends_with("<!-- end -->\nb\n<!-- keys: plan -->\nc\n"),
            "{made}"
        );
        assert!(!made.contains("old"), "{made}");
    }
}
