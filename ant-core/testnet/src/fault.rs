//! What can be wrong with a node.

use std::time::Duration;

/// A wrong thing that a node does with candidate requests, on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Takes them and answers none.
    Silent,
    /// Refuses the client's settlement version, as a node of a later one would.
    Refuses,
    /// Answers after this long.
    Slow(Duration),
    /// Knows the legacy form of a request alone, and is silent to the versioned.
    Legacy,
}
