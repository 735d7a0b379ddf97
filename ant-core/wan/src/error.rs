//! What can go wrong, and what to do about it.

use std::io;

use ant_population::InvalidScenario;

/// Why there is no wide-area network.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// The machine or the user cannot make one.
    #[error("a wide-area network in a box needs {0}")]
    Needs(&'static str),
    /// The scenario makes no network.
    #[error(transparent)]
    Scenario(#[from] InvalidScenario),
    /// A step of the setting-up failed.
    #[error("{what}: {source}")]
    Step {
        /// Which.
        what: String,
        /// Why.
        source: io::Error,
    },
}

impl LabError {
    pub(crate) fn step(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Step { what, source }
    }
}
