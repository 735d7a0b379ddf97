//! Why this module exists: all that touches the network's own endpoint is here, so
//! that what the stack does is worked around in one place.

mod network;

pub use network::WarmUp;
pub(crate) use network::{Found, Located, Network};
