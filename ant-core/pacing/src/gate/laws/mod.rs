//! The gate's laws, over random operations by several members under random
//! strategies, learning and shrinking ones included.

mod kinds;
mod world;

use std::{
    sync::{Arc, atomic::Ordering},
    task::Waker,
    time::Duration,
};

use proptest::prelude::*;

use self::{
    kinds::{Kind, any_kind},
    world::{Flag, MEMBERS, Op, World, any_op},
};
use super::{Gate, number::comparisons};
use crate::{
    Capacity, Evidence, Lane, Moment, Outcome, PacingStrategy, Peer, Request, Sample, Terms,
};

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

#[test]
fn leaving_looks_at_each_exchange_a_few_times_however_many_there_are() {
    let gate = Gate::new(Kind::Uncapped.build());
    for n in [1_000, 16_000] {
        for member_goes_first in [true, false] {
            let member = gate.join();
            let request = Request::to(Peer([0; 32]));
            let permits: Vec<_> = (0..n)
                .map(|key| member.enqueue(&request, key, Moment::ZERO))
                .collect();
            let before = comparisons();
            if member_goes_first {
                drop(member);
                drop(permits);
            } else {
                permits.into_iter().rev().for_each(drop);
                drop(member);
            }
            let each = (comparisons() - before) / n;
            assert!(each < 400, "{each} comparisons for each of {n} exchanges");
            assert!(gate.lock().is_empty());
        }
    }
}
