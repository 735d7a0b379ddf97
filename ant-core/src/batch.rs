//! Trees of addresses, and what is known of one once its pools are full.

use std::collections::{BTreeMap, BTreeSet};

use ant_collect::{FullPool, POOL_SIZE, Report};
use ant_pacing::{GateStats, PacingSpec, Peer};
use ant_protocol::evm::{
    Amount, CANDIDATES_PER_POOL, MAX_LEAVES, MERKLE_PAYMENT_EXPIRATION, MerklePaymentCandidateNode,
    MerklePaymentCandidatePool, MerklePaymentProof, MerkleTree, MidpointProof, PoolCommitment,
};
use ant_protocol::payment::serialize_merkle_proof;
use xor_name::XorName;

use crate::{Error, candidate};

const _: () = assert!(POOL_SIZE == CANDIDATES_PER_POOL);

/// What is submitted on chain is this many times the quoted price, so that a
/// chunk paid by merkle tree earns what one paid by itself does. The signed
/// price and the pool's hash stay as they are.
pub const PAYMENT_MULTIPLIER: u64 = 3;

/// How many addresses each tree holds, for `total` addresses: as few trees as
/// possible of 2 to 256 each. Empty for fewer than two addresses.
///
/// ```
/// assert_eq!(ant_core::batch_sizes(256), [256]);
/// assert_eq!(ant_core::batch_sizes(257), [255, 2]);
/// assert_eq!(ant_core::batch_sizes(600), [256, 256, 88]);
/// ```
pub fn batch_sizes(total: usize) -> Vec<usize> {
    let mut sizes = Vec::new();
    let mut left = total;
    while left > MAX_LEAVES {
        // A tree has two leaves at least: do not leave a single one over.
        let take = MAX_LEAVES - usize::from(left - MAX_LEAVES == 1);
        sizes.push(take);
        left -= take;
    }
    if left >= 2 {
        sizes.push(left);
    }
    sizes
}

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
    pub fn commitments(&self) -> Result<Vec<PoolCommitment>, Error> {
        self.pools.iter().map(commitment).collect()
    }

    /// The proof that goes with each chunk to its storers, once the contract has
    /// drawn the pool with the hash `winner`.
    ///
    /// # Errors
    ///
    /// When no pool of this batch has that hash.
    pub fn proofs(&self, winner: [u8; 32]) -> Result<BTreeMap<[u8; 32], Vec<u8>>, Error> {
        let pool = self.pools.iter().find(|pool| pool.hash() == winner);
        let pool = pool.ok_or_else(|| {
            let hash = hex::encode(winner);
            Error::Tree(format!("no pool of this batch has the hash {hash}"))
        })?;
        let proofs = self.addresses.iter().enumerate().map(|(at, address)| {
            let name = XorName(*address);
            let of_tree = self.tree.generate_address_proof(at, name);
            let of_tree = of_tree.map_err(|error| Error::Tree(error.to_string()))?;
            let proof = MerklePaymentProof::new(name, of_tree, pool.clone());
            let bytes = serialize_merkle_proof(&proof);
            Ok((
                *address,
                bytes.map_err(|error| Error::Tree(error.to_string()))?,
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
        check_addresses(&self.addresses).map_err(|error| error.to_string())?;
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

    /// Whether storers would take a payment of it at `now`, in seconds since 1970.
    ///
    /// # Errors
    ///
    /// When it has expired, or its time has not come.
    pub fn check_age(&self, now: u64) -> Result<(), String> {
        let expires = self.timestamp.saturating_add(EXPIRES_AFTER);
        if now > expires {
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

/// By how much two hosts' clocks may differ, in seconds.
const CLOCKS_APART: u64 = 300;

fn commitment(pool: &MerklePaymentCandidatePool) -> Result<PoolCommitment, Error> {
    let mut commitment = pool.to_commitment();
    for candidate in &mut commitment.candidates {
        candidate.price = candidate
            .price
            .checked_mul(Amount::from(PAYMENT_MULTIPLIER))
            .ok_or_else(|| Error::Tree(format!("the price {} overflows", candidate.price)))?;
    }
    Ok(commitment)
}

/// What preparing one tree took, and under which pacing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeReport {
    /// The pacing that the whole tree ran under.
    pub pacing: PacingSpec,
    /// How many switches of the client's pacing came before it.
    pub epoch: u64,
    /// What decides the client's draws of pacings.
    pub seed: u64,
    /// The number of this payment's draw, from 0.
    pub draw: u64,
    /// What the collection saw.
    pub collection: Report,
    /// What its gate counted. Under the scope `client`, since the client began
    /// with this pacing.
    pub gate: GateStats,
}

/// A tree and its midpoints, before anybody is asked.
pub(crate) struct Plot {
    pub(crate) tree: MerkleTree,
    pub(crate) midpoints: Vec<MidpointProof>,
    pub(crate) targets: Vec<[u8; 32]>,
}

impl Plot {
    pub(crate) fn new(addresses: &[[u8; 32]], timestamp: u64) -> Result<Self, Error> {
        let failed = |error: &dyn std::fmt::Display| Error::Tree(error.to_string());
        let names = addresses.iter().copied().map(XorName).collect();
        let tree = MerkleTree::from_xornames(names).map_err(|error| failed(&error))?;
        let midpoints = tree
            .reward_candidates(timestamp)
            .map_err(|error| failed(&error))?;
        let targets = midpoints.iter().map(|m| m.address().0).collect();
        Ok(Self {
            tree,
            midpoints,
            targets,
        })
    }

    /// The network's own form of the full pools.
    pub(crate) fn pools(
        &self,
        full: Vec<FullPool<MerklePaymentCandidateNode>>,
    ) -> Result<Vec<MerklePaymentCandidatePool>, Error> {
        let pools = self.midpoints.iter().zip(full).map(|(midpoint, pool)| {
            let nodes: Vec<_> = pool.candidates.into_iter().map(|(_, node)| node).collect();
            let candidate_nodes = nodes.try_into().map_err(|nodes: Vec<_>| {
                let got = nodes.len();
                Error::Tree(format!("a pool has {got} candidates, not {POOL_SIZE}"))
            })?;
            Ok(MerklePaymentCandidatePool {
                midpoint_proof: midpoint.clone(),
                candidate_nodes,
            })
        });
        pools.collect()
    }
}

/// Refuses addresses that make no trees, before anybody is asked.
pub(crate) fn check_addresses(addresses: &[[u8; 32]]) -> Result<(), Error> {
    if addresses.len() < 2 {
        return Err(Error::Addresses(format!(
            "a merkle payment takes at least 2 addresses, {} given",
            addresses.len()
        )));
    }
    let mut seen = std::collections::HashSet::new();
    match addresses.iter().find(|address| !seen.insert(*address)) {
        None => Ok(()),
        Some(twice) => Err(Error::Addresses(format!(
            "the address {} is given twice and would be paid twice",
            XorName(*twice)
        ))),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::candidate::tests::{Signer, TIME};
    use ant_protocol::evm::RewardsAddress;

    /// A batch of so many made-up addresses, whole and signed.
    pub(crate) fn sample(leaves: usize) -> MerkleBatch {
        let addresses: Vec<_> = (0..leaves).map(address).collect();
        let plot = Plot::new(&addresses, TIME).unwrap();
        let signers: Vec<_> = (0..POOL_SIZE).map(|_| Signer::new()).collect();
        let full = || FullPool {
            candidates: signers
                .iter()
                .map(|signer| (Peer([0; 32]), signer.candidate(0, None)))
                .collect(),
        };
        let full = plot.targets.iter().map(|_| full()).collect();
        MerkleBatch {
            pools: plot.pools(full).unwrap(),
            addresses,
            tree: plot.tree,
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

    #[test]
    fn trees_hold_what_the_network_takes() {
        for (total, sizes) in [
            (0, &[][..]),
            (1, &[]),
            (2, &[2]),
            (65, &[65]),
            (256, &[256]),
            (257, &[255, 2]),
            (258, &[256, 2]),
            (512, &[256, 256]),
            (513, &[256, 255, 2]),
        ] {
            assert_eq!(batch_sizes(total), sizes, "{total}");
        }
        for total in 2..3000 {
            let sizes = batch_sizes(total);
            assert_eq!(sizes.iter().sum::<usize>(), total);
            assert!(sizes.iter().all(|size| (2..=256).contains(size)), "{total}");
            assert_eq!(sizes.len(), total.div_ceil(256), "as few as possible");
        }
    }

    #[test]
    fn too_few_and_doubled_addresses_are_refused() {
        let message = |addresses: &[[u8; 32]]| check_addresses(addresses).unwrap_err().to_string();
        assert!(message(&[]).contains("at least 2 addresses, 0 given"));
        assert!(message(&[[1; 32]]).contains("1 given"));
        assert!(message(&[[1; 32], [2; 32], [1; 32]]).contains("given twice"));
        assert!(check_addresses(&[[1; 32], [2; 32]]).is_ok());
    }

    #[test]
    fn a_tree_has_two_to_the_half_depth_pools() {
        for (leaves, pools) in [(2, 2), (3, 2), (4, 2), (5, 4), (16, 4), (65, 16), (256, 16)] {
            let addresses: Vec<[u8; 32]> = (0..leaves).map(address).collect();
            let plot = Plot::new(&addresses, 1).unwrap();
            assert_eq!(plot.targets.len(), pools, "{leaves} leaves");
        }
    }

    fn address(n: usize) -> [u8; 32] {
        let mut address = [0; 32];
        address[..8].copy_from_slice(&n.to_be_bytes());
        address
    }

    #[test]
    fn three_times_the_price_is_paid_and_nothing_else_changes() {
        let plot = Plot::new(&[address(1), address(2)], 7).unwrap();
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
        let pools = plot.pools(vec![full(), full()]).unwrap();
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
