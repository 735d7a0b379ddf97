//! The run of one tree: what a network, a host and its receive queues do with what
//! a collection sends.

use std::time::Duration;

use ant_collect::{Answer, Collection, Command, Dialect, Event, LookupKey, PeerMemory};
use ant_pacing::{Gate, Moment, Peer, RECEIVE_QUEUES};
use rand::{Rng, rngs::StdRng};

use crate::{
    Scenario, SimArm, TreeOutcome,
    agenda::{Agenda, Message, What},
    lookups::Lookups,
    queue::Queue,
    world::{Manner, World, random},
};

/// After how many one-way times a lost packet is noticed and sent again: a round
/// trip and a half.
const RESENT_AFTER_WAYS: u32 = 3;

/// Makes this number of trees of an arm on the network of this seed, each when the
/// iterator is asked for it.
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

/// Returns how many pools a tree of this number of leaves has: two to the half of
/// its depth.
fn pools(leaves: usize) -> usize {
    let depth = leaves.next_power_of_two().trailing_zeros();
    1 << depth.div_ceil(2)
}

struct Engine<'a> {
    scenario: &'a Scenario,
    world: &'a World,
    random: StdRng,
    now: Moment,
    agenda: Agenda,
    queues: Vec<Queue<Message>>,
    /// When each core that the nodes share is free.
    node_cores: Vec<Moment>,
    /// When each core that checks candidates is free.
    check_cores: Vec<Moment>,
    /// Requests at nodes, or their answers under way.
    outstanding: u32,
    lookups: Lookups,
    sent: u64,
    lost: u64,
    replies_lost: u64,
    after_end: u64,
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
            agenda: Agenda::default(),
            queues: (0..RECEIVE_QUEUES)
                .map(|_| Queue::new(client.depth))
                .collect(),
            node_cores: vec![Moment::ZERO; cores],
            check_cores: vec![Moment::ZERO; client.cores],
            outstanding: 0,
            lookups: Lookups::default(),
            sent: 0,
            lost: 0,
            replies_lost: 0,
            after_end: 0,
        }
    }

    /// Runs a tree to its verdict, and then the network until nothing is under way.
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
            let planned = self.agenda.next();
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
        while self.agenda.next().is_some() {
            self.happen(None);
        }
        TreeOutcome::new(
            &verdict,
            report,
            [self.sent, self.lost, self.after_end, self.replies_lost],
            gate.stats().peak_occupied,
        )
    }

    fn carry_out(&mut self, command: &Command, tree: &mut Tree) {
        match *command {
            Command::Lookup {
                lookup,
                target,
                count,
                how,
            } => {
                let model = &self.scenario.lookup;
                self.lookups.add(target, count, how, model);
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
                    Manner::Slow => self.scenario.population.faults.slow_by,
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
                self.agenda
                    .plan(checked.unwrap_or(self.now), What::Checked { request });
            }
        }
    }

    /// Returns when a node's answer to a request sent now leaves the node.
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
        self.agenda.plan(at, What::Arrives { queue, message });
    }

    /// Returns how long a packet takes to or from a node, with the time to send a
    /// lost one again.
    fn way(&mut self, node: usize) -> Duration {
        let model = &self.scenario.population.round_trip;
        let mut way = self.world.nodes[node].way;
        if model.jitter.0 > Duration::ZERO {
            way += model.jitter.0.mul_f64(self.random.r#gen());
        }
        if model.loss > 0.0 && self.random.r#gen::<f64>() < model.loss {
            way += self.world.nodes[node].way * RESENT_AFTER_WAYS;
        }
        way
    }

    /// Lets the next thing happen. Without a tree, what the client would have taken
    /// is only counted.
    fn happen(&mut self, tree: Option<&mut Tree>) {
        let Some((at, what)) = self.agenda.pop() else {
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
                if self.lookups.in_round(lookup, round).is_some() {
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
                let began = self
                    .lookups
                    .in_round(lookup, round)
                    .map(|looking| looking.began);
                if let Some(began) = began {
                    self.agenda
                        .plan(began + stalls, What::RoundOver { lookup, round });
                }
            }
        }
    }

    fn serve(&mut self, queue: usize) {
        if self.queues[queue].take() {
            let client = &self.scenario.client;
            let busy = client.contention.mul_add(f64::from(self.outstanding), 1.0);
            let at = self.now + client.service.0.mul_f64(busy);
            self.agenda.plan(at, What::Served { queue });
        }
    }

    /// Hands a message to the client.
    fn take(&mut self, message: Message, tree: Option<&mut Tree>) {
        match (message, tree) {
            (Message::Answer { request }, Some(tree)) => {
                let answer = Answer::Candidate;
                tree.handle(Event::Answered { request, answer }, self.now);
            }
            (Message::Answer { .. }, None) => self.after_end += 1,
            (Message::Reply { lookup, round }, tree) => {
                let last = self.lookups.in_round(lookup, round).is_some_and(|looking| {
                    looking.awaited -= 1;
                    looking.awaited == 0
                });
                if last {
                    self.start_round(lookup, tree);
                }
            }
        }
    }

    /// Begins a lookup's next round, or ends it.
    fn start_round(&mut self, lookup: LookupKey, tree: Option<&mut Tree>) {
        let model = self.scenario.lookup;
        let now = self.now;
        let Some(looking) = self.lookups.get(lookup) else {
            return;
        };
        looking.begin_round(now, model.parallel);
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
    use ant_collect::{MAX_LEAVES, MAX_POOLS};

    use super::*;

    #[test]
    fn a_tree_has_two_to_the_half_depth_pools() {
        for (leaves, expected) in [(2, 2), (3, 2), (4, 2), (5, 4), (16, 4), (65, 16)] {
            assert_eq!(pools(leaves), expected, "{leaves} leaves");
        }
        assert_eq!(pools(MAX_LEAVES), MAX_POOLS);
    }
}
