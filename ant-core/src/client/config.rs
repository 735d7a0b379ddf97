//! How a client joins and asks, as data.

use std::time::Duration;

use ant_collect::Plan;
use ant_pacing::{Arms, StrategySpec};
use ant_protocol::transport::MultiAddr;

/// How a client joins, and how it asks.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// Addresses to join through; one that answers is enough.
    pub bootstrap: Vec<MultiAddr>,
    /// For networks on loopback only. Public peers reject the handshake that
    /// this produces.
    pub local: bool,
    /// Whether to use IPv6 as well. Leave it off where IPv6 does not work.
    pub ipv6: bool,
    /// How long joining may take.
    pub join_within: Duration,
    /// How candidate requests are paced: one pacing, or several that payments
    /// draw from.
    pub pacing: Arms,
    /// Decides what payments draw; drawn itself if there is none.
    pub seed: Option<u64>,
    /// Everything else about collecting candidates.
    pub plan: Plan,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            bootstrap: Vec::new(),
            local: false,
            ipv6: true,
            join_within: Duration::from_secs(30),
            pacing: StrategySpec::uncapped().into(),
            seed: None,
            plan: Plan::default(),
        }
    }
}
