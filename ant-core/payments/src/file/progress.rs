//! What an upload tells whoever watches it, and what it came to.

use std::time::Duration;

use ant_protocol::evm::Amount;
use self_encryption::DataMap;

use crate::Expired;

/// What an upload is doing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Progress {
    /// An earlier payment was of no use any more.
    Expired(Expired),
    /// This number of chunks was paid for and is not of the file as it is now. Their
    /// journal entry is kept.
    Changed(usize),
    /// This number of chunks has been encrypted.
    Encrypted(usize),
    /// It is known which chunks are on the network already.
    Looked {
        /// How many chunks there are.
        of: usize,
        /// How many are stored.
        there: usize,
    },
    /// What a payment costs at most, before it is made.
    Costs {
        /// How many chunks.
        chunks: usize,
        /// How much, in the token's smallest unit.
        at_most: Amount,
    },
    /// It was paid.
    Paid {
        /// What it cost, in the token's smallest unit.
        amount: Amount,
        /// What the gas cost, in wei.
        gas: u128,
    },
    /// This number of this upload's chunks is stored.
    Stored(usize),
}

/// What an upload came to.
#[derive(Clone, Debug)]
pub struct Uploaded {
    /// What reading the file takes.
    pub data_map: DataMap,
    /// Where the data map is, if everybody may read the file.
    pub address: Option<[u8; 32]>,
    /// How many chunks the file has.
    pub chunks: usize,
    /// How many of them were stored before.
    pub there: usize,
    /// How many payments were made: of trees, and of a single chunk.
    pub payments: usize,
    /// What storing cost, in the token's smallest unit.
    pub amount: Amount,
    /// What gas cost, in wei.
    pub gas: u128,
    /// What each phase took.
    pub took: Phases,
}

/// What each phase of an upload took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Encrypting the file.
    pub encrypting: Duration,
    /// Looking which chunks are there.
    pub looking: Duration,
    /// Collecting candidates.
    pub preparing: Duration,
    /// Paying, until that had settled.
    pub paying: Duration,
    /// Storing chunks.
    pub storing: Duration,
}
