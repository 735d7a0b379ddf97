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
    args::{Command, NetworkCommand, StrategyCommand},
    exit::Failure,
};

/// Runs a command that needs no network, and so neither a runtime nor a folder;
/// gives others back.
pub(crate) fn run_alone(command: Command) -> Result<Option<NetworkCommand>, Failure> {
    match command {
        Command::Network(command) => return Ok(Some(command)),
        Command::Report(args) => report::run(&args),
        Command::Config { command } => config::run(&command),
        Command::Profile { command } => config::run_profile(&command),
        Command::Strategy { command } => match command {
            StrategyCommand::List => strategy::list(),
            StrategyCommand::Explain { name } => strategy::explain(&name),
        },
    }?;
    Ok(None)
}

/// Runs a command that needs a network. `folder` is for files that end with it.
pub(crate) async fn run(command: NetworkCommand, folder: &Path) -> Result<(), Failure> {
    match command {
        NetworkCommand::Measure(args) => measure::run(args, folder).await,
        NetworkCommand::Quote(args) => quote::run(args, folder).await,
        NetworkCommand::Soak(args) => soak::run(args, folder).await,
        NetworkCommand::Testnet(args) => testnet::run(args, folder).await,
    }
}
