//! One command a file.

mod config;
mod measure;
mod quote;
mod strategy;
mod testnet;

use std::path::Path;

use crate::{
    args::{Cli, Command, ConfigCommand, ProfileCommand, StrategyCommand},
    exit::Failure,
};

/// Runs the command. `folder` is for files that end with the command.
pub(crate) async fn run(cli: Cli, folder: &Path) -> Result<(), Failure> {
    match cli.command {
        Command::Measure(args) => measure::run(args, folder).await,
        Command::Quote(args) => quote::run(args, folder).await,
        Command::Testnet(args) => testnet::run(args, folder).await,
        Command::Config { command } => match command {
            ConfigCommand::Show(args) => config::show(&args),
        },
        Command::Profile { command } => match command {
            ProfileCommand::List => config::list_profiles(),
            ProfileCommand::Show { name } => config::show_profile(&name),
        },
        Command::Strategy { command } => match command {
            StrategyCommand::List => strategy::list(),
            StrategyCommand::Explain { name } => strategy::explain(&name),
        },
    }
}
