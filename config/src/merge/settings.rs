//! The settings themselves: what the layers make together, as types.

use std::path::PathBuf;

use ant_collect::Plan;
use ant_pacing::{Arms, PacingSpec};
use ant_text::duration::Span;
use serde::{Deserialize, Serialize, Serializer};

use crate::fault::redacted;

/// Everything a run depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Settings {
    /// The profile they started from.
    pub profile: String,
    /// How candidate requests are paced, unless arms are drawn.
    pub pacing: PacingSpec,
    /// The arms that payments draw from.
    pub ab: Option<Arms>,
    /// Which network, and how to join it.
    pub network: NetworkSettings,
    /// Everything else about collecting candidates. Bounds and defaults of its
    /// keys are those of [`crate::KEYS`].
    pub plan: Plan,
    /// What is done for each payment.
    pub payment: PaymentSettings,
}

impl Settings {
    /// Returns what payments draw their pacing from: the arms, or the pacing alone.
    pub fn arms(&self) -> Arms {
        let single = || Arms::from(self.pacing.clone());
        self.ab.clone().unwrap_or_else(single)
    }
}

/// Where the network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkKind {
    /// In this process, on loopback, for as long as the command runs.
    Embedded,
    /// In this process too, on a wide-area network in a box.
    Wan,
    /// Elsewhere: joined through bootstrap addresses or a manifest.
    Remote,
}

/// Which network, and how to join it. Bounds and defaults are those of
/// [`crate::KEYS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NetworkSettings {
    /// Where the network is.
    pub kind: NetworkKind,
    /// What the wide-area network is like.
    pub scenario: String,
    /// Addresses to join a remote network through.
    pub bootstrap: Vec<String>,
    /// Whether the network is on loopback.
    pub local: bool,
    /// Whether to use IPv6 as well.
    pub ipv6: bool,
    /// How long joining may take.
    pub join_within: Span,
}

/// What is done for each payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PaymentSettings {
    /// The file that payments are recorded in.
    #[serde(serialize_with = "redacted_path")]
    pub record: Option<PathBuf>,
    /// The chain that is paid on.
    pub evm: Option<String>,
    /// The seed from which payments draw their arms; random if there is none.
    pub seed: Option<u32>,
}

#[expect(clippy::ref_option, reason = "serde's form")]
fn redacted_path<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    let shown = path
        .as_ref()
        .map(|path| redacted(&path.display().to_string()));
    shown.serialize(to)
}
