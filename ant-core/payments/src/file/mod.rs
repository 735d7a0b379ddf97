//! Why this module exists: people pay for files. A file is encrypted into chunks,
//! those that are missing are paid for in merkle batches and stored with their
//! proofs; and it is read back.

mod download;
mod encrypt;
mod progress;
mod upload;

pub use download::download;
pub use progress::{Phases, Progress, Uploaded};
pub use upload::Upload;
