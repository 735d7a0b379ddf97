//! The command `ant`: paced merkle payments on the Autonomi network, and the
//! means to measure what a pacing costs.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod exit;
mod flags;
mod following;
mod interrupt;
mod logging;
mod network;
mod output;
mod record;
mod wallet;

use std::{process::ExitCode, time::Duration};

use ant_config::redacted;
use ant_wan::Lab;
use clap::Parser;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::{
    args::Cli, commands::CheckedInput, exit::Failure, interrupt::Left, network::CommandContext,
};

/// How long what is still running may take to end, once a command is done.
const WIND_DOWN: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            failure.code()
        }
    }
}

/// Says what is wrong with the command line, or the help that was asked for.
/// What may be a private key is not repeated.
fn usage(error: &clap::Error) -> ExitCode {
    let text = error.to_string();
    let shown = redacted(&text);
    if shown != text {
        eprint!("{shown}");
    } else if error.print().is_err() {
        // Nobody reads it.
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Raises the limit on open files as far as it goes. A testnet holds a few for
/// each node, and the transport keeps some three of every client that a long
/// measurement has closed.
fn allow_many_files() {
    let raised = getrlimit(Resource::RLIMIT_NOFILE)
        .and_then(|(_, most)| setrlimit(Resource::RLIMIT_NOFILE, most, most));
    if let Err(error) = raised {
        tracing::debug!("the limit on open files stays as it is: {error}");
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    logging::start(cli.verbose)?;
    let Some(command) = commands::run_alone(cli.command)? else {
        return Ok(());
    };
    let ready = CheckedInput::new(command)?;
    allow_many_files();
    let Some(scenario) = ready.scenario() else {
        return carry_out(ready, None);
    };
    // A signal that comes while the network is made waits until there is
    // somebody to end it in order: see `Interrupt::new`.
    interrupt::hold_back()?;
    let lab = Lab::start(scenario)?;
    // Threads are on the host that the one that started them was on.
    std::thread::scope(|scope| {
        let on_host = scope.spawn(|| {
            let entered = lab.client().enter();
            entered.map_err(|error| Failure::failed(format!("the client's host: {error}")))?;
            carry_out(ready, Some(&lab))
        });
        let ended = on_host.join();
        // A panic has been printed where it was.
        ended.unwrap_or_else(|_| Err(Failure::failed("the program panicked")))
    })
}

/// Runs a command on a runtime of its own, with a folder for its files.
fn carry_out(ready: CheckedInput, lab: Option<&Lab>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::failed(format!("the runtime did not start: {error}")))?;
    // Outlives the runtime, so that no node writes to it after its removal.
    let folder = tempfile::Builder::new()
        .prefix("ant-")
        .tempdir()
        .map_err(|error| {
            let place = std::env::temp_dir();
            Failure::failed(format!("a folder in {}: {error}", place.display()))
        })?;
    let context = CommandContext {
        folder: folder.path(),
        lab,
    };
    interrupt::remove_at_a_sudden_end(Left {
        namespaces: lab.map_or_else(Vec::new, Lab::names),
        folder: folder.path().to_owned(),
    });
    let result = runtime.block_on(ready.run(context));
    runtime.shutdown_timeout(WIND_DOWN);
    if let Err(error) = folder.close() {
        tracing::warn!("a temporary folder was not removed: {error}");
    }
    result
}
