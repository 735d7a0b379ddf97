//! The sides of a measurement: what each one is called, how it is paced, and under
//! which plan it runs.

use std::fmt;

use ant_core::Plan;
use ant_pacing::{Arms, PacingSpec, SpecError, StrategySpec};

/// One side of a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeasureArm {
    /// This pacing under the plan of the network's published client: the
    /// reference, which no profile changes.
    Reference(PacingSpec),
    /// The pacing and the plan of the settings: `default`.
    Default(Arms),
    /// The network's published client itself: `upstream`.
    Published,
    /// Another arm, while the testnet's nodes lose this percentage of their answers
    /// on purpose: `default~5%`.
    Losing(Box<Self>, u8),
}

/// Why a text is not an arm.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArmError {
    /// What stands behind the `~` is not a percentage that an arm may have.
    #[error(
        "`{text}`: write behind the `~` what share of their answers the nodes lose, from 1% to 50%"
    )]
    Percentage {
        /// The arm as it was given.
        text: String,
    },
    /// It is neither a pacing nor the name of another arm.
    #[error(
        "{source}; `{}` is what the settings say, and `{}` the published client",
        MeasureArm::DEFAULT,
        MeasureArm::PUBLISHED
    )]
    Pacing {
        /// Why it is not a pacing.
        source: SpecError,
    },
}

impl MeasureArm {
    /// What the settings' own arm is called.
    pub const DEFAULT: &str = "default";

    /// What the published client's arm is called.
    pub const PUBLISHED: &str = "upstream";

    /// Returns how it is paced.
    pub fn pacing(&self) -> Arms {
        match self {
            Self::Reference(pacing) => pacing.clone().into(),
            Self::Default(arms) => arms.clone(),
            Self::Published => StrategySpec::uncapped().into(),
            Self::Losing(arm, _) => arm.pacing(),
        }
    }

    /// Returns the percentage of their answers that the nodes lose on purpose.
    pub const fn loses_percent(&self) -> u8 {
        match self {
            Self::Losing(_, percent) => *percent,
            _ => 0,
        }
    }

    /// Returns whether the network's published client runs.
    pub fn is_published(&self) -> bool {
        match self {
            Self::Losing(arm, _) => arm.is_published(),
            other => *other == Self::Published,
        }
    }

    /// Returns whether it is what the settings say.
    pub fn follows_settings(&self) -> bool {
        match self {
            Self::Losing(arm, _) => arm.follows_settings(),
            other => matches!(other, Self::Default(_)),
        }
    }

    /// Reads an arm; `default` is what the settings say.
    ///
    /// # Errors
    ///
    /// When it is neither a pacing nor the name of an arm, or its percentage is not
    /// from 1 to 50.
    pub fn parse(text: &str, default: &Arms) -> Result<Self, ArmError> {
        if let Some((arm, percent)) = text.split_once('~') {
            let number = percent.strip_suffix('%').and_then(|n| n.parse().ok());
            let number = number.filter(|n| (1..=50).contains(n));
            let number = number.ok_or_else(|| ArmError::Percentage {
                text: text.to_owned(),
            })?;
            let arm = Self::parse(arm, default)?;
            return Ok(Self::Losing(Box::new(arm), number));
        }
        match text {
            Self::DEFAULT => Ok(Self::Default(default.clone())),
            Self::PUBLISHED => Ok(Self::Published),
            _ => text
                .parse()
                .map(Self::Reference)
                .map_err(|source| ArmError::Pacing { source }),
        }
    }

    /// Returns the plan that it runs under, given that of the settings. The limits of time are
    /// those of the settings for every arm: they do not choose whom to ask.
    pub fn plan(&self, settings: Plan) -> Plan {
        match self {
            Self::Reference(_) | Self::Published => Plan {
                request_timeout: settings.request_timeout,
                probe_ceiling: settings.probe_ceiling,
                send_timeout: settings.send_timeout,
                ..Plan::default()
            },
            Self::Default(_) => settings,
            Self::Losing(arm, _) => arm.plan(settings),
        }
    }
}

impl fmt::Display for MeasureArm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reference(pacing) => pacing.fmt(f),
            Self::Default(_) => f.write_str(Self::DEFAULT),
            Self::Published => f.write_str(Self::PUBLISHED),
            Self::Losing(arm, percent) => write!(f, "{arm}~{percent}%"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{error::Error, time::Duration};

    use super::*;

    fn read(text: &str) -> Result<MeasureArm, ArmError> {
        let default: Arms = "shard-16".parse::<StrategySpec>().unwrap().into();
        MeasureArm::parse(text, &default)
    }

    #[test]
    fn what_is_displayed_parses_back_and_slips_are_named() {
        for text in [
            "hold-16",
            "release-2s-16@client",
            "default",
            "upstream",
            "default~5%",
        ] {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
        for (text, advice) in [
            ("hold16", "write `hold-16`"),
            ("hold-16~5", "from 1% to 50%"),
            ("hold-16~0%", "from 1% to 50%"),
            ("hold-16~51%", "from 1% to 50%"),
            ("defualt", "`default` is what the settings say"),
            ("default~5%~5%", "from 1% to 50%"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.to_string().contains(advice), "{text}: {error}");
        }
        let error = read("hold16").unwrap_err();
        assert!(error.source().is_some(), "the reader's own error is kept");
    }

    #[test]
    fn an_arm_that_loses_answers_is_otherwise_the_arm_it_names() {
        for text in ["hold-32", "default", "upstream"] {
            let (arm, losing) = (read(text).unwrap(), read(&format!("{text}~5%")).unwrap());
            assert_eq!((arm.loses_percent(), losing.loses_percent()), (0, 5));
            assert_eq!(losing.pacing(), arm.pacing());
            assert_eq!(losing.is_published(), arm.is_published());
            assert_eq!(losing.follows_settings(), arm.follows_settings());
        }
        let default: Arms = "shard-16".parse::<StrategySpec>().unwrap().into();
        assert_eq!(read("default").unwrap().pacing(), default);
        let uncapped: Arms = StrategySpec::uncapped().into();
        assert_eq!(read("upstream").unwrap().pacing(), uncapped);
        assert!(read("upstream").unwrap().is_published());
        assert!(read("default").unwrap().follows_settings());
    }

    #[test]
    fn only_the_settings_own_arm_runs_under_the_settings_whole_plan() {
        let default = Plan::default();
        let settings = Plan {
            ask: default.ask + 1,
            first: Some(20),
            substitutes: default.substitutes + 1,
            reasks: default.reasks + 1,
            hedges: default.hedges + 1,
            witnesses: default.witnesses + 1,
            dials: default.dials + 1,
            request_timeout: Duration::from_secs(1),
            probe_ceiling: Duration::from_secs(2),
            send_timeout: Duration::from_secs(3),
            ..default
        };
        let reference = Plan {
            request_timeout: Duration::from_secs(1),
            probe_ceiling: Duration::from_secs(2),
            send_timeout: Duration::from_secs(3),
            ..default
        };
        for (text, plan) in [
            ("hold-16", reference),
            ("upstream", reference),
            ("hold-16~5%", reference),
            ("upstream~5%", reference),
            ("default", settings),
            ("default~5%", settings),
        ] {
            assert_eq!(read(text).unwrap().plan(settings), plan, "{text}");
        }
    }
}
