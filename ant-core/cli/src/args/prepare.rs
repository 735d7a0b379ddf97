//! The arguments of the commands that prepare payments and pay nothing, and of what
//! finishes a payment that was made elsewhere.

use std::path::PathBuf;

use clap::Args;

use crate::args::network::NetworkArgs;

#[derive(Debug, Args)]
pub(crate) struct QuoteArgs {
    /// How many addresses to make up, 2 to 256
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(2..=256))]
    pub(crate) leaves: u32,

    /// Take the addresses from this file: 64 hexadecimal digits a line
    #[arg(long, value_name = "FILE", conflicts_with = "leaves")]
    pub(crate) addresses: Option<PathBuf>,

    /// Write the prepared batch to this file, for signing and paying elsewhere
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
    /// Stop after this number of trees
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
