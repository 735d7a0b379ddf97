//! Results on stdout, progress on stderr; a reader that has gone is no error.

use std::io::{self, ErrorKind, Write};

use serde::Serialize;

use crate::exit::Failure;

/// Prints a result.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_on(text).map(|_| ())
}

/// Prints one of many results; whether anybody still reads.
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
