//! The router: reads what hosts send, and writes it to whom it is for, later.

use std::{
    cmp::{Ordering as Order, Reverse},
    collections::BinaryHeap,
    fs::File,
    io::{self, ErrorKind, Read, Write},
    ops::Sub,
    os::fd::AsFd,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use nix::{
    poll::{PollFd, PollFlags, ppoll},
    sys::time::TimeSpec,
};
use rand::{Rng, SeedableRng, rngs::StdRng};

use crate::{LabError, Link, Map, packet::Destination, sys};

/// The largest packet: more than the devices' 1,500 bytes.
const LARGEST: usize = 2048;

/// How long it sleeps at most, so that a stop is noticed.
const NAP: Duration = Duration::from_millis(100);

/// What waits before a narrow link beyond this is dropped, as home routers do.
const LINK_QUEUE: Duration = Duration::from_millis(250);

/// The width of the lateness histogram's buckets, and how many there are; the
/// last one holds all that is later.
const BUCKET: Duration = Duration::from_micros(100);
const BUCKETS: usize = 200;

/// What the router did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Packets delivered.
    pub delivered: u64,
    /// Packets lost on purpose.
    pub lost: u64,
    /// Packets dropped before a narrow link.
    pub overflowed: u64,
    /// Packets to nobody, or that a host's device did not take.
    pub undelivered: u64,
    /// Delivered packets by how much later than due, in steps of 100 µs.
    late: [u64; BUCKETS],
}

impl Counts {
    /// How much later than due the router delivered all but a share of the
    /// packets: 0.99 for the 99th percentile. The upper bound of a step of
    /// 100 µs; nothing if there were no packets.
    pub fn lateness(&self, share: f64) -> Option<Duration> {
        let total: u64 = self.late.iter().sum();
        let mut seen = 0;
        for (steps, count) in (1..).zip(self.late) {
            seen += count;
            #[expect(clippy::cast_precision_loss, reason = "packets are far below 2^52")]
            if count > 0 && seen as f64 >= total as f64 * share {
                return Some(BUCKET * steps);
            }
        }
        None
    }
}

impl Sub for Counts {
    type Output = Self;

    /// What was counted since `earlier`.
    fn sub(mut self, earlier: Self) -> Self {
        self.delivered -= earlier.delivered;
        self.lost -= earlier.lost;
        self.overflowed -= earlier.overflowed;
        self.undelivered -= earlier.undelivered;
        for (now, before) in self.late.iter_mut().zip(earlier.late) {
            *now -= before;
        }
        self
    }
}

/// The counts as the router's thread keeps them.
#[derive(Debug)]
struct Shared {
    delivered: AtomicU64,
    lost: AtomicU64,
    overflowed: AtomicU64,
    undelivered: AtomicU64,
    late: [AtomicU64; BUCKETS],
    stop: AtomicBool,
}

/// The running router. It stops with this.
#[derive(Debug)]
pub(crate) struct Router {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Router {
    /// Starts a router between these devices, one a host of the map.
    pub(crate) fn start(
        devices: Vec<File>,
        map: Map,
        jitter: Duration,
        link: Link,
        seed: u64,
    ) -> Result<Self, LabError> {
        let shared = Arc::new(Shared {
            delivered: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            overflowed: AtomicU64::new(0),
            undelivered: AtomicU64::new(0),
            late: [const { AtomicU64::new(0) }; BUCKETS],
            stop: AtomicBool::new(false),
        });
        let hosts = map.hosts();
        let mut forwarding = Forwarding {
            devices,
            map,
            jitter,
            link,
            random: StdRng::seed_from_u64(seed),
            under_way: BinaryHeap::new(),
            packets: 0,
            last_due: vec![None; hosts * hosts],
            up_free: vec![None; hosts],
            down_free: vec![None; hosts],
            shared: Arc::clone(&shared),
        };
        let thread = thread::Builder::new()
            .name("wan-router".to_owned())
            .spawn(move || forwarding.run())
            .map_err(LabError::step("the router's thread"))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    pub(crate) fn counts(&self) -> Counts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Counts {
            delivered: read(&self.shared.delivered),
            lost: read(&self.shared.lost),
            overflowed: read(&self.shared.overflowed),
            undelivered: read(&self.shared.undelivered),
            late: std::array::from_fn(|at| read(&self.shared.late[at])),
        }
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::warn!("the router had panicked");
        }
    }
}

/// A packet under way.
struct UnderWay {
    due: Instant,
    /// Packets due at once leave in the order they came.
    number: u64,
    to: usize,
    /// Whether it has passed its destination's link.
    through: bool,
    bytes: Box<[u8]>,
}

impl UnderWay {
    fn key(&self) -> (Instant, u64) {
        (self.due, self.number)
    }
}

impl PartialEq for UnderWay {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for UnderWay {}

impl PartialOrd for UnderWay {
    fn partial_cmp(&self, other: &Self) -> Option<Order> {
        Some(self.cmp(other))
    }
}

impl Ord for UnderWay {
    fn cmp(&self, other: &Self) -> Order {
        self.key().cmp(&other.key())
    }
}

struct Forwarding {
    devices: Vec<File>,
    map: Map,
    jitter: Duration,
    link: Link,
    random: StdRng,
    under_way: BinaryHeap<Reverse<UnderWay>>,
    packets: u64,
    /// When the last packet of a pair is due: none overtakes it.
    last_due: Vec<Option<Instant>>,
    /// When a host's link is free, up and down.
    up_free: Vec<Option<Instant>>,
    down_free: Vec<Option<Instant>>,
    shared: Arc<Shared>,
}

impl Forwarding {
    fn run(&mut self) {
        if let Err(error) = sys::go_first() {
            tracing::warn!("the router has no priority over other threads: {error}");
        }
        while !self.shared.stop.load(Ordering::Relaxed) {
            let readable = match self.wait() {
                Ok(readable) => readable,
                Err(error) => {
                    tracing::error!("the router stops: {error}");
                    return;
                }
            };
            for host in readable {
                self.read(host);
            }
            self.deliver();
        }
    }

    /// Sleeps until a host sends or a packet is due; the hosts that have sent.
    fn wait(&self) -> io::Result<Vec<usize>> {
        let until_due = self.under_way.peek().map_or(NAP, |Reverse(first)| {
            let left = first.due.saturating_duration_since(Instant::now());
            left.min(NAP)
        });
        let mut fds: Vec<_> = self
            .devices
            .iter()
            .map(|device| PollFd::new(device.as_fd(), PollFlags::POLLIN))
            .collect();
        match ppoll(&mut fds, Some(TimeSpec::from_duration(until_due)), None) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        let readable = |fd: &PollFd<'_>| fd.any().unwrap_or(false);
        let hosts = (0..).zip(&fds).filter(|(_, fd)| readable(fd));
        Ok(hosts.map(|(host, _)| host).collect())
    }

    /// Takes all that a host has sent.
    fn read(&mut self, from: usize) {
        let mut buffer = [0; LARGEST];
        loop {
            match (&self.devices[from]).read(&mut buffer) {
                Ok(length) => self.accept(from, &buffer[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Nothing more, or the host is gone.
                Err(_) => return,
            }
        }
    }

    fn accept(&mut self, from: usize, packet: &[u8]) {
        let now = Instant::now();
        let destination = Destination::of(packet);
        let to = destination.and_then(|d| self.map.host_at(d.address, d.port));
        let Some(to) = to else {
            count(&self.shared.undelivered);
            return;
        };
        if self.link.loss > 0.0 && self.random.gen_bool(self.link.loss) {
            count(&self.shared.lost);
            return;
        }
        let Some(left) = passed(&mut self.up_free[from], now, self.link, packet.len()) else {
            count(&self.shared.overflowed);
            return;
        };
        let jitter = self.jitter.mul_f64(self.random.r#gen());
        let arrival = left + self.map.delay(from, to) + jitter;
        let last = &mut self.last_due[from * self.devices.len() + to];
        let due = last.map_or(arrival, |last| last.max(arrival));
        *last = Some(due);
        self.packets += 1;
        self.under_way.push(Reverse(UnderWay {
            due,
            number: self.packets,
            to,
            through: self.link.mbit_per_s == 0,
            bytes: packet.into(),
        }));
    }

    /// Writes all that is due.
    fn deliver(&mut self) {
        loop {
            let now = Instant::now();
            let due = |first: &Reverse<UnderWay>| first.0.due <= now;
            if !self.under_way.peek().is_some_and(due) {
                return;
            }
            let Some(Reverse(mut packet)) = self.under_way.pop() else {
                return;
            };
            if !packet.through {
                let free = &mut self.down_free[packet.to];
                let Some(left) = passed(free, packet.due, self.link, packet.bytes.len()) else {
                    count(&self.shared.overflowed);
                    continue;
                };
                packet.due = left;
                packet.through = true;
                self.under_way.push(Reverse(packet));
                continue;
            }
            // A device takes a packet whole or not at all.
            match (&self.devices[packet.to]).write_all(&packet.bytes) {
                Ok(()) => {
                    count(&self.shared.delivered);
                    let late = now.saturating_duration_since(packet.due);
                    let steps = late.as_nanos() / BUCKET.as_nanos();
                    let bucket = usize::try_from(steps).unwrap_or(BUCKETS).min(BUCKETS - 1);
                    count(&self.shared.late[bucket]);
                }
                Err(error) => {
                    count(&self.shared.undelivered);
                    tracing::debug!("host {} did not take a packet: {error}", packet.to);
                }
            }
        }
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// When a packet that comes to a link at `now` has passed it; nothing if too
/// much waits before it.
fn passed(free: &mut Option<Instant>, now: Instant, link: Link, length: usize) -> Option<Instant> {
    if link.mbit_per_s == 0 {
        return Some(now);
    }
    let start = free.map_or(now, |free| free.max(now));
    if start - now > LINK_QUEUE {
        return None;
    }
    // Bits by megabits a second are microseconds.
    #[expect(clippy::cast_precision_loss, reason = "a packet has at most 2^14 bits")]
    let takes = Duration::from_secs_f64(length as f64 * 8.0 / (f64::from(link.mbit_per_s) * 1e6));
    *free = Some(start + takes);
    *free
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
            let left = passed(&mut free, start, link, 1000).unwrap();
            assert_eq!(millis(left), packet);
        }
        assert_eq!(passed(&mut free, start, link, 1000), None);
        let later = start + Duration::from_secs(1);
        assert_eq!(millis(passed(&mut free, later, link, 1000).unwrap()), 1001);
        let wide = Link::default();
        assert_eq!(passed(&mut None, start, wide, 1000), Some(start));
    }

    #[test]
    fn lateness_is_a_share_of_the_packets() {
        let mut counts = Counts {
            delivered: 0,
            lost: 0,
            overflowed: 0,
            undelivered: 0,
            late: [0; BUCKETS],
        };
        assert_eq!(counts.lateness(0.99), None);
        counts.late[0] = 98;
        counts.late[19] = 2;
        assert_eq!(counts.lateness(0.5), Some(Duration::from_micros(100)));
        assert_eq!(counts.lateness(0.99), Some(Duration::from_millis(2)));
        let since = counts.clone() - counts;
        assert_eq!(since.lateness(0.99), None);
    }
}
