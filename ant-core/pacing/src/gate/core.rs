//! The gate's state and its operations as plain data: it takes no lock and runs
//! no waker, so that the laws can be tested on it step by step.

#[cfg(test)]
mod invariants;

use std::{
    collections::{BTreeMap, BTreeSet},
    task::Waker,
};

use super::{
    GateStats,
    number::{Number, Numbers},
};
use crate::{Evidence, Lane, Moment, Outcome, PacingStrategy, Release, Request, Sample, Terms};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TicketId(Number);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MemberId(Number);

#[derive(Debug)]
struct Ticket {
    member: MemberId,
    key: u64,
    terms: Terms,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In its lane's queue, at this place of arrival.
    Waiting { place: Number },
    /// Has a slot since this turn; its member has not been told yet.
    Ready { turn: Number },
    /// Let go; `slot` until the slot is released.
    Running { slot: bool, admitted: Moment },
}

#[derive(Debug, Default)]
struct LaneState {
    /// By place of arrival.
    queue: BTreeMap<Number, TicketId>,
    occupied: u32,
}

#[derive(Debug, Default)]
struct MemberState {
    /// By turn. Any of them may be cancelled, in any order, so taking one out
    /// must not look at the others.
    ready: BTreeMap<Number, TicketId>,
    waiting: u32,
    waker: Option<Waker>,
}

#[derive(Debug)]
pub(super) struct Core {
    strategy: Box<dyn PacingStrategy>,
    tickets: BTreeMap<TicketId, Ticket>,
    members: BTreeMap<MemberId, MemberState>,
    lanes: BTreeMap<Lane, LaneState>,
    /// Slots that time will free.
    expiries: BTreeSet<(Moment, TicketId)>,
    wakers: Vec<Waker>,
    numbers: Numbers,
    stats: GateStats,
}

impl Core {
    pub(super) fn new(strategy: Box<dyn PacingStrategy>) -> Self {
        Self {
            strategy,
            tickets: BTreeMap::new(),
            members: BTreeMap::new(),
            lanes: BTreeMap::new(),
            expiries: BTreeSet::new(),
            wakers: Vec::new(),
            numbers: Numbers::default(),
            stats: GateStats::default(),
        }
    }

    pub(super) const fn stats(&self) -> GateStats {
        self.stats
    }

    pub(super) fn take_wakers(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.wakers)
    }

    pub(super) fn join(&mut self) -> MemberId {
        let id = MemberId(self.numbers.next());
        self.members.insert(id, MemberState::default());
        id
    }

    pub(super) fn leave(&mut self, member: MemberId) {
        // Exchanges not under way can no longer be named to anybody: out with
        // them. Those under way end with their permits.
        let stranded: Vec<_> = self
            .tickets
            .iter()
            .filter(|(_, t)| t.member == member && !matches!(t.state, State::Running { .. }))
            .map(|(id, _)| *id)
            .collect();
        for id in stranded {
            self.cancel(id);
        }
        self.members.remove(&member);
    }

    pub(super) fn enqueue(
        &mut self,
        member: MemberId,
        request: Request,
        key: u64,
        now: Moment,
    ) -> TicketId {
        self.expire(now);
        let id = TicketId(self.numbers.next());
        let place = self.numbers.next();
        let terms = self.strategy.terms(&request);
        let ticket = Ticket {
            member,
            key,
            terms,
            state: State::Waiting { place },
        };
        self.tickets.insert(id, ticket);
        let lane = self.lanes.entry(terms.lane).or_default();
        lane.queue.insert(place, id);
        self.stats.waiting += 1;
        if let Some(member) = self.members.get_mut(&member) {
            member.waiting += 1;
        }
        self.admit(terms.lane);
        id
    }

    pub(super) fn poll(&mut self, member: MemberId, now: Moment) -> Option<u64> {
        self.expire(now);
        let (_, id) = self.members.get_mut(&member)?.ready.pop_first()?;
        let ticket = self.tickets.get_mut(&id)?;
        ticket.state = State::Running {
            slot: true,
            admitted: now,
        };
        if let Release::OnFinishOrAfter(after) = ticket.terms.release {
            self.expiries.insert((now + after, id));
        }
        Some(ticket.key)
    }

    pub(super) fn next_deadline(&self, member: MemberId) -> Option<Moment> {
        // Whoever waits, those who hold slots must look too: a slot that was let
        // go after the waiting member last asked is known to its holder alone.
        let concerned = self.members.contains_key(&member) && self.stats.waiting > 0;
        let (at, _) = self.expiries.first()?;
        concerned.then_some(*at)
    }

    pub(super) fn ready(&mut self, member: MemberId, waker: &Waker) -> bool {
        let Some(state) = self.members.get_mut(&member) else {
            return false;
        };
        if state.ready.is_empty() {
            state.waker = Some(waker.clone());
            false
        } else {
            true
        }
    }

    pub(super) fn finish(
        &mut self,
        id: TicketId,
        outcome: Outcome,
        evidence: Evidence,
        now: Moment,
    ) {
        self.expire(now);
        self.vacate(id);
        let Some(ticket) = self.tickets.remove(&id) else {
            return;
        };
        let lane = ticket.terms.lane;
        if let State::Running { admitted, .. } = ticket.state {
            self.strategy.observe(&Sample {
                lane,
                outcome,
                evidence,
                admitted,
                finished: now,
                waiting: self.waiting(lane),
            });
        }
        self.admit_all();
        self.tidy(lane);
    }

    /// An exchange takes much longer than others: its slot is free, if its terms
    /// say so.
    pub(super) fn slow(&mut self, id: TicketId, now: Moment) {
        self.expire(now);
        let ticket = self.tickets.get(&id);
        if ticket.is_some_and(|t| t.terms.release == Release::OnFinishOrSlow) {
            self.release_early(id);
        }
    }

    pub(super) fn cancel(&mut self, id: TicketId) {
        self.vacate(id);
        if let Some(ticket) = self.tickets.remove(&id) {
            self.admit(ticket.terms.lane);
            self.tidy(ticket.terms.lane);
        }
    }

    /// Frees every slot whose time has come.
    fn expire(&mut self, now: Moment) {
        while let Some((at, id)) = self.expiries.first().copied()
            && at <= now
        {
            self.expiries.pop_first();
            self.release_early(id);
        }
    }

    fn release_early(&mut self, id: TicketId) {
        if let Some(ticket) = self.tickets.get_mut(&id)
            && let State::Running { slot, .. } = &mut ticket.state
            && std::mem::take(slot)
        {
            let lane = ticket.terms.lane;
            self.stats.released_early += 1;
            self.free(lane);
            self.admit(lane);
        }
    }

    /// Gives back whatever a ticket has: its place, or its slot.
    fn vacate(&mut self, id: TicketId) {
        let Some(ticket) = self.tickets.get_mut(&id) else {
            return;
        };
        let lane = ticket.terms.lane;
        match &mut ticket.state {
            State::Waiting { place } => {
                if let Some(lane) = self.lanes.get_mut(&lane) {
                    lane.queue.remove(place);
                }
                self.stats.waiting -= 1;
                if let Some(member) = self.members.get_mut(&ticket.member) {
                    member.waiting -= 1;
                }
            }
            State::Ready { turn } => {
                if let Some(member) = self.members.get_mut(&ticket.member) {
                    member.ready.remove(turn);
                }
                self.free(lane);
            }
            State::Running { slot, admitted } => {
                if let Release::OnFinishOrAfter(after) = ticket.terms.release {
                    self.expiries.remove(&(*admitted + after, id));
                }
                if std::mem::take(slot) {
                    self.free(lane);
                }
            }
        }
    }

    fn free(&mut self, lane: Lane) {
        if let Some(lane) = self.lanes.get_mut(&lane) {
            lane.occupied -= 1;
            self.stats.occupied -= 1;
        }
    }

    /// Lets go from one lane what its capacity allows.
    fn admit(&mut self, lane: Lane) {
        let capacity = self.strategy.capacity(lane);
        while let Some(state) = self.lanes.get_mut(&lane)
            && capacity.admits(state.occupied)
            && let Some((_, id)) = state.queue.pop_first()
        {
            let Some(ticket) = self.tickets.get_mut(&id) else {
                continue;
            };
            state.occupied += 1;
            let turn = self.numbers.next();
            ticket.state = State::Ready { turn };
            let stats = &mut self.stats;
            stats.waiting -= 1;
            stats.admitted += 1;
            stats.occupied += 1;
            stats.peak_occupied = stats.peak_occupied.max(stats.occupied);
            if let Some(member) = self.members.get_mut(&ticket.member) {
                member.waiting -= 1;
                member.ready.insert(turn, id);
                self.wakers.extend(member.waker.take());
            }
        }
    }

    /// After a strategy may have changed its mind about any lane.
    fn admit_all(&mut self) {
        let lanes: Vec<_> = self.lanes.keys().copied().collect();
        for lane in lanes {
            self.admit(lane);
        }
    }

    /// Forgets a lane that nobody uses, so that the table cannot grow for ever.
    fn tidy(&mut self, lane: Lane) {
        if let Some(state) = self.lanes.get(&lane)
            && state.occupied == 0
            && state.queue.is_empty()
        {
            self.lanes.remove(&lane);
        }
    }

    fn waiting(&self, lane: Lane) -> u32 {
        self.lanes.get(&lane).map_or(0, |lane| {
            u32::try_from(lane.queue.len()).unwrap_or(u32::MAX)
        })
    }
}
