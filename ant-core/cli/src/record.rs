//! Records payments in the file that the settings name, if they name one.

use std::{
    fs::{self, OpenOptions},
    path::Path,
};

use ant_config::{Settings, redacted};
use ant_measure::{PaymentRecord, append_record};
use nix::unistd::{AccessFlags, access};

use crate::exit::Failure;

/// Checks that payments can be recorded where the settings want it, before the first
/// payment and not after it. Creates nothing.
pub(crate) fn check(settings: &Settings) -> Result<(), Failure> {
    let Some(path) = &settings.payment.record else {
        return Ok(());
    };
    writable(path).map_err(|problem| {
        let path = redacted(&path.display().to_string());
        Failure::BadInput(format!("payment.record: {path}: {problem}"))
    })
}

fn writable(path: &Path) -> Result<(), String> {
    if fs::symlink_metadata(path).is_ok() {
        let kind = fs::metadata(path).map_err(|error| error.to_string())?;
        // Opening a pipe would wait for somebody to read.
        if !kind.is_file() {
            return Err("it is not an ordinary file".to_owned());
        }
        let opened = OpenOptions::new().append(true).open(path);
        return opened.map(|_| ()).map_err(|error| error.to_string());
    }
    let folder = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    access(folder, AccessFlags::W_OK | AccessFlags::X_OK)
        .map_err(|error| format!("the folder cannot be written to: {}", error.desc()))
}

/// Records a payment, if the settings want it.
pub(crate) fn append(settings: &Settings, payment: &PaymentRecord) -> Result<(), Failure> {
    let Some(path) = &settings.payment.record else {
        return Ok(());
    };
    check(settings)?;
    append_record(path, payment).map_err(|error| {
        let path = redacted(&path.display().to_string());
        Failure::failed(format!("a payment was not recorded in {path}: {error}"))
    })
}
