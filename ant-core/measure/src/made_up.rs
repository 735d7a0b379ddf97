//! Chunks that are made up, so that there is something to prepare payments for.

use ant_protocol::compute_address;
use bytes::Bytes;
use rand::{Rng, SeedableRng, rngs::StdRng};

/// How long a made-up chunk is, in bytes. Short, because many are stored, and what
/// they are paid for does not depend on it.
const CHUNK: usize = 1024;

/// Returns the chunks of a payment, decided by the seed and the number of the payment.
pub(crate) fn chunks(seed: u64, payment: usize, count: usize) -> Vec<Bytes> {
    let own = seed.wrapping_add((payment as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut random = StdRng::seed_from_u64(own);
    let chunk = |_| {
        let mut content = vec![0; CHUNK];
        random.fill(&mut content[..]);
        Bytes::from(content)
    };
    (0..count).map(chunk).collect()
}

/// Returns the addresses of a payment for made-up chunks, decided by the seed and the number
/// of the payment.
pub fn addresses(seed: u64, payment: usize, count: usize) -> Vec<[u8; 32]> {
    addresses_of(&chunks(seed, payment, count))
}

/// Returns the addresses of these chunks.
pub(crate) fn addresses_of(chunks: &[Bytes]) -> Vec<[u8; 32]> {
    chunks.iter().map(|chunk| compute_address(chunk)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_and_number_decide_the_addresses() {
        assert_eq!(addresses(1, 0, 5), addresses(1, 0, 5));
        assert_ne!(addresses(1, 0, 5), addresses(1, 1, 5));
        assert_ne!(addresses(1, 0, 5), addresses(2, 0, 5));
    }
}
