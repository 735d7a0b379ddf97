//! A network that does what a script says: who answers, how late, and how.

use std::{collections::BTreeMap, time::Duration};

use ant_pacing::{Gate, GateStats, Moment, PacingSpec, Peer};

use crate::{
    Answer, Collection, Command, Dialect, Event, FoundPeer, Lookup, PeerMemory, Plan, Report,
    RequestKey, Verdict,
};

pub(super) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(super) const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// Peer `n` has an identity that starts with `n`, so that it is close to
/// targets that start alike.
pub(super) fn peer(n: u8) -> Peer {
    let mut id = [0; 32];
    id[0] = n;
    Peer(id)
}

pub(super) fn target(n: u8) -> [u8; 32] {
    [n; 32]
}

fn found(peers: &[Peer]) -> Vec<FoundPeer> {
    let found = |peer: &Peer| FoundPeer {
        peer: *peer,
        address: None,
    };
    peers.iter().map(found).collect()
}

/// What a peer does with requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Answers each request after this long.
    Answers(Duration),
    /// Answers no request.
    Silent,
    /// Cannot read the versioned form; answers the legacy one after this long.
    Old(Duration),
    /// Speaks both forms, but the first so many answers are lost.
    Loses(u32, Duration),
    /// Refuses the settlement version, after this long.
    Refuses(Duration),
    /// Declines for another reason.
    Declines,
    /// Answers with a candidate that does not check out.
    Forges,
    /// Cannot be reached.
    Unreachable,
    /// Sends to it never return.
    Stuck,
    /// Breaks the connection this long after a request, once; then answers.
    Breaks(Duration),
}

type Shown = Event<Peer>;

/// The network, and the shell that drives a collection over it.
pub(super) struct Network {
    pub(super) manners: BTreeMap<Peer, Manner>,
    pub(super) plan: Plan,
    pub(super) memory: PeerMemory,
    pub(super) gate: Gate,
    pub(super) lookup_time: Duration,
    /// Lookups that take another time, by their number.
    pub(super) lookup_times: BTreeMap<u64, Duration>,
    /// Lookups that find others, by their number.
    pub(super) lookup_finds: BTreeMap<u64, Vec<Peer>>,
    /// Whom a lookup finds; `None` fails it.
    pub(super) finds: Option<Vec<Peer>>,
    /// Whom a witnessed lookup finds, if others than a stock one.
    pub(super) witnessed: Option<Vec<Peer>>,
    /// Whether that is in doubt.
    pub(super) in_doubt: bool,
    pub(super) connected: Vec<Peer>,
    /// How long a request to a peer that is not connected takes to be sent.
    pub(super) dial_time: Duration,
    /// The most peers that were dialled at a time.
    pub(super) peak_dials: usize,
    /// The most requests that waited for one dial.
    pub(super) most_at_a_dial: usize,
    /// Until when a peer is dialled, and how many requests wait for that.
    dialling: BTreeMap<Peer, (Moment, usize)>,
    /// From when on a peer is connected that has been dialled.
    linked: BTreeMap<Peer, Moment>,
    /// What the candidates turn out to be, by the request that they answer.
    checks: BTreeMap<RequestKey, Result<Peer, String>>,
    pub(super) now: Moment,
    /// The most lookups that ran at a time.
    pub(super) peak_lookups: u32,
    /// Requests sent, by peer and form.
    pub(super) sent: Vec<(Peer, Dialect)>,
    /// When each of them was.
    pub(super) sent_at: Vec<Moment>,
    lookups: u32,
    asked: BTreeMap<Peer, u32>,
}

impl Network {
    /// `peers` peers that answer after 100 ms, found by every lookup in 50 ms.
    pub(super) fn new(spec: &str, peers: u8) -> Self {
        let spec: PacingSpec = spec.parse().unwrap();
        let all: Vec<_> = (0..peers).map(peer).collect();
        Self {
            manners: all.iter().map(|p| (*p, Manner::Answers(ms(100)))).collect(),
            plan: Plan::default(),
            memory: PeerMemory::new(),
            gate: Gate::new(spec.strategy.build()),
            lookup_time: ms(50),
            lookup_times: BTreeMap::new(),
            lookup_finds: BTreeMap::new(),
            finds: Some(all),
            witnessed: None,
            in_doubt: false,
            connected: Vec::new(),
            dial_time: Duration::ZERO,
            peak_dials: 0,
            most_at_a_dial: 0,
            dialling: BTreeMap::new(),
            linked: BTreeMap::new(),
            checks: BTreeMap::new(),
            now: Moment::ZERO,
            peak_lookups: 0,
            sent: Vec::new(),
            sent_at: Vec::new(),
            lookups: 0,
            asked: BTreeMap::new(),
        }
    }

    pub(super) fn with(mut self, peers: impl IntoIterator<Item = u8>, manner: Manner) -> Self {
        for n in peers {
            self.manners.insert(peer(n), manner);
        }
        self
    }

    pub(super) fn collection(&self, targets: &[[u8; 32]]) -> Collection<Peer> {
        Collection::new(
            self.plan,
            targets.iter().copied(),
            self.gate.join(),
            self.memory.clone(),
            self.now,
        )
    }

    /// Runs a tree with these midpoints to its end.
    pub(super) fn run(&mut self, targets: &[[u8; 32]]) -> (Verdict<Peer>, Report, GateStats) {
        self.run_with(targets, Agenda::default())
    }

    /// Runs a tree to its end while this happens besides.
    pub(super) fn run_with(
        &mut self,
        targets: &[[u8; 32]],
        mut agenda: Agenda,
    ) -> (Verdict<Peer>, Report, GateStats) {
        let mut collection = self.collection(targets);
        while self.step(&mut collection, &mut agenda) {}
        assert!(
            collection.is_done(),
            "stuck at {:?}: {collection:?}",
            self.now
        );
        let (verdict, report) = collection.finish();
        (verdict, report, self.gate.stats())
    }

    /// Carries out what is due and moves on to the next moment at which
    /// something happens; false when there is none, or the collection is done.
    pub(super) fn step(&mut self, collection: &mut Collection<Peer>, agenda: &mut Agenda) -> bool {
        self.carry_out_all(collection, agenda);
        if collection.is_done() {
            return false;
        }
        let next = [agenda.next(), collection.next_deadline()];
        let Some(next) = next.into_iter().flatten().min() else {
            return false;
        };
        assert!(next >= self.now, "a deadline in the past");
        self.now = next;
        while let Some(mut event) = agenda.due(self.now) {
            match &mut event {
                Event::Found { connected, .. } | Event::LookupFailed { connected, .. } => {
                    self.lookups -= 1;
                    *connected = found(&self.connected);
                }
                Event::Disconnected { peer } => self.unlink(*peer),
                _ => {}
            }
            collection.handle(event, self.now);
            self.carry_out_all(collection, agenda);
        }
        collection.tick(self.now);
        true
    }

    fn carry_out_all(&mut self, collection: &mut Collection<Peer>, agenda: &mut Agenda) {
        while let Some(command) = collection.poll(self.now) {
            // A check takes no time.
            if let Command::Check { request } = command {
                let result = self.checks[&request].clone();
                collection.handle(Event::Checked { request, result }, self.now);
            } else {
                self.carry_out(command, agenda);
            }
        }
    }

    fn carry_out(&mut self, command: Command, agenda: &mut Agenda) {
        match command {
            Command::Lookup { lookup, how, .. } => {
                self.lookups += 1;
                self.peak_lookups = self.peak_lookups.max(self.lookups);
                let witnessed = self.witnessed.as_ref().filter(|_| how != Lookup::Stock);
                let finds = self.lookup_finds.get(&lookup.0);
                let event = match finds.or(witnessed).or(self.finds.as_ref()) {
                    Some(peers) => Event::Found {
                        lookup,
                        peers: found(peers),
                        in_doubt: self.in_doubt && how != Lookup::Stock,
                        connected: Vec::new(),
                    },
                    None => Event::LookupFailed {
                        lookup,
                        connected: Vec::new(),
                        reason: "no route".to_owned(),
                    },
                };
                let takes = self.lookup_times.get(&lookup.0);
                agenda.add(self.now + *takes.unwrap_or(&self.lookup_time), event);
            }
            Command::Send {
                request,
                peer,
                dialect,
                ..
            } => {
                self.sent.push((peer, dialect));
                self.sent_at.push(self.now);
                self.send(request, peer, dialect, agenda);
            }
            Command::Check { .. } => unreachable!("carried out above"),
        }
    }

    fn send(&mut self, request: RequestKey, peer: Peer, dialect: Dialect, agenda: &mut Agenda) {
        let manner = self.manners[&peer];
        let sent = self.dial(peer, manner);
        let asked = self.asked.entry(peer).or_default();
        *asked += 1;
        match manner {
            Manner::Unreachable => {
                let reason = "no route".to_owned();
                agenda.add(sent, Event::Unsent { request, reason });
            }
            Manner::Stuck => {}
            // Before whatever else happens now, a disconnect among it.
            _ if sent == self.now => agenda.add_first(sent, Event::Sent { request }),
            _ => agenda.add(sent, Event::Sent { request }),
        }
        let checks = &mut self.checks;
        let mut candidate = |agenda: &mut Agenda, after, result| {
            let answer = Answer::Candidate;
            checks.insert(request, result);
            agenda.add(sent + after, Event::Answered { request, answer });
        };
        match manner {
            Manner::Silent | Manner::Unreachable | Manner::Stuck => {}
            Manner::Answers(after) => candidate(agenda, after, Ok(peer)),
            Manner::Old(after) => {
                if dialect == Dialect::Legacy {
                    candidate(agenda, after, Ok(peer));
                }
            }
            Manner::Loses(first, after) => {
                if *asked > first {
                    candidate(agenda, after, Ok(peer));
                }
            }
            Manner::Refuses(after) => {
                let answer = Answer::SettlementRefused { minimum: 2 };
                agenda.add(sent + after, Event::Answered { request, answer });
            }
            Manner::Declines => {
                let answer = Answer::Declined("no room".to_owned());
                agenda.add(sent, Event::Answered { request, answer });
            }
            Manner::Forges => candidate(agenda, ms(10), Err("bad signature".to_owned())),
            Manner::Breaks(after) => {
                if *asked == 1 {
                    agenda.add(sent + after, Event::Disconnected { peer });
                } else {
                    candidate(agenda, ms(10), Ok(peer));
                }
            }
        }
    }
}

impl Network {
    /// When a request of now to this peer is sent.
    fn dial(&mut self, peer: Peer, manner: Manner) -> Moment {
        let now = self.now;
        let linked = self.linked.get(&peer).is_some_and(|from| *from <= now);
        if linked || self.connected.contains(&peer) {
            return now;
        }
        self.dialling.retain(|_, (until, _)| *until > now);
        let takes = match manner {
            Manner::Stuck => self.plan.send_timeout,
            _ => self.dial_time,
        };
        let (until, requests) = self.dialling.entry(peer).or_insert((now + takes, 0));
        *requests += 1;
        self.most_at_a_dial = self.most_at_a_dial.max(*requests);
        let until = *until;
        if !matches!(manner, Manner::Stuck | Manner::Unreachable) {
            self.linked.insert(peer, until);
        }
        if until > now {
            self.peak_dials = self.peak_dials.max(self.dialling.len());
        }
        until
    }

    /// The peer's connection ends, if it has one.
    fn unlink(&mut self, peer: Peer) {
        self.connected.retain(|connected| *connected != peer);
        if self.linked.get(&peer).is_some_and(|from| *from < self.now) {
            self.linked.remove(&peer);
        }
    }
}

/// What happens when, in order of time, then what comes first, then of being
/// added.
#[derive(Default)]
pub(super) struct Agenda {
    events: BTreeMap<(Moment, bool, u64), Shown>,
    next: u64,
}

impl Agenda {
    pub(super) fn add(&mut self, at: Moment, event: Shown) {
        self.events.insert((at, true, self.next), event);
        self.next += 1;
    }

    fn add_first(&mut self, at: Moment, event: Shown) {
        self.events.insert((at, false, self.next), event);
        self.next += 1;
    }

    fn next(&self) -> Option<Moment> {
        self.events.first_key_value().map(|((at, ..), _)| *at)
    }

    fn due(&mut self, now: Moment) -> Option<Shown> {
        let first = self.events.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }
}
