//! What was paid for and not stored yet, on the disk: from before a payment is
//! broadcast until the last of its chunks is stored, nothing of it can be lost.
//!
//! An entry is a folder, named after the addresses it pays for. Its files appear
//! one after another, each whole: `batch.json`, what is paid, or `chunk.json`, if
//! it is a single one; `signed.json`, the signed transaction; `sent`, which says that
//! sending it has begun; `paid.json`, what the chain said; and `stored`, the address
//! of each stored chunk on a line. One that has expired is moved into the folder
//! `expired`: its money is gone, and what it says may still be wanted.

mod entry;
mod folder;
#[cfg(test)]
mod tests;

pub use entry::{JournalEntry, SignedPayment};
pub use folder::Journal;
