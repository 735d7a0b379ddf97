//! Why this crate exists: on loopback all answers share one receive queue and a
//! held slot costs nothing, so loopback hides what a real network does to a
//! strategy. Here is a network of real hosts in one machine: many addresses,
//! round trips of tens to hundreds of milliseconds, losses, narrow links.
//!
//! Each host is a network namespace of the kernel with a TUN device and an
//! address of its own in 10.77.0.0/16. One thread, the router, reads the packets
//! of all devices and writes each to its destination's after that pair's delay.
//! Programs run in a host by entering its namespace before they open a socket.
//!
//! It needs Linux, root and `ip` (iproute2). The machine's own network is never
//! touched: all devices, addresses and routes are made inside the namespaces.
//! They bear names of ours and end with the [`Lab`]; what a killed process left
//! behind, the next start removes.

#[cfg(not(target_os = "linux"))]
compile_error!("a wide-area network in a box needs Linux: network namespaces and TUN devices");

mod counts;
mod error;
mod lab;
mod link;
mod map;
mod namespace;
mod packet;
mod router;
mod scenario;
mod sys;
mod under_way;

pub use counts::Counts;
pub use error::LabError;
pub use lab::{Host, Lab};
pub use link::Link;
pub use map::Map;
pub use namespace::remove_namespaces;
pub use scenario::{SHIPPED, Scenario};
