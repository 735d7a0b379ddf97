//! Trees of addresses before anybody is asked: how many there are, and what each
//! needs pools for.

use ant_collect::{FullPool, POOL_SIZE};
use ant_protocol::evm::{
    MAX_LEAVES, MerklePaymentCandidateNode, MerklePaymentCandidatePool, MerkleTree, MidpointProof,
};
use xor_name::XorName;

use crate::Error;

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

/// A tree and its midpoints, before anybody is asked.
pub(crate) struct TreeLayout {
    pub(crate) tree: MerkleTree,
    pub(crate) midpoints: Vec<MidpointProof>,
    pub(crate) targets: Vec<[u8; 32]>,
}

impl TreeLayout {
    pub(crate) fn new(addresses: &[[u8; 32]], timestamp: u64) -> Result<Self, Error> {
        let names = addresses.iter().copied().map(XorName).collect();
        let tree = MerkleTree::from_xornames(names).map_err(Error::tree)?;
        let midpoints = tree.reward_candidates(timestamp).map_err(Error::tree)?;
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
                Error::tree(format!("a pool has {got} candidates, not {POOL_SIZE}"))
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
    use crate::tree::batch::tests::address;

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
            let layout = TreeLayout::new(&addresses, 1).unwrap();
            assert_eq!(layout.targets.len(), pools, "{leaves} leaves");
        }
    }
}
