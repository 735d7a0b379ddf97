//! The command line, as data: clap makes parsing and help of it. What each group of
//! commands takes is in a file of its own.

mod measure;
mod network;
mod prepare;
mod settings;
mod upload;

use clap::{ArgAction, Parser, Subcommand};

pub(crate) use measure::{MeasureArgs, ReportArgs, SimulateArgs};
pub(crate) use network::{NetworkArgs, TestnetArgs};
pub(crate) use prepare::{FinalizeArgs, QuoteArgs, SoakArgs};
pub(crate) use settings::{ConfigCommand, ProfileCommand, ShowArgs, StrategyCommand};
pub(crate) use upload::{DownloadArgs, ResumeArgs, UploadArgs, WalletArgs};

use crate::flags::environment_help;

/// Paced merkle payments on the Autonomi network, and what a pacing costs.
#[derive(Debug, Parser)]
#[command(name = "ant", version, arg_required_else_help = true, after_long_help = after())]
pub(crate) struct Cli {
    /// Say more: -v of this program, -vv of the network too, -vvv everything.
    /// `RUST_LOG` wins over it.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,

    #[command(subcommand)]
    pub(crate) command: Command,
}

fn after() -> String {
    format!("{}\n{EXIT_CODES}", environment_help())
}

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    failed: a network did not start or could not be joined, a pool stayed short
  2    bad input: a flag, a variable, a profile, a manifest, an address
  3    peers refuse this client's settlement version; update it
  4    the wallet cannot pay, or a payment has not settled; what was paid is kept
  130  interrupted (143: told to end, 129: its terminal closed); for a testnet and a soak that is the good end, and 0\n\
A tree that fails is a result of `ant measure` and `ant soak`, not a failure of theirs.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Network(NetworkCommand),
    /// Make the proofs of a batch that was paid elsewhere
    Finalize(FinalizeArgs),
    /// Simulate strategies on a modelled network; no node is started
    Simulate(SimulateArgs),
    /// Sum up recorded payments per arm
    Report(ReportArgs),
    /// Show and check the settings
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// List, print and write profiles
    Profile {
        #[command(subcommand)]
        command: ProfileCommand,
    },
    /// List and explain the strategies
    Strategy {
        #[command(subcommand)]
        command: StrategyCommand,
    },
}

/// Commands that start or join a network.
#[derive(Debug, Subcommand)]
pub(crate) enum NetworkCommand {
    /// Compare strategies: trees prepared under each, in shuffled blocks
    Measure(MeasureArgs),
    /// Prepare one tree under the active strategy; nothing is paid
    Quote(QuoteArgs),
    /// Prepare trees one after another until stopped, with the settings as they change
    Soak(SoakArgs),
    /// Encrypt a file, pay for its chunks in merkle batches, and store them
    Upload(UploadArgs),
    /// Read a file back from the network
    Download(DownloadArgs),
    /// Finish what earlier uploads have paid for
    Resume(ResumeArgs),
    /// Run the embedded testnet until stopped
    Testnet(TestnetArgs),
}
