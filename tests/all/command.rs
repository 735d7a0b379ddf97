//! Running the command `ant` as people do: a process, its output, its exit code.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::Value;

/// The program, which cargo builds for the tests of the package `ant-cli`.
pub(crate) fn program() -> PathBuf {
    // …/release/deps/all-0123 → …/release/ant
    let own = std::env::current_exe().unwrap();
    let program = own.ancestors().nth(2).unwrap().join("ant");
    assert!(
        program.exists(),
        "{} is not there; run all tests with `cargo test --release --workspace`",
        program.display()
    );
    program
}

/// `ant` with these words and nothing of this process's settings.
pub(crate) fn ant(words: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(words).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let ours = name
            .to_str()
            .is_some_and(|n| n.starts_with("ANT_") || n == "RUST_LOG");
        if ours {
            command.env_remove(name);
        }
    }
    command
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs to the end and expects this exit code.
pub(crate) fn ends_with(command: &mut Command, code: i32) -> Output {
    let output = command.output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(code),
        "{command:?}\nstdout: {}\nstderr: {}",
        text(&output.stdout),
        text(&output.stderr)
    );
    output
}

/// Runs to a good end and reads its JSON document.
pub(crate) fn json(command: &mut Command) -> Value {
    let output = ends_with(command, 0);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A running `ant`; ended by force if the test fails.
pub(crate) struct Running {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// The next line it prints; empty at its end.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(
            Pid::from_raw(i32::try_from(self.child.id()).unwrap()),
            signal,
        )
        .unwrap();
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for its end; its exit code and what it still printed.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.lines, &mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
