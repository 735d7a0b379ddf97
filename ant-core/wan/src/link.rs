//! A host's link to the network: which packets it loses, and how long it takes to
//! carry one.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// What waits before a narrow link beyond this is dropped, as home routers do.
const LONGEST_WAIT: Duration = Duration::from_millis(250);

/// A host's link to the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Link {
    /// Which share of all packets is lost, from 0 to 0.5.
    pub loss: f64,
    /// How many megabits a second it carries, each way; 0 is no limit.
    pub mbit_per_s: u32,
}

impl Link {
    /// Returns when a packet of `length` bytes that comes to the link at `now` has
    /// passed it; nothing if too much waits before it. `free` is when the link has
    /// carried what came before.
    pub(crate) fn pass(
        self,
        free: &mut Option<Instant>,
        now: Instant,
        length: usize,
    ) -> Option<Instant> {
        if self.mbit_per_s == 0 {
            return Some(now);
        }
        let start = free.map_or(now, |free| free.max(now));
        if start - now > LONGEST_WAIT {
            return None;
        }
        // Bits by megabits a second are microseconds.
        #[expect(clippy::cast_precision_loss, reason = "a packet has at most 2^14 bits")]
        let takes =
            Duration::from_secs_f64(length as f64 * 8.0 / (f64::from(self.mbit_per_s) * 1e6));
        *free = Some(start + takes);
        *free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_link_takes_its_time_and_overflows() {
        let link = Link {
            loss: 0.0,
            mbit_per_s: 8,
        };
        let start = Instant::now();
        let mut free = None;
        let millis = |at: Instant| (at - start).as_millis();
        // A thousand bytes are a millisecond at 8 Mbit/s.
        for packet in 1..=251 {
            let left = link.pass(&mut free, start, 1000).unwrap();
            assert_eq!(millis(left), packet);
        }
        assert_eq!(link.pass(&mut free, start, 1000), None);
        let later = start + Duration::from_secs(1);
        assert_eq!(millis(link.pass(&mut free, later, 1000).unwrap()), 1001);
        let wide = Link::default();
        assert_eq!(wide.pass(&mut None, start, 1000), Some(start));
    }
}
