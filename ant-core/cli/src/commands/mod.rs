//! A file for each group of commands: what it checks before anything is started, and
//! what it does.

mod config;
mod finalize;
mod measure;
mod quote;
mod report;
mod simulate;
mod soak;
mod strategy;
mod testnet;
mod upload;

use ant_wan::Scenario;

use crate::{
    args::{Command, NetworkCommand, StrategyCommand},
    exit::Failure,
    network::CommandContext,
};

/// Runs a command that needs no network, and so neither a runtime nor a folder;
/// gives others back.
pub(crate) fn run_alone(command: Command) -> Result<Option<NetworkCommand>, Failure> {
    match command {
        Command::Network(command) => return Ok(Some(command)),
        Command::Finalize(args) => finalize::run(&args),
        Command::Simulate(args) => simulate::run(&args),
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

/// A command that needs a network, its input read and found good; nothing is
/// started.
pub(crate) enum CheckedInput {
    Measure(measure::CheckedInput),
    Quote(quote::CheckedInput),
    Soak(soak::CheckedInput),
    Testnet(testnet::CheckedInput),
    Upload(Box<upload::CheckedInput>),
    Download(Box<upload::CheckedDownload>),
}

impl CheckedInput {
    pub(crate) fn new(command: NetworkCommand) -> Result<Self, Failure> {
        Ok(match command {
            NetworkCommand::Measure(args) => Self::Measure(measure::CheckedInput::new(args)?),
            NetworkCommand::Quote(args) => Self::Quote(quote::CheckedInput::new(args)?),
            NetworkCommand::Soak(args) => Self::Soak(soak::CheckedInput::new(args)?),
            NetworkCommand::Testnet(args) => Self::Testnet(testnet::CheckedInput::new(args)?),
            NetworkCommand::Upload(args) => {
                Self::Upload(Box::new(upload::CheckedInput::upload(args)?))
            }
            NetworkCommand::Resume(args) => {
                Self::Upload(Box::new(upload::CheckedInput::resume(args)?))
            }
            NetworkCommand::Download(args) => {
                Self::Download(Box::new(upload::CheckedDownload::new(args)?))
            }
        })
    }

    /// The wide-area network that it wants, if it wants one.
    pub(crate) fn scenario(&self) -> Option<&Scenario> {
        match self {
            Self::Measure(ready) => ready.chosen.scenario(),
            Self::Quote(ready) => ready.chosen.scenario(),
            Self::Soak(ready) => ready.chosen.scenario(),
            Self::Testnet(ready) => ready.own.scenario.as_ref(),
            Self::Upload(ready) => ready.chosen.scenario(),
            Self::Download(ready) => ready.chosen.scenario(),
        }
    }

    pub(crate) async fn run(self, ground: CommandContext<'_>) -> Result<(), Failure> {
        match self {
            Self::Measure(ready) => Box::pin(measure::run(ready, ground)).await,
            Self::Quote(ready) => Box::pin(quote::run(ready, ground)).await,
            Self::Soak(ready) => Box::pin(soak::run(ready, ground)).await,
            Self::Testnet(ready) => Box::pin(testnet::run(ready, ground)).await,
            Self::Upload(ready) => Box::pin(upload::run(*ready, ground)).await,
            Self::Download(ready) => Box::pin(ready.run(ground)).await,
        }
    }
}
