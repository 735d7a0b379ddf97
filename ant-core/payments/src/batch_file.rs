//! A prepared batch as a file, for who signs and pays elsewhere. It carries all
//! that making the proofs takes later, and is used only after every check.

use std::{fs, io, path::Path};

use ant_protocol::evm::{
    Amount, MerklePaymentCandidatePool, MerkleTree, Network,
    contract::payment_vault::handler::PaymentVaultHandler, utils::http_provider,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use ant_core::MerkleBatch;

use crate::{Error, whole_file::write_whole};

/// What the first key of a batch's file says.
const FORMAT: &str = "merkle-batch";

/// Which version of it this program writes and reads.
const VERSION: u32 = 1;

/// The largest file that is read: a whole batch takes 3 MiB.
const LARGEST: u64 = 16 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    format: String,
    version: u32,
    /// In seconds since 1970.
    timestamp: u64,
    /// In hexadecimal digits, as are the following.
    addresses: Vec<String>,
    /// The salted tree, in `MessagePack`.
    tree: String,
    /// Each pool, in `MessagePack`.
    pools: Vec<String>,
    /// What is to be signed, if the chain is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transaction: Option<Transaction>,
}

/// What a signer needs to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transaction {
    /// The contract that is called.
    pub to: String,
    /// What it is called with, in hexadecimal digits.
    pub data: String,
    /// The token that the contract must be allowed to take.
    pub token: String,
    /// How much of it at most, in its smallest unit: the dearest pool wins.
    pub at_most: String,
}

/// What is to be signed to pay this batch on this chain.
///
/// # Errors
///
/// When a price overflows, or the call cannot be written.
pub fn transaction(batch: &MerkleBatch, network: &Network) -> Result<Transaction, Error> {
    let commitments = batch.commitments()?;
    let vault = *network.payment_vault_address();
    let handler = PaymentVaultHandler::new(vault, http_provider(network.rpc_url().clone()));
    let at_most: Amount = network.estimate_merkle_payment_cost(batch.depth(), &commitments);
    let (data, to) = handler
        .pay_for_merkle_tree_calldata(batch.depth(), commitments, batch.timestamp)
        .map_err(|error| Error::Wallet(format!("the call cannot be written: {error}")))?;
    Ok(Transaction {
        to: to.to_string(),
        data: format!("0x{}", hex::encode(&data)),
        token: network.payment_token_address().to_string(),
        at_most: at_most.to_string(),
    })
}

/// Writes a batch's file, whole or not at all.
///
/// # Errors
///
/// When the file cannot be written.
pub fn write_batch(path: &Path, batch: &MerkleBatch, chain: Option<&Network>) -> Result<(), Error> {
    let table = Table {
        format: FORMAT.to_owned(),
        version: VERSION,
        timestamp: batch.timestamp,
        addresses: batch.addresses.iter().map(hex::encode).collect(),
        tree: pack(path, &batch.tree)?,
        pools: batch
            .pools
            .iter()
            .map(|pool| pack(path, pool))
            .collect::<Result<_, _>>()?,
        transaction: chain.map(|chain| transaction(batch, chain)).transpose()?,
    };
    let text = serde_json::to_vec_pretty(&table).map_err(|error| Error::file(path, error))?;
    write_whole(path, &text)
}

/// Reads a batch's file and checks all of it, for payment at `now` in seconds
/// since 1970.
///
/// # Errors
///
/// When it is not a batch's file, or anything in it does not belong together.
pub fn read_batch(path: &Path, now: u64) -> Result<MerkleBatch, Error> {
    let batch = read_of_any_age(path)?;
    let fresh = batch.check_age(now);
    fresh.map_err(|reason| Error::batch_file(path, reason))?;
    Ok(batch)
}

/// Reads a batch's file and checks all of it but its age.
pub(crate) fn read_of_any_age(path: &Path) -> Result<MerkleBatch, Error> {
    let bad = |reason: String| Error::batch_file(path, reason);
    let unread = |error: io::Error| Error::batch_file(path, error);
    let size = fs::metadata(path).map_err(unread)?.len();
    if size > LARGEST {
        return Err(bad(format!("it is {size} bytes long, and a batch is not")));
    }
    let text = fs::read(path).map_err(unread)?;
    let table: Table = serde_json::from_slice(&text)
        .map_err(|error| bad(format!("it is not a batch's file: {error}")))?;
    if table.format != FORMAT {
        return Err(bad(format!(
            "its format is `{}`, not `{FORMAT}`",
            table.format
        )));
    }
    if table.version != VERSION {
        return Err(bad(format!(
            "it is of version {}, and this program reads {VERSION}",
            table.version
        )));
    }
    let address = |text: &String| -> Result<[u8; 32], String> {
        let mut address = [0; 32];
        hex::decode_to_slice(text, &mut address)
            .map_err(|_| format!("`{text}` is not an address, which is 64 hexadecimal digits"))?;
        Ok(address)
    };
    let addresses = table
        .addresses
        .iter()
        .map(address)
        .collect::<Result<_, _>>();
    let tree: Result<MerkleTree, _> = unpack("its tree", &table.tree);
    let pools =
        table.pools.iter().enumerate().map(|(at, text)| {
            unpack::<MerklePaymentCandidatePool>(&format!("pool {}", at + 1), text)
        });
    let batch = MerkleBatch {
        addresses: addresses.map_err(bad)?,
        tree: tree.map_err(bad)?,
        timestamp: table.timestamp,
        pools: pools.collect::<Result<_, _>>().map_err(bad)?,
    };
    batch.check().map_err(bad)?;
    if let Some(written) = &table.transaction {
        check_transaction(&batch, written).map_err(bad)?;
    }
    Ok(batch)
}

/// The transaction that the file asks to be signed must pay these pools. For
/// which contract is the reader's to judge.
fn check_transaction(batch: &MerkleBatch, written: &Transaction) -> Result<(), String> {
    let own = Network::new_custom("http://127.0.0.1:1", NOBODY, NOBODY);
    let expected = transaction(batch, &own).map_err(|error| error.to_string())?;
    if written.data != expected.data {
        return Err("the transaction in it does not pay its pools".to_owned());
    }
    if written.at_most != expected.at_most {
        return Err(format!(
            "it says that {} are paid at most, and its pools ask for {}",
            written.at_most, expected.at_most
        ));
    }
    Ok(())
}

const NOBODY: &str = "0x0000000000000000000000000000000000000000";

fn pack(path: &Path, value: &impl Serialize) -> Result<String, Error> {
    let bytes = rmp_serde::to_vec(value).map_err(|error| Error::file(path, error))?;
    Ok(hex::encode(bytes))
}

fn unpack<T: DeserializeOwned>(what: &str, text: &str) -> Result<T, String> {
    let bytes = hex::decode(text).map_err(|error| format!("{what} does not decode: {error}"))?;
    rmp_serde::from_slice(&bytes).map_err(|error| format!("{what} does not decode: {error}"))
}
