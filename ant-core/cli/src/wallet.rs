//! Why this module exists: which wallet pays, on which chain, and where its journal is
//! kept is decided in one place, before anything is started.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use ant_config::Settings;
use ant_core::read_manifest;
use ant_payments::{Journal, Payer};
use ant_protocol::{
    DevnetEvmInfo, compute_address,
    evm::{Address, Network},
};
use ant_testnet::Chain;

use crate::{args::WalletArgs, exit::Failure};

/// The variable that holds the wallet's key, as in the network's other programs.
const KEY: &str = "SECRET_KEY";

/// A chain, and a key that came with it.
pub(crate) struct PaymentChain {
    chain: Network,
    key: Option<String>,
}

impl PaymentChain {
    /// The chain that a testnet's manifest names, or else the settings.
    pub(crate) fn remote(manifest: Option<&Path>, settings: &Settings) -> Result<Self, Failure> {
        if let Some(path) = manifest {
            let evm = read_manifest(path)?.evm.ok_or_else(|| {
                Failure::BadInput(format!(
                    "the testnet of {} has no chain to pay on; start it with `ant testnet --evm`",
                    path.display()
                ))
            })?;
            return Self::of_manifest(path, evm);
        }
        let chain = settings.payment.evm.as_deref();
        let chain = chain.and_then(|name| format!("evm-{name}").parse().ok());
        let chain = chain.ok_or_else(|| {
            Failure::BadInput(
                "no chain is set to pay on; set payment.evm, or give --manifest FILE".to_owned(),
            )
        })?;
        Ok(Self { chain, key: None })
    }

    /// Returns the chain of the manifest or of the settings, if either names one.
    pub(crate) fn known(
        manifest: Option<&Path>,
        settings: &Settings,
    ) -> Result<Option<Network>, Failure> {
        let named = settings.payment.evm.is_some();
        let of_manifest = match manifest {
            Some(path) => read_manifest(path)?.evm.is_some(),
            None => false,
        };
        if !named && !of_manifest {
            return Ok(None);
        }
        Self::remote(manifest.filter(|_| of_manifest), settings).map(|named| Some(named.chain))
    }

    /// The chain of a testnet of our own.
    pub(crate) fn own(chain: &Chain) -> Self {
        Self {
            chain: chain.network().clone(),
            key: Some(chain.key().to_owned()),
        }
    }

    fn of_manifest(path: &Path, evm: DevnetEvmInfo) -> Result<Self, Failure> {
        let bad =
            |what: &str| Failure::BadInput(format!("{}: its {what} is not valid", path.display()));
        if evm.rpc_url.parse::<url::Url>().is_err() {
            return Err(bad("rpc_url"));
        }
        for (what, address) in [
            ("payment_token_address", &evm.payment_token_address),
            ("payment_vault_address", &evm.payment_vault_address),
        ] {
            if address.parse::<Address>().is_err() {
                return Err(bad(what));
            }
        }
        Ok(Self {
            chain: Network::new_custom(
                &evm.rpc_url,
                &evm.payment_token_address,
                &evm.payment_vault_address,
            ),
            key: Some(evm.wallet_private_key),
        })
    }

    /// Makes a payer with the wallet of `SECRET_KEY`, or else with the testnet's own.
    pub(crate) fn payer(self, args: &WalletArgs, own: Option<&Path>) -> Result<Payer, Failure> {
        let folder = match (&args.receipts, own) {
            (Some(folder), _) => folder.clone(),
            // What a testnet of our own was paid ends with it.
            (None, Some(folder)) => folder.join("receipts"),
            (None, None) => of_platform()?,
        };
        self.payer_in(&folder, args.settle_within)
    }

    /// Makes a payer whose journal is in this folder.
    pub(crate) fn payer_in(self, folder: &Path, within: Duration) -> Result<Payer, Failure> {
        let given = std::env::var(KEY).ok().filter(|key| !key.trim().is_empty());
        let key = given.or(self.key).ok_or_else(|| {
            Failure::BadInput(format!(
                "no wallet is given to pay with; set {KEY} to its private key"
            ))
        })?;
        let journal = Journal::open(&folder.join(name(&self.chain)))?;
        let payer = Payer::new(self.chain, &key, journal, within);
        payer.map_err(|error| Failure::BadInput(format!("{KEY}: {error}")))
    }
}

fn of_platform() -> Result<PathBuf, Failure> {
    let data = dirs::data_dir().ok_or_else(|| {
        Failure::BadInput("no place is known for receipts; give --receipts FOLDER".to_owned())
    })?;
    Ok(data.join("ant").join("receipts"))
}

/// Names a folder for a chain: payments of one are never sent to another.
fn name(chain: &Network) -> String {
    match chain {
        Network::Custom(custom) => {
            let all = format!("{custom:?}");
            let hash = compute_address(all.as_bytes());
            format!("custom-{}", hex::encode(&hash[..4]))
        }
        named => named.identifier().to_owned(),
    }
}
