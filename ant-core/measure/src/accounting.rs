//! What was sent and received during a tree, from the counters of nodes and client:
//! sent = taken + late + lost.

use std::time::{Duration, Instant};

use ant_core::{Client, ClientTraffic};
use ant_testnet::{Testnet, Traffic};
use ant_wan::{Counts, Lab};

use crate::{host::cpu_seconds, run::Run, target::Target};

/// How an accounting is closed: once nothing has been counted for `quiet`, or after
/// `within` in any case.
#[derive(Clone, Copy, Debug)]
struct Closing {
    quiet: Duration,
    within: Duration,
    look_every: Duration,
}

/// Answers travel in milliseconds here. After a second without any, those that were
/// queued have been read too.
const CLOSING: Closing = Closing {
    quiet: Duration::from_secs(1),
    within: Duration::from_secs(15),
    look_every: Duration::from_millis(100),
};

/// What had been counted when a tree began.
pub(crate) struct Accounting<'a> {
    target: &'a Target<'a>,
    client: &'a Client,
    sent: Option<Traffic>,
    routed: Option<Counts>,
    came: ClientTraffic,
    cpu: Option<f64>,
}

impl<'a> Accounting<'a> {
    pub(crate) fn open(target: &'a Target<'_>, client: &'a Client) -> Self {
        Self {
            target,
            client,
            sent: target.testnet.map(Testnet::traffic),
            routed: target.lab.map(Lab::counts),
            came: client.traffic(),
            cpu: cpu_seconds(),
        }
    }

    /// Adds to the run what the tree itself took, of the processor and of the router.
    pub(crate) fn tree_ended(&self, run: &mut Run) {
        run.cpu_s = self.cpu.and_then(|before| Some(cpu_seconds()? - before));
        let routed = self.target.lab.map(Lab::counts).zip(self.routed.clone());
        if let Some((after, before)) = routed {
            run.routed(&(after - before));
        }
    }

    /// Waits until all answers have arrived or are lost, and adds to the run what the
    /// nodes counted. Returns what the client received that is in no tree's report.
    pub(crate) async fn close(self, run: &mut Run) -> ClientTraffic {
        let (testnet, client) = (self.target.testnet, self.client);
        until_quiet(
            || (testnet.map(Testnet::traffic), client.traffic()),
            CLOSING,
        )
        .await;
        if let Some((testnet, before)) = testnet.zip(self.sent) {
            let traffic = testnet.traffic() - before;
            run.requests_taken = Some(traffic.requests_taken);
            run.answers_sent = Some(traffic.answers_sent);
        }
        let now = client.traffic();
        ClientTraffic {
            after_end: now.after_end - self.came.after_end,
            unasked: now.unasked - self.came.unasked,
            lagged: now.lagged - self.came.lagged,
        }
    }
}

/// Returns how many answers were sent and never came, if both numbers are known. An answer
/// that came though its sending failed on the node's side is not counted as sent, and
/// hides one loss.
pub(crate) fn lost(sent: Option<u64>, came: Option<u64>) -> Option<u64> {
    let (sent, came) = sent.zip(came)?;
    Some(sent.saturating_sub(came))
}

/// Waits until what is counted no longer changes.
async fn until_quiet<T: PartialEq>(count: impl Fn() -> T, closing: Closing) {
    let started = Instant::now();
    let mut last = count();
    let mut quiet_since = started;
    while quiet_since.elapsed() < closing.quiet && started.elapsed() < closing.within {
        tokio::time::sleep(closing.look_every).await;
        let now = count();
        if now != last {
            last = now;
            quiet_since = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn what_was_sent_and_never_came_is_lost_and_the_unknown_stays_unknown() {
        assert_eq!(lost(Some(500), Some(144)), Some(356));
        assert_eq!(lost(Some(500), Some(500)), Some(0));
        // Never below nothing.
        assert_eq!(lost(Some(500), Some(501)), Some(0));
        assert_eq!(lost(None, Some(1)), None);
        assert_eq!(lost(Some(1), None), None);
    }

    #[tokio::test]
    async fn an_accounting_is_closed_once_nothing_more_is_counted() {
        let closing = Closing {
            // Long enough for a busy host, on which a look may come late.
            quiet: Duration::from_millis(500),
            within: Duration::from_mins(1),
            look_every: Duration::from_millis(1),
        };
        let looks = AtomicU32::new(0);
        let last = || looks.fetch_add(1, Ordering::Relaxed).min(5);
        until_quiet(last, closing).await;
        assert!(looks.into_inner() > 5, "it goes on while something changes");
    }

    #[tokio::test]
    async fn an_accounting_is_closed_in_the_end_though_counting_goes_on() {
        let closing = Closing {
            quiet: Duration::from_mins(1),
            within: Duration::from_millis(10),
            look_every: Duration::from_millis(1),
        };
        let looks = AtomicU32::new(0);
        until_quiet(|| looks.fetch_add(1, Ordering::Relaxed), closing).await;
    }
}
