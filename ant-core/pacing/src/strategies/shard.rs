//! A cap for each receive queue of the network's stack, since it is a queue, not
//! the client, that runs full.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    net::IpAddr,
    num::NonZeroU32,
};

use crate::{Capacity, Lane, PacingStrategy, Release, Request, Terms};

/// How many receive queues the network's stack has.
pub const RECEIVE_QUEUES: usize = 8;

/// How many messages wait in each of them; the stack drops what does not fit.
pub const QUEUE_DEPTH: usize = 32;

/// Has a fixed number of slots for each queue, each held until its exchange ends or
/// is slow.
#[derive(Debug)]
pub struct Shard {
    slots: NonZeroU32,
}

impl Shard {
    /// Makes a cap of `slots` for each queue.
    pub const fn new(slots: NonZeroU32) -> Self {
        Self { slots }
    }
}

/// Returns the queue that answers from this address wait in. The stack takes it
/// from the standard library's hasher, with its fixed keys, over the plain address.
/// It is computed each time and never stored, since other releases of Rust may hash
/// in another way.
///
/// Peers at unknown addresses share the first queue: too few requests at a time
/// cost less than lost answers.
pub fn queue_of(address: Option<IpAddr>) -> Lane {
    let Some(address) = address else {
        return Lane(0);
    };
    let mut hasher = DefaultHasher::new();
    address.to_canonical().hash(&mut hasher);
    let queue = hasher.finish() % RECEIVE_QUEUES as u64;
    Lane(u32::try_from(queue).unwrap_or(0))
}

impl PacingStrategy for Shard {
    fn terms(&mut self, request: &Request) -> Terms {
        Terms {
            lane: queue_of(request.address),
            release: Release::OnFinishOrSlow,
        }
    }

    fn capacity(&self, _: Lane) -> Capacity {
        Capacity::Slots(self.slots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_is_one_queue_and_many_are_spread() {
        let queue = |text: &str| queue_of(Some(text.parse().unwrap()));
        assert_eq!(queue("127.0.0.1"), queue("127.0.0.1"));
        assert_eq!(
            queue("::ffff:127.0.0.1"),
            queue("127.0.0.1"),
            "mapped is plain"
        );
        let mut counts = [0; 8];
        for host in 1..=250 {
            counts[queue(&format!("10.77.1.{host}")).0 as usize] += 1;
        }
        assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
    }
}
