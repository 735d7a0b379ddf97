//! What makes a candidate valid: every check that a storer makes of it later,
//! made before anything is paid.

use ant_pacing::Peer;
use ant_protocol::{
    compute_address,
    evm::MerklePaymentCandidateNode,
    payment::{
        MAX_COMMITMENT_KEY_COUNT, StorageCommitment, calculate_price,
        commitment::MAX_COMMITMENT_SIDECAR_BYTES, commitment_hash, verify_commitment_signature,
        verify_merkle_candidate_signature,
    },
};

/// The peer of this public key, as storers compute it.
pub(crate) fn peer_of(key: &[u8]) -> Peer {
    Peer(compute_address(key))
}

/// Decodes and checks a candidate that `peer` sent for the payment of this
/// time. Takes about 0.4 ms for each of its one or two signatures.
///
/// # Errors
///
/// What is wrong with it, in a few words that are the same for the same fault.
pub(crate) fn check(
    peer: Peer,
    timestamp: u64,
    node: &[u8],
    commitment: Option<&[u8]>,
) -> Result<MerklePaymentCandidateNode, String> {
    let candidate: MerklePaymentCandidateNode =
        rmp_serde::from_slice(node).map_err(|_| "the candidate does not decode")?;
    // The cheap checks come first. The storer takes BLAKE3 of the key for the
    // candidate's identity: it must be who answered, or one operator could
    // answer as one peer with another's commitment.
    if peer_of(&candidate.pub_key) != peer {
        return Err("the public key is not the responding peer's".to_owned());
    }
    check_kept(timestamp, &candidate)?;
    check_commitment(peer, &candidate, commitment)?;
    Ok(candidate)
}

/// Checks what can be checked of a candidate again later, without who sent it and
/// what it had committed to.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn check_kept(
    timestamp: u64,
    candidate: &MerklePaymentCandidateNode,
) -> Result<(), String> {
    if candidate.merkle_payment_timestamp != timestamp {
        return Err("the timestamp is not the payment's".to_owned());
    }
    check_price(candidate)?;
    if !verify_merkle_candidate_signature(candidate) {
        return Err("the signature does not verify".to_owned());
    }
    Ok(())
}

/// The price must follow from the number of keys the node has committed to,
/// and a number above zero must be pinned to a commitment.
fn check_price(candidate: &MerklePaymentCandidateNode) -> Result<(), String> {
    let count = candidate.committed_key_count;
    match (count, candidate.commitment_pin) {
        (0, None) | (1.., Some(_)) => {}
        (0, Some(_)) => return Err("a commitment to no keys is pinned".to_owned()),
        (1.., None) => return Err("committed keys are claimed without a pin".to_owned()),
    }
    if count > MAX_COMMITMENT_KEY_COUNT {
        return Err(format!(
            "more than {MAX_COMMITMENT_KEY_COUNT} committed keys are claimed"
        ));
    }
    if candidate.price != calculate_price(count as usize) {
        return Err("the price does not follow from the committed keys".to_owned());
    }
    Ok(())
}

/// A pinned commitment must have come along, be the peer's own, be signed, and
/// say what the candidate says.
fn check_commitment(
    peer: Peer,
    candidate: &MerklePaymentCandidateNode,
    bytes: Option<&[u8]>,
) -> Result<(), String> {
    let Some(pin) = candidate.commitment_pin else {
        return Ok(());
    };
    let bytes = bytes.ok_or("the pinned commitment is missing")?;
    if bytes.len() > MAX_COMMITMENT_SIDECAR_BYTES {
        return Err(format!(
            "the commitment is longer than {MAX_COMMITMENT_SIDECAR_BYTES} bytes"
        ));
    }
    let commitment: StorageCommitment =
        rmp_serde::from_slice(bytes).map_err(|_| "the commitment does not decode")?;
    if commitment.sender_peer_id != peer.0
        || compute_address(&commitment.sender_public_key) != peer.0
    {
        return Err("the commitment is another peer's".to_owned());
    }
    if commitment_hash(&commitment) != Some(pin) {
        return Err("the commitment is not the pinned one".to_owned());
    }
    if commitment.key_count != candidate.committed_key_count {
        return Err("the commitment counts other keys than the candidate".to_owned());
    }
    if !verify_commitment_signature(&commitment) {
        return Err("the commitment's signature does not verify".to_owned());
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use ant_protocol::{
        evm::{Amount, RewardsAddress},
        payment::commitment::{DOMAIN_COMMITMENT, commitment_signed_payload},
        pqc::api::{MlDsaSecretKey, ml_dsa_65},
    };

    pub(crate) const TIME: u64 = 1_700_000_000;

    pub(crate) struct Signer {
        key: MlDsaSecretKey,
        public: Vec<u8>,
        peer: Peer,
    }

    impl Signer {
        pub(crate) fn new() -> Self {
            let (public, key) = ml_dsa_65().generate_keypair().unwrap();
            let public = public.to_bytes();
            let peer = Peer(compute_address(&public));
            Self { key, public, peer }
        }

        fn commitment(&self, key_count: u32) -> StorageCommitment {
            let payload =
                commitment_signed_payload(&[5; 32], key_count, &self.peer.0, &self.public);
            let signature = ml_dsa_65()
                .sign_with_context(&self.key, &payload, DOMAIN_COMMITMENT)
                .unwrap();
            StorageCommitment {
                root: [5; 32],
                key_count,
                sender_peer_id: self.peer.0,
                sender_public_key: self.public.clone(),
                signature: signature.to_bytes(),
            }
        }

        pub(crate) fn candidate(
            &self,
            count: u32,
            pin: Option<[u8; 32]>,
        ) -> MerklePaymentCandidateNode {
            self.sign(MerklePaymentCandidateNode {
                pub_key: self.public.clone(),
                price: calculate_price(count as usize),
                reward_address: RewardsAddress::new([1; 20]),
                merkle_payment_timestamp: TIME,
                signature: Vec::new(),
                committed_key_count: count,
                commitment_pin: pin,
            })
        }

        fn sign(&self, mut candidate: MerklePaymentCandidateNode) -> MerklePaymentCandidateNode {
            let message = MerklePaymentCandidateNode::bytes_to_sign(
                &candidate.price,
                &candidate.reward_address,
                candidate.merkle_payment_timestamp,
                candidate.committed_key_count,
                &candidate.commitment_pin,
            );
            let signature = ml_dsa_65().sign(&self.key, &message).unwrap();
            candidate.signature = signature.to_bytes();
            candidate
        }
    }

    fn verdict(
        signer: &Signer,
        candidate: &MerklePaymentCandidateNode,
        commitment: Option<&StorageCommitment>,
    ) -> Result<(), String> {
        let node = rmp_serde::to_vec(candidate).unwrap();
        let commitment = commitment.map(|c| rmp_serde::to_vec(c).unwrap());
        check(signer.peer, TIME, &node, commitment.as_deref()).map(|_| ())
    }

    #[test]
    fn a_baseline_candidate_is_valid() {
        let signer = Signer::new();
        assert_eq!(verdict(&signer, &signer.candidate(0, None), None), Ok(()));
    }

    #[test]
    fn a_bound_candidate_is_valid_with_its_commitment() {
        let signer = Signer::new();
        let commitment = signer.commitment(7);
        let candidate = signer.candidate(7, commitment_hash(&commitment));
        assert_eq!(verdict(&signer, &candidate, Some(&commitment)), Ok(()));
    }

    #[test]
    fn each_fault_is_found_and_named() {
        let signer = Signer::new();
        let other = Signer::new();
        let base = || signer.candidate(0, None);
        let mut tampered = base();
        tampered.signature[100] ^= 1;
        let mut late = base();
        late.merkle_payment_timestamp += 1;
        let late = signer.sign(late);
        let mut dear = base();
        dear.price += Amount::from(1u64);
        let dear = signer.sign(dear);
        let mut unsigned = base();
        unsigned.reward_address = RewardsAddress::new([2; 20]);
        for (candidate, fault) in [
            (tampered, "signature does not verify"),
            (unsigned, "signature does not verify"),
            (late, "timestamp"),
            (dear, "price"),
            (other.candidate(0, None), "not the responding peer's"),
            (signer.candidate(0, Some([1; 32])), "no keys is pinned"),
            (signer.candidate(3, None), "without a pin"),
            (
                signer.candidate(MAX_COMMITMENT_KEY_COUNT + 1, Some([1; 32])),
                "more than",
            ),
            (signer.candidate(3, Some([1; 32])), "commitment is missing"),
        ] {
            let error = verdict(&signer, &candidate, None).unwrap_err();
            assert!(error.contains(fault), "{error:?}, not {fault:?}");
        }
        let error = check(signer.peer, TIME, b"junk", None).unwrap_err();
        assert!(error.contains("does not decode"), "{error}");
    }

    #[test]
    fn each_fault_of_a_commitment_is_found_and_named() {
        let signer = Signer::new();
        let good = signer.commitment(7);
        let candidate = signer.candidate(7, commitment_hash(&good));
        let theirs = Signer::new().commitment(7);
        let error = verdict(&signer, &candidate, Some(&theirs)).unwrap_err();
        assert!(error.contains("another peer's"), "{error}");

        let error = verdict(&signer, &candidate, Some(&signer.commitment(8))).unwrap_err();
        assert!(error.contains("not the pinned one"), "{error}");

        let more = signer.candidate(8, commitment_hash(&good));
        let error = verdict(&signer, &more, Some(&good)).unwrap_err();
        assert!(error.contains("counts other keys"), "{error}");

        let mut forged = good;
        forged.signature[100] ^= 1;
        let pinned = signer.candidate(7, commitment_hash(&forged));
        let error = verdict(&signer, &pinned, Some(&forged)).unwrap_err();
        assert!(error.contains("signature does not verify"), "{error}");

        let node = rmp_serde::to_vec(&pinned).unwrap();
        let long = vec![0; MAX_COMMITMENT_SIDECAR_BYTES + 1];
        let error = check(signer.peer, TIME, &node, Some(&long)).unwrap_err();
        assert!(error.contains("longer than"), "{error}");
        let error = check(signer.peer, TIME, &node, Some(b"junk")).unwrap_err();
        assert!(error.contains("commitment does not decode"), "{error}");
    }
}
