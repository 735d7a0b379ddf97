//! What there is to set, with bounds and defaults.

use std::{fmt, time::Duration};

use ant_pacing::{PacingSpec, StrategySpec, duration};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Everything a run depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// The profile they started from.
    pub profile: String,
    /// How candidate requests are paced.
    pub pacing: PacingSpec,
    /// Which network, and how to join it.
    pub network: NetworkSettings,
    /// Everything else about collecting candidates.
    pub plan: PlanSettings,
}

/// Where the network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkKind {
    /// In this process, on loopback, for as long as the command runs.
    Embedded,
    /// Out there: joined through bootstrap addresses or a manifest.
    Remote,
}

/// Which network, and how to join it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkSettings {
    /// Where the network is.
    pub kind: NetworkKind,
    /// Addresses to join a remote network through.
    pub bootstrap: Vec<String>,
    /// Whether the network is on loopback.
    pub local: bool,
    /// Whether to use IPv6 as well.
    pub ipv6: bool,
    /// How long joining may take; 1 s to 10 min.
    pub join_within: Span,
}

impl Default for NetworkSettings {
    fn default() -> Self {
        Self {
            kind: NetworkKind::Embedded,
            bootstrap: Vec::new(),
            local: true,
            ipv6: false,
            join_within: Span(Duration::from_secs(30)),
        }
    }
}

/// How a pool asks, apart from pacing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlanSettings {
    /// How many peers each pool asks; 16 to 256.
    pub ask: usize,
    /// How many lookups run at once; 1 to 64.
    pub lookups: usize,
    /// How long a peer has for an answer; 100 ms to 10 min. A request in the
    /// versioned form waits 15 s at most, then the legacy one has the whole time.
    pub request_timeout: Span,
}

impl Default for PlanSettings {
    fn default() -> Self {
        Self {
            ask: 32,
            lookups: 16,
            request_timeout: Span(Duration::from_secs(10)),
        }
    }
}

/// The pacing where nothing names one: the safest of the field's variants.
pub(crate) fn default_pacing() -> PacingSpec {
    let slots = const { std::num::NonZeroU32::new(16).unwrap() };
    StrategySpec::hold(slots).into()
}

impl Settings {
    /// The first value out of bounds: its key, and what it must be.
    pub(crate) fn out_of_bounds(&self) -> Option<(&'static str, String)> {
        let within = |span: Span, low: Duration, high: Duration| (low..=high).contains(&span.0);
        let secs = Duration::from_secs;
        let Self { network, plan, .. } = self;
        if !within(network.join_within, secs(1), secs(600)) {
            let value = network.join_within;
            return Some((
                "network.join_within",
                format!("{value} is not from 1s to 10m"),
            ));
        }
        if !(16..=256).contains(&plan.ask) {
            return Some(("plan.ask", format!("{} is not from 16 to 256", plan.ask)));
        }
        if !(1..=64).contains(&plan.lookups) {
            let value = plan.lookups;
            return Some(("plan.lookups", format!("{value} is not from 1 to 64")));
        }
        if !within(plan.request_timeout, Duration::from_millis(100), secs(600)) {
            let value = plan.request_timeout;
            let problem = format!("{value} is not from 100ms to 10m");
            return Some(("plan.request_timeout", problem));
        }
        None
    }
}

/// A duration, written as `2s` or `1m30s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub Duration);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&duration::format(self.0))
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        duration::parse(&text)
            .map(Span)
            .map_err(serde::de::Error::custom)
    }
}
