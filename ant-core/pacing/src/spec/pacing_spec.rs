//! A strategy together with its scope, which is all that decides the pacing of a
//! payment.

use std::fmt;

use serde::{Serialize, Serializer};

use super::StrategySpec;

/// Which exchanges share the strategy's slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Those of one payment: two payments at the same time have slots of their own.
    #[default]
    Payment,
    /// All of one client: payments at the same time share the slots.
    Client,
}

impl Scope {
    /// Both scopes.
    pub const ALL: [Self; 2] = [Self::Payment, Self::Client];

    /// Returns the scope's name, as written after the `@`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Client => "client",
        }
    }
}

/// A strategy and its scope.
///
/// The short form is `STRATEGY` or `STRATEGY@SCOPE`; `@payment` is the default
/// and is not displayed. Deserialises from the short form or from a
/// [`PacingTable`](super::PacingTable), and serialises as the short form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacingSpec {
    /// The strategy.
    pub strategy: StrategySpec,
    /// Who shares its slots.
    pub scope: Scope,
}

impl From<StrategySpec> for PacingSpec {
    fn from(strategy: StrategySpec) -> Self {
        Self {
            strategy,
            scope: Scope::default(),
        }
    }
}

impl fmt::Display for PacingSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.strategy)?;
        match self.scope {
            Scope::Payment => Ok(()),
            Scope::Client => write!(f, "@{}", self.scope.name()),
        }
    }
}

impl Serialize for PacingSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
