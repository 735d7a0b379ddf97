//! The machine from outside: events and time in, commands out, until the verdict
//! stands.

use std::{collections::VecDeque, task::Waker};

use ant_pacing::{Member, Moment};

use super::state::Collection;
use crate::{
    Command, Event, PeerMemory, Plan, Report, Verdict,
    parts::{
        Dials, End, Lookups, Peers, Phase, Pool, RequestPhase, Requests, Slowness, State, Table,
        Turns,
    },
};

impl<C> Collection<C> {
    /// A collection for these midpoints. It competes for slots as `gate`, and
    /// learns from and teaches `memory`.
    pub fn new(
        plan: Plan,
        targets: impl IntoIterator<Item = [u8; 32]>,
        gate: Member,
        memory: PeerMemory,
        now: Moment,
    ) -> Self {
        let pool = |target| Pool::new(target, plan.lookup());
        let pools: Table<_, _> = targets.into_iter().map(pool).collect();
        let mut collection = Self {
            report: Report {
                pools: pools.len(),
                ..Report::default()
            },
            plan,
            gate: Turns::new(gate),
            peers: Peers::new(memory),
            pools,
            exchanges: Table::default(),
            requests: Requests::default(),
            lookups: Lookups::default(),
            dials: Dials::new(plan.dials),
            slowness: Slowness::default(),
            commands: VecDeque::new(),
            started: now,
            ended: None,
        };
        collection.settle(now);
        collection
    }

    /// Returns the next thing to do, if any.
    pub fn poll(&mut self, now: Moment) -> Option<Command> {
        if self.is_done() {
            return None;
        }
        while self.commands.is_empty() {
            let key = self.gate.poll(now)?;
            self.proceed(key, now);
        }
        self.commands.pop_front()
    }

    /// Returns when to call [`tick`](Self::tick) and [`poll`](Self::poll) at the
    /// latest.
    pub fn next_deadline(&self) -> Option<Moment> {
        let own = self.requests.next_deadline();
        let (slow, hedge) = (self.slowness.next_slow(), self.next_hedge());
        [own, slow, hedge, self.gate.next_deadline()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Whether the gate lets an exchange of this collection go, so that
    /// [`poll`](Self::poll) has a command. If not, `waker` is woken when it
    /// does, whoever freed the slot.
    pub fn gate_ready(&self, waker: &Waker) -> bool {
        self.gate.ready(waker)
    }

    /// Ends what has run out of time.
    pub fn tick(&mut self, now: Moment) {
        while let Some((request, phase)) = self.requests.overdue(now) {
            if let RequestPhase::Sending { .. } = phase {
                let limit = self.plan.send_timeout;
                self.attempt_failed(request, &format!("not sent within {limit:?}"), now);
            } else {
                self.timed_out(request, now);
            }
        }
        self.replace_slow(now);
        self.hedge(now);
        self.settle(now);
    }

    /// Takes note of what the shell saw.
    pub fn handle(&mut self, event: Event<C>, now: Moment) {
        // First, so that what the time brings about is not sent to a peer that is
        // gone as if it were still connected.
        if let Event::Disconnected { peer } = event {
            self.dials.disconnected(peer);
        }
        self.tick(now);
        if self.is_done() {
            return;
        }
        match event {
            Event::Found {
                lookup,
                peers,
                in_doubt,
                connected,
            } => {
                let result = Ok((peers, in_doubt));
                self.looked_up(lookup, result, connected, now);
            }
            Event::LookupFailed {
                lookup,
                connected,
                reason,
            } => self.looked_up(lookup, Err(reason), connected, now),
            Event::Sent { request } => self.sent(request, now),
            Event::Unsent { request, reason } => self.attempt_failed(request, &reason, now),
            Event::Answered { request, answer } => self.answered(request, answer, now),
            Event::Checked { request, result } => self.checked(request, result, now),
            Event::Disconnected { peer } => self.answers_lost(peer, now),
        }
        self.settle(now);
    }

    /// Whether the verdict stands.
    pub const fn is_done(&self) -> bool {
        self.ended.is_some()
    }

    /// Returns the verdict and the report. Called before the collection
    /// [is done](Self::is_done), it gives up what is still open as silent.
    pub fn finish(self) -> (Verdict<C>, Report) {
        let Self {
            mut report,
            pools,
            exchanges,
            peers,
            ..
        } = self;
        let silent = exchanges
            .iter()
            .filter(|(_, e)| matches!(e.state, State::Ended(End::Silent)))
            .map(|(_, e)| e.peer)
            .filter(|peer| !peers.has_answered(*peer));
        report.silent_peers = silent.collect();
        report.silent_peers.sort_unstable();
        report.silent_peers.dedup();
        let of = pools.len();
        let mut of_pools: Table<_, Vec<_>> = pools.keys().map(|_| Vec::new()).collect();
        for exchange in exchanges.into_values() {
            of_pools[exchange.pool].push(exchange);
        }
        let mut full = Vec::new();
        let mut failures = Vec::new();
        for ((id, pool), own) in pools.iter().zip(of_pools.into_values()) {
            match pool.decide(id, of, own) {
                Ok(pool) => full.push(pool),
                Err(failure) => failures.push(failure),
            }
        }
        report.pools_full = full.len();
        // Asked last, so that a refusal that came at any time outranks all.
        let verdict = if let Some(refusal) = peers.refusal() {
            Verdict::Refused(refusal)
        } else if failures.is_empty() {
            Verdict::Full(full)
        } else {
            Verdict::Short(failures)
        };
        (verdict, report)
    }

    /// Decides the pools that nobody is awaited for, and the tree.
    fn settle(&mut self, now: Moment) {
        if self.is_done() {
            return;
        }
        self.decide_pools(now);
        self.start_lookups(now);
        let decided = |(_, pool): (_, &Pool)| pool.phase == Phase::Decided;
        // Two distinct refusals settle the matter: nothing will be paid, so
        // nobody else need be asked.
        if self.pools.iter().all(decided) || self.peers.refusal().is_some() {
            self.ended = Some(now);
            self.report.took = now.since(self.started);
            self.commands.clear();
        }
    }
}
