//! The router: reads what hosts send, and writes it to whom it is for, later.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    fs::File,
    io::{self, ErrorKind, Read, Write},
    os::fd::AsFd,
    sync::{Arc, atomic::Ordering},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use nix::{
    poll::{PollFd, PollFlags, ppoll},
    sys::time::TimeSpec,
};
use rand::{Rng, SeedableRng, rngs::StdRng};

use crate::{
    Counts, LabError, Link, Map,
    counts::{Shared, count},
    packet::Destination,
    sys,
    under_way::UnderWay,
};

/// The largest packet: more than the devices' 1,500 bytes.
const LARGEST: usize = 2048;

/// How long it sleeps at most, so that a stop is noticed.
const NAP: Duration = Duration::from_millis(100);

/// A poll that takes longer than this has slept, so that all devices were empty.
const ASLEEP: Duration = Duration::from_micros(20);

/// How many packets of a host are read before others have their turn.
const AT_ONCE: usize = 64;

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
        let shared = Arc::new(Shared::new());
        let mut forwarding = Forwarding::new(devices, map, jitter, link, seed, Arc::clone(&shared));
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
        self.shared.counts()
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
    /// When each device was last found empty, and when the last sleep ended.
    emptied: Vec<Instant>,
    slept: Instant,
    shared: Arc<Shared>,
}

/// Says that the router has stopped when it ends, by a panic too.
struct Stopped(Arc<Shared>);

impl Drop for Stopped {
    fn drop(&mut self) {
        self.0.stopped.store(true, Ordering::Relaxed);
    }
}

impl Forwarding {
    fn new(
        devices: Vec<File>,
        map: Map,
        jitter: Duration,
        link: Link,
        seed: u64,
        shared: Arc<Shared>,
    ) -> Self {
        let hosts = map.hosts();
        Self {
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
            emptied: vec![Instant::now(); hosts],
            slept: Instant::now(),
            shared,
        }
    }

    fn run(&mut self) {
        // However it ends.
        let _stopped = Stopped(Arc::clone(&self.shared));
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
                self.deliver();
            }
            self.deliver();
        }
    }

    /// Sleeps until a host sends or a packet is due; the hosts that have sent.
    fn wait(&mut self) -> io::Result<Vec<usize>> {
        let until_due = self.under_way.peek().map_or(NAP, |Reverse(first)| {
            let left = first.due.saturating_duration_since(Instant::now());
            left.min(NAP)
        });
        let asked = Instant::now();
        let mut fds: Vec<_> = self
            .devices
            .iter()
            .map(|device| PollFd::new(device.as_fd(), PollFlags::POLLIN))
            .collect();
        match ppoll(&mut fds, Some(TimeSpec::from_duration(until_due)), None) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        let woken = Instant::now();
        let readable = |fd: &PollFd<'_>| fd.any().unwrap_or(false);
        let hosts = (0..).zip(&fds).filter(|(_, fd)| readable(fd));
        let hosts = hosts.map(|(host, _)| host).collect();
        // A poll that did not sleep found what had come while others were read.
        if woken.duration_since(asked) > ASLEEP {
            self.slept = woken;
        }
        Ok(hosts)
    }

    /// Takes what a host has sent, some of it if that is much: others wait too.
    fn read(&mut self, from: usize) {
        let mut buffer = [0; LARGEST];
        // What is read now came after the device was last found empty, or after
        // all were; nobody knows when.
        let since = self.emptied[from].max(self.slept);
        for _ in 0..AT_ONCE {
            match (&self.devices[from]).read(&mut buffer) {
                Ok(length) => self.accept(from, &buffer[..length], since, Instant::now()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Nothing more, or the host is gone.
                Err(_) => {
                    self.emptied[from] = Instant::now();
                    return;
                }
            }
        }
    }

    fn accept(&mut self, from: usize, packet: &[u8], since: Instant, now: Instant) {
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
        let Some(left) = self.link.pass(&mut self.up_free[from], now, packet.len()) else {
            count(&self.shared.overflowed);
            return;
        };
        let jitter = self.jitter.mul_f64(self.random.r#gen());
        let arrival = left + self.map.delay(from, to) + jitter;
        let last = &mut self.last_due[from * self.map.hosts() + to];
        let due = last.map_or(arrival, |last| last.max(arrival));
        *last = Some(due);
        self.packets += 1;
        self.under_way.push(Reverse(UnderWay {
            due,
            number: self.packets,
            to,
            waited: now.saturating_duration_since(since),
            through: self.link.mbit_per_s == 0,
            bytes: packet.into(),
        }));
    }

    /// Writes all that is due.
    fn deliver(&mut self) {
        loop {
            let now = Instant::now();
            let Some(packet) = self.next_due(now) else {
                return;
            };
            // A device takes a packet whole or not at all.
            match (&self.devices[packet.to]).write_all(&packet.bytes) {
                Ok(()) => {
                    count(&self.shared.delivered);
                    let late = packet.waited + now.saturating_duration_since(packet.due);
                    self.shared.count_late(late);
                }
                Err(error) => {
                    count(&self.shared.undelivered);
                    tracing::debug!("host {} did not take a packet: {error}", packet.to);
                }
            }
        }
    }

    /// The next packet that is due by now and has passed its destination's link.
    fn next_due(&mut self, now: Instant) -> Option<UnderWay> {
        loop {
            self.under_way.peek().filter(|first| first.0.due <= now)?;
            let Reverse(mut packet) = self.under_way.pop()?;
            if packet.through {
                return Some(packet);
            }
            let free = &mut self.down_free[packet.to];
            match self.link.pass(free, packet.due, packet.bytes.len()) {
                Some(left) => {
                    packet.due = left;
                    packet.through = true;
                    self.under_way.push(Reverse(packet));
                }
                None => count(&self.shared.overflowed),
            }
        }
    }
}

#[cfg(test)]
mod tests;
