//! The state machine: which lookups run, who is asked, what an answer or a
//! silence means, and when the tree is decided.

mod attempts;
mod choice;
mod dials;
mod lookups;
mod table;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    task::Waker,
    time::Duration,
};

use ant_pacing::{Member, Moment, Peer, Request};

use self::{
    attempts::{RequestPhase, RequestState},
    dials::Dials,
    table::Table,
};
use crate::{
    Command, Event, FoundPeer, Lookup, LookupKey, PeerMemory, Plan, PoolId, Report, RequestKey,
    Verdict,
    exchange::{End, Exchange, State},
    pool::{Phase, Pool},
};

/// One tree's candidate collection. See the [crate documentation](crate) for
/// how to drive it; `C` is the shell's type of a checked candidate.
#[derive(Debug)]
pub struct Collection<C> {
    plan: Plan,
    gate: Member,
    memory: PeerMemory,
    started: Moment,
    ended: Option<Moment>,
    pools: Vec<Pool>,
    exchanges: Table<Exchange<C>>,
    requests: Table<RequestState>,
    /// Requests whose time runs.
    deadlines: BTreeSet<(Moment, RequestKey)>,
    commands: VecDeque<Command>,
    /// Lookups that their pools wait for.
    lookups: BTreeMap<LookupKey, PoolId>,
    next_lookup: u64,
    /// How long lookups of each kind took, shortest first.
    lookup_times: Vec<(Lookup, Vec<Duration>)>,
    dials: Dials,
    in_flight: u32,
    answered_peers: BTreeSet<Peer>,
    /// How long answers took, shortest first.
    answer_times: Vec<Duration>,
    /// Exchanges that wait for an answer and have not been replaced, by since
    /// when.
    awaited: BTreeSet<(Moment, u64)>,
    /// Slow exchanges with peers of which nothing is known.
    slow_unknown: Vec<(Peer, u64)>,
    /// Peers that ignored the versioned form and then answered the legacy one.
    seemed_old: BTreeSet<Peer>,
    report: Report,
}

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
        let pools: Vec<_> = targets
            .into_iter()
            .map(|target| Pool::new(target, plan.lookup()))
            .collect();
        let mut collection = Self {
            report: Report {
                pools: pools.len(),
                ..Report::default()
            },
            plan,
            gate,
            memory,
            started: now,
            ended: None,
            pools,
            exchanges: Table::new(),
            requests: Table::new(),
            deadlines: BTreeSet::new(),
            commands: VecDeque::new(),
            lookups: BTreeMap::new(),
            next_lookup: 0,
            lookup_times: Vec::new(),
            dials: Dials::default(),
            in_flight: 0,
            answered_peers: BTreeSet::new(),
            answer_times: Vec::new(),
            awaited: BTreeSet::new(),
            slow_unknown: Vec::new(),
            seemed_old: BTreeSet::new(),
        };
        collection.start_lookups(now);
        collection.settle(now);
        collection
    }

    /// The next thing to do, if any.
    pub fn poll(&mut self, now: Moment) -> Option<Command> {
        if self.is_done() {
            return None;
        }
        while self.commands.is_empty() {
            let key = self.gate.poll(now)?;
            self.start_attempt(key, now);
        }
        self.commands.pop_front()
    }

    /// When to call [`tick`](Self::tick) and [`poll`](Self::poll) at the latest.
    pub fn next_deadline(&self) -> Option<Moment> {
        let own = self.deadlines.first().map(|(at, _)| *at);
        let (slow, hedge) = (self.next_slow(), self.next_hedge());
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
        while let Some((at, request)) = self.deadlines.first().copied()
            && at <= now
        {
            let Some(state) = self.requests.get(request.0).copied() else {
                self.deadlines.pop_first();
                continue;
            };
            match state.phase {
                RequestPhase::Sending { .. } => {
                    let limit = self.plan.send_timeout;
                    self.attempt_failed(request, format!("not sent within {limit:?}"), now);
                }
                RequestPhase::Waiting { .. } => self.timed_out(request, now),
                RequestPhase::Over => {
                    self.deadlines.pop_first();
                }
            }
        }
        self.replace_slow(now);
        self.hedge(now);
        self.settle(now);
    }

    /// Takes note of what the shell saw.
    pub fn handle(&mut self, event: Event<C>, now: Moment) {
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
            Event::Unsent { request, reason } => self.attempt_failed(request, reason, now),
            Event::Answered { request, answer } => self.answered(request, answer, now),
            Event::Checked { request, result } => self.checked(request, result, now),
            Event::Disconnected { peer } => self.disconnected(peer, now),
        }
        self.settle(now);
    }

    /// Whether the verdict stands.
    pub const fn is_done(&self) -> bool {
        self.ended.is_some()
    }

    /// The verdict and the report. Called before the collection
    /// [is done](Self::is_done), it gives up what is still open as silent.
    pub fn finish(mut self) -> (Verdict<C>, Report) {
        let exchanges = std::mem::replace(&mut self.exchanges, Table::new()).into_vec();
        let asked: BTreeSet<_> = exchanges
            .iter()
            .filter(|e| matches!(e.state, State::Ended(End::Silent)))
            .map(|e| e.peer)
            .collect();
        let mut report = self.report;
        report.silent_peers = asked.difference(&self.answered_peers).copied().collect();
        let of = self.pools.len();
        let mut pools: Vec<Vec<_>> = self.pools.iter().map(|_| Vec::new()).collect();
        for exchange in exchanges {
            pools[exchange.pool.0].push(exchange);
        }
        let mut full = Vec::new();
        let mut failures = Vec::new();
        for (at, (pool, own)) in self.pools.iter().zip(pools).enumerate() {
            match pool.decide(PoolId(at), of, own) {
                Ok(pool) => full.push(pool),
                Err(failure) => failures.push(failure),
            }
        }
        report.pools_full = full.len();
        // Asked last, so that a refusal that came at any time outranks all.
        let verdict = if let Some(refusal) = self.memory.refusal() {
            Verdict::Refused(refusal)
        } else if failures.is_empty() {
            Verdict::Full(full)
        } else {
            Verdict::Short(failures)
        };
        (verdict, report)
    }

    fn queue(&mut self, pool: PoolId, found: FoundPeer, now: Moment) {
        let Some(of) = self.pools.get_mut(pool.0) else {
            return;
        };
        let key = self.exchanges.push(Exchange {
            pool,
            peer: found.peer,
            distance: found.peer.distance(&of.target),
            address: found.address,
            permit: None,
            attempts: Vec::new(),
            state: State::Queued,
            out: 0,
            awaited: None,
            replaced: false,
        });
        of.exchanges.push(key);
        of.open += 1;
        self.dials.wait(key);
        self.start_dials(now);
    }

    /// Has an exchange wait for its slot.
    fn enqueue(&mut self, key: u64, now: Moment) {
        if let Some(exchange) = self.exchanges.get_mut(key) {
            let request = Request {
                peer: exchange.peer,
                address: exchange.address,
            };
            exchange.permit = Some(self.gate.enqueue(&request, key, now));
        }
    }

    /// Decides the pools that nobody is awaited for, and the tree.
    fn settle(&mut self, now: Moment) {
        if self.is_done() {
            return;
        }
        self.decide_pools();
        self.start_lookups(now);
        self.start_dials(now);
        let decided = self.pools.iter().all(|pool| pool.phase == Phase::Decided);
        // Two distinct refusals settle the matter: nothing will be paid, so
        // nobody else need be asked.
        if decided || self.memory.refusal().is_some() {
            self.ended = Some(now);
            self.report.took = now.since(self.started);
            self.commands.clear();
        }
    }
}
