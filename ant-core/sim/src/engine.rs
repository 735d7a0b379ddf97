//! The events of one tree, in the order of their time: what a network, a host and
//! its receive queues do with what a collection sends.

use std::{cmp::Reverse, collections::BinaryHeap, time::Duration};

use ant_collect::{
    Answer, Collection, Command, Dialect, Event, Lookup, LookupKey, PeerMemory, RequestKey,
};
use ant_pacing::{Gate, Moment, Peer};
use rand::{Rng, rngs::StdRng};

use crate::{
    Scenario, SimArm, TreeOutcome,
    queue::Queue,
    world::{Manner, World, random},
};

/// How many receive queues the stack has.
const QUEUES: usize = 8;

/// A lost packet is noticed, and sent again, after so many ways: a round trip and
/// a half.
const RESENT_AFTER_WAYS: u32 = 3;

/// Makes so many trees of an arm on the network of this seed, one as each is
/// asked for.
pub fn simulate(
    scenario: &Scenario,
    arm: &SimArm,
    seed: u64,
    trees: usize,
) -> impl Iterator<Item = TreeOutcome> {
    let world = World::new(scenario, &mut random(seed, [0, 0]));
    let mut memory = PeerMemory::new();
    (0..trees).map(move |tree| {
        if tree % scenario.trees_a_client == 0 {
            memory = PeerMemory::new();
        }
        let mut engine = Engine::new(scenario, &world, random(seed, [1, tree as u64]));
        engine.tree(arm, &memory)
    })
}

/// How many pools a tree of so many leaves has: two to the half of its depth.
fn pools(leaves: usize) -> usize {
    let depth = leaves.next_power_of_two().trailing_zeros();
    1 << depth.div_ceil(2)
}

struct Engine<'a> {
    scenario: &'a Scenario,
    world: &'a World,
    random: StdRng,
    now: Moment,
    agenda: BinaryHeap<Reverse<Due>>,
    next: u64,
    queues: Vec<Queue<Message>>,
    /// When each core that the nodes share is free.
    node_cores: Vec<Moment>,
    /// When each of those that check candidates is.
    check_cores: Vec<Moment>,
    /// Requests at nodes, or their answers under way.
    outstanding: u32,
    lookups: Vec<LookingUp>,
    sent: u64,
    lost: u64,
    replies_lost: u64,
    after_end: u64,
}

/// Something that happens, in the order of time, then of being planned.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    at: Moment,
    order: u64,
    what: What,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// A message reaches the client's queue.
    Arrives { queue: usize, message: Message },
    /// The consumer of a queue is done with one.
    Served { queue: usize },
    /// A candidate has been checked.
    Checked { request: RequestKey },
    /// A round of a lookup has waited long enough for a reply that was dropped.
    RoundOver { lookup: LookupKey, round: u32 },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Message {
    Answer { request: RequestKey },
    Reply { lookup: LookupKey, round: u32 },
}

struct LookingUp {
    target: [u8; 32],
    count: usize,
    rounds: u32,
    round: u32,
    began: Moment,
    awaited: usize,
}

impl LookingUp {
    /// Whether it has had all its rounds.
    const fn is_over(&self) -> bool {
        self.round > self.rounds
    }
}

type Tree = Collection<Peer>;

impl<'a> Engine<'a> {
    fn new(scenario: &'a Scenario, world: &'a World, random: StdRng) -> Self {
        let cores = scenario.node.shared_cores.unwrap_or(0);
        let client = scenario.client;
        Self {
            scenario,
            world,
            random,
            now: Moment::ZERO,
            agenda: BinaryHeap::new(),
            next: 0,
            queues: (0..QUEUES).map(|_| Queue::new(client.depth)).collect(),
            node_cores: vec![Moment::ZERO; cores],
            check_cores: vec![Moment::ZERO; client.cores],
            outstanding: 0,
            lookups: Vec::new(),
            sent: 0,
            lost: 0,
            replies_lost: 0,
            after_end: 0,
        }
    }

    /// Runs a tree to its verdict, and then the network to its rest.
    fn tree(&mut self, arm: &SimArm, memory: &PeerMemory) -> TreeOutcome {
        let targets: Vec<[u8; 32]> = (0..pools(self.scenario.leaves))
            .map(|_| self.random.r#gen())
            .collect();
        let gate = Gate::new(arm.pacing.strategy.build());
        let plan = arm.plan.on_queues(self.world.queues);
        let mut tree = Tree::new(plan, targets, gate.join(), memory.clone(), self.now);
        loop {
            while let Some(command) = tree.poll(self.now) {
                self.carry_out(&command, &mut tree);
            }
            if tree.is_done() {
                break;
            }
            let planned = self.agenda.peek().map(|Reverse(due)| due.at);
            let Some(next) = planned.into_iter().chain(tree.next_deadline()).min() else {
                break;
            };
            self.now = next;
            if planned == Some(next) {
                self.happen(Some(&mut tree));
            } else {
                tree.tick(next);
            }
        }
        let (verdict, report) = tree.finish();
        while !self.agenda.is_empty() {
            self.happen(None);
        }
        TreeOutcome::new(
            &verdict,
            report,
            [self.sent, self.lost, self.after_end, self.replies_lost],
            gate.stats().peak_occupied,
        )
    }

    fn plan(&mut self, at: Moment, what: What) {
        self.next += 1;
        let order = self.next;
        self.agenda.push(Reverse(Due { at, order, what }));
    }

    fn carry_out(&mut self, command: &Command, tree: &mut Tree) {
        match *command {
            Command::Lookup {
                lookup,
                target,
                count,
                how,
            } => {
                let model = self.scenario.lookup;
                self.lookups.push(LookingUp {
                    target,
                    count,
                    rounds: match how {
                        Lookup::Stock => model.rounds,
                        Lookup::Witnessed(_) => model.witnessed_rounds,
                    },
                    round: 0,
                    began: self.now,
                    awaited: 0,
                });
                // They are numbered from 0, in the order of being started.
                self.start_round(lookup, Some(tree));
            }
            Command::Send {
                request,
                peer,
                dialect,
                ..
            } => {
                tree.handle(Event::Sent { request }, self.now);
                let Some(index) = self.world.index(peer) else {
                    return;
                };
                let late = match self.world.nodes[index].manner {
                    Manner::Silent => return,
                    Manner::Legacy if dialect == Dialect::Versioned => return,
                    Manner::Slow => self.scenario.slow_by.0,
                    Manner::Answers | Manner::Legacy => Duration::ZERO,
                };
                self.sent += 1;
                let service = self.scenario.node.service.0;
                let at = self.answered_at(index, service) + late;
                self.send(index, at, Message::Answer { request });
            }
            Command::Check { request } => {
                let check = self.scenario.client.check.0;
                let checked = self.check_cores.iter_mut().min().map(|core| {
                    *core = self.now.max(*core) + check;
                    *core
                });
                self.plan(checked.unwrap_or(self.now), What::Checked { request });
            }
        }
    }

    /// When a node's answer to a request of now leaves it.
    fn answered_at(&mut self, node: usize, service: Duration) -> Moment {
        let arrives = self.now + self.way(node);
        match self.node_cores.iter_mut().min() {
            Some(core) => {
                *core = arrives.max(*core) + service;
                *core
            }
            None => arrives + service,
        }
    }

    fn send(&mut self, node: usize, at: Moment, message: Message) {
        let at = at + self.way(node);
        self.outstanding += 1;
        let queue = self.world.nodes[node].queue;
        self.plan(at, What::Arrives { queue, message });
    }

    /// How long a packet takes to or from a node, being sent again included.
    fn way(&mut self, node: usize) -> Duration {
        let model = &self.scenario.round_trip;
        let mut way = self.world.nodes[node].way;
        if model.jitter.0 > Duration::ZERO {
            way += model.jitter.0.mul_f64(self.random.r#gen());
        }
        if model.loss > 0.0 && self.random.r#gen::<f64>() < model.loss {
            way += self.world.nodes[node].way * RESENT_AFTER_WAYS;
        }
        way
    }

    /// The next thing happens; without a tree, to nobody.
    fn happen(&mut self, tree: Option<&mut Tree>) {
        let Some(Reverse(Due { at, what, .. })) = self.agenda.pop() else {
            return;
        };
        self.now = at;
        match what {
            What::Arrives { queue, message } => self.arrives(queue, message),
            What::Served { queue } => {
                if let Some(message) = self.queues[queue].done() {
                    self.take(message, tree);
                }
                self.serve(queue);
            }
            What::Checked { request } => {
                if let Some(tree) = tree {
                    let result = Ok(Peer([0; 32]));
                    tree.handle(Event::Checked { request, result }, at);
                }
            }
            What::RoundOver { lookup, round } => {
                if self.looking(lookup, round).is_some() {
                    self.start_round(lookup, tree);
                }
            }
        }
    }

    fn arrives(&mut self, queue: usize, message: Message) {
        self.outstanding -= 1;
        let share = self.scenario.answers_lost;
        let answer = matches!(message, Message::Answer { .. });
        let on_purpose = answer && share > 0.0 && self.random.r#gen::<f64>() < share;
        if on_purpose || self.queues[queue].offer(message).is_err() {
            self.dropped(message);
        } else {
            self.serve(queue);
        }
    }

    fn dropped(&mut self, message: Message) {
        match message {
            Message::Answer { .. } => self.lost += 1,
            Message::Reply { lookup, round } => {
                self.replies_lost += 1;
                let stalls = self.scenario.lookup.stalls.0;
                let began = self.looking(lookup, round).map(|looking| looking.began);
                if let Some(began) = began {
                    self.plan(began + stalls, What::RoundOver { lookup, round });
                }
            }
        }
    }

    fn serve(&mut self, queue: usize) {
        if self.queues[queue].take() {
            let client = &self.scenario.client;
            let busy = client.contention.mul_add(f64::from(self.outstanding), 1.0);
            let at = self.now + client.service.0.mul_f64(busy);
            self.plan(at, What::Served { queue });
        }
    }

    /// The client has a message.
    fn take(&mut self, message: Message, tree: Option<&mut Tree>) {
        match (message, tree) {
            (Message::Answer { request }, Some(tree)) => {
                let answer = Answer::Candidate;
                tree.handle(Event::Answered { request, answer }, self.now);
            }
            (Message::Answer { .. }, None) => self.after_end += 1,
            (Message::Reply { lookup, round }, tree) => {
                let last = self.looking(lookup, round).is_some_and(|looking| {
                    looking.awaited -= 1;
                    looking.awaited == 0
                });
                if last {
                    self.start_round(lookup, tree);
                }
            }
        }
    }

    /// The lookup, if it is in this round.
    fn looking(&mut self, lookup: LookupKey, round: u32) -> Option<&mut LookingUp> {
        let looking = self.lookups.get_mut(usize::try_from(lookup.0).ok()?)?;
        (looking.round == round && !looking.is_over()).then_some(looking)
    }

    /// Begins a lookup's next round, or ends it.
    fn start_round(&mut self, lookup: LookupKey, tree: Option<&mut Tree>) {
        let model = self.scenario.lookup;
        let now = self.now;
        let Some(looking) = usize::try_from(lookup.0)
            .ok()
            .and_then(|at| self.lookups.get_mut(at))
        else {
            return;
        };
        looking.round += 1;
        looking.began = now;
        looking.awaited = model.parallel;
        let (round, over) = (looking.round, looking.is_over());
        let (target, count) = (looking.target, looking.count);
        if !over {
            for _ in 0..model.parallel {
                let node = self.random.gen_range(0..self.world.nodes.len());
                let at = self.answered_at(node, model.service.0);
                self.send(node, at, Message::Reply { lookup, round });
            }
        } else if let Some(tree) = tree {
            let found = Event::Found {
                lookup,
                peers: self.world.closest(&target, count),
                in_doubt: false,
                connected: Vec::new(),
            };
            tree.handle(found, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_two_to_the_half_depth_pools() {
        for (leaves, expected) in [(2, 2), (3, 2), (4, 2), (5, 4), (16, 4), (65, 16), (256, 16)] {
            assert_eq!(pools(leaves), expected, "{leaves} leaves");
        }
    }
}
