//! The numbers of a collection that are not pacing.

use std::time::Duration;

/// How many candidates make a pool full: `CANDIDATES_PER_POOL` of the payment
/// protocol.
pub const POOL_SIZE: usize = 16;

/// How one tree's collection asks. The default is what the network's published
/// client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How many peers each pool asks, the closest that its lookup found.
    pub ask: usize,
    /// How many lookups run at once.
    pub lookups: usize,
    /// How long the peer has for an answer, from when the request was sent.
    pub request_timeout: Duration,
    /// The longest that a versioned request waits if the peer is not known to
    /// be old; the published client's limit is 15 s.
    pub probe_ceiling: Duration,
    /// How long a send may take, dialling included, before its attempt counts
    /// as unsent. The transport itself has no limit: three addresses at
    /// 1.25 s + 4 s + 5 s each fit in.
    pub send_timeout: Duration,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            ask: 2 * POOL_SIZE,
            lookups: 16,
            request_timeout: Duration::from_secs(10),
            probe_ceiling: Duration::from_secs(15),
            send_timeout: Duration::from_secs(31),
        }
    }
}
