//! Results on stdout, progress on stderr; a reader that has gone is no error.

use std::io::{self, ErrorKind, Write};

use serde::Serialize;

use crate::exit::Failure;

/// Prints a result.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::failed(format!("stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a result as one JSON document.
pub(crate) fn print_json(document: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(document).map_err(Failure::failed)?;
    print(&format!("{text}\n"))
}
