//! The lookups of one tree: each makes a number of rounds, and a round ends when
//! all its replies have come or it has waited long enough.

use ant_collect::{Lookup, LookupKey};
use ant_pacing::Moment;

use crate::scenario::LookupModel;

/// All lookups of a tree, by their keys.
#[derive(Debug, Default)]
pub(crate) struct Lookups(Vec<LookingUp>);

/// A lookup, and the round that it is in.
#[derive(Debug)]
pub(crate) struct LookingUp {
    pub(crate) target: [u8; 32],
    /// How many peers it is to find.
    pub(crate) count: usize,
    rounds: u32,
    pub(crate) round: u32,
    /// When the round began.
    pub(crate) began: Moment,
    /// How many replies the round still waits for.
    pub(crate) awaited: usize,
}

impl Lookups {
    /// Adds a lookup that has not begun its first round. Lookups are numbered
    /// from 0, in the order of being added.
    pub(crate) fn add(&mut self, target: [u8; 32], count: usize, how: Lookup, model: &LookupModel) {
        self.0.push(LookingUp {
            target,
            count,
            rounds: match how {
                Lookup::Stock => model.rounds,
                Lookup::Witnessed(_) => model.witnessed_rounds,
            },
            round: 0,
            began: Moment::ZERO,
            awaited: 0,
        });
    }

    /// Returns the lookup with this key.
    pub(crate) fn get(&mut self, lookup: LookupKey) -> Option<&mut LookingUp> {
        self.0.get_mut(usize::try_from(lookup.0).ok()?)
    }

    /// Returns the lookup if it is in this round.
    pub(crate) fn in_round(&mut self, lookup: LookupKey, round: u32) -> Option<&mut LookingUp> {
        let looking = self.get(lookup)?;
        (looking.round == round && !looking.is_over()).then_some(looking)
    }
}

impl LookingUp {
    /// Returns whether it has had all its rounds.
    pub(crate) const fn is_over(&self) -> bool {
        self.round > self.rounds
    }

    /// Begins the next round, which waits for this number of replies.
    pub(crate) const fn begin_round(&mut self, now: Moment, replies: usize) {
        self.round += 1;
        self.began = now;
        self.awaited = replies;
    }
}
