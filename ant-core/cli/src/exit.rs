//! How a command fails: what it says, and the exit code it ends with.

use std::{fmt::Display, process::ExitCode};

/// A failure, by its exit code. See `ant --help` for what the codes promise.
#[derive(Debug)]
pub(crate) enum Failure {
    /// 1: it did not work.
    Failed(String),
    /// 2: what was asked for does not make sense.
    BadInput(String),
    /// 3: peers refuse this client's settlement version.
    Refused(String),
    /// 4: the wallet cannot pay, or a payment has not settled.
    Unpaid(String),
    /// 129, 130 or 143: stopped by a signal. Holds the signal's number.
    Stopped(u8),
}

impl Failure {
    pub(crate) fn failed(error: impl Display) -> Self {
        Self::Failed(error.to_string())
    }

    pub(crate) fn bad_input(error: impl Display) -> Self {
        Self::BadInput(error.to_string())
    }

    /// Each fault as an error of its own.
    pub(crate) fn faults(faults: &[ant_config::Fault]) -> Self {
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        Self::BadInput(faults.join("\nerror: "))
    }

    /// Makes one failure of several that have been reported: the one whose exit code says
    /// most.
    pub(crate) fn all(failures: Vec<Self>, text: &str) -> Result<(), Self> {
        let most = failures.into_iter().max_by_key(|failure| match failure {
            Self::BadInput(_) => 0,
            Self::Failed(_) => 1,
            Self::Unpaid(_) => 2,
            Self::Refused(_) => 3,
            Self::Stopped(_) => 4,
        });
        most.map_or(Ok(()), |most| Err(most.with(|_| text.to_owned())))
    }

    /// Adds what the failure is about, unless its text names that already.
    pub(crate) fn about(self, name: &str) -> Self {
        self.with(|text| {
            if text.contains(name) {
                text
            } else {
                format!("{name}: {text}")
            }
        })
    }

    /// Keeps the exit code and changes the text.
    fn with(self, words: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Failed(text) => Self::Failed(words(text)),
            Self::BadInput(text) => Self::BadInput(words(text)),
            Self::Refused(text) => Self::Refused(words(text)),
            Self::Unpaid(text) => Self::Unpaid(words(text)),
            Self::Stopped(signal) => Self::Stopped(signal),
        }
    }

    pub(crate) fn report(&self) {
        match self {
            Self::Failed(text)
            | Self::BadInput(text)
            | Self::Refused(text)
            | Self::Unpaid(text) => {
                eprintln!("error: {text}");
            }
            Self::Stopped(_) => eprintln!("stopped"),
        }
    }

    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Failed(_) => 1,
            Self::BadInput(_) => 2,
            Self::Refused(_) => 3,
            Self::Unpaid(_) => 4,
            Self::Stopped(signal) => 128 + signal,
        })
    }
}

impl From<ant_core::Error> for Failure {
    fn from(error: ant_core::Error) -> Self {
        use ant_core::Error;
        let text = error.to_string();
        match error {
            Error::NoBootstrap
            | Error::BadBootstrap(_)
            | Error::Manifest { .. }
            | Error::Addresses(_) => Self::BadInput(text),
            Error::Refused { .. } => Self::Refused(text),
            _ => Self::Failed(text),
        }
    }
}

impl From<ant_payments::Error> for Failure {
    fn from(error: ant_payments::Error) -> Self {
        use ant_payments::Error;
        let text = error.to_string();
        match error {
            Error::Prepare(error) => error.into(),
            // The code of what failed, with the words of somebody who has paid before.
            Error::PrepareMore(error) => Self::from(error).with(|_| text),
            Error::BatchFile { .. } => Self::BadInput(text),
            Error::ChunkRefused(_) => Self::Refused(text),
            Error::Wallet(_) | Error::Unsettled { .. } => Self::Unpaid(text),
            _ => Self::Failed(text),
        }
    }
}

impl From<ant_testnet::TestnetError> for Failure {
    fn from(error: ant_testnet::TestnetError) -> Self {
        use ant_testnet::TestnetError;
        let text = error.to_string();
        match error {
            TestnetError::Config(_)
            | TestnetError::PortTaken { .. }
            | TestnetError::NotAManifest(_) => Self::BadInput(text),
            _ => Self::Failed(text),
        }
    }
}

impl From<ant_wan::LabError> for Failure {
    fn from(error: ant_wan::LabError) -> Self {
        let text = error.to_string();
        match error {
            ant_wan::LabError::Scenario(_) => Self::BadInput(text),
            _ => Self::Failed(text),
        }
    }
}

impl From<ant_config::ConfigError> for Failure {
    fn from(error: ant_config::ConfigError) -> Self {
        Self::faults(error.faults())
    }
}
