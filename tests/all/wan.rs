//! Real nodes on a wide-area network in a box. Where the machine cannot make
//! one, there is only the refusal to test.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    net::SocketAddr,
    process::Command,
    time::Duration,
};

use ant_core::{Client, ClientConfig, Error};
use ant_pacing::{Lane, queue_of};
use ant_testnet::{Testnet, TestnetConfig};
use ant_wan::{Lab, Scenario};
use nix::sys::signal::Signal;
use serde_json::Value;

use crate::{
    command::{Running, ant, ends_with, program, text},
    network::{addresses, run, turn},
};

/// Whether this machine can make one.
fn possible() -> bool {
    match Lab::possible() {
        Ok(()) => true,
        Err(lacking) => {
            eprintln!("not tested: {lacking}");
            let refused = ends_with(&mut ant(&["quote", "--wan"]), 1);
            assert!(text(&refused.stderr).contains(&lacking.to_string()));
            false
        }
    }
}

/// The shipped scenario with this number of nodes.
fn datacentre(nodes: usize) -> Scenario {
    let mut scenario = Scenario::find("datacentre").unwrap();
    scenario.population.nodes = nodes;
    scenario
}

/// Removes what a killed test left: it would go with the first lab, and be missed.
fn clear_away() {
    drop(Lab::start(&datacentre(1)).unwrap());
}

/// What the machine's own network is made of, and the namespaces that others
/// than killed programs of ours have made.
fn machine() -> Vec<String> {
    let say = |words: &[&str]| {
        let output = Command::new("ip").args(words).output().unwrap();
        text(&output.stdout)
    };
    vec![
        say(&["-br", "link"]),
        say(&["-br", "address"]),
        say(&["route", "show", "table", "all"]),
        say(&["netns"]),
    ]
}

#[test]
fn a_few_nodes_find_each_other_over_the_wide_area_network() {
    if !possible() {
        return;
    }
    run(async {
        let _turn = turn().await;
        clear_away();
        let before = machine();
        let lab = Lab::start(&datacentre(8)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let config = TestnetConfig {
            nodes: 8,
            ..TestnetConfig::default()
        };
        let testnet = Testnet::start_on(&config, folder.path(), lab.nodes())
            .await
            .unwrap();
        let bootstrap = testnet.bootstrap();
        assert_eq!(bootstrap[0].ip(), Some(lab.nodes()[0].address.into()));
        let client = ClientConfig {
            bootstrap,
            local: false,
            ipv6: false,
            ..ClientConfig::default()
        };
        // The client lives on its own host.
        let host = lab.client().runtime(2).unwrap();
        let prepared = host.spawn(async move {
            let client = Client::connect(client).await.unwrap();
            let warm_up = client.warm_up().await;
            let prepared = client.prepare(&addresses(2), 4096).await;
            client.close().await;
            (warm_up, prepared)
        });
        let (warm_up, prepared) = prepared.await.unwrap();
        assert_eq!(warm_up.table, 8, "every node was found");
        // Eight cannot fill a pool of sixteen, so nobody is asked.
        let Err(Error::Short { failures, .. }) = prepared else {
            panic!("a pool of eight is full");
        };
        for failure in failures {
            let lookup = failure.lookup.unwrap();
            assert_eq!(lookup, "8 peers found, 16 needed");
        }
        host.shutdown_background();
        testnet.stop().await;
        assert!(lab.counts().delivered > 100);
        drop(lab);
        assert_eq!(machine(), before);
    });
}

/// The stack logs with each message that it takes, and with each that it drops,
/// from which of its queues and from which address: our lanes are those queues.
fn lanes_are_the_stacks_queues(log: &str) {
    let behind = |line: &str, mark: &str| {
        let (_, rest) = line.split_once(mark)?;
        rest.split_whitespace().next().map(str::to_owned)
    };
    let mut seen = BTreeMap::new();
    for line in log.lines() {
        let from = behind(line, "from channel ").or_else(|| behind(line, "from="));
        let Some((queue, from)) = behind(line, "shard=").zip(from) else {
            continue;
        };
        let address: SocketAddr = from.parse().unwrap();
        let queue: u32 = queue.parse().unwrap();
        assert_eq!(queue_of(Some(address.ip())), Lane(queue), "{line}");
        seen.insert(address.ip(), queue);
    }
    assert!(
        seen.len() >= 16,
        "messages of all nodes are logged: {seen:?}"
    );
    let queues: BTreeSet<_> = seen.values().collect();
    assert!(queues.len() > 2, "they share several queues: {seen:?}");
}

#[test]
fn another_program_joins_from_its_host_and_a_killed_one_is_cleaned_up_after() {
    if !possible() {
        return;
    }
    run(async {
        let _turn = turn().await;
        clear_away();
        let before = machine();
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("m.json");
        let path = manifest.to_str().unwrap();
        let start = || {
            let words = [
                "testnet",
                "--wan",
                "datacentre",
                "--nodes",
                "16",
                "--manifest",
                path,
            ];
            let mut command = ant(&words);
            Running::start(command.env("TMPDIR", folder.path()))
        };
        let mut testnet = start();
        assert_eq!(testnet.line(), "16 nodes are ready\n");
        let join = testnet.line();
        assert!(
            join.starts_with("join with: ip netns exec ant-wan-"),
            "{join}"
        );
        let name = join.split_whitespace().nth(5).unwrap();
        let mut command = Command::new("ip");
        command.args(["netns", "exec", name]).arg(program());
        command.args(["quote", "--json", "--leaves", "2", "--manifest", path]);
        command.env("RUST_LOG", "saorsa_core::transport_handle=trace");
        let output = ends_with(&mut command, 0);
        let quoted: Value = serde_json::from_slice(&output.stdout).unwrap();
        lanes_are_the_stacks_queues(&text(&output.stderr));
        assert_eq!(quoted["settings"]["network"]["local"], false);
        assert_eq!(
            (&quoted["pools"], &quoted["pools_full"]),
            (&2.into(), &2.into())
        );
        let during = machine();
        assert_eq!(
            before[..3],
            during[..3],
            "the machine's own network is not touched"
        );

        testnet.signal(Signal::SIGKILL);
        assert_eq!(testnet.end().0, None, "killed");
        assert_ne!(machine(), before, "what it made is still there");

        // The next one removes it, and all of its own when it is interrupted
        // while nodes start.
        fs::remove_file(&manifest).unwrap();
        let testnet = start();
        std::thread::sleep(Duration::from_secs(5));
        let names = machine().pop().unwrap();
        assert!(
            !names.contains(name) && names.contains("ant-wan-"),
            "{names}"
        );
        testnet.signal(Signal::SIGINT);
        assert_eq!(testnet.end().0, Some(130));
        assert_eq!(machine(), before);

        // Neither does one that is told so while the network itself is made: the
        // signal is held back, and finds a listener.
        for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGHUP, 129)] {
            let testnet = start();
            while !machine().pop().unwrap().contains("ant-wan-") {
                std::thread::sleep(Duration::from_millis(5));
            }
            testnet.signal(signal);
            assert_eq!(testnet.end().0, Some(code), "{signal}");
            assert_eq!(machine(), before, "{signal}");
        }

        // Nor does a closed terminal, or an impatient second signal, leave any.
        for (signals, code) in [
            (&[Signal::SIGHUP][..], 129),
            (&[Signal::SIGINT, Signal::SIGINT], 130),
        ] {
            let testnet = start();
            std::thread::sleep(Duration::from_secs(5));
            for signal in signals {
                testnet.signal(*signal);
                std::thread::sleep(Duration::from_millis(100));
            }
            assert_eq!(testnet.end().0, Some(code), "{signals:?}");
            assert_eq!(machine(), before, "{signals:?}");
        }
    });
}

#[test]
fn without_root_it_says_so_and_makes_nothing() {
    use std::os::unix::process::CommandExt;
    // Another user may not reach the program where it was built.
    let folder = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .tempdir()
        .unwrap();
    let copy = folder.path().join("ant");
    fs::copy(program(), &copy).unwrap();
    let mut command = Command::new(&copy);
    command
        .args(["measure", "--wan"])
        .current_dir(folder.path());
    command.env_remove("HOME");
    if nix::unistd::geteuid().is_root() {
        command.uid(65534);
    }
    let refused = ends_with(&mut command, 1);
    assert_eq!(
        text(&refused.stderr),
        "error: a wide-area network in a box needs root: run it with sudo\n"
    );
}

#[test]
fn bad_scenarios_are_refused_before_anything_is_made() {
    for (words, part) in [
        (
            &["quote", "--wan", "residental"][..],
            "did you mean `residential`?",
        ),
        (&["quote", "--wan", "./none.toml"], "./none.toml"),
        (
            &["quote", "--wan", "--nodes", "15"],
            "15 nodes make no testnet",
        ),
        (&["quote", "--wan", "--nodes", "300"], "from 1 to 250"),
        (&["quote", "--wan", "--manifest", "m.json"], "--manifest"),
        (&["quote", "--wan", "--local", "true"], "--wan says `false`"),
        (
            &["quote", "--wan", "lossy", "--scenario", "x"],
            "--wan says `lossy`",
        ),
        (
            &["quote", "--wan", "--network", "remote"],
            "--wan says `wan`",
        ),
        (&["testnet", "--wan", "--port", "9"], "--port"),
    ] {
        let message = crate::inputs::refused(&[], words);
        assert!(message.contains(part), "{words:?}: {message}");
    }
}
