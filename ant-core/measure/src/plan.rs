//! What is measured, in which order.

use std::fmt;

use ant_core::Plan;
use ant_pacing::{Arms, PacingSpec, SpecError, StrategySpec};
use ant_protocol::compute_address;
use bytes::Bytes;
use rand::{Rng, SeedableRng, rngs::StdRng, seq::SliceRandom};

/// One side of a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeasureArm {
    /// This pacing under the plan of the network's published client: the
    /// reference, which no profile changes.
    Reference(PacingSpec),
    /// The pacing and the plan of the settings: `default`.
    Default(Arms),
    /// The network's published client itself: `upstream`.
    Published,
    /// Another arm, while the testnet's nodes lose so many in a hundred of their
    /// answers on purpose: `default~5%`.
    Losing(Box<Self>, u8),
}

impl MeasureArm {
    /// What the settings' own arm is called.
    pub const DEFAULT: &str = "default";

    /// What the published client's arm is called.
    pub const PUBLISHED: &str = "upstream";

    /// How it is paced.
    pub fn pacing(&self) -> Arms {
        match self {
            Self::Reference(pacing) => pacing.clone().into(),
            Self::Default(arms) => arms.clone(),
            Self::Published => StrategySpec::uncapped().into(),
            Self::Losing(arm, _) => arm.pacing(),
        }
    }

    /// How many in a hundred answers the nodes are to lose.
    pub const fn loses_percent(&self) -> u8 {
        match self {
            Self::Losing(_, percent) => *percent,
            _ => 0,
        }
    }

    /// Whether the network's published client runs.
    pub fn is_published(&self) -> bool {
        match self {
            Self::Losing(arm, _) => arm.is_published(),
            other => *other == Self::Published,
        }
    }

    /// Whether it is what the settings say.
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
    /// What is wrong with it, and what to write.
    pub fn parse(text: &str, default: &Arms) -> Result<Self, String> {
        if let Some((arm, percent)) = text.split_once('~') {
            let number = percent.strip_suffix('%').and_then(|n| n.parse().ok());
            let number = number.filter(|n| (1..=50).contains(n)).ok_or_else(|| {
                format!(
                    "`{text}`: behind the `~` stands how many of the nodes' answers are lost, \
                     from 1% to 50%"
                )
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
                .map_err(|error: SpecError| {
                    format!(
                        "{error}; `{}` is what the settings say, and `{}` the published client",
                        Self::DEFAULT,
                        Self::PUBLISHED
                    )
                }),
        }
    }

    /// The plan it runs under, given that of the settings. Times and limits that
    /// are no choice of whom to ask are the settings' in any case.
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

/// The plan of a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasurePlan {
    /// The arms compared. The same one twice is allowed, and shows the noise.
    pub arms: Vec<MeasureArm>,
    /// How often each arm runs.
    pub blocks: usize,
    /// How many addresses each run pays for, 2 at least; more than 256 take several
    /// trees.
    pub leaves: usize,
    /// The size of a chunk that is quoted for, in bytes.
    pub data_size: u64,
    /// Decides the addresses and the order of the arms.
    pub seed: u64,
    /// Whether the addresses are drawn anew instead: on a network that outlives the
    /// measurement, or chunks would be there before they are paid for.
    pub fresh: bool,
}

/// One run to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// Which block, from 0.
    pub block: usize,
    /// Which arm, as an index.
    pub arm: usize,
}

impl MeasurePlan {
    /// Every run in its order: all arms once a block, shuffled anew each time.
    pub fn schedule(&self) -> Vec<Scheduled> {
        let mut random = StdRng::seed_from_u64(self.seed);
        let mut schedule = Vec::with_capacity(self.blocks * self.arms.len());
        for block in 0..self.blocks {
            let mut arms: Vec<_> = (0..self.arms.len()).collect();
            arms.shuffle(&mut random);
            schedule.extend(arms.into_iter().map(|arm| Scheduled { block, arm }));
        }
        schedule
    }
}

/// How long a made-up chunk is, in bytes: what it is paid for does not depend on
/// that, and many are stored.
const CHUNK: usize = 1024;

/// The chunks of a payment that is made up: the same for the same seed and number.
pub(crate) fn chunks(seed: u64, payment: usize, count: usize) -> Vec<Bytes> {
    let own = seed.wrapping_add((payment as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut random = StdRng::seed_from_u64(own);
    let chunk = |_| {
        let mut content = vec![0; CHUNK];
        random.fill(&mut content[..]);
        Bytes::from(content)
    };
    (0..count).map(chunk).collect()
}

/// The addresses of the chunks of such a payment.
pub fn addresses(seed: u64, payment: usize, count: usize) -> Vec<[u8; 32]> {
    let chunks = chunks(seed, payment, count);
    chunks.iter().map(|chunk| compute_address(chunk)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn plan(seed: u64) -> MeasurePlan {
        let arms = ["uncapped", "hold-16", "hold-32", "release-2s-16"];
        MeasurePlan {
            arms: arms
                .map(|arm| MeasureArm::Reference(arm.parse().unwrap()))
                .to_vec(),
            blocks: 20,
            leaves: 256,
            data_size: 1,
            seed,
            fresh: false,
        }
    }

    #[test]
    fn every_arm_runs_once_a_block_in_changing_order() {
        let schedule = plan(1).schedule();
        assert_eq!(schedule.len(), 80);
        let mut orders = BTreeSet::new();
        for (at, block) in schedule.chunks(4).enumerate() {
            assert!(block.iter().all(|run| run.block == at));
            let order: Vec<_> = block.iter().map(|run| run.arm).collect();
            assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 4);
            orders.insert(order);
        }
        assert!(orders.len() > 5, "{orders:?}");
    }

    #[test]
    fn what_is_displayed_parses_back_and_slips_are_named() {
        let default: Arms = "shard-16".parse::<StrategySpec>().unwrap().into();
        let read = |text: &str| MeasureArm::parse(text, &default);
        for text in [
            "hold-16",
            "release-2s-16@client",
            "default",
            "upstream",
            "default~5%",
        ] {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
        assert_eq!(read("hold-32~5%").unwrap().loses_percent(), 5);
        assert!(read("upstream~5%").unwrap().is_published());
        for (text, advice) in [
            ("hold16", "write `hold-16`"),
            ("hold-16~5", "from 1% to 50%"),
            ("hold-16~0%", "from 1% to 50%"),
            ("hold-16~51%", "from 1% to 50%"),
            ("defualt", "`default` is what the settings say"),
            ("default~5%~5%", "from 1% to 50%"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(advice), "{text}: {error}");
        }
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(plan(1).schedule(), plan(1).schedule());
        assert_ne!(plan(1).schedule(), plan(2).schedule());
        assert_eq!(addresses(1, 0, 5), addresses(1, 0, 5));
        assert_ne!(addresses(1, 0, 5), addresses(1, 1, 5));
        assert_ne!(addresses(1, 0, 5), addresses(2, 0, 5));
    }
}
