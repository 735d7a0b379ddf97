//! What makes a run, as a trait: fresh clients on a network, or a stand-in in tests.

use ant_core::Error;
use bytes::Bytes;

use crate::{arm::MeasureArm, boxed::Boxed, run::Run};

/// A run that is to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunOrder<'a> {
    pub(crate) arm: &'a MeasureArm,
    /// What is paid for.
    pub(crate) chunks: &'a [Bytes],
    /// The size of a chunk that is quoted for, in bytes.
    pub(crate) data_size: u64,
}

/// Makes runs, one after another.
pub(crate) trait Executor: Sync {
    /// Has the nodes lose this percentage of their answers from now on, where they
    /// can be told to.
    fn lose_answers(&self, percent: u8);

    /// Makes one run. A tree that fails is a run with an error.
    ///
    /// # Errors
    ///
    /// When there cannot be a run, because its client cannot join.
    fn execute<'a>(&'a self, order: RunOrder<'a>) -> Boxed<'a, Result<Run, Error>>;
}
