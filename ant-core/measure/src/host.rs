//! The host's facts that explain a measurement: cores, memory, load, versions.

use std::collections::BTreeMap;

use serde::Serialize;

/// The facts of the host at one moment. What the platform does not tell is `None`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Host {
    /// The operating system and the processor's architecture.
    pub system: String,
    /// How many cores this process may use.
    pub cores: Option<usize>,
    /// The machine's memory, in bytes.
    pub memory: Option<u64>,
    /// How many processes wanted to run, on average over 1, 5 and 15 minutes.
    pub load: Option<[f64; 3]>,
}

impl Host {
    /// The facts as of now.
    pub fn now() -> Self {
        Self {
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            cores: std::thread::available_parallelism().ok().map(Into::into),
            memory: memory(),
            load: load(),
        }
    }
}

/// Read from Linux's `/proc`; unknown elsewhere.
fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024)
}

fn load() -> Option<[f64; 3]> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let mut numbers = text.split_whitespace().map(|word| word.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

/// Returns how many seconds of processor time this process has used, in user and
/// system mode together.
pub(crate) fn cpu_seconds() -> Option<f64> {
    use nix::sys::{
        resource::{UsageWho, getrusage},
        time::TimeVal,
    };
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    let used: TimeVal = usage.user_time() + usage.system_time();
    #[expect(clippy::cast_precision_loss, reason = "exact for 285 years of seconds")]
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Some(seconds(used))
}

/// Returns our version, and the versions of the network's crates that this was built
/// with, by the name of the crate.
pub fn versions() -> BTreeMap<String, String> {
    const LOCK: &str = include_str!("../../../Cargo.lock");
    const NETWORK: [&str; 5] = [
        "ant-node",
        "ant-protocol",
        "evmlib",
        "saorsa-core",
        "saorsa-transport",
    ];
    let mut versions = BTreeMap::new();
    versions.insert("ant".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    for package in LOCK.split("[[package]]") {
        let field = |key: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(key))?;
            Some(line.trim_matches([' ', '=', '"']).to_owned())
        };
        if let (Some(name), Some(version)) = (field("name"), field("version"))
            && NETWORK.contains(&name.as_str())
        {
            versions.insert(name, version);
        }
    }
    versions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_crates_are_all_named() {
        let versions = versions();
        assert_eq!(versions.len(), 6, "{versions:?}");
        assert_eq!(versions["ant-node"], "0.23.1");
    }

    #[test]
    fn processor_time_goes_up() {
        let before = cpu_seconds().unwrap();
        let mut sum = 0u64;
        for n in 0..50_000_000u64 {
            sum = std::hint::black_box(sum.wrapping_add(n * n));
        }
        assert!(cpu_seconds().unwrap() > before, "{sum}");
    }
}
