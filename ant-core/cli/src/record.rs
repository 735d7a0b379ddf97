//! Where payments are recorded, if the settings say so.

use std::fs::OpenOptions;

use ant_config::Settings;
use ant_measure::{PaymentRecord, append_record};

use crate::exit::Failure;

/// Whether payments can be recorded where the settings want it: better known
/// before the first one than after it.
pub(crate) fn check(settings: &Settings) -> Result<(), Failure> {
    let Some(path) = &settings.payment.record else {
        return Ok(());
    };
    let existed = path.exists();
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(|error| {
            Failure::BadInput(format!("payment.record: {}: {error}", path.display()))
        })?;
    if !existed && let Err(error) = std::fs::remove_file(path) {
        tracing::debug!("{}: {error}", path.display());
    }
    Ok(())
}

/// Records a payment, if the settings want it.
pub(crate) fn append(settings: &Settings, payment: &PaymentRecord) -> Result<(), Failure> {
    let Some(path) = &settings.payment.record else {
        return Ok(());
    };
    append_record(path, payment).map_err(|error| {
        Failure::failed(format!(
            "a payment was not recorded in {}: {error}",
            path.display()
        ))
    })
}
