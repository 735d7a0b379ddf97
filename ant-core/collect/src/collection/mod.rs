//! The state machine: which lookups run, who is asked, what an answer or a
//! silence means, and when the tree is decided.

mod attempts;
mod choice;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    task::Waker,
    time::Duration,
};

use ant_pacing::{Member, Moment, Peer, Request};

use self::attempts::{RequestPhase, RequestState};
use crate::{
    Command, Event, FoundPeer, Lookup, LookupTime, POOL_SIZE, PeerMemory, Plan, PoolId, Report,
    RequestKey, Verdict,
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
    exchanges: BTreeMap<u64, Exchange<C>>,
    requests: BTreeMap<RequestKey, RequestState>,
    /// Requests whose time runs.
    deadlines: BTreeSet<(Moment, RequestKey)>,
    commands: VecDeque<Command>,
    lookups_running: usize,
    in_flight: u32,
    next_request: u64,
    answered_peers: BTreeSet<Peer>,
    /// How long answers took, shortest first.
    answer_times: Vec<Duration>,
    /// Exchanges that wait for an answer and have not been replaced, by since
    /// when.
    awaited: BTreeSet<(Moment, u64)>,
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
            .map(|target| Pool::new(target, plan.lookup))
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
            exchanges: BTreeMap::new(),
            requests: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            commands: VecDeque::new(),
            lookups_running: 0,
            in_flight: 0,
            next_request: 0,
            answered_peers: BTreeSet::new(),
            answer_times: Vec::new(),
            awaited: BTreeSet::new(),
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
        let slow = self.next_slow();
        [own, slow, self.gate.next_deadline()]
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
            let Some(state) = self.requests.get(&request).copied() else {
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
                pool,
                peers,
                connected,
            } => self.looked_up(pool, peers, connected, None, now),
            Event::LookupFailed {
                pool,
                connected,
                reason,
            } => self.looked_up(pool, Vec::new(), connected, Some(reason), now),
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

    /// Whether the candidate that answered this request is to be checked.
    pub fn awaits_check(&self, request: RequestKey) -> bool {
        let exchange = self.requests.get(&request).map(|state| state.exchange);
        let exchange = exchange.and_then(|key| self.exchanges.get(&key));
        exchange.is_some_and(|e| matches!(e.state, State::Checking(of) if of == request))
    }

    /// The verdict and the report. Called before the collection
    /// [is done](Self::is_done), it gives up what is still open as silent.
    pub fn finish(mut self) -> (Verdict<C>, Report) {
        let mut exchanges = std::mem::take(&mut self.exchanges);
        let asked: BTreeSet<_> = exchanges
            .values()
            .filter(|e| matches!(e.state, State::Ended(End::Silent)))
            .map(|e| e.peer)
            .collect();
        let mut report = self.report;
        report.silent_peers = asked.difference(&self.answered_peers).copied().collect();
        let of = self.pools.len();
        let mut full = Vec::new();
        let mut failures = Vec::new();
        for (at, pool) in self.pools.iter().enumerate() {
            let own = pool.exchanges.iter();
            let own = own.filter_map(|key| exchanges.remove(key)).collect();
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

    fn start_lookups(&mut self, now: Moment) {
        for (at, pool) in self.pools.iter_mut().enumerate() {
            if self.lookups_running >= self.plan.lookups.max(1) {
                break;
            }
            if pool.phase == Phase::Waiting {
                pool.phase = Phase::LookingUp { since: now };
                self.lookups_running += 1;
                self.commands.push_back(Command::Lookup {
                    pool: PoolId(at),
                    target: pool.target,
                    count: self.plan.ask,
                    how: pool.how,
                });
            }
        }
    }

    fn looked_up(
        &mut self,
        id: PoolId,
        mut peers: Vec<FoundPeer>,
        connected: Vec<FoundPeer>,
        error: Option<String>,
        now: Moment,
    ) {
        let Some(pool) = self.pools.get_mut(id.0) else {
            return;
        };
        let Phase::LookingUp { since } = pool.phase else {
            return;
        };
        pool.phase = Phase::Asking;
        pool.lookup_error = error;
        self.lookups_running -= 1;
        self.report.lookups.push(LookupTime {
            pool: id,
            took: now.since(since),
            found: peers.len(),
        });
        let exchanges = &self.exchanges;
        let asked = pool.exchanges.iter().filter_map(|key| exchanges.get(key));
        let asked: BTreeSet<_> = asked.map(|exchange| exchange.peer).collect();
        let again = !asked.is_empty();
        let mut seen = asked;
        peers.retain(|found| seen.insert(found.peer));
        if !again && peers.len() < POOL_SIZE && pool.how != Lookup::Stock {
            pool.how = Lookup::Stock;
            pool.phase = Phase::Waiting;
            pool.lookup_error = None;
            self.start_lookups(now);
            return;
        }
        if !again && peers.len() < POOL_SIZE {
            peers.extend(connected.into_iter().filter(|c| seen.insert(c.peer)));
        }
        peers.sort_by_key(|found| found.peer.distance(&pool.target));
        peers.truncate(self.plan.ask);
        // With fewer peers than a pool needs, asking them cannot fill it.
        if !again && peers.len() < POOL_SIZE {
            let found = format!("{} peers found, {POOL_SIZE} needed", peers.len());
            pool.lookup_error.get_or_insert(found);
            peers.clear();
        }
        let first = self.plan.first.unwrap_or(peers.len()).max(POOL_SIZE);
        let spares = peers.split_off(first.min(peers.len()));
        pool.spares = spares.into();
        for found in peers {
            self.queue(id, found, now);
        }
        self.start_lookups(now);
    }

    fn queue(&mut self, pool: PoolId, found: FoundPeer, now: Moment) {
        let key = self.exchanges.len() as u64;
        let request = Request {
            peer: found.peer,
            address: found.address,
        };
        let exchange = Exchange {
            pool,
            peer: found.peer,
            permit: Some(self.gate.enqueue(&request, key, now)),
            attempts: Vec::new(),
            state: State::Queued,
            out: 0,
            replaced: false,
        };
        self.exchanges.insert(key, exchange);
        if let Some(pool) = self.pools.get_mut(pool.0) {
            pool.exchanges.push(key);
            pool.open += 1;
        }
    }

    /// Decides the pools that nobody is awaited for, and the tree.
    fn settle(&mut self, now: Moment) {
        if self.is_done() {
            return;
        }
        self.decide_pools();
        self.start_lookups(now);
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
