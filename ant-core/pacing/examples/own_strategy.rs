//! A strategy of one's own: a cap for each half of the peers, so that one half
//! being slow never holds up the other.
//!
//! `cargo run --release -p ant-pacing --example own_strategy`

use std::num::NonZeroU32;

use ant_pacing::{Capacity, Gate, Lane, Moment, PacingStrategy, Peer, Request, Terms};

/// At most this many exchanges at a time with each half of the peers.
#[derive(Debug)]
struct Halves(NonZeroU32);

impl PacingStrategy for Halves {
    fn terms(&mut self, request: &Request) -> Terms {
        Terms {
            lane: Lane(u32::from(request.peer.0[0] >> 7)),
            // Its slot is held until the exchange has ended.
            ..Terms::hold()
        }
    }

    fn capacity(&self, _lane: Lane) -> Capacity {
        Capacity::Slots(self.0)
    }
}

fn main() {
    let gate = Gate::new(Box::new(Halves(NonZeroU32::MIN)));
    let member = gate.join();
    let now = Moment::ZERO;
    // Three peers of the lower half, one of the upper; each wants to be asked.
    let peers = [0x00, 0x10, 0x20, 0xf0].map(|first| Peer([first; 32]));
    let requests = (0..)
        .zip(peers)
        .map(|(key, peer)| member.enqueue(&Request::to(peer), key, now));
    // Whoever holds a permit waits for a slot or has one; dropping it gives both back.
    let permits: Vec<_> = requests.collect();
    let left: Vec<_> = std::iter::from_fn(|| member.poll(now)).collect();
    println!(
        "{} of {} may leave now: {left:?}",
        left.len(),
        permits.len()
    );
}
