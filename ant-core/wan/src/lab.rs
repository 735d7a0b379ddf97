//! A running wide-area network, and its hosts.

use std::{fs, io, net::Ipv4Addr};

use nix::unistd::geteuid;
use tokio::runtime::{Builder, Runtime};

use crate::{
    Counts, LabError, Map, Scenario, namespace,
    namespace::{Namespace, ip_batch},
    router::Router,
    sys,
};

/// What each host's device is called.
const DEVICE: &str = "wan0";

/// How many packets a host may send in one go before the router reads them.
const DEVICE_QUEUE: u32 = 10_000;

/// A running network. It ends with this, and leaves nothing behind.
#[derive(Debug)]
pub struct Lab {
    map: Map,
    // In this order: the router lets go of the devices before the namespaces go.
    router: Router,
    hosts: Vec<Host>,
}

/// A host: a network namespace with one address.
#[derive(Debug)]
pub struct Host {
    namespace: Namespace,
    /// Its address.
    pub address: Ipv4Addr,
    /// The UDP port that a node on it is to use: behind a shared address no other
    /// port is reached.
    pub port: u16,
}

impl Lab {
    /// Makes the network of a scenario. First it removes what killed processes
    /// have left of theirs.
    ///
    /// # Errors
    ///
    /// When the machine or the user cannot, or a step fails; nothing is left.
    pub fn start(scenario: &Scenario) -> Result<Self, LabError> {
        scenario.validate()?;
        Self::possible()?;
        let removed = namespace::remove_stale();
        if removed > 0 {
            tracing::info!("removed {removed} namespaces of a process that was killed");
        }
        let map = Map::new(scenario);
        let set = namespace::set_name();
        let mut hosts = Vec::with_capacity(map.hosts());
        let mut devices = Vec::with_capacity(map.hosts());
        for index in 0..map.hosts() {
            let host = Host {
                namespace: Namespace::new(&format!("{set}-{index}"))?,
                address: map.address(index),
                port: map.port(index),
            };
            let shared = map.is_shared(index);
            let device = host.namespace.run(|| set_up(host.address, shared));
            devices.push(device.map_err(LabError::step(format!("host {index}")))?);
            hosts.push(host);
        }
        let population = &scenario.population;
        let jitter = population.round_trip.jitter.0;
        let (link, seed) = (scenario.link, population.seed);
        let router = Router::start(devices, map.clone(), jitter, link, seed)?;
        Ok(Self { map, router, hosts })
    }

    /// Checks that this machine and user can make such a network.
    ///
    /// # Errors
    ///
    /// What it lacks.
    pub fn possible() -> Result<(), LabError> {
        if !geteuid().is_root() {
            return Err(LabError::Needs("root: run it with sudo"));
        }
        if !fs::exists("/dev/net/tun").unwrap_or(false) {
            return Err(LabError::Needs(
                "/dev/net/tun: load the kernel module `tun`",
            ));
        }
        if !namespace::has_ip() {
            return Err(LabError::Needs("the program `ip`: install iproute2"));
        }
        // Root of a container may lack what root of a machine has.
        let probed = namespace::run_apart(|| sys::tun("probe"));
        probed
            .map(|_| ())
            .map_err(|_| LabError::Needs("the capabilities CAP_SYS_ADMIN and CAP_NET_ADMIN"))
    }

    /// Returns the hosts for nodes.
    pub fn nodes(&self) -> &[Host] {
        &self.hosts[..self.map.nodes()]
    }

    /// Returns the host for a client in this process.
    pub fn client(&self) -> &Host {
        &self.hosts[self.map.nodes()]
    }

    /// Returns the host for programs outside: `ip netns exec NAME …`.
    pub fn outside(&self) -> &Host {
        &self.hosts[self.map.nodes() + 1]
    }

    /// Returns the names of all hosts, for a program that must end before this is
    /// dropped: see [`remove_namespaces`](crate::remove_namespaces).
    pub fn names(&self) -> Vec<String> {
        self.hosts
            .iter()
            .map(|host| host.name().to_owned())
            .collect()
    }

    /// Returns what the router has done so far.
    pub fn counts(&self) -> Counts {
        self.router.counts()
    }
}

impl Host {
    /// Returns the name that `ip netns` knows it by.
    pub fn name(&self) -> &str {
        self.namespace.name()
    }

    /// Moves the calling thread, and those it starts from here on, to this host:
    /// sockets that it opens are the host's.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn enter(&self) -> io::Result<()> {
        self.namespace.enter()
    }

    /// Makes a runtime whose threads are on this host. Spawn tasks on it: what
    /// `block_on` runs stays where the calling thread is.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn runtime(&self, workers: usize) -> io::Result<Runtime> {
        let entrance = self.namespace.entrance()?;
        Builder::new_multi_thread()
            .worker_threads(workers)
            .enable_all()
            .on_thread_start(move || {
                if let Err(error) = entrance.enter() {
                    tracing::error!("a thread is not on its host: {error}");
                }
            })
            .build()
    }
}

/// Sets up a host, from within: its device, address and route.
fn set_up(address: Ipv4Addr, shared: bool) -> io::Result<fs::File> {
    // A namespace has its own settings here, and begins with the defaults. IPv6
    // may be missing, which is as good.
    let _ = fs::write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
    let device = sys::tun(DEVICE)?;
    let mut commands = format!(
        "link set lo up\n\
         addr add {address}/32 dev {DEVICE}\n\
         link set {DEVICE} mtu 1500 txqueuelen {DEVICE_QUEUE} up\n\
         route add default dev {DEVICE}\n"
    );
    if shared {
        // To this host, its own address is also the others': what it sends
        // there leaves by the device, and what comes from there is taken.
        fs::write(
            format!("/proc/sys/net/ipv4/conf/{DEVICE}/accept_local"),
            "1",
        )?;
        fs::write("/proc/sys/net/ipv4/conf/all/rp_filter", "0")?;
        fs::write(format!("/proc/sys/net/ipv4/conf/{DEVICE}/rp_filter"), "0")?;
        commands += "rule add pref 10 iif wan0 lookup local\n\
                     rule add pref 20 to 127.0.0.0/8 lookup local\n\
                     rule add pref 30 lookup main\n\
                     rule del pref 0\n";
    }
    ip_batch(&commands)?;
    Ok(device)
}
