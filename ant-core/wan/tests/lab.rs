//! Real namespaces, real sockets. Without root there is only the refusal to
//! test.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::{
    net::{SocketAddr, UdpSocket},
    process::Command,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use ant_wan::{Host, Lab, Link, Map, Scenario};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The turn to change the machine's namespaces; nothing where that cannot be
/// done.
fn turn() -> Option<MutexGuard<'static, ()>> {
    if let Err(lacking) = Lab::possible() {
        eprintln!("not tested: {lacking}");
        let refused = Lab::start(&scenario(8)).map(|_| ());
        assert_eq!(refused.unwrap_err().to_string(), lacking.to_string());
        return None;
    }
    // A failed test is no reason to fail the others.
    let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // What a killed test left would go with the first lab, and be missed.
    drop(Lab::start(&scenario(1)).unwrap());
    Some(turn)
}

fn scenario(nodes: usize) -> Scenario {
    let mut scenario = Scenario::find("residential").unwrap();
    scenario.population.nodes = nodes;
    scenario
}

/// What the machine's own network is made of, and the namespaces that others
/// than killed programs of ours have made.
fn machine() -> Vec<String> {
    let say = |words: &[&str]| {
        let output = Command::new("ip").args(words).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    vec![
        say(&["-br", "link"]),
        say(&["-br", "address"]),
        say(&["route", "show", "table", "all"]),
        say(&["rule"]),
        say(&["netns"]),
    ]
}

/// A socket on a host.
fn socket(host: &Host, port: u16) -> UdpSocket {
    let address = host.address;
    thread::scope(|scope| {
        let bind = || {
            host.enter().unwrap();
            // To all addresses, as nodes do.
            UdpSocket::bind(("0.0.0.0", port)).unwrap()
        };
        let socket = scope.spawn(bind).join().unwrap();
        socket
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        assert!(!address.is_loopback());
        socket
    })
}

fn ping(from: &UdpSocket, to: &UdpSocket, at: SocketAddr) -> Option<(Duration, SocketAddr)> {
    let mut buffer = [0; 1500];
    let started = Instant::now();
    from.send_to(&[7; 1400], at).unwrap();
    let (length, source) = to.recv_from(&mut buffer).ok()?;
    to.send_to(&buffer[..length], source).unwrap();
    let (length, _) = from.recv_from(&mut buffer).ok()?;
    assert_eq!(&buffer[..length], [7; 1400]);
    Some((started.elapsed(), source))
}

#[test]
fn packets_take_their_pair_s_delay_and_nothing_is_left() {
    let Some(_turn) = turn() else { return };
    let before = machine();
    let scenario = scenario(8);
    let map = Map::new(&scenario);
    let lab = Lab::start(&scenario).unwrap();
    let during = machine();
    assert_eq!(before[..4], during[..4], "only namespaces are added");
    let sockets: Vec<_> = lab
        .nodes()
        .iter()
        .map(|host| socket(host, host.port))
        .collect();
    let client = socket(lab.client(), 0);
    for (index, host) in lab.nodes().iter().enumerate() {
        let at = SocketAddr::from((host.address, host.port));
        let (took, source) = ping(&client, &sockets[index], at).unwrap();
        assert_eq!(source.ip(), lab.client().address);
        // No packet is early; how late it is, is the machine's affair.
        assert!(took >= map.delay(index, 8) * 2, "{took:?}");
    }
    let counts = lab.counts();
    assert_eq!(
        (counts.delivered, counts.lost, counts.undelivered),
        (16, 0, 0)
    );
    drop(lab);
    assert_eq!(machine(), before);
}

#[test]
fn nodes_behind_one_address_reach_each_other_through_the_network() {
    let Some(_turn) = turn() else { return };
    let before = machine();
    let mut scenario = scenario(6);
    scenario.population.addresses = Some(2);
    let map = Map::new(&scenario);
    let lab = Lab::start(&scenario).unwrap();
    let nodes = lab.nodes();
    assert_eq!(nodes[0].address, nodes[2].address);
    assert_ne!(nodes[0].address, nodes[1].address);
    let sockets: Vec<_> = nodes.iter().map(|host| socket(host, host.port)).collect();
    for from in 0..nodes.len() {
        for to in (0..nodes.len()).filter(|to| *to != from) {
            let at = SocketAddr::from((nodes[to].address, nodes[to].port));
            let (took, source) = ping(&sockets[from], &sockets[to], at).unwrap();
            assert_eq!(
                source,
                SocketAddr::from((nodes[from].address, nodes[from].port))
            );
            assert!(took >= map.delay(from, to) * 2, "{from} {to}: {took:?}");
        }
    }
    drop(lab);
    assert_eq!(machine(), before);
}

#[test]
fn a_share_of_the_packets_is_lost() {
    let Some(_turn) = turn() else { return };
    let lab = Lab::start(&Scenario {
        link: Link {
            loss: 0.5,
            mbit_per_s: 0,
        },
        ..scenario(1)
    })
    .unwrap();
    let host = &lab.nodes()[0];
    let node = socket(host, host.port);
    let client = socket(lab.client(), 0);
    // Half of these fit in the socket's buffer until they are read.
    for _ in 0..400 {
        client.send_to(&[1], (host.address, host.port)).unwrap();
        thread::sleep(Duration::from_micros(100));
    }
    node.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    let came = std::iter::from_fn(|| node.recv(&mut [0; 9]).ok()).count();
    // Six standard deviations of so many fair throws.
    assert!(came.abs_diff(200) < 60, "{came}");
    assert_eq!(lab.counts().lost, 400 - came as u64);
}

#[test]
fn a_panic_leaves_nothing() {
    let Some(_turn) = turn() else { return };
    let before = machine();
    let panicked = thread::spawn(|| {
        let _lab = Lab::start(&scenario(2)).unwrap();
        panic!("on purpose");
    })
    .join();
    assert!(panicked.is_err());
    assert_eq!(machine(), before);
}

#[test]
fn what_a_killed_process_left_is_removed_by_the_next_start() {
    let Some(_turn) = turn() else { return };
    let before = machine();
    // No process has this number: the kernel's largest is one less.
    let stale = "ant-wan-4194304-1-0-3";
    let mine = "ant-wan-notes";
    for name in [stale, mine] {
        assert!(
            Command::new("ip")
                .args(["netns", "add", name])
                .status()
                .unwrap()
                .success()
        );
    }
    let lab = Lab::start(&scenario(1)).unwrap();
    let names = machine().pop().unwrap();
    assert!(!names.contains(stale) && names.contains(mine), "{names}");
    drop(lab);
    assert!(
        Command::new("ip")
            .args(["netns", "del", mine])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(machine(), before);
}

#[test]
fn sockets_of_a_hosts_runtime_are_the_hosts() {
    let Some(_turn) = turn() else { return };
    let lab = Lab::start(&scenario(1)).unwrap();
    let host = &lab.nodes()[0];
    let runtime = host.runtime(1).unwrap();
    let address = SocketAddr::from((host.address, 0));
    // Binding to an address that only this host has, on a worker and on a thread
    // that a worker starts.
    let bound = runtime.spawn(async move { tokio::net::UdpSocket::bind(address).await.is_ok() });
    let blocking = runtime.spawn(async move {
        let bind = tokio::task::spawn_blocking(move || UdpSocket::bind(address).is_ok());
        bind.await.unwrap()
    });
    let probe = tokio::runtime::Runtime::new().unwrap();
    assert!(probe.block_on(bound).unwrap());
    assert!(probe.block_on(blocking).unwrap());
    assert!(
        UdpSocket::bind(address).is_err(),
        "this thread is not there"
    );
    runtime.shutdown_background();
}
