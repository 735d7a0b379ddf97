//! How far apart hosts are: a distribution of round trips as data.

use std::time::Duration;

use ant_text::duration::Span;
use serde::{Deserialize, Serialize};

use crate::{InvalidScenario, Limits, check_share};

/// Round trips between pairs of hosts: either percentiles, or a median and a
/// spread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RoundTrips {
    /// Percentile and round trip, both rising, with straight lines between.
    /// Below the first and above the last, pairs have that one's.
    pub percentiles: Vec<(u8, Span)>,
    /// Half of the pairs are faster.
    pub median: Option<Span>,
    /// Half of the pairs are within this of the median, all within twice this.
    pub spread: Span,
    /// A packet takes up to this much longer, evenly drawn.
    pub jitter: Span,
    /// Which share of all packets is lost, from 0 to 1. The simulator sends such
    /// a packet again after a round trip and a half; the wide-area network in a
    /// box loses packets on its hosts' links instead.
    #[serde(skip_serializing_if = "is_none")]
    pub loss: f64,
}

impl RoundTrips {
    /// Returns the round trip that this share of the pairs, from 0 to 1, stays
    /// below.
    pub fn at(&self, share: f64) -> Duration {
        let points: Vec<(f64, Duration)> = match self.median {
            Some(Span(median)) => vec![
                (0.0, median.saturating_sub(self.spread.0 * 2)),
                (0.25, median.saturating_sub(self.spread.0)),
                (0.75, median + self.spread.0),
                (1.0, median + self.spread.0 * 2),
            ],
            None => self
                .percentiles
                .iter()
                .map(|(percentile, span)| (f64::from(*percentile) / 100.0, span.0))
                .collect(),
        };
        at_share(&points, share)
    }

    /// Checks that this is a distribution.
    pub(crate) fn validate(&self, limits: &Limits) -> Result<(), InvalidScenario> {
        let invalid = |text: &str| Err(InvalidScenario(text.to_owned()));
        if self.percentiles.is_empty() == self.median.is_none() {
            return invalid("[round_trip] takes either `percentiles` or `median`");
        }
        if self.median.is_none() && self.spread.0 > Duration::ZERO {
            return invalid("`spread` goes with `median`, not with `percentiles`");
        }
        for (_, span) in &self.percentiles {
            limits.check_span("a round trip of round_trip.percentiles", *span)?;
        }
        if let Some(median) = self.median {
            limits.check_span("round_trip.median", median)?;
        }
        limits.check_span("round_trip.spread", self.spread)?;
        limits.check_span("round_trip.jitter", self.jitter)?;
        if self
            .median
            .is_some_and(|median| median.0 < self.spread.0 * 2)
        {
            return invalid("the spread is more than half of the median");
        }
        let rising = self.percentiles.is_sorted()
            && self.percentiles.is_sorted_by_key(|(_, span)| span)
            && self
                .percentiles
                .iter()
                .all(|(percentile, _)| *percentile <= 100);
        if !rising {
            return invalid("round_trip.percentiles do not rise, each with its round trip, to 100");
        }
        check_share("round_trip.loss", self.loss, 1.0)
    }
}

/// Returns whether nothing is lost. A box never loses anything here, so its
/// documents leave the key out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_none(loss: &f64) -> bool {
    *loss <= 0.0
}

/// Returns the duration that this share, from 0 to 1, of a distribution stays
/// below. The distribution is given as points of share and duration, both rising,
/// with straight lines between them; a share below the first point or above the
/// last gets that point's duration.
fn at_share(points: &[(f64, Duration)], share: f64) -> Duration {
    let above = points.iter().position(|(at, _)| *at >= share);
    match above {
        Some(0) => points.first().map_or(Duration::ZERO, |(_, span)| *span),
        Some(above) => {
            let ((low, from), (high, to)) = (points[above - 1], points[above]);
            from + to
                .saturating_sub(from)
                .mul_f64((share - low) / (high - low))
        }
        None => points.last().map_or(Duration::ZERO, |(_, span)| *span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lead_from_point_to_point() {
        let millis = |millis| Span(Duration::from_millis(millis));
        let points = RoundTrips {
            percentiles: vec![(10, millis(10)), (50, millis(50)), (90, millis(250))],
            ..RoundTrips::default()
        };
        let spread = RoundTrips {
            median: Some(millis(100)),
            spread: millis(20),
            ..RoundTrips::default()
        };
        for (share, by_points, by_spread) in [
            (0.0, 10, 60),
            (0.1, 10, 68),
            (0.25, 25, 80),
            (0.5, 50, 100),
            (0.75, 175, 120),
            (1.0, 250, 140),
        ] {
            assert_eq!(
                points.at(share),
                Duration::from_millis(by_points),
                "{share}"
            );
            assert_eq!(
                spread.at(share),
                Duration::from_millis(by_spread),
                "{share}"
            );
        }
        assert_eq!(at_share(&[], 0.5), Duration::ZERO);
    }
}
