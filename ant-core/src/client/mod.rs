//! Why this module exists: one endpoint, one memory of its peers, one subscriber to
//! its messages, and a pacing that can be switched between payments.

mod config;
mod demux;
mod driver;
mod handle;
mod shared;
mod terms;

pub use config::ClientConfig;
pub use handle::{Client, PeerAddresses};
pub use shared::ClientTraffic;
