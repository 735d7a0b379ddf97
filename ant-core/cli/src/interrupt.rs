//! Ctrl-C and SIGTERM end a command in order: work stops, nodes stop, files go.
//! A second signal ends it at once.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::Failure;

const INTERRUPT: u8 = 2;
const TERMINATE: u8 = 15;

/// The signals that end a command.
pub(crate) struct Interrupt {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupt {
    pub(crate) fn new() -> Result<Self, Failure> {
        let listen =
            |kind| signal(kind).map_err(|error| Failure::failed(format!("signals: {error}")));
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    /// The first signal to come, as a failure.
    pub(crate) async fn wait(&mut self) -> Failure {
        tokio::select! {
            _ = self.interrupt.recv() => Failure::Stopped(INTERRUPT),
            _ = self.terminate.recv() => Failure::Stopped(TERMINATE),
        }
    }

    /// Runs `work` unless a signal comes first; then drops it.
    pub(crate) async fn or<T>(
        &mut self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            result = work => result,
            stopped = self.wait() => Err(stopped),
        }
    }

    /// From here on the next signal ends the process at once, in case winding
    /// down takes longer than somebody's patience.
    pub(crate) fn last_call(mut self) {
        tokio::spawn(async move {
            if let Failure::Stopped(signal) = self.wait().await {
                std::process::exit(128 + i32::from(signal));
            }
        });
    }
}
