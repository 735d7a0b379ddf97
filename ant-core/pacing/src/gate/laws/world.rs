//! A gate with several members, and the random operations that are done to it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Wake,
    time::Duration,
};

use proptest::prelude::*;

use super::kinds::{Kind, LANES};
use crate::{Capacity, Evidence, Gate, Lane, Member, Moment, Outcome, Peer, Permit, Request};

pub(super) const MEMBERS: usize = 3;

#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Enqueue { member: usize, peer: u8 },
    Poll { member: usize },
    Slow { pick: usize },
    Finish { pick: usize, evidence: Evidence },
    Cancel { pick: usize },
    Advance { ms: u64 },
    Rejoin { member: usize },
}

pub(super) fn any_op() -> impl Strategy<Value = Op> {
    let member = 0..MEMBERS;
    let evidence =
        prop::sample::select(vec![Evidence::None, Evidence::PerhapsLoss, Evidence::Loss]);
    prop_oneof![
        6 => (member.clone(), any::<u8>()).prop_map(|(member, peer)| Op::Enqueue { member, peer }),
        6 => member.clone().prop_map(|member| Op::Poll { member }),
        2 => any::<usize>().prop_map(|pick| Op::Slow { pick }),
        3 => (any::<usize>(), evidence).prop_map(|(pick, evidence)| Op::Finish { pick, evidence }),
        2 => any::<usize>().prop_map(|pick| Op::Cancel { pick }),
        3 => (0u64..30).prop_map(|ms| Op::Advance { ms }),
        1 => member.prop_map(|member| Op::Rejoin { member }),
    ]
}

#[derive(Default)]
pub(super) struct Flag(pub(super) AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A gate under test, with all that its users hold.
pub(super) struct World {
    pub(super) gate: Gate,
    pub(super) members: Vec<Member>,
    /// Permits of exchanges polled, and of those not yet polled.
    pub(super) running: Vec<(u64, Permit)>,
    pub(super) pending: Vec<(u64, Permit)>,
    now: Moment,
    next_key: u64,
    pub(super) log: Vec<(usize, u64)>,
}

impl World {
    pub(super) fn new(kind: Kind) -> Self {
        let gate = Gate::new(kind.build());
        Self {
            members: (0..MEMBERS).map(|_| gate.join()).collect(),
            gate,
            running: Vec::new(),
            pending: Vec::new(),
            now: Moment::ZERO,
            next_key: 0,
            log: Vec::new(),
        }
    }

    pub(super) fn occupied(&self) -> Vec<u32> {
        let core = self.gate.lock();
        (0..u32::from(LANES))
            .map(|l| core.occupied(Lane(l)))
            .collect()
    }

    pub(super) fn apply(&mut self, op: Op) {
        let before = self.occupied();
        match op {
            Op::Enqueue { member, peer } => {
                let key = self.next_key;
                self.next_key += 1;
                let request = Request::to(Peer([peer; 32]));
                let permit = self.members[member].enqueue(&request, key, self.now);
                self.pending.push((key, permit));
            }
            Op::Poll { member } => self.poll(member),
            Op::Slow { pick } => {
                let all = self.running.iter().chain(&self.pending);
                let all: Vec<_> = all.map(|(_, permit)| permit).collect();
                if let Some(at) = pick.checked_rem(all.len()) {
                    all[at].slow(self.now);
                }
            }
            Op::Finish { pick, evidence } => {
                if let Some(at) = pick.checked_rem(self.running.len()) {
                    let (_, permit) = self.running.swap_remove(at);
                    permit.finish(Outcome::Answered, evidence, self.now);
                }
            }
            Op::Cancel { pick } => {
                let all = self.running.len() + self.pending.len();
                if let Some(at) = pick.checked_rem(all) {
                    if at < self.running.len() {
                        self.running.swap_remove(at);
                    } else {
                        let at = at - self.running.len();
                        self.pending.swap_remove(at);
                    }
                }
            }
            Op::Advance { ms } => self.now = self.now + Duration::from_millis(ms),
            Op::Rejoin { member } => self.members[member] = self.gate.join(),
        }
        let core = self.gate.lock();
        core.check();
        drop(core);
        self.never_more_than_capacity(&before);
    }

    /// A lane's slots never grow past its capacity; they may exceed one that
    /// has shrunk under them.
    pub(super) fn never_more_than_capacity(&self, before: &[u32]) {
        let core = self.gate.lock();
        for (lane, before) in (0..).zip(before) {
            let now = core.occupied(Lane(lane));
            if let Capacity::Slots(cap) = core.capacity(Lane(lane)) {
                assert!(
                    now <= cap.get().max(*before),
                    "{now} of {cap} in lane {lane}"
                );
            }
        }
    }

    pub(super) fn poll(&mut self, member: usize) {
        if let Some(key) = self.members[member].poll(self.now) {
            self.log.push((member, key));
            let at = self.pending.iter().position(|(k, _)| *k == key);
            let entry = self
                .pending
                .swap_remove(at.expect("named twice, or after its end"));
            self.running.push(entry);
        }
    }

    /// Polls and finishes until nothing moves any more.
    pub(super) fn drain(&mut self) {
        loop {
            (0..MEMBERS).for_each(|member| self.poll(member));
            let Some((_, permit)) = self.running.pop() else {
                break;
            };
            permit.finish(Outcome::Answered, Evidence::None, self.now);
        }
    }
}
