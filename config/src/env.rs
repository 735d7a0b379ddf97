//! The environment, as a value: read once from the process, or made by a test.

use std::{collections::BTreeMap, ffi::OsString};

use ant_pacing::nearest;

use crate::{ConfigError, error::advice};

/// What all our variables start with. Others that start with `ANT_` belong to
/// other programs and are left alone.
const PREFIX: &str = "ANT_MERKLE_";

/// One variable that is read.
#[derive(Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// One line on what it sets.
    pub summary: &'static str,
}

/// Every variable that is read.
pub const VARIABLES: &[Variable] = &[
    Variable {
        name: "ANT_MERKLE_PROFILE",
        summary: "the profile to start from",
    },
    Variable {
        name: "ANT_MERKLE_STRATEGY",
        summary: "the pacing strategy, in place of the profile's",
    },
    Variable {
        name: "ANT_MERKLE_CAP",
        summary: "the slots of the strategy; or `uncapped`, or a whole strategy",
    },
];

/// Environment variables, by name.
#[derive(Clone, Debug, Default)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// The process's own, as it is now. It is never changed.
    pub fn of_process() -> Self {
        std::env::vars_os().collect()
    }

    /// The first variable that is set and chooses the pacing, if any: for
    /// commands that do not use it, to say so.
    pub fn chooses_pacing(&self) -> Option<&'static str> {
        let ours = self.ours().ok()?;
        ["ANT_MERKLE_STRATEGY", "ANT_MERKLE_CAP"]
            .into_iter()
            .find(|name| ours.contains_key(name))
    }

    /// The variables that are ours and set. An empty or blank one counts as
    /// unset, since that is how compose files and shells unset one.
    pub(crate) fn ours(&self) -> Result<BTreeMap<&'static str, String>, ConfigError> {
        let mut ours = BTreeMap::new();
        for (name, value) in &self.0 {
            let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else {
                continue;
            };
            let Some(known) = VARIABLES.iter().find(|known| known.name == name) else {
                let names = VARIABLES.iter().map(|known| &known.name[PREFIX.len()..]);
                let near = nearest(&name[PREFIX.len()..], names);
                let near = near.map(|near| format!("{PREFIX}{near}"));
                return Err(ConfigError::new(
                    name,
                    format!("there is no such variable{}", advice(near.as_deref())),
                ));
            };
            let value = value
                .to_str()
                .ok_or_else(|| ConfigError::new(known.name, "its value is not UTF-8 text"))?;
            if !value.trim().is_empty() {
                ours.insert(known.name, value.to_owned());
            }
        }
        Ok(ours)
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let pairs = variables.into_iter().map(|(n, v)| (n.into(), v.into()));
        Self(pairs.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_is_unset_and_foreign_is_left_alone() {
        let environment: Environment = [
            ("ANT_MERKLE_CAP", ""),
            ("ANT_MERKLE_STRATEGY", " \t"),
            ("ANT_PEERS", "x"),
            ("ANTD_PORT", "8080"),
            ("PATH", "/bin"),
        ]
        .into_iter()
        .collect();
        assert!(environment.ours().unwrap().is_empty());
    }

    #[test]
    fn a_misspelt_variable_is_named_with_the_nearest() {
        let environment: Environment = [("ANT_MERKLE_STRATGY", "hold-16")].into_iter().collect();
        let error = environment.ours().unwrap_err().to_string();
        assert_eq!(
            error,
            "ANT_MERKLE_STRATGY: there is no such variable; did you mean `ANT_MERKLE_STRATEGY`?"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_value_that_is_not_utf8_is_an_error_only_if_ours() {
        use std::os::unix::ffi::OsStringExt;
        let junk = || OsString::from_vec(vec![0xff]);
        let set = |name: &str| -> Environment { [(name.to_owned(), junk())].into_iter().collect() };
        assert!(set("PATH").ours().unwrap().is_empty());
        let error = set("ANT_MERKLE_CAP").ours().unwrap_err().to_string();
        assert!(error.contains("not UTF-8"), "{error}");
    }
}
