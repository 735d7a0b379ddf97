//! Which paths a file names: read from its text, without tests and comments.

/// A path as it is written (`crate`, `super` and `self` first), and the name that
/// it has in this file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import {
    pub(crate) path: Vec<String>,
    pub(crate) name: String,
    /// Whether it is an import, and so offers its name to others; a path within
    /// code does not.
    pub(crate) offers: bool,
}

/// The text without comments, string literals, and what follows the first
/// `#[cfg(test)]` that stands before a module with a body.
pub(crate) fn code(text: &str) -> String {
    let text = text
        .find("#[cfg(test)]\nmod tests {")
        .map_or(text, |at| &text[..at]);
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |at| &rest[at..]);
        } else if c == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            rest = end.map_or("", |at| &rest[at + 2..]);
            code.push_str("\"\"");
        } else {
            code.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    code
}

/// Every path of the crate that this code names.
pub(crate) fn imports(code: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = ["crate::", "super::", "self::"]
        .iter()
        .filter_map(|start| rest.find(start))
        .min()
    {
        let before = &rest[..at];
        // The end of a longer word, or of a longer path.
        let inside = before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        let offers = before.trim_end().ends_with("use");
        let tail = &rest[at..];
        let taken = if inside {
            0
        } else {
            tree(tail, &mut Vec::new(), offers, &mut found)
        };
        rest = &tail[taken.max(1)..];
    }
    found
}

/// Reads a tree of paths at the start of the text; how many bytes it took.
fn tree(text: &str, before: &mut Vec<String>, offers: bool, found: &mut Vec<Import>) -> usize {
    let depth = before.len();
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let word: String = text[at..]
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        at += word.len();
        let rest = &text[at..];
        if word.is_empty() && rest.starts_with('{') && offers {
            at += 1;
            while !text[at..].trim_start().starts_with('}') {
                let took = tree(&text[at..], before, offers, found);
                at += took;
                let left = text[at..].trim_start();
                at = text.len() - left.len();
                if left.starts_with(',') {
                    at += 1;
                } else if took == 0 {
                    break;
                }
            }
            at = text[at..].find('}').map_or(text.len(), |end| at + end + 1);
            break;
        }
        if word.is_empty() {
            at += usize::from(rest.starts_with('*'));
            finish(before, None, offers, found);
            break;
        }
        before.push(word);
        if rest.starts_with("::") {
            at += 2;
            continue;
        }
        let renamed = rest.strip_prefix(" as ").filter(|_| offers).map(|rest| {
            rest.chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect::<String>()
        });
        at += renamed.as_ref().map_or(0, |name| " as ".len() + name.len());
        finish(before, renamed, offers, found);
        break;
    }
    before.truncate(depth);
    at
}

fn finish(path: &[String], renamed: Option<String>, offers: bool, found: &mut Vec<Import>) {
    let mut path = path.to_vec();
    // `a::{self}` is `a`.
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    if let Some(last) = path.last() {
        let name = renamed.unwrap_or_else(|| last.clone());
        found.push(Import { path, name, offers });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        imports(&code(text))
            .iter()
            .map(|i| format!("{}={}", i.path.join("::"), i.name))
            .collect()
    }

    #[test]
    fn every_form_of_a_path_is_read() {
        for (text, found) in [
            ("use crate::A;", &["crate::A=A"][..]),
            (
                "use crate::{A, b::{self, C as D}, e::*};",
                &["crate::A=A", "crate::b=b", "crate::b::C=D", "crate::e=e"],
            ),
            (
                "pub(crate) use self::{\n    a::B,\n    c::D,\n};",
                &["self::a::B=B", "self::c::D=D"],
            ),
            (
                "let x = super::f::g(crate::H { y: 1 });",
                &["super::f::g=g", "crate::H=H"],
            ),
            ("// use crate::A;\nlet a = \"crate::B\";", &[]),
            ("use other_crate::A; mycrate::b();", &[]),
            ("#[cfg(test)]\nmod tests {\n    use crate::A;\n}", &[]),
        ] {
            assert_eq!(paths(text), found, "{text}");
        }
    }
}
