//! A client for the Autonomi network whose pacing of merkle candidate requests
//! is a strategy chosen at run time.
//!
//! A merkle payment needs 16 signed quotes for each of up to 16 midpoints. This
//! crate gathers them ([`Client::prepare`]) and cannot spend anything: paying is the
//! crate `ant-payments`. How hard it asks is a [`PacingSpec`](ant_pacing::PacingSpec),
//! which can be changed between payments ([`Client::set_terms`]).
//!
//! The decisions are made by [`ant_collect`] and [`ant_pacing`], which do no
//! I/O; this crate is the thin shell around them: one subscriber to the
//! network's messages, one task a tree, and worker threads for signatures.
//!
//! ```no_run
//! # async fn example() -> Result<(), ant_core::Error> {
//! use ant_core::{Client, ClientConfig};
//!
//! let client = Client::connect(ClientConfig {
//!     bootstrap: vec!["/ip4/127.0.0.1/udp/20000/quic".parse().unwrap()],
//!     local: true,
//!     ..ClientConfig::default()
//! })
//! .await?;
//! let addresses = [[1; 32], [2; 32]];
//! let prepared = client.prepare(&addresses, 4096).await?;
//! println!("{} trees prepared, nothing paid", prepared.len());
//! client.close().await;
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod candidate;
mod client;
mod endpoint;
mod error;
mod settings;
mod tree;

pub use ant_collect::{Finish, Lookup, Plan, PoolFailure, Report, SettlementRefusal};
/// What embedders need of the network's own crates.
pub use ant_protocol::{
    DevnetManifest, MAX_CHUNK_SIZE, compute_address,
    evm::{Amount, Network as Chain},
    transport::MultiAddr,
};
pub use client::{Client, ClientConfig, ClientTraffic, PeerAddresses};
pub use endpoint::WarmUp;
pub use error::{Error, read_manifest};
pub use tree::{
    BatchError, EXPIRES_AFTER, MerkleBatch, PreparedMerkleBatch, TreeReport, batch_sizes, now,
};
