//! Networks for tests: one at a time, since each keeps both cores busy.

use std::time::Duration;

use ant_core::{Client, ClientConfig, Plan};
use ant_testnet::{Testnet, TestnetConfig};
use tempfile::TempDir;
use tokio::{
    runtime::Runtime,
    sync::{Mutex, MutexGuard},
};

static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// Waits for its turn to run nodes, in this process or in one it starts.
pub(crate) async fn turn() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().await
}

/// A running testnet, its files, and the turn to run it.
pub(crate) struct Network {
    pub(crate) testnet: Testnet,
    folder: TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Network {
    pub(crate) async fn start(config: TestnetConfig) -> Self {
        let turn = turn().await;
        let folder = tempfile::tempdir().unwrap();
        let testnet = Testnet::start(&config, folder.path()).await.unwrap();
        Self {
            testnet,
            folder,
            _turn: turn,
        }
    }

    /// A warmed client under this pacing.
    pub(crate) async fn client(&self, pacing: &str, plan: Plan) -> Client {
        let client = Client::connect(ClientConfig {
            bootstrap: self.testnet.bootstrap(),
            local: true,
            ipv6: false,
            pacing: pacing.parse().unwrap(),
            plan,
            ..ClientConfig::default()
        })
        .await
        .unwrap();
        client.warm_up().await;
        client
    }

    /// Stops it. None of its files is left.
    pub(crate) async fn stop(self) {
        self.testnet.stop().await;
        assert_eq!(self.folder.path().read_dir().unwrap().count(), 0);
    }
}

pub(crate) fn config(nodes: usize) -> TestnetConfig {
    TestnetConfig {
        nodes,
        ..TestnetConfig::default()
    }
}

/// Made-up addresses, none twice.
pub(crate) fn addresses(count: usize) -> Vec<[u8; 32]> {
    (0..count).map(|_| rand::random()).collect()
}

/// Runs a test on a runtime of its own, which ends with it.
pub(crate) fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = Runtime::new().unwrap();
    let result = runtime.block_on(test);
    runtime.shutdown_timeout(Duration::from_secs(10));
    result
}
