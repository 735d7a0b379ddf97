//! How results are printed. They go to stdout, where a reader that has gone away is not
//! an error; progress goes to stderr.

use std::io::{self, ErrorKind, Write};

use ant_measure::Run;
use serde::Serialize;

use crate::exit::Failure;

/// Prints a result.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_on(text).map(|_| ())
}

/// Prints one of many results. Returns whether anybody still reads.
pub(crate) fn print_on(text: &str) -> Result<bool, Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes());
    match written.and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::failed(format!("stdout: {error}"))),
    }
}

/// Prints a result as one JSON document.
pub(crate) fn print_json(document: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(document).map_err(Failure::failed)?;
    print(&format!("{text}\n"))
}

/// Describes a run in one line.
pub(crate) fn outcome(run: &Run) -> String {
    let seconds = run
        .tree_s
        .map_or_else(|| "?".to_owned(), |s| format!("{s:.1} s"));
    let full = match (run.pools_full, run.pools) {
        (Some(full), Some(pools)) => format!("{full} of {pools} pools full"),
        _ => "no pools".to_owned(),
    };
    let lost = run
        .lost
        .map_or_else(String::new, |lost| format!(", {lost} answers lost"));
    let stored = run.accepted_share.map_or_else(String::new, |share| {
        format!(", stored by {:.0} % of those asked", 100.0 * share)
    });
    let router = run.router_late_ms;
    let router = router.map_or_else(String::new, |ms| format!(", router {ms:.1} ms late"));
    let void = run.void.as_ref();
    let void = void.map_or_else(String::new, |why| format!(" (void: {why})"));
    let error = run.error.as_ref().and_then(|error| error.lines().next());
    let error = error.map_or_else(String::new, |error| format!(" ({error})"));
    format!("{seconds}, {full}{lost}{stored}{router}{error}{void}")
}
