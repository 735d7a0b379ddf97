//! One command a file.

mod config;
mod measure;
mod quote;
mod report;
mod simulate;
mod soak;
mod strategy;
mod testnet;

use ant_wan::Scenario;

use crate::{
    args::{Command, NetworkCommand, StrategyCommand},
    exit::Failure,
    network::Ground,
};

/// Runs a command that needs no network, and so neither a runtime nor a folder;
/// gives others back.
pub(crate) fn run_alone(command: Command) -> Result<Option<NetworkCommand>, Failure> {
    match command {
        Command::Network(command) => return Ok(Some(command)),
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
pub(crate) enum Ready {
    Measure(measure::Ready),
    Quote(quote::Ready),
    Soak(soak::Ready),
    Testnet(testnet::Ready),
}

impl Ready {
    pub(crate) fn new(command: NetworkCommand) -> Result<Self, Failure> {
        Ok(match command {
            NetworkCommand::Measure(args) => Self::Measure(measure::Ready::new(args)?),
            NetworkCommand::Quote(args) => Self::Quote(quote::Ready::new(args)?),
            NetworkCommand::Soak(args) => Self::Soak(soak::Ready::new(args)?),
            NetworkCommand::Testnet(args) => Self::Testnet(testnet::Ready::new(args)?),
        })
    }

    /// The wide-area network that it wants, if it wants one.
    pub(crate) fn scenario(&self) -> Option<&Scenario> {
        match self {
            Self::Measure(ready) => ready.chosen.scenario(),
            Self::Quote(ready) => ready.chosen.scenario(),
            Self::Soak(ready) => ready.chosen.scenario(),
            Self::Testnet(ready) => ready.own.scenario.as_ref(),
        }
    }

    pub(crate) async fn run(self, ground: Ground<'_>) -> Result<(), Failure> {
        match self {
            Self::Measure(ready) => Box::pin(measure::run(ready, ground)).await,
            Self::Quote(ready) => Box::pin(quote::run(ready, ground)).await,
            Self::Soak(ready) => Box::pin(soak::run(ready, ground)).await,
            Self::Testnet(ready) => Box::pin(testnet::run(ready, ground)).await,
        }
    }
}
