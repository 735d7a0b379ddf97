//! The chain that a testnet's payments settle on: Anvil in a process of its own,
//! with the network's contracts and a wallet that has both tokens.

use ant_protocol::{
    DevnetEvmInfo,
    evm::{Network, testnet::Testnet as Anvil},
};

use crate::TestnetError;

/// A running chain. It ends with this.
pub struct Chain {
    network: Network,
    key: String,
    /// Ends the process when it is dropped.
    _anvil: Anvil,
}

impl std::fmt::Debug for Chain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Keys are never printed, not even a test chain's.
        write!(f, "Chain({})", self.network.rpc_url())
    }
}

impl Chain {
    /// Starts one, on a port that is free.
    pub(crate) async fn start() -> Result<Self, TestnetError> {
        let anvil = Anvil::new().await.map_err(TestnetError::chain)?;
        let key = anvil.default_wallet_private_key();
        Ok(Self {
            network: anvil.to_network(),
            key: key.map_err(TestnetError::chain)?,
            _anvil: anvil,
        })
    }

    /// Returns where it is, and its contracts.
    pub const fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the private key of a wallet that has plenty of both tokens.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns what the manifest says of it.
    pub(crate) fn manifest(&self) -> DevnetEvmInfo {
        DevnetEvmInfo {
            rpc_url: self.network.rpc_url().to_string(),
            wallet_private_key: self.key.clone(),
            payment_token_address: self.network.payment_token_address().to_string(),
            payment_vault_address: self.network.payment_vault_address().to_string(),
        }
    }
}
