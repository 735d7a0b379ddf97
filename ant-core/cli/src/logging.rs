//! Logs go to stderr, few by default. `RUST_LOG` wins over `-v`, and a typing
//! slip in it is an error, not silence.

use std::io::{IsTerminal, stderr};

use ant_text::nearest;
use tracing_subscriber::{EnvFilter, fmt};

use crate::exit::Failure;

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

pub(crate) fn start(verbose: u8) -> Result<(), Failure> {
    let filter = match std::env::var("RUST_LOG") {
        Ok(text) if !text.trim().is_empty() => from_variable(&text)?,
        _ => EnvFilter::new(by_verbosity(verbose)),
    };
    let plain = std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
    fmt()
        .with_env_filter(filter)
        // Colours are for terminals: in a file they hide words from who searches.
        .with_ansi(stderr().is_terminal() && !plain)
        .with_writer(stderr)
        .init();
    Ok(())
}

/// The network's crates warn of much that is ordinary on a small testnet, so
/// they are heard only when asked for.
fn by_verbosity(verbose: u8) -> String {
    let ours = |level: &str| {
        let crates = ["ant", "ant_core", "ant_measure", "ant_testnet"];
        crates.map(|name| format!("{name}={level}")).join(",")
    };
    match verbose {
        0 => format!("off,{}", ours("warn")),
        1 => format!("warn,{}", ours("debug")),
        2 => format!("info,{}", ours("trace")),
        _ => "debug".to_owned(),
    }
}

fn from_variable(text: &str) -> Result<EnvFilter, Failure> {
    let bad = |problem: String| Failure::BadInput(format!("RUST_LOG: {problem}"));
    for word in text.split(',').map(str::trim) {
        // A lone word may be a crate's name, or a level with a typing slip,
        // which would silence everything.
        let lower = word.to_lowercase();
        let slip = !LEVELS.contains(&lower.as_str()) && !word.contains(['=', '[', ':', '_']);
        if slip && let Some(level) = nearest(word, LEVELS) {
            return Err(bad(format!(
                "`{word}` is not a level; did you mean `{level}`?"
            )));
        }
    }
    EnvFilter::try_new(text).map_err(|error| bad(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_good_filters_are_taken() {
        for good in [
            "debug",
            "WARN",
            "ant_core=trace,off",
            "saorsa_core::dht=debug,info",
            "hyper",
        ] {
            assert!(from_variable(good).is_ok(), "{good}");
        }
        for bad in ["debgu", "info,wran", "ant_core=loud", "trase"] {
            assert!(from_variable(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_verbosity_is_a_filter() {
        for verbose in 0..5 {
            assert!(EnvFilter::try_new(by_verbosity(verbose)).is_ok());
        }
    }
}
