//! One command a file.

mod config;
mod measure;
mod quote;
mod report;
mod soak;
mod strategy;
mod testnet;

use std::path::Path;

use crate::{
    args::{Cli, Command, StrategyCommand},
    exit::Failure,
};

/// Runs the command. `folder` is for files that end with the command.
pub(crate) async fn run(cli: Cli, folder: &Path) -> Result<(), Failure> {
    match cli.command {
        Command::Measure(args) => measure::run(args, folder).await,
        Command::Quote(args) => quote::run(args, folder).await,
        Command::Testnet(args) => testnet::run(args, folder).await,
        Command::Soak(args) => soak::run(args, folder).await,
        Command::Report(args) => report::run(&args),
        Command::Config { command } => config::run(&command),
        Command::Profile { command } => config::run_profile(&command),
        Command::Strategy { command } => match command {
            StrategyCommand::List => strategy::list(),
            StrategyCommand::Explain { name } => strategy::explain(&name),
        },
    }
}
