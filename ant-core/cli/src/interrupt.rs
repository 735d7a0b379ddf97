//! Ctrl-C and SIGTERM end a command in order: work stops, nodes stop, files go.
//! A second signal ends it at once.

use nix::sys::signal::{SigSet, Signal as System};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::Failure;

/// Holds back what would end the process, on this thread and those it starts,
/// until [`Interrupt::new`] listens.
pub(crate) fn hold_back() -> Result<(), Failure> {
    let all = ending();
    all.thread_block()
        .map_err(|error| Failure::failed(format!("signals: {error}")))
}

fn ending() -> SigSet {
    [System::SIGINT, System::SIGTERM].into_iter().collect()
}

const INTERRUPT: u8 = 2;
const TERMINATE: u8 = 15;

/// The signals that end a command.
pub(crate) struct Interrupt {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupt {
    pub(crate) fn new() -> Result<Self, Failure> {
        let this = Self::listen()?;
        let all = ending();
        // What was held back comes now, to who has just begun to listen.
        all.thread_unblock()
            .map_err(|error| Failure::failed(format!("signals: {error}")))?;
        Ok(this)
    }

    fn listen() -> Result<Self, Failure> {
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
