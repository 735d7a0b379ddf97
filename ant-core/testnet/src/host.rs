//! A runtime of a node's own, so that what the node opens is on its host.

use std::time::Duration;

use tokio::runtime::{Handle, Runtime};

/// How long the threads of a node's own runtime may take to end.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// A runtime that may end within another one.
#[derive(Debug)]
pub(crate) struct HostRuntime(Option<Runtime>);

impl HostRuntime {
    pub(crate) fn new(runtime: Runtime) -> Self {
        Self(Some(runtime))
    }

    /// Ends it, and waits a little until its threads have ended.
    pub(crate) async fn end(mut self) {
        if let Some(runtime) = self.0.take() {
            let ended = tokio::task::spawn_blocking(|| runtime.shutdown_timeout(ENDS_WITHIN));
            // A panic has been printed where it was.
            let _ = ended.await;
        }
    }

    pub(crate) fn handle(&self) -> Option<&Handle> {
        self.0.as_ref().map(Runtime::handle)
    }
}

impl Drop for HostRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            // Waiting for its threads would block the runtime this ends in.
            runtime.shutdown_background();
        }
    }
}
