//! Network namespaces by name, made and removed with `ip`, so that other
//! programs can enter them too (`ip netns exec NAME …`).
//!
//! A name says whose it is: the process, and when that started, since process
//! numbers are used again. So the next start can tell what a killed process left
//! behind from what a running one needs.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use nix::sched::{CloneFlags, setns, unshare};

use crate::LabError;

/// Where `ip` keeps the namespaces with names.
const NAMED: &str = "/run/netns";

/// What all our names start with.
const PREFIX: &str = "ant-wan-";

/// A namespace of ours. It is removed when this ends.
#[derive(Debug)]
pub(crate) struct Namespace {
    name: String,
    file: File,
}

impl Namespace {
    pub(crate) fn new(name: &str) -> Result<Self, LabError> {
        ip(&["netns", "add", name]).map_err(LabError::step(format!("namespace {name}")))?;
        let path = Path::new(NAMED).join(name);
        match File::open(&path) {
            Ok(file) => Ok(Self {
                name: name.to_owned(),
                file,
            }),
            Err(error) => {
                remove(name);
                Err(LabError::step(path.display().to_string())(error))
            }
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// A way into it that may be kept.
    pub(crate) fn entrance(&self) -> io::Result<Entrance> {
        self.file.try_clone().map(Entrance)
    }

    /// Moves the calling thread, and those it starts from here on, into it.
    pub(crate) fn enter(&self) -> io::Result<()> {
        setns(&self.file, CloneFlags::CLONE_NEWNET).map_err(io::Error::from)
    }

    /// Runs something on a thread within it.
    pub(crate) fn run<T: Send>(
        &self,
        work: impl FnOnce() -> io::Result<T> + Send,
    ) -> io::Result<T> {
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                self.enter()?;
                work()
            });
            let ended = thread.join();
            ended.unwrap_or_else(|_| Err(io::Error::other("a thread in the namespace panicked")))
        })
    }
}

/// A way into a namespace.
pub(crate) struct Entrance(File);

impl Entrance {
    pub(crate) fn enter(&self) -> io::Result<()> {
        setns(&self.0, CloneFlags::CLONE_NEWNET).map_err(io::Error::from)
    }
}

/// Runs something on a thread in a namespace without a name, which ends with it.
pub(crate) fn run_apart<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            unshare(CloneFlags::CLONE_NEWNET)?;
            work()
        });
        let ended = thread.join();
        ended.unwrap_or_else(|_| Err(io::Error::other("a thread in a namespace panicked")))
    })
}

impl Drop for Namespace {
    fn drop(&mut self) {
        remove(&self.name);
    }
}

/// Removes namespaces by name.
pub fn remove_namespaces(names: &[String]) {
    names.iter().for_each(|name| remove(name));
}

fn remove(name: &str) {
    if let Err(error) = ip(&["netns", "del", name]) {
        tracing::warn!("the namespace {name} was not removed: {error}");
    }
}

/// Runs `ip`; what it says on stderr is the error.
fn ip(words: &[&str]) -> io::Result<()> {
    checked(
        &Command::new("ip")
            .args(words)
            .stdin(Stdio::null())
            .output()?,
    )
}

/// Runs several `ip` commands in the calling thread's namespace.
pub(crate) fn ip_batch(lines: &str) -> io::Result<()> {
    let mut child = Command::new("ip")
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(lines.as_bytes())?;
    }
    checked(&child.wait_with_output()?)
}

fn checked(output: &Output) -> io::Result<()> {
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or("it failed and said nothing");
    Err(io::Error::other(format!("ip: {said}")))
}

/// Whether `ip` is there.
pub(crate) fn has_ip() -> bool {
    ip(&["-Version"]).is_ok()
}

/// A name for a set of namespaces of this process.
pub(crate) fn set_name() -> String {
    static SETS: AtomicU32 = AtomicU32::new(0);
    let id = std::process::id();
    let started = started(id).unwrap_or(0);
    let set = SETS.fetch_add(1, Ordering::Relaxed);
    format!("{PREFIX}{id}-{started}-{set}")
}

/// Removes what processes that are no more have left behind; how many.
pub(crate) fn remove_stale() -> usize {
    let names = fs::read_dir(NAMED).into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let stale: Vec<_> = names.filter(|name| is_stale(name)).collect();
    for name in &stale {
        remove(name);
    }
    stale.len()
}

fn is_stale(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else {
        return false;
    };
    let mut numbers = rest.split('-').map(str::parse::<u64>);
    let (Some(Ok(id)), Some(Ok(since))) = (numbers.next(), numbers.next()) else {
        return false;
    };
    let running = u32::try_from(id).ok().and_then(started);
    running != Some(since)
}

/// When a process started, in the kernel's ticks since boot; nothing if there is
/// no such process, or only its remains.
fn started(id: u32) -> Option<u64> {
    let path = PathBuf::from(format!("/proc/{id}/stat"));
    let stat = fs::read_to_string(path).ok()?;
    // The command's name, in brackets, may hold anything; count from its end.
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    // Field 22 of the line; the state is field 3.
    fields.nth(18)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_dead_left_is_stale() {
        let mine = set_name();
        assert!(!is_stale(&format!("{mine}-n0")));
        let id = std::process::id();
        assert!(
            is_stale(&format!("{PREFIX}{id}-1-0-n0")),
            "another with my number"
        );
        assert!(
            is_stale(&format!("{PREFIX}4194305-1-0-n0")),
            "no such process"
        );
        for foreign in ["docker", "ant-wan", "ant-wan-", "ant-wan-mine", "ant-wan-1"] {
            assert!(!is_stale(foreign), "{foreign}");
        }
    }

    #[test]
    fn every_set_has_a_name_of_its_own() {
        assert_ne!(set_name(), set_name());
    }
}
