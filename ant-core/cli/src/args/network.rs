//! The arguments that say which network, for the commands that start or join one.

use std::path::PathBuf;

use clap::Args;

use crate::flags::SettingFlags;

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
