//! The state machine: which lookups run, who is asked, what an answer or a
//! silence means, and when the tree is decided.
//!
//! What it holds is in [`parts`](crate::parts); here is what they do together.

mod answers;
mod asking;
mod connections;
mod finding;
mod machine;
mod selection;
mod state;

pub use state::Collection;
