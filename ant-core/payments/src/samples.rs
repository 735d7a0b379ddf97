//! Batches made up for tests, whole and signed, as a client would have prepared them.

use ant_collect::POOL_SIZE;
use ant_core::{MerkleBatch, compute_address};
use ant_protocol::{
    evm::{MerklePaymentCandidateNode, MerklePaymentCandidatePool, MerkleTree, RewardsAddress},
    payment::calculate_price,
    pqc::api::ml_dsa_65,
};
use xor_name::XorName;

const TIME: u64 = 1_700_000_000;

/// A batch of this many made-up addresses.
pub(crate) fn sample(leaves: usize) -> MerkleBatch {
    let addresses: Vec<_> = (0..leaves)
        .map(|n| compute_address(&n.to_be_bytes()))
        .collect();
    let names = addresses.iter().copied().map(XorName).collect();
    let tree = MerkleTree::from_xornames(names).unwrap();
    let candidates: Vec<_> = (0..POOL_SIZE).map(|_| candidate()).collect();
    let midpoints = tree.reward_candidates(TIME).unwrap();
    let pools = midpoints
        .into_iter()
        .map(|midpoint_proof| MerklePaymentCandidatePool {
            midpoint_proof,
            candidate_nodes: candidates.clone().try_into().unwrap(),
        });
    MerkleBatch {
        pools: pools.collect(),
        addresses,
        tree,
        timestamp: TIME,
    }
}

fn candidate() -> MerklePaymentCandidateNode {
    let (public, key) = ml_dsa_65().generate_keypair().unwrap();
    let mut candidate = MerklePaymentCandidateNode {
        pub_key: public.to_bytes(),
        price: calculate_price(0),
        reward_address: RewardsAddress::new([1; 20]),
        merkle_payment_timestamp: TIME,
        signature: Vec::new(),
        committed_key_count: 0,
        commitment_pin: None,
    };
    let message = MerklePaymentCandidateNode::bytes_to_sign(
        &candidate.price,
        &candidate.reward_address,
        candidate.merkle_payment_timestamp,
        candidate.committed_key_count,
        &candidate.commitment_pin,
    );
    candidate.signature = ml_dsa_65().sign(&key, &message).unwrap().to_bytes();
    candidate
}

#[test]
fn a_sample_is_a_whole_batch() {
    assert_eq!(sample(3).check(), Ok(()));
}
