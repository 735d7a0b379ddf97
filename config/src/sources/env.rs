//! The environment, as a value: read once from the process, or made by a test.
//! Only here is the process's own looked at, and nothing ever changes it.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
};

use ant_text::nearest;

use crate::{
    fault::{Fault, did_you_mean},
    keys::{KEYS, Key, PREFIX},
    origin::Origin,
    sources::entry::Entry,
};

/// Environment variables, by name.
#[derive(Clone, Debug, Default)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// Returns the process's own, as it is now.
    pub fn of_process() -> Self {
        std::env::vars_os().collect()
    }

    /// Returns the first variable that is set and chooses the pacing, if any, so
    /// that a command which does not use it can say so.
    pub fn chooses_pacing(&self) -> Option<&'static str> {
        let chooses = |key: &&Key| key.is_pacing() && self.is_set(key.variable);
        KEYS.iter().find(chooses).map(|key| key.variable)
    }

    /// Whether this variable is set, and not blank.
    pub fn is_set(&self, variable: &str) -> bool {
        let value = self.0.get(OsStr::new(variable));
        value.is_some_and(|value| !is_blank(value))
    }

    /// Reads the variables that are ours and set, and finds what is wrong with
    /// others of our prefix. An empty or blank one counts as unset, since that is how
    /// compose files and shells unset one.
    pub(crate) fn entries(&self) -> (Vec<Entry>, Vec<Fault>) {
        let (mut entries, mut faults) = (Vec::new(), Vec::new());
        for (name, value) in &self.0 {
            if is_blank(value) {
                continue;
            }
            let shown = name.to_string_lossy();
            let Some(key) = KEYS.iter().find(|key| key.variable == shown) else {
                faults.extend(unknown(&shown, value));
                continue;
            };
            let Some(text) = value.to_str() else {
                faults.push(
                    Fault::new(key.variable, "its value is not UTF-8 text").about(key.setting()),
                );
                continue;
            };
            match key.kind.read_text(text) {
                Ok(value) => entries.push(Entry {
                    key,
                    value,
                    origin: Origin::Variable(key.variable),
                    spot: None,
                }),
                Err(problem) => {
                    let fault = Fault::new(key.variable, problem.what);
                    faults.push(fault.about(key.setting()));
                }
            }
        }
        (entries, faults)
    }
}

fn is_blank(value: &OsStr) -> bool {
    value.to_str().is_some_and(|text| text.trim().is_empty())
}

/// Returns the fault of a variable that is not one of ours, if it was meant to be.
fn unknown(name: &str, value: &OsStr) -> Option<Fault> {
    let no_such = |near: Option<&str>| {
        let problem = format!("there is no such variable{}", did_you_mean(near));
        Some(Fault::new(name, problem))
    };
    let upper = name.to_uppercase();
    if let Some(key) = KEYS.iter().find(|key| key.variable == upper) {
        return no_such(Some(key.variable));
    }
    let rest = name.strip_prefix(PREFIX)?;
    if is_of_kubernetes(name, &value.to_string_lossy()) {
        return None;
    }
    let names = KEYS.iter().map(|key| &key.variable[PREFIX.len()..]);
    let near = nearest(rest, names).map(|near| format!("{PREFIX}{near}"));
    no_such(near.as_deref())
}

/// Whether this is what Kubernetes tells every container of a service that is
/// called `ant-merkle`, or `ant-merkle-` and more: its host and ports, under
/// names that nobody here has chosen.
fn is_of_kubernetes(name: &str, value: &str) -> bool {
    let is_link = |text: &str| {
        ["tcp://", "udp://", "sctp://"]
            .iter()
            .any(|scheme| text.starts_with(scheme))
    };
    if name.ends_with("_SERVICE_HOST") || name.contains("_SERVICE_PORT") {
        return true;
    }
    if name.ends_with("_PORT") && is_link(value) {
        return true;
    }
    // …_PORT_8080_TCP, …_PORT_8080_TCP_PROTO, _PORT, _ADDR
    let Some((_, port)) = name.split_once("_PORT_") else {
        return false;
    };
    let mut parts = port.split('_');
    let number = parts.next().is_some_and(|part| part.parse::<u16>().is_ok());
    let protocol = parts
        .next()
        .is_some_and(|part| ["TCP", "UDP", "SCTP"].contains(&part));
    let what = parts
        .next()
        .is_none_or(|part| ["PROTO", "PORT", "ADDR"].contains(&part));
    number && protocol && what && parts.next().is_none()
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

    fn read(variables: &[(&str, &str)]) -> (usize, Vec<String>) {
        let environment: Environment = variables.iter().copied().collect();
        let (entries, faults) = environment.entries();
        (
            entries.len(),
            faults.iter().map(ToString::to_string).collect(),
        )
    }

    #[test]
    fn blank_is_unset_and_foreign_is_left_alone() {
        let blank = KEYS.iter().map(|key| (key.variable, " \t\n"));
        assert_eq!(read(&blank.collect::<Vec<_>>()), (0, Vec::new()));
        let foreign = [
            ("ANT_PEERS", "x"),
            ("ANT_MERKLETREE", "x"),
            ("ANTD_PORT", "8080"),
            ("PATH", "/bin"),
            // Blank ones are unset, whatever they are called.
            ("ANT_MERKLE_STRATGY", ""),
        ];
        assert_eq!(read(&foreign), (0, Vec::new()));
    }

    #[test]
    fn what_kubernetes_sets_is_left_alone() {
        let link = "tcp://10.0.0.1:8080";
        for service in ["ANT_MERKLE", "ANT_MERKLE_CAP", "ANT_MERKLE_METRICS"] {
            for (end, value) in [
                ("_SERVICE_HOST", "10.0.0.1"),
                ("_SERVICE_PORT", "8080"),
                ("_SERVICE_PORT_HTTP", "8080"),
                ("_PORT", link),
                ("_PORT_8080_TCP", link),
                ("_PORT_8080_TCP_PROTO", "tcp"),
                ("_PORT_8080_TCP_PORT", "8080"),
                ("_PORT_8080_TCP_ADDR", "10.0.0.1"),
                ("_PORT_53_UDP_PROTO", "udp"),
            ] {
                let name = format!("{service}{end}");
                assert_eq!(read(&[(&name, value)]), (0, Vec::new()), "{name}");
            }
        }
        for name in ["ANT_MERKLE_PORT", "ANT_MERKLE_PORT_X_TCP"] {
            assert_eq!(read(&[(name, "8080")]).1.len(), 1, "{name}");
        }
    }

    #[test]
    fn a_misspelt_variable_is_named_with_the_nearest() {
        for name in [
            "ANT_MERKLE_STRATGY",
            "ant_merkle_strategy",
            "Ant_Merkle_Strategy",
        ] {
            assert_eq!(
                read(&[(name, "hold-16")]).1,
                [format!(
                    "{name}: there is no such variable; did you mean `ANT_MERKLE_STRATEGY`?"
                )]
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_not_utf8_is_an_error_only_if_ours() {
        use std::os::unix::ffi::OsStringExt;
        let read = |name: &[u8], value: &[u8]| {
            let pair = [name, value].map(|bytes| OsString::from_vec(bytes.to_vec()));
            let [name, value] = pair;
            let environment: Environment = [(name, value)].into_iter().collect();
            environment.entries().1
        };
        assert!(read(b"PATH", b"\xff").is_empty());
        let fault = &read(b"ANT_MERKLE_CAP", b"\xff")[0];
        assert!(fault.to_string().contains("not UTF-8"), "{fault}");
        assert_eq!(read(b"ANT_MERKLE_\xff", b"1").len(), 1);
        assert!(read(b"\xffANT_MERKLE_CAP", b"1").is_empty());
    }
}
