//! The arguments of the commands that pay, store and read.

use std::path::PathBuf;

use clap::Args;

use crate::args::network::NetworkArgs;

#[derive(Debug, Args)]
pub(crate) struct UploadArgs {
    /// The file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Store the data map too, so that everybody who knows its address can read the file
    #[arg(long)]
    pub(crate) public: bool,

    /// Where to write the data map; by default in the working directory, as FILE.datamap
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
