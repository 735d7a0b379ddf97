//! The command line: what its flags say of keys, and what some flags mean besides.

use crate::{
    address,
    fault::{ConfigError, Fault},
    keys::{self, Key},
    origin::Origin,
    sources::entry::Entry,
};

/// What the command line says of one key.
#[derive(Clone, Debug)]
pub struct Flag {
    /// The key.
    pub key: &'static Key,
    /// Its value, as text.
    pub text: String,
    /// The flag, with its dashes: the key's own, or one that stands for several
    /// keys, such as `--manifest`.
    pub name: String,
}

impl Flag {
    /// Returns what the flag `name` says of the key called `key`; `None` if there is
    /// no such key.
    pub fn new(key: &str, text: impl Into<String>, name: impl Into<String>) -> Option<Self> {
        Some(Self {
            key: keys::find(key)?,
            text: text.into(),
            name: name.into(),
        })
    }
}

/// Adds what joining through these addresses means: that the network is remote, and
/// whether it is on loopback. Where a flag says otherwise, nothing is added. `name`
/// is the flag that named the addresses.
pub fn joining(flags: &mut Vec<Flag>, addresses: &[String], name: &str) {
    let on_loopback = addresses.iter().filter(|text| address::is_loopback(text));
    let on_loopback = on_loopback.count();
    let mut meant = vec![
        ("network.kind", "remote".to_owned()),
        ("network.bootstrap", addresses.join(",")),
    ];
    if on_loopback == addresses.len() {
        meant.push(("network.local", "true".to_owned()));
        meant.push(("network.ipv6", "false".to_owned()));
    } else if on_loopback == 0 {
        meant.push(("network.local", "false".to_owned()));
    }
    add(flags, meant, name);
}

/// Adds what a wide-area network in a box means, of this scenario if one is given.
/// Where a flag says otherwise, nothing is added. `name` is the flag that asked for
/// it.
///
/// # Errors
///
/// When a flag says that it is another network, or another scenario.
pub fn on_wan(
    flags: &mut Vec<Flag>,
    scenario: Option<&str>,
    name: &str,
) -> Result<(), ConfigError> {
    let mut meant = vec![
        ("network.kind", "wan".to_owned()),
        ("network.local", "false".to_owned()),
        ("network.ipv6", "false".to_owned()),
    ];
    meant.extend(scenario.map(|scenario| ("network.scenario", scenario.to_owned())));
    for (key, text) in &meant {
        let other = flags
            .iter()
            .find(|flag| flag.key.name == *key && flag.text != *text);
        if let Some(other) = other.filter(|_| *key != "network.ipv6") {
            let problem = format!("it says `{}`, and {name} says `{text}`", other.text);
            return Err(Fault::new(&other.name, problem).into());
        }
    }
    add(flags, meant, name);
    Ok(())
}

fn add(flags: &mut Vec<Flag>, meant: Vec<(&str, String)>, name: &str) {
    for (key, text) in meant {
        if !flags.iter().any(|flag| flag.key.name == key) {
            flags.extend(Flag::new(key, text, name));
        }
    }
}

/// Reads the flags: what they say, and what is wrong with the others.
pub(crate) fn entries(flags: &[Flag]) -> (Vec<Entry>, Vec<Fault>) {
    let (mut entries, mut faults) = (Vec::new(), Vec::new());
    for Flag { key, text, name } in flags {
        match key.kind.read_text(text) {
            Ok(value) => entries.push(Entry {
                key,
                value,
                origin: Origin::Flag(name.clone()),
                spot: None,
            }),
            Err(problem) => {
                faults.push(Fault::new(name, problem.what).about(key.setting()));
            }
        }
    }
    (entries, faults)
}
