//! The arguments of the commands on settings, profiles and strategies.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::flags::SettingFlags;

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every setting, where its value came from, and what that hides
    Show(ShowArgs),
    /// Find every fault of profiles; of the settings in force, if no file is given
    Check {
        /// Profiles' files
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Print the JSON Schema of a profile, for editors
    Schema,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) settings: SettingFlags,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// List them, and where they are
    List,
    /// Print one
    Show {
        /// Its name, or its file
        name: String,
    },
    /// Write a new one into the folder `profiles` of the working directory, with every key explained
    New {
        /// Its name
        name: String,

        /// The profile that it starts from
        #[arg(long, value_name = "NAME", default_value = "local")]
        extends: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum StrategyCommand {
    /// List them
    List,
    /// Explain one, by its name or a whole spec such as hold-32
    Explain {
        /// Its name or spec
        name: String,
    },
}
