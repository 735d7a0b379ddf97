//! Ctrl-C and SIGTERM end a command in order: work stops, nodes stop, files go.
//! A second signal ends it at once.

use std::{path::PathBuf, sync::OnceLock};

use ant_wan::remove_namespaces;
use nix::sys::signal::{SigSet, Signal as System};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::Failure;

/// Holds back the signals that would end the process, on this thread and those it
/// starts, until [`Interrupt::new`] listens.
pub(crate) fn hold_back() -> Result<(), Failure> {
    let all = ending();
    all.thread_block()
        .map_err(|error| Failure::failed(format!("signals: {error}")))
}

/// Returns the signals that end a command.
fn ending() -> SigSet {
    [System::SIGINT, System::SIGTERM, System::SIGHUP]
        .into_iter()
        .collect()
}

fn listen(kind: SignalKind) -> Result<Signal, Failure> {
    signal(kind).map_err(|error| Failure::failed(format!("signals: {error}")))
}

/// Waits for the next signal of a kind; for ever without a listener.
async fn next(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

const HANGUP: u8 = 1;
const INTERRUPT: u8 = 2;
const TERMINATE: u8 = 15;

/// What is to be removed if the process ends without winding down.
static LEFT: OnceLock<Left> = OnceLock::new();

/// What a command leaves behind if it does not wind down: namespaces and a folder.
pub(crate) struct Left {
    pub(crate) namespaces: Vec<String>,
    pub(crate) folder: PathBuf,
}

/// Remembers what a sudden end is to remove.
pub(crate) fn remove_at_a_sudden_end(left: Left) {
    // There is one command, and so one to remember.
    let _ = LEFT.set(left);
}

/// Ends the process now, as the second signal wants.
fn end_at_once(signal: u8) -> ! {
    if let Some(left) = LEFT.get() {
        remove_namespaces(&left.namespaces);
        // Nodes may still be writing; what they leave is the system's to clean.
        let _ = std::fs::remove_dir_all(&left.folder);
    }
    std::process::exit(128 + i32::from(signal));
}

/// The signals that end a command.
pub(crate) struct Interrupt {
    ctrl_c: Signal,
    terminate: Signal,
    /// A closed terminal, unless that means something else to the command.
    hangup: Option<Signal>,
}

impl Interrupt {
    /// Listens for all signals that end a command.
    pub(crate) fn new() -> Result<Self, Failure> {
        let hangup = listen(SignalKind::hangup())?;
        Self::listening(Some(hangup))
    }

    /// Listens for the signals that end a command, except SIGHUP, which the command
    /// uses for something else: its listener is returned beside.
    pub(crate) fn and_hangup() -> Result<(Self, Signal), Failure> {
        let hangup = listen(SignalKind::hangup())?;
        Ok((Self::listening(None)?, hangup))
    }

    /// Listens for the other signals, and lets through what was held back. SIGHUP
    /// must have its listener by then, or it would end the process.
    fn listening(hangup: Option<Signal>) -> Result<Self, Failure> {
        let this = Self {
            ctrl_c: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup,
        };
        let all = ending();
        // What was held back comes now, and finds a listener.
        all.thread_unblock()
            .map_err(|error| Failure::failed(format!("signals: {error}")))?;
        Ok(this)
    }

    /// Waits for the first signal, and returns it as a failure.
    pub(crate) async fn wait(&mut self) -> Failure {
        tokio::select! {
            _ = self.ctrl_c.recv() => Failure::Stopped(INTERRUPT),
            _ = self.terminate.recv() => Failure::Stopped(TERMINATE),
            () = next(&mut self.hangup) => Failure::Stopped(HANGUP),
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

    /// Runs what starts a network. If a signal ends that, the next one does not
    /// wait for what has started to wind down.
    pub(crate) async fn starting<T>(
        mut self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<(Self, T), Failure> {
        match self.or(work).await {
            Ok(started) => Ok((self, started)),
            Err(failure) => {
                self.last_call();
                Err(failure)
            }
        }
    }

    /// From here on the next signal ends the process at once, in case winding
    /// down takes longer than somebody's patience.
    pub(crate) fn last_call(mut self) {
        tokio::spawn(async move {
            if let Failure::Stopped(signal) = self.wait().await {
                // Programs are run, which blocks.
                tokio::task::spawn_blocking(move || end_at_once(signal));
            }
        });
    }
}
