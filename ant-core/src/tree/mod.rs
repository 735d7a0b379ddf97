//! Why this module exists: what a merkle payment pays for is a tree with a full pool
//! for each midpoint, which is laid out before anybody is asked, and checked as a
//! whole before anybody pays.

mod batch;
mod layout;
mod report;

pub use batch::{BatchError, EXPIRES_AFTER, MerkleBatch, PreparedMerkleBatch, now};
pub use layout::batch_sizes;
pub(crate) use layout::{TreeLayout, check_addresses};
pub use report::TreeReport;
