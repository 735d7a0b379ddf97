//! Why this crate exists: from the moment a payment is signed, an error may no
//! longer say that nothing was paid. All that spends, and all that must survive a
//! crash between paying and storing, is here, apart from the client that prepares.
//!
//! - [`Payable`]: what is paid for;
//! - [`Payer`]: signs, writes down, sends, and watches until the chain has answered;
//! - [`Journal`]: what is written down of each payment, on the disk before the next step;
//! - [`Storage`]: chunks, with the proof that they are paid for, to the nodes closest
//!   to them, and back;
//! - [`Upload`] and [`download`]: files.

#![forbid(unsafe_code)]

mod batch_file;
mod chunks;
mod error;
mod expired;
mod file;
mod journal;
mod payable;
mod payer;
#[cfg(test)]
mod samples;
mod source;
mod whole_file;

pub use ant_protocol::evm::Network as Chain;
pub use batch_file::{Transaction, read_batch, transaction, write_batch};
pub use chunks::Storage;
pub use error::Error;
pub use expired::Expired;
pub use file::{Phases, Progress, Upload, Uploaded, download};
pub use journal::{Journal, JournalEntry, SignedPayment};
pub use payable::{Payable, QuotedChunk};
pub use payer::Payer;
pub use self_encryption::DataMap;
pub use source::FileSource;
pub use whole_file::write_whole;
