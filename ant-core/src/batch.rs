//! Trees of addresses, and what is known of one once its pools are full.

use ant_collect::{FullPool, POOL_SIZE, Report};
use ant_pacing::{GateStats, PacingSpec, Peer};
use ant_protocol::evm::{
    Amount, CANDIDATES_PER_POOL, MAX_LEAVES, MerklePaymentCandidateNode,
    MerklePaymentCandidatePool, MerkleTree, MidpointProof, PoolCommitment,
};
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

/// One tree, ready to be paid. Nothing has been spent on it.
#[derive(Clone)]
pub struct PreparedMerkleBatch {
    /// The chunks' addresses, in the order given.
    pub addresses: Vec<[u8; 32]>,
    /// The tree over them.
    pub tree: MerkleTree,
    /// The payment's time, in seconds since 1970. Payments expire 7 days later.
    pub timestamp: u64,
    /// A full pool for each midpoint.
    pub pools: Vec<MerklePaymentCandidatePool>,
    /// What preparing it took.
    pub report: TreeReport,
}

impl std::fmt::Debug for PreparedMerkleBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PreparedMerkleBatch")
            .field("addresses", &self.addresses.len())
            .field("depth", &self.tree.depth())
            .field("timestamp", &self.timestamp)
            .field("pools", &self.pools.len())
            .finish_non_exhaustive()
    }
}

impl PreparedMerkleBatch {
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
}

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
mod tests {
    use super::*;
    use ant_protocol::evm::RewardsAddress;

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
