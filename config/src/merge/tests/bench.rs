//! Sources of which a test fills the layers.

use std::fs;

use crate::{
    keys::{Key, Kind},
    merge::{Loaded, load},
    origin::{Origin, Traced},
    sources::{Flag, Sources},
};

/// A remote network of no address yet: every key can be set over it alone.
pub(super) const BASE: &str = "[network]\nkind = \"remote\"\n";

/// Where a layer's words are put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Default,
    Base,
    Profile,
    Variable,
    Flag,
}

pub(super) const PLACES: [Place; 5] = [
    Place::Default,
    Place::Base,
    Place::Profile,
    Place::Variable,
    Place::Flag,
];

/// Sources of which a test fills the layers.
pub(super) struct Bench {
    pub(super) folder: tempfile::TempDir,
    pub(super) base: String,
    pub(super) profile: String,
    pub(super) variables: Vec<(String, String)>,
    pub(super) flags: Vec<Flag>,
}

impl Bench {
    pub(super) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            base: BASE.to_owned(),
            profile: "extends = \"base\"\n".to_owned(),
            variables: vec![("ANT_MERKLE_PROFILE".to_owned(), "mine".to_owned())],
            flags: Vec::new(),
        }
    }

    pub(super) fn set(&mut self, place: Place, key: &Key, text: &str) {
        let file = |file: &mut String| {
            let (section, name) = key.name.split_once('.').unwrap();
            let line = format!("{name} = {}\n", toml(key, text));
            let heading = format!("[{section}]\n");
            if file.contains(&heading) {
                *file = file.replace(&heading, &format!("{heading}{line}"));
            } else {
                file.push_str(&heading);
                file.push_str(&line);
            }
        };
        match place {
            Place::Default => assert_eq!(key.default, Some(text)),
            Place::Base => file(&mut self.base),
            Place::Profile => file(&mut self.profile),
            Place::Variable => self.variables.push((key.variable.into(), text.into())),
            Place::Flag => self.flags.extend(Flag::new(key.name, text, "--flag")),
        }
    }

    pub(super) fn sources(&self) -> Sources {
        let write =
            |name: &str, text: &str| fs::write(self.folder.path().join(name), text).unwrap();
        write("base.toml", &self.base);
        write("mine.toml", &self.profile);
        Sources {
            environment: self.variables.iter().cloned().collect(),
            flags: self.flags.clone(),
            folders: vec![self.folder.path().to_owned()],
        }
    }

    pub(super) fn load(&self) -> Result<Loaded, String> {
        load(&self.sources()).map_err(|error| error.to_string())
    }
}

/// A variable's text as a file would say it.
fn toml(key: &Key, text: &str) -> String {
    match key.kind {
        Kind::Count { .. } | Kind::Slots | Kind::Switch => text.to_owned(),
        Kind::Addresses => format!("[\"{text}\"]"),
        _ => format!("\"{text}\""),
    }
}

pub(super) fn find<'a>(loaded: &'a Loaded, key: &str) -> &'a Traced {
    let mut traces = loaded.traces.iter();
    traces.find(|traced| traced.key == key).unwrap()
}

pub(super) fn said_by(origin: &Origin) -> Place {
    match origin {
        Origin::Default => Place::Default,
        Origin::Profile { place, line } => {
            assert!(line.is_some());
            if place.ends_with("base.toml") {
                Place::Base
            } else {
                Place::Profile
            }
        }
        Origin::Variable(_) => Place::Variable,
        Origin::Flag(_) => Place::Flag,
    }
}

/// Two values of a key that differ, and go with `BASE`.
pub(super) fn two_values(key: &Key) -> [String; 2] {
    let other = match key.kind {
        Kind::Count { low, high, .. } => {
            let low = low.to_string();
            if low == key.example {
                high.to_string()
            } else {
                low
            }
        }
        Kind::Span { low, high } => {
            let low = ant_text::duration::format(low);
            if low == key.example {
                ant_text::duration::format(high)
            } else {
                low
            }
        }
        Kind::Choice(words) => {
            let other = words.iter().find(|word| **word != key.example);
            (*other.unwrap()).to_owned()
        }
        Kind::Switch => (key.example != "true").to_string(),
        Kind::Addresses => "127.0.0.1:3".to_owned(),
        Kind::NameOrPath | Kind::File => "./other".to_owned(),
        Kind::Strategy | Kind::Slots | Kind::Arms => unreachable!("the pacing has its own tests"),
    };
    [key.example.to_owned(), other]
}
