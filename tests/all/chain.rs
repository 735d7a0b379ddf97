//! A testnet with a chain, and `ant` beside it as people run it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::Duration,
};

use ant_payments::{Journal, Payer};
use ant_protocol::evm::{Amount, Network as Evm, Wallet};
use ant_testnet::{Chain, ManifestFile, TestnetConfig};
use tempfile::TempDir;

use crate::{
    command::{ant, ends_with},
    network::Network,
};

/// A testnet that can be paid, its manifest, and a folder to work in.
pub(crate) struct Paying {
    pub(crate) network: Network,
    folder: TempDir,
    _manifest: ManifestFile,
}

impl Paying {
    /// 35 nodes, if nothing else is said.
    pub(crate) async fn start(config: TestnetConfig) -> Self {
        let config = TestnetConfig {
            chain: true,
            ..config
        };
        let network = Network::start(config).await;
        let folder = tempfile::tempdir().unwrap();
        let manifest =
            ManifestFile::write(&folder.path().join("m.json"), &network.testnet.manifest());
        Self {
            network,
            folder,
            _manifest: manifest.unwrap(),
        }
    }

    /// A path in the folder to work in.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.path("m.json")
    }

    /// Where the receipts of commands are.
    pub(crate) fn receipts(&self) -> PathBuf {
        self.path("receipts")
    }

    pub(crate) fn chain(&self) -> &Chain {
        self.network.testnet.chain().unwrap()
    }

    pub(crate) fn evm(&self) -> &Evm {
        self.chain().network()
    }

    /// What the testnet's wallet has.
    pub(crate) async fn balance(&self) -> Amount {
        let wallet = Wallet::new_from_private_key(self.evm().clone(), self.chain().key());
        wallet.unwrap().balance_of_tokens().await.unwrap()
    }

    /// A payer with that wallet and receipts of its own.
    pub(crate) fn payer(&self) -> Payer {
        let journal = Journal::open(&self.path("own")).unwrap();
        let within = Duration::from_mins(1);
        Payer::new(self.evm().clone(), self.chain().key(), journal, within).unwrap()
    }

    /// `ant` in this folder, on this network.
    pub(crate) fn ant(&self, words: &[&str]) -> Command {
        let mut command = ant(words);
        let place = self.folder.path();
        command.current_dir(place).env("TMPDIR", place);
        command.arg("--manifest").arg(self.manifest());
        if ["upload", "resume"].contains(&words[0]) {
            command.arg("--receipts").arg(self.receipts());
        }
        command
    }

    /// Runs it to the end and expects this exit code.
    pub(crate) fn ends(&self, words: &[&str], code: i32) -> Output {
        ends_with(&mut self.ant(words), code)
    }

    /// A new file of this many random bytes.
    pub(crate) fn random_file(&self, name: &str, bytes: usize) -> Vec<u8> {
        let content: Vec<u8> = (0..bytes).map(|_| rand::random()).collect();
        fs::write(self.path(name), &content).unwrap();
        content
    }

    /// Downloads a file and compares it.
    pub(crate) fn reads(&self, from: &str, content: &[u8]) {
        let back = self.path("back");
        self.ends(&["download", from, "back"], 0);
        assert!(fs::read(&back).unwrap() == content, "{from}");
        fs::remove_file(back).unwrap();
    }

    /// The folders of receipts that are not done with.
    pub(crate) fn open_receipts(&self) -> Vec<PathBuf> {
        folders(&self.receipts())
            .iter()
            .flat_map(|chain| folders(chain))
            .filter(|receipt| receipt.join("signed.json").exists())
            .collect()
    }

    pub(crate) async fn stop(self) {
        self.network.stop().await;
    }
}

/// The folders in a folder; none if there is no such folder.
fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(of).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.is_dir()).collect()
}
