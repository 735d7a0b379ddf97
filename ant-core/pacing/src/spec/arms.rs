//! Strategies are compared in normal use by letting each payment draw one of
//! several, so what may be drawn is data, as a spec is.

use std::{fmt, num::NonZeroU32, str::FromStr};

use serde::{Serialize, Serializer};

use super::{PacingSpec, SpecError, StrategySpec};

/// One pacing that a payment may draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The pacing.
    pub pacing: PacingSpec,
    /// How often it is drawn, against the others' weights.
    pub weight: NonZeroU32,
}

/// The pacings that payments draw from; one alone is drawn by all.
///
/// Displays as `hold-32:2,uncapped:1`, which parses back to the same arms. When
/// read, a weight of 1 may be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arms(Vec<Arm>);

/// Why something written does not say which arms there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArmsError {
    /// There is none.
    #[error("there is no arm")]
    None,
    /// Two arms have one pacing, so that their payments could not be told apart.
    #[error("`{0}` is named twice; name it once, with a weight such as `{0}:2`")]
    Twice(PacingSpec),
    /// An arm's pacing does not parse.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// An arm's weight does not parse.
    #[error("`{0}` is not a weight, which is a whole number from 1 to 4294967295 in plain digits")]
    Weight(String),
}

impl Arms {
    /// Makes the arms that payments draw from.
    ///
    /// # Errors
    ///
    /// When there is none, or two have the same pacing.
    pub fn new(arms: Vec<Arm>) -> Result<Self, ArmsError> {
        if arms.is_empty() {
            return Err(ArmsError::None);
        }
        for (at, arm) in arms.iter().enumerate() {
            if arms[..at].iter().any(|other| other.pacing == arm.pacing) {
                return Err(ArmsError::Twice(arm.pacing.clone()));
            }
        }
        Ok(Self(arms))
    }

    /// Returns the arms, in the order they were given; at least one.
    pub fn as_slice(&self) -> &[Arm] {
        &self.0
    }

    /// Returns the sum of all weights.
    pub fn total_weight(&self) -> u64 {
        self.0.iter().map(|arm| u64::from(arm.weight.get())).sum()
    }

    /// Returns the index of the arm at this place, where each arm takes as many
    /// places as it weighs: with weights 2 and 1, places 0 and 1 are the first
    /// arm's, and 2 the second's. A place from [`Self::total_weight`] on counts
    /// from the start again.
    pub fn arm_at(&self, place: u64) -> usize {
        let mut left = place % self.total_weight();
        for (at, arm) in self.0.iter().enumerate() {
            let weight = u64::from(arm.weight.get());
            if left < weight {
                return at;
            }
            left -= weight;
        }
        0
    }
}

impl From<PacingSpec> for Arms {
    fn from(pacing: PacingSpec) -> Self {
        Self(vec![Arm {
            pacing,
            weight: NonZeroU32::MIN,
        }])
    }
}

impl From<StrategySpec> for Arms {
    fn from(strategy: StrategySpec) -> Self {
        PacingSpec::from(strategy).into()
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.pacing, self.weight)
    }
}

impl fmt::Display for Arms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, arm) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{arm}")?;
        }
        Ok(())
    }
}

impl Serialize for Arms {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Arm {
    type Err = ArmsError;

    fn from_str(text: &str) -> Result<Self, ArmsError> {
        let (spec, weight) = text.split_once(':').unwrap_or((text, "1"));
        let plain = weight.bytes().all(|byte| byte.is_ascii_digit()) && !weight.starts_with('0');
        let weight = weight.parse().ok().filter(|_| plain);
        Ok(Self {
            pacing: spec.parse()?,
            weight: weight.ok_or_else(|| {
                let weight = text.split_once(':').map_or("", |(_, weight)| weight);
                ArmsError::Weight(weight.to_owned())
            })?,
        })
    }
}

impl FromStr for Arms {
    type Err = ArmsError;

    fn from_str(text: &str) -> Result<Self, ArmsError> {
        let arms: Result<_, _> = text.split(',').map(str::parse).collect();
        Self::new(arms?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_displayed_parses_back() {
        for (text, shown) in [
            ("hold-32", "hold-32:1"),
            (
                "hold-32:2,uncapped,release-2s-16@client:7",
                "hold-32:2,uncapped:1,release-2s-16@client:7",
            ),
        ] {
            let arms: Arms = text.parse().unwrap();
            assert_eq!(arms.to_string(), shown);
            assert_eq!(shown.parse::<Arms>().unwrap(), arms);
        }
    }

    #[test]
    fn bad_arms_say_what_to_write() {
        for (text, part) in [
            ("", "it is empty"),
            ("hold-32,,uncapped", "it is empty"),
            ("hold32:1", "write `hold-32`"),
            ("hold-32:0", "`0` is not a weight"),
            ("hold-32:01", "`01` is not a weight"),
            ("hold-32:-1", "`-1` is not a weight"),
            ("hold-32:", "`` is not a weight"),
            ("hold-32:4294967296", "is not a weight"),
            ("hold-32,hold-32:3", "`hold-32` is named twice"),
        ] {
            let error = text.parse::<Arms>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn each_arm_takes_as_many_places_as_it_weighs() {
        let arms: Arms = "hold-32:2,uncapped:1,hold-16:4294967295".parse().unwrap();
        assert_eq!(arms.total_weight(), 3 + 4_294_967_295);
        let taken: Vec<_> = (0..5).map(|place| arms.arm_at(place)).collect();
        assert_eq!(taken, [0, 0, 1, 2, 2]);
        assert_eq!(arms.arm_at(arms.total_weight()), 0);
        assert_eq!(Arms::from(arms.as_slice()[1].pacing.clone()).arm_at(99), 0);
    }
}
