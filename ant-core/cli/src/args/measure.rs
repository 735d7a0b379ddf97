//! The arguments of the commands that measure, on networks and on models of them.

use std::path::PathBuf;

use clap::Args;

use crate::{args::network::NetworkArgs, flags::SettingFlags};

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
pub(crate) struct ReportArgs {
    /// Files of recorded payments
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
