//! A tree whose pools are full: what is paid for, checked as a whole, and the proofs
//! that come of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{SystemTime, UNIX_EPOCH},
};

use ant_collect::POOL_SIZE;
use ant_pacing::Peer;
use ant_protocol::evm::{
    Amount, CANDIDATES_PER_POOL, MERKLE_PAYMENT_EXPIRATION, MerklePaymentCandidatePool,
    MerklePaymentProof, MerkleTree, PoolCommitment,
};
use ant_protocol::payment::serialize_merkle_proof;
use xor_name::XorName;

use super::{layout::check_addresses, report::TreeReport};
use crate::{Error, candidate::check as candidate};

const _: () = assert!(POOL_SIZE == CANDIDATES_PER_POOL);
const _: () = assert!(ant_collect::MAX_LEAVES == ant_protocol::evm::MAX_LEAVES);

/// What is submitted on chain is this many times the quoted price, so that a
/// chunk paid by merkle tree earns what one paid by itself does. The signed
/// price and the pool's hash stay as they are.
const PAYMENT_MULTIPLIER: u64 = 3;

/// One tree with a full pool for each of its midpoints: what is paid for. Nothing
/// has been spent on it.
#[derive(Clone)]
pub struct MerkleBatch {
    /// The chunks' addresses, in the order given.
    pub addresses: Vec<[u8; 32]>,
    /// The tree over them.
    pub tree: MerkleTree,
    /// The payment's time, in seconds since 1970. Payments expire
    /// [`EXPIRES_AFTER`] later.
    pub timestamp: u64,
    /// A full pool for each midpoint.
    pub pools: Vec<MerklePaymentCandidatePool>,
}

/// Why a batch gives no transaction, or no proofs. It says nothing of what was paid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// A price is so high that three times as much is not a number of the chain's.
    #[error("the price {0} overflows")]
    Overflow(Amount),
    /// The contract has drawn a pool of another batch.
    #[error("no pool of this batch has the hash {0}")]
    OtherPool(String),
    /// A proof could not be made, or written.
    #[error("a chunk's proof could not be made: {0}")]
    Proof(String),
}

/// A batch, and what preparing it took.
#[derive(Clone, Debug)]
pub struct PreparedMerkleBatch {
    /// What is to be paid.
    pub batch: MerkleBatch,
    /// What preparing it took.
    pub report: TreeReport,
}

impl std::fmt::Debug for MerkleBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MerkleBatch")
            .field("addresses", &self.addresses.len())
            .field("depth", &self.tree.depth())
            .field("timestamp", &self.timestamp)
            .field("pools", &self.pools.len())
            .finish_non_exhaustive()
    }
}

impl MerkleBatch {
    /// The tree's depth, as the contract is told.
    pub fn depth(&self) -> u8 {
        self.tree.depth()
    }

    /// Each pool's midpoint, and the peers whose candidates it holds.
    pub fn chosen(&self) -> impl Iterator<Item = ([u8; 32], Vec<Peer>)> {
        self.pools.iter().map(|pool| {
            let nodes = pool.candidate_nodes.iter();
            let peers = nodes.map(|node| candidate::peer_of(&node.pub_key));
            (pool.midpoint_proof.address().0, peers.collect())
        })
    }

    /// What the contract is told of the pools, with the prices to be paid.
    ///
    /// # Errors
    ///
    /// When a price overflows.
    pub fn commitments(&self) -> Result<Vec<PoolCommitment>, BatchError> {
        self.pools.iter().map(commitment).collect()
    }

    /// The proof that goes with each chunk to its storers, once the contract has
    /// drawn the pool with the hash `winner`.
    ///
    /// # Errors
    ///
    /// When no pool of this batch has that hash.
    pub fn proofs(&self, winner: [u8; 32]) -> Result<BTreeMap<[u8; 32], Vec<u8>>, BatchError> {
        let pool = self.pools.iter().find(|pool| pool.hash() == winner);
        let pool = pool.ok_or_else(|| BatchError::OtherPool(hex::encode(winner)))?;
        let proofs = self.addresses.iter().enumerate().map(|(at, address)| {
            let name = XorName(*address);
            let of_tree = self.tree.generate_address_proof(at, name);
            let of_tree = of_tree.map_err(|error| BatchError::Proof(error.to_string()))?;
            let proof = MerklePaymentProof::new(name, of_tree, pool.clone());
            let bytes = serialize_merkle_proof(&proof);
            Ok((
                *address,
                bytes.map_err(|error| BatchError::Proof(error.to_string()))?,
            ))
        });
        proofs.collect()
    }

    /// Whether all parts of the batch belong together: the tree, its midpoints,
    /// every candidate's price, time and signature.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), String> {
        check_addresses(&self.addresses).map_err(|error| error.reason().to_string())?;
        let (leaves, of_tree) = (self.addresses.len(), self.tree.leaf_count());
        if leaves != of_tree {
            return Err(format!("it has {leaves} addresses and a tree of {of_tree}"));
        }
        for (at, address) in self.addresses.iter().enumerate() {
            let proof = self.tree.generate_address_proof(at, XorName(*address));
            if !proof.is_ok_and(|proof| proof.verify() && *proof.root() == self.tree.root()) {
                let name = hex::encode(address);
                return Err(format!("the address {name} is not in its tree"));
            }
        }
        let midpoints = self.tree.reward_candidates(self.timestamp);
        let midpoints = midpoints.map_err(|error| error.to_string())?;
        let own = self.pools.iter().map(|pool| &pool.midpoint_proof);
        if !own.eq(&midpoints) {
            return Err("its pools are not those of its tree's midpoints".to_owned());
        }
        for (at, pool) in self.pools.iter().enumerate() {
            let mut seen = BTreeSet::new();
            for node in &pool.candidate_nodes {
                let peer = candidate::peer_of(&node.pub_key);
                let twice = !seen.insert(peer);
                let fault = twice.then(|| "it is there twice".to_owned());
                let fault = fault.or_else(|| candidate::check_kept(self.timestamp, node).err());
                if let Some(fault) = fault {
                    return Err(format!("pool {}, candidate {peer}: {fault}", at + 1));
                }
            }
        }
        Ok(())
    }

    /// Whether it is too old for storers at `now`, in seconds since 1970.
    pub fn has_expired(&self, now: u64) -> bool {
        now > self.timestamp.saturating_add(EXPIRES_AFTER)
    }

    /// Whether storers would take a payment of it at `now`, in seconds since 1970.
    ///
    /// # Errors
    ///
    /// When it has expired, or its time has not come.
    pub fn check_age(&self, now: u64) -> Result<(), String> {
        if self.has_expired(now) {
            let days = (now - self.timestamp) / (24 * 60 * 60);
            return Err(format!(
                "it is {days} days old, and storers take no payment after 7; prepare a new one"
            ));
        }
        if self.timestamp > now + CLOCKS_APART {
            return Err("its time is in the future; look at this host's clock".to_owned());
        }
        Ok(())
    }
}

/// How long storers take a payment, in seconds: 7 days.
pub const EXPIRES_AFTER: u64 = MERKLE_PAYMENT_EXPIRATION;

/// In seconds since 1970.
///
/// # Errors
///
/// When the clock says that it is before.
pub fn now() -> Result<u64, Error> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Ok(since.map_err(|_| Error::Clock)?.as_secs())
}

/// By how much two hosts' clocks may differ, in seconds.
const CLOCKS_APART: u64 = 300;

fn commitment(pool: &MerklePaymentCandidatePool) -> Result<PoolCommitment, BatchError> {
    let mut commitment = pool.to_commitment();
    for candidate in &mut commitment.candidates {
        candidate.price = candidate
            .price
            .checked_mul(Amount::from(PAYMENT_MULTIPLIER))
            .ok_or(BatchError::Overflow(candidate.price))?;
    }
    Ok(commitment)
}

#[cfg(test)]
pub(crate) mod tests {
    use ant_collect::FullPool;
    use ant_protocol::evm::{MerklePaymentCandidateNode, RewardsAddress};

    use super::*;
    use crate::{
        candidate::check::tests::{Signer, TIME},
        tree::TreeLayout,
    };

    /// A batch of this many made-up addresses, whole and signed.
    pub(crate) fn sample(leaves: usize) -> MerkleBatch {
        let addresses: Vec<_> = (0..leaves).map(address).collect();
        let layout = TreeLayout::new(&addresses, TIME).unwrap();
        let signers: Vec<_> = (0..POOL_SIZE).map(|_| Signer::new()).collect();
        let full = || FullPool {
            candidates: signers
                .iter()
                .map(|signer| (Peer([0; 32]), signer.candidate(0, None)))
                .collect(),
        };
        let full = layout.targets.iter().map(|_| full()).collect();
        MerkleBatch {
            pools: layout.pools(full).unwrap(),
            addresses,
            tree: layout.tree,
            timestamp: TIME,
        }
    }

    /// Something that is wrong with a batch.
    type Slip = fn(&mut MerkleBatch);

    #[test]
    fn a_batch_is_checked_as_a_whole() {
        let batch = sample(5);
        assert_eq!(batch.check(), Ok(()));
        assert_eq!(batch.check_age(TIME + EXPIRES_AFTER), Ok(()));
        let expired = batch.check_age(TIME + EXPIRES_AFTER + 1).unwrap_err();
        assert!(expired.contains("no payment after 7"), "{expired}");
        assert!(batch.check_age(TIME - 301).unwrap_err().contains("clock"));
        let slips: [(Slip, &str); 7] = [
            (|b| b.addresses.swap(0, 1), "is not in its tree"),
            (|b| b.addresses.truncate(4), "4 addresses and a tree of 5"),
            (|b| b.timestamp += 1, "midpoints"),
            (|b| b.pools.swap(0, 1), "midpoints"),
            (|b| b.pools.truncate(1), "midpoints"),
            (
                |b| b.pools[1].candidate_nodes[3].price += Amount::from(1),
                "pool 2, candidate",
            ),
            (
                |b| b.pools[0].candidate_nodes[1] = b.pools[0].candidate_nodes[0].clone(),
                "there twice",
            ),
        ];
        for (slip, part) in slips {
            let mut changed = batch.clone();
            slip(&mut changed);
            let fault = changed.check().unwrap_err();
            assert!(fault.contains(part), "{part}: {fault}");
        }
    }

    #[test]
    fn each_address_has_a_proof_of_the_pool_that_was_drawn() {
        let batch = sample(3);
        let winner = batch.pools[1].hash();
        let proofs = batch.proofs(winner).unwrap();
        assert_eq!(proofs.len(), 3);
        for (address, proof) in proofs {
            let read = ant_protocol::payment::deserialize_merkle_proof(&proof).unwrap();
            assert_eq!((read.address.0, read.winner_pool_hash()), (address, winner));
        }
        assert!(batch.proofs([0; 32]).is_err());
    }

    pub(crate) fn address(n: usize) -> [u8; 32] {
        let mut address = [0; 32];
        address[..8].copy_from_slice(&n.to_be_bytes());
        address
    }

    #[test]
    fn three_times_the_price_is_paid_and_nothing_else_changes() {
        let layout = TreeLayout::new(&[address(1), address(2)], 7).unwrap();
        let node = |n: u64| MerklePaymentCandidateNode {
            pub_key: vec![1],
            price: Amount::from(n),
            reward_address: RewardsAddress::new([1; 20]),
            merkle_payment_timestamp: 7,
            signature: vec![2],
            committed_key_count: 0,
            commitment_pin: None,
        };
        let full = || FullPool {
            candidates: (0..16)
                .map(|n| (ant_pacing::Peer([0; 32]), node(n)))
                .collect(),
        };
        let pools = layout.pools(vec![full(), full()]).unwrap();
        let commitment = commitment(&pools[0]).unwrap();
        assert_eq!(commitment.pool_hash, pools[0].hash());
        for (n, candidate) in (0..16).zip(&commitment.candidates) {
            assert_eq!(candidate.price, Amount::from(3 * n));
        }
        let mut dear = pools[0].clone();
        dear.candidate_nodes[3].price = Amount::MAX;
        assert!(super::commitment(&dear).is_err());
    }
}
