//! The numbers of a collection that are not pacing.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How many candidates make a pool full: `CANDIDATES_PER_POOL` of the payment
/// protocol.
pub const POOL_SIZE: usize = 16;

/// How many leaves a tree has at most: `MAX_LEAVES` of the payment protocol.
pub const MAX_LEAVES: usize = 256;

/// How many midpoints, and so pools, the largest tree has: two to the half of its
/// depth.
pub const MAX_POOLS: usize = 1 << MAX_LEAVES.ilog2().div_ceil(2);

/// How the peers closest to a midpoint are looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lookup {
    /// Every one of them is found and confirmed.
    #[default]
    Stock,
    /// This many of the closest peers are found and confirmed, and say who is
    /// around them: see [`named_twice`](crate::named_twice). That is a quarter of
    /// the work. A pool that comes out short or in doubt is looked up again in
    /// the stock way.
    Witnessed(usize),
}

/// When a pool is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Finish {
    /// When everybody asked has answered or been given up on.
    #[default]
    All,
    /// When nobody who is still awaited could change it by more than
    /// [`Plan::substitutes`] allows. They are listened to all the same.
    Decided,
}

/// How one tree's collection asks. The default is what the network's published
/// client does.
///
/// Its fields are the keys `plan.*` of a profile and of a simulated arm, by the
/// same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plan {
    /// How many peers each pool asks, the closest that its lookup found.
    pub ask: usize,
    /// How many of those a pool asks at once, the closest first; at least
    /// [`POOL_SIZE`]. The others are spares: one is asked when a peer fails, is
    /// refused, or is slow. `None` asks all at once.
    pub first: Option<usize>,
    /// When a pool is decided.
    pub finish: Finish,
    /// How many of the closest peers asked may be missing from a pool because
    /// they have not answered yet, if it finishes once decided.
    pub substitutes: usize,
    /// How many requests of a tree may be repeated in the versioned form: those of
    /// peers that are known to speak it and are slow, since their answers are
    /// probably lost. Each is at most three times.
    pub reasks: u32,
    /// How many lookups run at once.
    pub lookups: usize,
    /// How many of them for each receive queue of the stack that the client's
    /// peers share, since lookups' replies wait there too: see
    /// [`on_queues`](Self::on_queues). `None` asks nothing of the queues.
    pub queue_lookups: Option<usize>,
    /// How many lookups of a tree may be started a second time, each once: those
    /// that take much longer than the others of their tree did.
    pub hedges: u32,
    /// How many witnesses a lookup asks: see [`Lookup::Witnessed`]. 0 is
    /// [`Lookup::Stock`].
    pub witnesses: usize,
    /// How many peers without a connection one tree dials at once, each by one
    /// request. The other exchanges with that peer wait for it: they go on when
    /// it is connected, and a dial that fails has failed for all of them. A dial
    /// comes before the request's slot, and ends at
    /// [`send_timeout`](Self::send_timeout) at the latest. 0 dials as many as the
    /// strategy lets go.
    pub dials: usize,
    /// How long the peer has for an answer, from when the request was sent.
    #[serde(with = "ant_text::duration")]
    pub request_timeout: Duration,
    /// The longest that a versioned request waits if the peer is not known to
    /// be old; the published client's limit is 15 s.
    #[serde(with = "ant_text::duration")]
    pub probe_ceiling: Duration,
    /// How long a send may take, dialling included, before its attempt counts
    /// as unsent. The transport itself has no limit: three addresses at
    /// 1.25 s + 4 s + 5 s each fit in.
    #[serde(skip)]
    pub send_timeout: Duration,
}

impl Plan {
    /// How peers are looked up.
    pub const fn lookup(&self) -> Lookup {
        match self.witnesses {
            0 => Lookup::Stock,
            width => Lookup::Witnessed(width),
        }
    }

    /// Returns this plan for a client whose known peers' answers spread over
    /// `queues` receive queues: no more lookups at once than those allow.
    #[must_use]
    pub fn on_queues(self, queues: usize) -> Self {
        let allowed = self
            .queue_lookups
            .map_or(usize::MAX, |each| each.saturating_mul(queues.max(1)));
        Self {
            lookups: self.lookups.min(allowed),
            ..self
        }
    }
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            ask: 2 * POOL_SIZE,
            first: None,
            finish: Finish::All,
            substitutes: 0,
            reasks: 0,
            lookups: 16,
            queue_lookups: None,
            hedges: 0,
            witnesses: 0,
            dials: 0,
            request_timeout: Duration::from_secs(10),
            probe_ceiling: Duration::from_secs(15),
            send_timeout: Duration::from_secs(31),
        }
    }
}
