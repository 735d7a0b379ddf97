//! How a collection ended, and what it saw on the way.

use std::{collections::BTreeMap, fmt, time::Duration};

use ant_pacing::Peer;

use crate::{POOL_SIZE, PoolId};

/// How a tree's collection ended. Whatever it is, nothing has been paid.
///
/// Exhaustive on purpose: a caller that is about to pay must know each of them.
#[derive(Clone, Debug)]
pub enum Verdict<C> {
    /// Every pool is full; in the order of the midpoints.
    Full(Vec<FullPool<C>>),
    /// Some pools are not.
    Short(Vec<PoolFailure>),
    /// Enough peers refuse this client's settlement version. Outranks a short
    /// pool: it must keep the caller from paying in any other way.
    Refused(SettlementRefusal),
}

/// A pool's 16 candidates: of the valid ones, the XOR-closest to its midpoint,
/// closest first.
#[derive(Clone, Debug)]
pub struct FullPool<C> {
    /// Whose candidate, and the candidate.
    pub candidates: Vec<(Peer, C)>,
}

/// Why a pool is not full.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolFailure {
    /// Which pool.
    pub pool: PoolId,
    /// How many pools the tree has.
    pub of: usize,
    /// Why its lookup failed, if it did.
    pub lookup: Option<String>,
    /// What became of those asked.
    pub counts: Counts,
}

/// What became of the peers a pool asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// How many were asked.
    pub asked: usize,
    /// How many gave a valid candidate.
    pub valid: usize,
    /// Who never answered.
    pub silent: Vec<Peer>,
    /// Who answered only after the request had timed out.
    pub late: Vec<Peer>,
    /// Who could not be reached, and why.
    pub unsent: Vec<(Peer, String)>,
    /// Who refused, and how.
    pub refused: Vec<(Peer, String)>,
    /// Whose candidate is not valid, and why.
    pub invalid: Vec<(Peer, String)>,
}

impl Counts {
    /// How many answered in time.
    pub fn answered(&self) -> usize {
        self.valid + self.refused.len() + self.invalid.len()
    }
}

impl fmt::Display for PoolFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pool: PoolId(pool),
            of,
            lookup,
            counts,
        } = self;
        write!(
            f,
            "pool {} of {of} has {} of {POOL_SIZE} candidates",
            pool + 1,
            counts.valid
        )?;
        if let Some(reason) = lookup {
            write!(f, ": its lookup failed ({reason})")?;
        }
        write!(
            f,
            "; {} asked, {} answered, {} silent, {} late, {} unreachable, {} refused, {} invalid",
            counts.asked,
            counts.answered(),
            counts.silent.len(),
            counts.late.len(),
            counts.unsent.len(),
            counts.refused.len(),
            counts.invalid.len()
        )?;
        let names = |peers: &[Peer]| {
            peers
                .iter()
                .map(|p| short(*p))
                .collect::<Vec<_>>()
                .join(" ")
        };
        for (what, peers) in [("silent", &counts.silent), ("late", &counts.late)] {
            if !peers.is_empty() {
                write!(f, "; {what}: {}", names(peers))?;
            }
        }
        for (what, list) in [
            ("unreachable", &counts.unsent),
            ("refused", &counts.refused),
            ("invalid", &counts.invalid),
        ] {
            for (reason, peers) in by_reason(list) {
                write!(f, "; {what}: {reason} ({})", names(&peers))?;
            }
        }
        Ok(())
    }
}

fn short(peer: Peer) -> String {
    peer.to_string()[..8].to_owned()
}

fn by_reason(list: &[(Peer, String)]) -> BTreeMap<&str, Vec<Peer>> {
    let mut groups: BTreeMap<&str, Vec<Peer>> = BTreeMap::new();
    for (peer, reason) in list {
        groups.entry(reason).or_default().push(*peer);
    }
    groups
}

/// Distinct peers said that this client's settlement version is too old.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettlementRefusal {
    /// The first that said so, enough to be believed.
    pub peers: Vec<Peer>,
    /// The lowest version that all of them accept.
    pub minimum: u32,
}

impl fmt::Display for SettlementRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.peers.iter().map(|p| short(*p)).collect();
        write!(
            f,
            "{} peers ({}) refuse this client's settlement version and ask for {} or later; \
             update this client",
            names.len(),
            names.join(" "),
            self.minimum
        )
    }
}

/// How long one pool's lookup took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LookupTime {
    /// Which pool's.
    pub pool: PoolId,
    /// From when it was started.
    pub took: Duration,
    /// How many peers it found.
    pub found: usize,
}

/// What a collection saw, whatever its verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// From the first command to the verdict.
    pub took: Duration,
    /// Every lookup that ended, in the order of their ends.
    pub lookups: Vec<LookupTime>,
    /// How many pools the tree has.
    pub pools: usize,
    /// How many of them are full.
    pub pools_full: usize,
    /// Requests sent or tried, legacy retries included.
    pub requests: u64,
    /// Legacy retries among them.
    pub legacy_retries: u64,
    /// Requests repeated in the versioned form.
    pub reasks: u64,
    /// Lookups started a second time, because the first one hung.
    pub hedges: u64,
    /// Spares asked in place of peers that failed or were slow.
    pub spares: u64,
    /// Answers that came in time.
    pub answered: u64,
    /// Answers that came after their request had timed out, while the
    /// collection was still under way.
    pub late: u64,
    /// The most requests outstanding at a time. Not the same as slots taken:
    /// under a release rule a request outlives its slot.
    pub peak_in_flight: u32,
    /// Peers that were asked and never answered.
    pub silent_peers: Vec<Peer>,
}

impl Report {
    /// The slowest lookup's time; zero if none ended.
    pub fn slowest_lookup(&self) -> Duration {
        self.lookups
            .iter()
            .map(|lookup| lookup.took)
            .max()
            .unwrap_or_default()
    }

    /// The time that asking added to finding: the tree's time less the slowest
    /// lookup's. Read it beside the tree's time, since a burst also stalls
    /// lookups and this hides it.
    pub fn added(&self) -> Duration {
        self.took.saturating_sub(self.slowest_lookup())
    }
}
