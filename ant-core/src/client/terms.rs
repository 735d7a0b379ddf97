//! On which terms payments run: what the next one draws from, and what one that has
//! started keeps to its end.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ant_collect::Plan;
use ant_pacing::{Arms, Gate, PacingSpec, Scope, StrategySpec};
use rand::{Rng, SeedableRng, rngs::StdRng};

/// What payments to come draw their terms from. Cloning gives another handle to it.
#[derive(Clone)]
pub(crate) struct CurrentTerms(Arc<Mutex<State>>);

struct State {
    arms: Arms,
    plan: Plan,
    epoch: u64,
    /// Where all payments of this epoch and arm queue, under the scope
    /// `client`; by the arm's index.
    shared: HashMap<usize, Gate>,
    seed: u64,
    random: StdRng,
    draws: u64,
    /// How many payments are being prepared.
    under_way: usize,
    told_of_overlap: bool,
}

/// The terms of one payment, from its start to its end.
pub(crate) struct PaymentTerms {
    pub(crate) pacing: PacingSpec,
    pub(crate) plan: Plan,
    pub(crate) epoch: u64,
    pub(crate) draw: u64,
    pub(crate) seed: u64,
    pub(crate) gate: Gate,
    current: CurrentTerms,
}

impl Drop for PaymentTerms {
    fn drop(&mut self) {
        self.current.lock().under_way -= 1;
    }
}

impl CurrentTerms {
    /// These arms and this plan; draws are decided by the seed.
    pub(crate) fn new(arms: Arms, plan: Plan, seed: Option<u64>) -> Self {
        let seed = seed.unwrap_or_else(rand::random);
        Self(Arc::new(Mutex::new(State {
            arms,
            plan,
            epoch: 0,
            shared: HashMap::new(),
            seed,
            random: StdRng::seed_from_u64(seed),
            draws: 0,
            under_way: 0,
            told_of_overlap: false,
        })))
    }

    /// Changes what payments draw from here on, and returns the epoch they belong to.
    /// Without a plan, the plan stays.
    pub(crate) fn change(&self, arms: Arms, plan: Option<Plan>) -> u64 {
        let mut state = self.lock();
        let plan = plan.unwrap_or(state.plan);
        if state.arms != arms || state.plan != plan {
            state.arms = arms;
            state.plan = plan;
            state.epoch += 1;
            state.shared.clear();
        }
        state.epoch
    }

    /// Draws the terms of a payment that starts now.
    pub(crate) fn enter(&self) -> PaymentTerms {
        let mut guard = self.lock();
        let state = &mut *guard;
        let weights = state.arms.total_weight();
        let at = state.arms.arm_at(state.random.gen_range(0..weights));
        let pacing = state.arms.as_slice()[at].pacing.clone();
        let build = || Gate::new(pacing.strategy.build());
        let gate = match pacing.scope {
            Scope::Payment => build(),
            Scope::Client => state.shared.entry(at).or_insert_with(build).clone(),
        };
        let draw = state.draws;
        state.draws += 1;
        state.under_way += 1;
        let capped = pacing.strategy != StrategySpec::uncapped();
        let overlap = state.under_way > 1 && capped && pacing.scope == Scope::Payment;
        if overlap && !state.told_of_overlap {
            state.told_of_overlap = true;
            tracing::warn!(
                "payments overlap, and each has the slots of `{pacing}` for itself; with \
                 `{pacing}@client` they would share them"
            );
        }
        PaymentTerms {
            plan: state.plan,
            epoch: state.epoch,
            draw,
            seed: state.seed,
            current: self.clone(),
            pacing,
            gate,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Changes cannot panic midway: a poisoned lock is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
