//! The command line, as data: clap makes parsing and help of it.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};

/// Paced merkle payments on the Autonomi network, and what a pacing costs.
#[derive(Debug, Parser)]
#[command(name = "ant", version, arg_required_else_help = true, after_long_help = AFTER)]
pub(crate) struct Cli {
    /// Say more: -v of this program, -vv of the network too, -vvv everything.
    /// `RUST_LOG` wins over it.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,

    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER: &str = "\
Environment:
  ANT_MERKLE_PROFILE   the profile to start from: local, testnet, mainnet, or your own
  ANT_MERKLE_STRATEGY  the pacing strategy, in place of the profile's
  ANT_MERKLE_CAP       the slots of the strategy; or `uncapped`, or a whole strategy
  RUST_LOG             what to log, in the usual form

Exit codes:
  0    done
  1    failed: a network did not start or could not be joined, a pool stayed short
  2    bad input: a flag, a variable, a profile, a manifest, an address
  3    peers refuse this client's settlement version; update it
  130  interrupted (143: told to end); for a testnet that is its good end, and 0\n\
A tree that fails is a result of `ant measure`, and no failure of it.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare strategies: trees prepared under each, in shuffled blocks
    Measure(MeasureArgs),
    /// Prepare one tree under the active strategy; nothing is paid
    Quote(QuoteArgs),
    /// Run the embedded testnet until stopped
    Testnet(TestnetArgs),
    /// What is set, and where that came from
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// What profiles there are
    Profile {
        #[command(subcommand)]
        command: ProfileCommand,
    },
    /// What strategies there are
    Strategy {
        #[command(subcommand)]
        command: StrategyCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Every setting, where its value came from, and what that hides
    Show(ShowArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The profile to start from [default: local]
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,

    #[command(flatten)]
    pub(crate) pacing: PacingArgs,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// List them, and where they are
    List,
    /// Print one
    Show {
        /// Its name
        name: String,
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

/// Which network: the profile's, unless said otherwise.
#[derive(Debug, Args)]
pub(crate) struct NetworkArgs {
    /// The profile to start from [default: local]
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,

    /// Nodes of the embedded testnet, 16 to 500 [default: 35]
    #[arg(long, value_name = "N", conflicts_with_all = ["manifest", "bootstrap"])]
    pub(crate) nodes: Option<usize>,

    /// How many of them never answer [default: 0]
    #[arg(long, value_name = "K", conflicts_with_all = ["manifest", "bootstrap"])]
    pub(crate) silent: Option<usize>,

    /// Join the devnet of this manifest
    #[arg(long, value_name = "FILE", conflicts_with = "bootstrap")]
    pub(crate) manifest: Option<PathBuf>,

    /// Join through these addresses, such as 127.0.0.1:20000
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    pub(crate) bootstrap: Option<Vec<String>>,
}

#[derive(Debug, Args)]
pub(crate) struct MeasureArgs {
    /// The strategies compared
    #[arg(
        long,
        value_name = "SPECS",
        value_delimiter = ',',
        default_value = "uncapped,hold-16,release-2s-16,hold-32"
    )]
    pub(crate) arms: Vec<String>,

    /// How often each runs
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) blocks: u32,

    /// Addresses a tree, 2 to 256
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(2..=256))]
    pub(crate) leaves: u32,

    /// Decides the addresses, the order of the arms and the nodes' identities
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print one JSON document instead of the table
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// The pacing: the profile's, unless said otherwise.
#[derive(Debug, Args)]
pub(crate) struct PacingArgs {
    /// The pacing strategy, in place of the profile's
    #[arg(long, value_name = "SPEC")]
    pub(crate) strategy: Option<String>,

    /// The slots of the strategy; or `uncapped`, or a whole strategy
    #[arg(long, value_name = "CAP", allow_hyphen_values = true)]
    pub(crate) cap: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct QuoteArgs {
    #[command(flatten)]
    pub(crate) pacing: PacingArgs,

    /// How many addresses to make up, 2 to 256
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(2..=256))]
    pub(crate) leaves: u32,

    /// Take the addresses from this file: 64 hexadecimal digits a line
    #[arg(long, value_name = "FILE", conflicts_with = "leaves")]
    pub(crate) addresses: Option<PathBuf>,

    /// Decides the made-up addresses and the nodes' identities
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TestnetArgs {
    /// How many nodes, 16 to 500
    #[arg(long, value_name = "N", default_value_t = 35)]
    pub(crate) nodes: usize,

    /// How many of them never answer candidate requests
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub(crate) silent: usize,

    /// How many of them refuse this client's settlement version
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub(crate) refusing: usize,

    /// The first node's UDP port, the others follow it [default: any that are free]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,

    /// Write the devnet manifest to this file, for as long as the testnet runs
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,

    /// Decides the nodes' identities
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}
