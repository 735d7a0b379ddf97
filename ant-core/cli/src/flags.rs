//! A flag for every key, made of the list of keys: every key has one, and help,
//! parsing and documentation cannot differ.

use std::fmt::Write;

use ant_config::{Flag, KEYS, Key, Kind, joining};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// The settings that were given as flags.
#[derive(Clone, Debug)]
pub(crate) struct SettingFlags {
    pub(crate) given: Vec<Flag>,
}

impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        KEYS.iter().fold(command, |command, key| {
            let default = match key.default_text() {
                "none" => String::new(),
                text => format!(" [built in: {text}]"),
            };
            let help = format!("{}{default}", key.meaning());
            let flag = Arg::new(key.flag)
                .long(key.flag)
                .action(action(key))
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

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = KEYS.iter().filter_map(|key| {
            let texts: Vec<_> = matches.get_many::<String>(key.flag)?.cloned().collect();
            Flag::new(key.name, texts.join(","), format!("--{}", key.flag))
        });
        let mut given: Vec<_> = given.collect();
        // Naming addresses means to join through them.
        let addresses = given
            .iter()
            .find(|flag| flag.key.name == "network.bootstrap");
        if let Some(addresses) = addresses {
            let texts: Vec<_> = addresses.text.split(',').map(str::to_owned).collect();
            joining(&mut given, &texts, "--bootstrap");
        }
        Ok(Self { given })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Lists may be given in parts.
fn action(key: &Key) -> ArgAction {
    match key.kind {
        Kind::Addresses | Kind::Arms => ArgAction::Append,
        _ => ArgAction::Set,
    }
}

fn placeholder(key: &Key) -> &'static str {
    match key.kind {
        Kind::NameOrPath => "NAME",
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

/// Lists every variable and what it sets, for the help.
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
