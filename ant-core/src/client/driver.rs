//! The thin shell that carries out one tree's collection on the real network:
//! one task, which starts lookups, sends and checks, and never waits for one.

use std::{collections::HashMap, future::poll_fn, sync::Arc, task::Poll, time::Duration};

use ant_collect::{
    Answer, Collection, Command, Dialect, Event, Lookup, LookupKey, Plan, PoolId, Report,
    RequestKey, Verdict,
};
use ant_pacing::{Member, Moment, Peer};
use ant_protocol::{
    CHUNK_PROTOCOL_ID,
    evm::MerklePaymentCandidateNode,
    transport::{MultiAddr, PeerId},
};
use tokio::sync::mpsc;

use super::{
    demux::{Delivery, Incoming, TreeSeat},
    shared::Shared,
};
use crate::{
    candidate::{
        check::check,
        wire::{self, Quote},
    },
    endpoint::{Found, Located},
};

/// Longer than any deadline: what a driver without one sleeps for.
const NO_DEADLINE: Duration = Duration::from_hours(1);

/// Deliveries to the driver: from the demultiplexer and its own tasks, and
/// lookups' ends, which also teach it where peers are.
enum Message {
    Delivery(Delivery),
    LookedUp(Moment, LookupKey, Result<Found, String>),
}

/// Runs one tree's collection to its verdict.
///
/// Dropping the future stops the work: no further request leaves, every slot is
/// free, and what is being sent is sent to its end, by tasks of its own.
pub(crate) async fn collect(
    shared: &Arc<Shared>,
    plan: Plan,
    targets: &[[u8; 32]],
    quote: Quote,
    gate: Member,
) -> (Verdict<MerklePaymentCandidateNode>, Report) {
    let (deliver, mut deliveries) = mpsc::unbounded_channel();
    let (looked_up, mut lookups) = mpsc::unbounded_channel();
    let clock = shared.demux.clock;
    let mut collection = Collection::new(
        plan.on_queues(shared.network.queues().await),
        targets.iter().copied(),
        gate,
        shared.memory.clone(),
        clock.now(),
    );
    let mut shell = Shell {
        shared,
        targets,
        quote,
        seat: shared.demux.seat(deliver.clone()),
        deliver,
        looked_up,
        addresses: HashMap::new(),
        candidate: None,
    };
    let mut latest = clock.now();
    loop {
        while let Some(command) = collection.poll(latest) {
            shell.carry_out(command);
        }
        if collection.is_done() {
            break;
        }
        let deadline = collection.next_deadline();
        let wake_at = deadline.unwrap_or_else(|| latest + NO_DEADLINE);
        let gate_ready = poll_fn(|context| {
            if collection.gate_ready(context.waker()) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        });
        // Deliveries first: one that is here has not timed out, however late
        // this task is.
        let message = tokio::select! {
            biased;
            Some(delivery) = deliveries.recv() => Some(Message::Delivery(delivery)),
            Some((at, lookup, found)) = lookups.recv() => Some(Message::LookedUp(at, lookup, found)),
            () = gate_ready => None,
            () = tokio::time::sleep_until(clock.instant(wake_at).into()) => None,
        };
        match message {
            Some(Message::Delivery((at, incoming))) => {
                latest = latest.max(at);
                shell.take(incoming, &mut collection, latest);
            }
            Some(Message::LookedUp(at, lookup, found)) => {
                latest = latest.max(at);
                let event = shell.locate(lookup, found).await;
                collection.handle(event, latest);
            }
            None => {
                latest = latest.max(clock.now());
                collection.tick(latest);
            }
        }
    }
    // What waits to be read belongs to no tree any more; refusals among it have
    // been heard.
    drop(shell);
    while let Ok((_, incoming)) = deliveries.try_recv() {
        if incoming.is_answer() {
            shared.demux.came_after_end();
        }
    }
    collection.finish()
}

/// What carrying out a command takes.
struct Shell<'a> {
    shared: &'a Arc<Shared>,
    targets: &'a [[u8; 32]],
    quote: Quote,
    seat: TreeSeat,
    deliver: mpsc::UnboundedSender<Delivery>,
    looked_up: mpsc::UnboundedSender<(Moment, LookupKey, Result<Found, String>)>,
    addresses: HashMap<Peer, Vec<MultiAddr>>,
    /// The candidate that came last, until the commands that follow are carried
    /// out.
    candidate: Option<Candidate>,
}

/// A candidate as its peer sent it.
struct Candidate {
    request: RequestKey,
    peer: Peer,
    node: Vec<u8>,
    commitment: Option<Vec<u8>>,
}

impl Shell<'_> {
    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Lookup {
                lookup,
                target,
                count,
                how,
            } => {
                let shared = Arc::clone(self.shared);
                let looked_up = self.looked_up.clone();
                // Detached: a lookup dials, and a dial dropped midway leaves a
                // connection that nobody reads.
                tokio::spawn(async move {
                    let network = &shared.network;
                    let found = match how {
                        Lookup::Stock => network.closest(&target, count).await,
                        Lookup::Witnessed(width) => network.witnessed(&target, width, count).await,
                    };
                    let found = found.map_err(|error| error.to_string());
                    let at = shared.demux.clock.now();
                    // No receiver: the tree has been dropped.
                    let _ = looked_up.send((at, lookup, found));
                });
            }
            Command::Send {
                request,
                pool,
                peer,
                dialect,
            } => self.send(request, pool, peer, dialect),
            Command::Check { request } => self.check(request),
        }
    }

    fn send(&mut self, request: RequestKey, pool: PoolId, peer: Peer, dialect: Dialect) {
        let id = self.seat.expect(peer, request, dialect);
        let address = self.targets.get(pool.0).copied().unwrap_or_default();
        let message = wire::encode(id, self.quote, address, dialect);
        let addresses = self.addresses.get(&peer).cloned().unwrap_or_default();
        let shared = Arc::clone(self.shared);
        let deliver = self.deliver.clone();
        // Detached: half a message would be rejected by the peer.
        tokio::spawn(async move {
            let sent = match message {
                Ok(message) => {
                    let node = &shared.network.node;
                    let to = PeerId::from_bytes(peer.0);
                    let sending = node.send_message(&to, CHUNK_PROTOCOL_ID, message, &addresses);
                    sending.await.map_err(|error| error.to_string())
                }
                Err(error) => Err(error.to_string()),
            };
            let event = match sent {
                Ok(()) => Event::Sent { request },
                Err(reason) => Event::Unsent { request, reason },
            };
            let _ = deliver.send((shared.demux.clock.now(), Incoming::Event(event)));
        });
    }

    fn take(
        &mut self,
        incoming: Incoming,
        collection: &mut Collection<MerklePaymentCandidateNode>,
        now: Moment,
    ) {
        match incoming {
            Incoming::Event(event) => collection.handle(event, now),
            Incoming::Candidate {
                request,
                peer,
                node,
                commitment,
            } => {
                self.candidate = Some(Candidate {
                    request,
                    peer,
                    node,
                    commitment,
                });
                let answer = Answer::Candidate;
                collection.handle(Event::Answered { request, answer }, now);
            }
        }
    }

    /// Checks the candidate that came last on a worker thread.
    fn check(&mut self, request: RequestKey) {
        let came = self.candidate.take();
        let Some(came) = came.filter(|candidate| candidate.request == request) else {
            debug_assert!(false, "{request:?} is to be checked, but did not come last");
            return;
        };
        let timestamp = self.quote.timestamp;
        let checked = move || check(came.peer, timestamp, &came.node, came.commitment.as_deref());
        let shared = Arc::clone(self.shared);
        let deliver = self.deliver.clone();
        tokio::spawn(async move {
            // As many at a time as there are cores; the permit is held to the
            // end of the check. The semaphore is never closed.
            let _permit = shared.checkers.acquire().await;
            let result = tokio::task::spawn_blocking(checked)
                .await
                .unwrap_or_else(|error| Err(format!("its check failed: {error}")));
            let event = Event::Checked { request, result };
            let _ = deliver.send((shared.demux.clock.now(), Incoming::Event(event)));
        });
    }

    /// Remembers where the found peers are.
    async fn locate(
        &mut self,
        lookup: LookupKey,
        found: Result<Found, String>,
    ) -> Event<MerklePaymentCandidateNode> {
        let connected = self.shared.network.connected().await;
        match found {
            Ok(Found {
                peers: located,
                in_doubt,
            }) => {
                let peers = located.iter().map(Located::found).collect();
                for Located { peer, addresses } in located {
                    self.addresses.insert(peer, addresses);
                }
                Event::Found {
                    lookup,
                    peers,
                    in_doubt,
                    connected,
                }
            }
            Err(reason) => Event::LookupFailed {
                lookup,
                connected,
                reason,
            },
        }
    }
}
