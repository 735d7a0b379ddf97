//! The agenda of a simulated network: what is to happen, in the order of time.

use std::{cmp::Reverse, collections::BinaryHeap};

use ant_collect::{LookupKey, RequestKey};
use ant_pacing::Moment;

/// What is planned. Of two things that are due at one moment, the one that was
/// planned first happens first.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    due: BinaryHeap<Reverse<Due>>,
    planned: u64,
}

/// A thing that happens, compared by its time, then by when it was planned.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    at: Moment,
    order: u64,
    what: What,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// A message reaches the client's queue.
    Arrives { queue: usize, message: Message },
    /// The consumer of a queue is done with one.
    Served { queue: usize },
    /// A candidate has been checked.
    Checked { request: RequestKey },
    /// A round of a lookup has waited long enough for a reply that was dropped.
    RoundOver { lookup: LookupKey, round: u32 },
}

/// What a node sends to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Message {
    Answer { request: RequestKey },
    Reply { lookup: LookupKey, round: u32 },
}

impl Agenda {
    /// Adds what is to happen at a moment.
    pub(crate) fn plan(&mut self, at: Moment, what: What) {
        self.planned += 1;
        let order = self.planned;
        self.due.push(Reverse(Due { at, order, what }));
    }

    /// Returns when the next thing happens.
    pub(crate) fn next(&self) -> Option<Moment> {
        self.due.peek().map(|Reverse(due)| due.at)
    }

    /// Takes the next thing out.
    pub(crate) fn pop(&mut self) -> Option<(Moment, What)> {
        let Reverse(due) = self.due.pop()?;
        Some((due.at, due.what))
    }
}
