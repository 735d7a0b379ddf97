//! One key: what it is called in each layer, what it holds, and why its default is
//! what it is. Whatever walks the list finds all of that here.

use crate::keys::kind::Kind;

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name, dotted as in a profile: `plan.ask`.
    pub name: &'static str,
    /// The environment variable that sets it.
    pub variable: &'static str,
    /// The flag that sets it, without the dashes.
    pub flag: &'static str,
    /// What it holds, in which unit and bounds.
    pub kind: Kind,
    /// What it is where no layer says anything, as a variable would say it.
    pub default: Option<&'static str>,
    /// One line on what it sets.
    pub summary: &'static str,
    /// One line on why the default is what it is.
    pub reason: &'static str,
    /// A valid value that is not the default, as a variable would say it.
    pub example: &'static str,
}

impl Key {
    /// Returns the setting that it is part of, as `ant config show` lists it. The keys
    /// of the pacing are one setting, since a strategy replaces them all.
    pub fn setting(&self) -> &'static str {
        match self.name.split_once('.') {
            Some(("pacing", _)) => "pacing",
            _ => self.name,
        }
    }

    /// Returns whether a profile's file may set it.
    pub fn in_files(&self) -> bool {
        self.name != "profile"
    }

    /// Returns its default in words: `none` where there is none.
    pub fn default_text(&self) -> &'static str {
        self.default
            .filter(|text| !text.is_empty())
            .unwrap_or("none")
    }

    /// Returns what it sets, and what is valid.
    pub fn meaning(&self) -> String {
        format!("{} ({})", self.summary, self.kind.expected())
    }

    /// Returns whether it chooses the pacing of payments.
    pub fn is_pacing(&self) -> bool {
        self.setting() == "pacing" || self.name == "ab"
    }
}
