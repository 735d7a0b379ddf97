//! A flag for every key, made of the list of keys, so that no key is without one
//! and help, parsing and documentation cannot differ.

use std::fmt::Write;

use ant_config::{Flag, KEYS, Key, Kind};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

/// The settings that were given as flags: of all keys, or of those that do not
/// choose the pacing.
#[derive(Clone, Debug)]
pub(crate) struct SettingFlags<const PACING: bool> {
    pub(crate) given: Vec<Flag>,
}

/// Flags of every key.
pub(crate) type AllSettings = SettingFlags<true>;

/// Flags for a command that has its own way to choose the pacing.
pub(crate) type NotPacing = SettingFlags<false>;

impl<const PACING: bool> SettingFlags<PACING> {
    fn keys() -> impl Iterator<Item = &'static Key> {
        KEYS.iter().filter(|key| PACING || !key.is_pacing())
    }
}

impl<const PACING: bool> Args for SettingFlags<PACING> {
    fn augment_args(command: Command) -> Command {
        Self::keys().fold(command, |command, key| {
            let default = match key.default_text() {
                "none" => String::new(),
                text => format!(" [built in: {text}]"),
            };
            let help = format!("{}{default}", key.meaning());
            let flag = Arg::new(key.flag)
                .long(key.flag)
                .value_name(placeholder(key))
                .allow_hyphen_values(true)
                .help_heading("Settings, over those of the profile and the variables")
                .help(help);
            command.arg(flag)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const PACING: bool> FromArgMatches for SettingFlags<PACING> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = Self::keys().filter_map(|key| {
            let text = matches.get_one::<String>(key.flag)?;
            Flag::new(key.name, text, format!("--{}", key.flag))
        });
        Ok(Self {
            given: given.collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn placeholder(key: &Key) -> &'static str {
    match key.kind {
        Kind::Profile => "NAME",
        Kind::Strategy => "SPEC",
        Kind::Slots => "CAP",
        Kind::Span { .. } => "DURATION",
        Kind::Count { .. } => "N",
        Kind::Switch => "BOOL",
        Kind::Choice(_) => "WORD",
        Kind::Addresses => "ADDRESSES",
        Kind::File => "FILE",
        Kind::Arms => "ARMS",
    }
}

/// Every variable and what it sets, for the help.
pub(crate) fn environment_help() -> String {
    let width = KEYS.iter().map(|key| key.variable.len()).max();
    let width = width.unwrap_or(0);
    let mut text = String::from("Environment:\n");
    for key in KEYS {
        let _ = writeln!(text, "  {:<width$}  {}", key.variable, key.summary);
    }
    let _ = writeln!(
        text,
        "  {:<width$}  what to log, in the usual form",
        "RUST_LOG"
    );
    text
}
