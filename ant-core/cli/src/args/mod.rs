//! The command line, as data: clap makes parsing and help of it.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};

use crate::flags::{SettingFlags, environment_help};

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
A tree that fails is a result of `ant measure` and `ant soak`, and no failure of theirs.";

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

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Every setting, where its value came from, and what that hides
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
    /// Write a new one beside the working directory, with every key explained
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

/// Which network: the profile's, unless said otherwise; and the settings on it.
#[derive(Debug, Args)]
pub(crate) struct NetworkArgs {
    /// Nodes of the embedded testnet, 16 to 500, or to 250 with --wan [default: 35]
    #[arg(long, value_name = "N", conflicts_with_all = ["manifest", "bootstrap"])]
    pub(crate) nodes: Option<usize>,

    /// How many of them never answer [default: 0]
    #[arg(long, value_name = "K", conflicts_with_all = ["manifest", "bootstrap"])]
    pub(crate) silent: Option<usize>,

    /// Join the devnet of this manifest
    #[arg(long, value_name = "FILE", conflicts_with = "bootstrap")]
    pub(crate) manifest: Option<PathBuf>,

    /// Start the testnet on a wide-area network in a box: residential, datacentre, lossy, or a
    /// scenario's file; the settings' own if none is named. Needs Linux and root
    #[arg(
        long,
        value_name = "SCENARIO",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with_all = ["manifest", "bootstrap"]
    )]
    pub(crate) wan: Option<String>,

    #[command(flatten)]
    pub(crate) settings: SettingFlags,
}

#[derive(Debug, Args)]
pub(crate) struct MeasureArgs {
    /// The strategies compared, each under the published client's plan; `default` is what the
    /// settings say, `upstream` the published client itself. With `~5%` behind it an arm runs
    /// while the testnet's nodes lose 5 % of their answers
    #[arg(
        long,
        value_name = "SPECS",
        value_delimiter = ',',
        default_value = "uncapped,hold-16,release-2s-16,hold-32,default"
    )]
    pub(crate) arms: Vec<String>,

    /// How often each runs
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) blocks: u32,

    /// Addresses a payment, 2 to 4096; more than 256 take several trees
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(2..=4096))]
    pub(crate) leaves: u32,

    /// Decides the addresses, the order of the arms and the nodes' identities
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print one JSON document instead of the table
    #[arg(long)]
    pub(crate) json: bool,

    /// Pay each tree too, on the chain of a testnet, and have some of its chunks stored
    #[arg(long)]
    pub(crate) pay: bool,

    /// With --pay: also on a network that is joined, where it costs real tokens
    #[arg(long, requires = "pay")]
    pub(crate) i_will_spend: bool,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FinalizeArgs {
    /// The batch, as `ant quote --out` wrote it
    #[arg(value_name = "FILE")]
    pub(crate) batch: PathBuf,

    /// The hash of the pool that the contract has drawn: winnerPoolHash of its event
    #[arg(long, value_name = "HASH")]
    pub(crate) winner: String,

    /// Where to write the proofs, as one JSON document; printed if not given
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct UploadArgs {
    /// The file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Store the data map too, so that everybody who knows its address can read the file
    #[arg(long)]
    pub(crate) public: bool,

    /// Where to write the data map; by default beside the working directory, as FILE.datamap
    #[arg(long, value_name = "FILE")]
    pub(crate) data_map: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) wallet: WalletArgs,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    pub(crate) wallet: WalletArgs,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DownloadArgs {
    /// The data map's file, or the address of a public one
    #[arg(value_name = "DATA_MAP")]
    pub(crate) from: String,

    /// Where to write the file
    #[arg(value_name = "FILE")]
    pub(crate) to: PathBuf,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// Who pays, and where that is written down.
#[derive(Debug, Args)]
pub(crate) struct WalletArgs {
    /// Where receipts are kept until everything they pay for is stored; by default in the
    /// platform's data folder for `ant`
    #[arg(long, value_name = "FOLDER")]
    pub(crate) receipts: Option<PathBuf>,

    /// How long a payment may take to settle before it is left to `ant resume`
    #[arg(long, value_name = "DURATION", default_value = "3m", value_parser = ant_text::duration::parse)]
    pub(crate) settle_within: std::time::Duration,
}

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// The network: a shipped scenario (loopback, residential, mainnet, shared, silent, losing,
    /// old), or a file's path
    #[arg(value_name = "SCENARIO", default_value = "mainnet")]
    pub(crate) scenario: String,

    /// The strategies, each under the published client's plan; `default` is what the settings
    /// say, and a scenario may have arms of its own
    #[arg(
        long,
        value_name = "SPECS",
        value_delimiter = ',',
        default_value = "uncapped,hold-16,release-2s-16,hold-32,default"
    )]
    pub(crate) arms: Vec<String>,

    /// How many trees each makes; by default what the scenario says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) trees: Option<u32>,

    /// Decides everything; by default what the scenario says
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Make the trees that the scenario has expectations of, and fail if one does not hold
    #[arg(long, conflicts_with_all = ["arms", "trees", "seed", "json"])]
    pub(crate) check: bool,

    /// Print one JSON document instead of the table
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) settings: SettingFlags,
}

#[derive(Debug, Args)]
pub(crate) struct QuoteArgs {
    /// How many addresses to make up, 2 to 256
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(2..=256))]
    pub(crate) leaves: u32,

    /// Take the addresses from this file: 64 hexadecimal digits a line
    #[arg(long, value_name = "FILE", conflicts_with = "leaves")]
    pub(crate) addresses: Option<PathBuf>,

    /// Write the prepared batch to this file, for who signs and pays elsewhere
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

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
pub(crate) struct SoakArgs {
    /// Stop after so many trees
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) trees: Option<u64>,

    /// Addresses a tree, 2 to 256
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(2..=256))]
    pub(crate) leaves: u32,

    /// Decides the addresses and the nodes' identities
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print every payment as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Files of recorded payments
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TestnetArgs {
    /// How many nodes, 16 to 500 [default: 35, or the scenario's]
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<usize>,

    /// How many of them never answer candidate requests [default: 0, or the scenario's]
    #[arg(long, value_name = "K")]
    pub(crate) silent: Option<usize>,

    /// On a wide-area network in a box: residential, datacentre, lossy, or a scenario's file; the
    /// settings' own if none is named. Needs Linux and root
    #[arg(
        long,
        value_name = "SCENARIO",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with = "port"
    )]
    pub(crate) wan: Option<String>,

    /// Start a chain too, with the contracts and a wallet that can pay; the manifest names them
    #[arg(long, conflicts_with = "wan")]
    pub(crate) evm: bool,

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
