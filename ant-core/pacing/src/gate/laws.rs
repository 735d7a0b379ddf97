//! The gate's laws, over random operations by several members under random
//! strategies, learning and shrinking ones included.

use std::{
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Wake, Waker},
    time::Duration,
};

use proptest::prelude::*;

use super::{Gate, Member, Permit};
use crate::{
    Capacity, Evidence, Lane, Moment, Outcome, PacingStrategy, Peer, Release, Request, Sample,
    Terms, strategies,
};

const MEMBERS: usize = 3;
const LANES: u8 = 3;

/// Several lanes, and a capacity that moves with what is observed: harder on the
/// gate than any strategy we ship.
#[derive(Debug)]
struct Restless {
    slots: u32,
    release: Release,
}

impl PacingStrategy for Restless {
    fn terms(&mut self, request: &Request) -> Terms {
        Terms {
            lane: Lane(u32::from(request.peer.0[0] % LANES)),
            release: self.release,
        }
    }

    fn capacity(&self, _lane: Lane) -> Capacity {
        Capacity::Slots(NonZeroU32::new(self.slots).unwrap())
    }

    fn observe(&mut self, sample: &Sample) {
        self.slots = match sample.evidence {
            Evidence::Loss => (self.slots / 2).max(1),
            Evidence::None if sample.waiting > 0 => self.slots + 1,
            _ => self.slots,
        };
    }
}

fn slots(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap()
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Uncapped,
    Hold(u32),
    Release(u64, u32),
    Aimd(u32, u32, u32),
    Shard(u32),
    Restless(u32, Option<u64>),
}

impl Kind {
    fn build(self) -> Box<dyn PacingStrategy> {
        match self {
            Self::Uncapped => Box::new(strategies::Uncapped),
            Self::Hold(n) => Box::new(strategies::Hold::new(slots(n))),
            Self::Release(ms, n) => Box::new(strategies::Release::new(
                Duration::from_millis(ms),
                slots(n),
            )),
            Self::Shard(n) => Box::new(strategies::Shard::new(slots(n))),
            Self::Aimd(min, start, max) => {
                Box::new(strategies::Aimd::new(slots(min), slots(start), slots(max)))
            }
            Self::Restless(n, ms) => Box::new(Restless {
                slots: n,
                release: ms.map_or(Release::OnFinish, |ms| {
                    Release::OnFinishOrAfter(Duration::from_millis(ms))
                }),
            }),
        }
    }
}

fn any_kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Uncapped),
        (1u32..5).prop_map(Kind::Hold),
        (1u64..50, 1u32..5).prop_map(|(ms, n)| Kind::Release(ms, n)),
        (1u32..5).prop_map(Kind::Shard),
        (1u32..3, 0u32..3, 0u32..3).prop_map(|(l, n, m)| Kind::Aimd(l, l + n, l + n + m)),
        (1u32..5, prop::option::of(1u64..50)).prop_map(|(n, ms)| Kind::Restless(n, ms)),
    ]
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Enqueue { member: usize, peer: u8 },
    Poll { member: usize },
    Slow { pick: usize },
    Finish { pick: usize, evidence: Evidence },
    Cancel { pick: usize },
    Advance { ms: u64 },
    Rejoin { member: usize },
}

fn any_op() -> impl Strategy<Value = Op> {
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
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A gate under test, with all that its users hold.
struct World {
    gate: Gate,
    members: Vec<Member>,
    /// Permits of exchanges polled, and of those not yet polled.
    running: Vec<(u64, Permit)>,
    pending: Vec<(u64, Permit)>,
    now: Moment,
    next_key: u64,
    log: Vec<(usize, u64)>,
}

impl World {
    fn new(kind: Kind) -> Self {
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

    fn occupied(&self) -> Vec<u32> {
        let core = self.gate.lock();
        (0..u32::from(LANES))
            .map(|l| core.occupied(Lane(l)))
            .collect()
    }

    fn apply(&mut self, op: Op) {
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
    fn never_more_than_capacity(&self, before: &[u32]) {
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

    fn poll(&mut self, member: usize) {
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
    fn drain(&mut self) {
        loop {
            (0..MEMBERS).for_each(|member| self.poll(member));
            let Some((_, permit)) = self.running.pop() else {
                break;
            };
            permit.finish(Outcome::Answered, Evidence::None, self.now);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn slots_are_counted_right_and_all_are_given_back(
        kind in any_kind(),
        ops in prop::collection::vec(any_op(), 0..120),
    ) {
        let mut world = World::new(kind);
        ops.into_iter().for_each(|op| world.apply(op));
        world.running.clear();
        world.pending.clear();
        prop_assert!(world.gate.lock().is_empty(), "{:?}", world.gate);
    }

    #[test]
    fn the_same_operations_give_the_same_result(
        kind in any_kind(),
        ops in prop::collection::vec(any_op(), 0..120),
    ) {
        let run = || {
            let mut world = World::new(kind);
            ops.iter().for_each(|op| world.apply(*op));
            (world.log, world.gate.stats())
        };
        prop_assert_eq!(run(), run());
    }

    #[test]
    fn everyone_who_stays_is_served(
        kind in any_kind(),
        ops in prop::collection::vec(any_op(), 0..120),
    ) {
        // A member that has left takes its waiting exchanges along.
        let stays = |op: &Op| !matches!(op, Op::Rejoin { .. });
        let mut world = World::new(kind);
        ops.into_iter().filter(stays).for_each(|op| world.apply(op));
        world.drain();
        prop_assert_eq!(world.pending.len(), 0, "left waiting: {:?}", world.gate);
        prop_assert!(world.gate.lock().is_empty());
    }

    #[test]
    fn first_come_first_served(
        n in 1u32..5,
        ms in prop::option::of(1u64..50),
        ops in prop::collection::vec(any_op(), 0..120),
    ) {
        let kind = ms.map_or(Kind::Hold(n), |ms| Kind::Release(ms, n));
        let mut world = World::new(kind);
        for op in ops {
            world.apply(op);
            let (waiting, started) = world.gate.lock().keys();
            if let (Some(first), Some(last)) = (waiting.iter().min(), started.iter().max()) {
                prop_assert!(last < first, "{last} overtook {first}");
            }
        }
        for member in 0..MEMBERS {
            let keys: Vec<_> = world.log.iter().filter(|(m, _)| *m == member).collect();
            prop_assert!(keys.is_sorted(), "{:?}", keys);
        }
    }

    #[test]
    fn no_member_sleeps_while_it_may_go_on(
        kind in any_kind(),
        ops in prop::collection::vec(any_op(), 0..120),
    ) {
        let mut world = World::new(kind);
        for op in ops {
            let flags: Vec<_> = world.members.iter().map(|member| {
                let flag = Arc::new(Flag::default());
                let was_ready = member.ready(&Waker::from(Arc::clone(&flag)));
                (flag, was_ready)
            }).collect();
            world.apply(op);
            for (at, (flag, was_ready)) in flags.iter().enumerate() {
                let rejoined = matches!(op, Op::Rejoin { member } if member == at);
                let ready = world.members[at].ready(Waker::noop());
                let woken = flag.0.load(Ordering::SeqCst);
                prop_assert!(!ready || *was_ready || woken || rejoined, "member {at} sleeps on");
            }
        }
    }

    #[test]
    fn a_slot_is_freed_at_its_time_and_the_deadline_says_when(
        after in 1u64..1000,
        n in 1u32..4,
        early in 0u64..1000,
    ) {
        let gate = Gate::new(Kind::Release(after, n).build());
        let member = gate.join();
        let request = Request::to(Peer([0; 32]));
        let permits: Vec<_> = (0..=u64::from(n))
            .map(|key| member.enqueue(&request, key, Moment::ZERO))
            .collect();
        let start = Moment::after_epoch(Duration::from_millis(7));
        for key in 0..u64::from(n) {
            prop_assert_eq!(member.poll(start), Some(key));
        }
        let due = start + Duration::from_millis(after);
        prop_assert_eq!(member.next_deadline(), Some(due));
        let before = start + Duration::from_millis(early.min(after - 1));
        prop_assert_eq!(member.poll(before), None);
        prop_assert_eq!(member.poll(due), Some(u64::from(n)));
        prop_assert_eq!(gate.stats().released_early, u64::from(n));
        prop_assert_eq!(member.next_deadline(), None, "nobody waits");
        drop(permits);
        prop_assert!(gate.lock().is_empty());
    }
}

#[test]
fn a_holder_wakes_for_those_who_wait_elsewhere() {
    let gate = Gate::new(Kind::Release(10, 1).build());
    let (holder, waiter) = (gate.join(), gate.join());
    let request = Request::to(Peer([0; 32]));
    let at = |ms| Moment::after_epoch(Duration::from_millis(ms));
    let _held = holder.enqueue(&request, 0, at(0));
    let _waits = waiter.enqueue(&request, 1, at(0));
    assert_eq!(waiter.next_deadline(), None, "nothing has been let go yet");
    assert_eq!(holder.poll(at(1)), Some(0));
    assert_eq!(holder.next_deadline(), Some(at(11)), "or nobody would look");
    let flag = Arc::new(Flag::default());
    assert!(!waiter.ready(&Waker::from(Arc::clone(&flag))));
    assert_eq!(holder.poll(at(11)), None);
    assert!(flag.0.load(Ordering::SeqCst), "its turn has come");
    assert_eq!(waiter.poll(at(11)), Some(1));
}

#[test]
fn waiting_is_in_no_release_time() {
    let gate = Gate::new(Kind::Release(10, 1).build());
    let member = gate.join();
    let request = Request::to(Peer([0; 32]));
    let at = |ms| Moment::after_epoch(Duration::from_millis(ms));
    let first = member.enqueue(&request, 0, at(0));
    let _second = member.enqueue(&request, 1, at(0));
    assert_eq!(member.poll(at(0)), Some(0));
    // The first ends, so the second is admitted; its member looks much later.
    first.finish(Outcome::Answered, Evidence::None, at(5));
    assert_eq!(member.poll(at(500)), Some(1));
    let _third = member.enqueue(&request, 2, at(501));
    assert_eq!(member.next_deadline(), Some(at(510)));
}

#[test]
fn a_strategy_never_sees_a_cancelled_exchange() {
    #[derive(Debug)]
    struct Deaf;
    impl PacingStrategy for Deaf {
        fn terms(&mut self, _request: &Request) -> Terms {
            Terms::hold()
        }
        fn capacity(&self, _lane: Lane) -> Capacity {
            Capacity::Unlimited
        }
        fn observe(&mut self, sample: &Sample) {
            panic!("saw {sample:?}");
        }
    }
    let gate = Gate::new(Box::new(Deaf));
    let member = gate.join();
    let permit = member.enqueue(&Request::to(Peer([0; 32])), 0, Moment::ZERO);
    assert_eq!(member.poll(Moment::ZERO), Some(0));
    drop(permit);
    assert!(gate.lock().is_empty());
}
