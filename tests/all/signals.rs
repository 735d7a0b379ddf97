//! Two programs on one network, and how they end.

use std::{fs, net::UdpSocket, thread, time::Duration};

use ant_core::read_manifest;
use nix::sys::signal::Signal;
use serde_json::Value;

use crate::{
    command::{Running, ant, ends_with, json, text},
    network::{run, turn},
};

fn number(document: &Value, key: &str) -> u64 {
    document[key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key} in {document}"))
}

#[test]
fn a_second_program_joins_by_manifest_and_nothing_is_left() {
    run(async {
        let _turn = turn().await;
        let folder = tempfile::tempdir().unwrap();
        let temporary = folder.path().join("tmp");
        fs::create_dir(&temporary).unwrap();
        let manifest = folder.path().join("m.json");
        let path = manifest.to_str().unwrap();
        let mut command = ant(&["testnet", "--manifest", path]);
        let mut testnet = Running::start(command.env("TMPDIR", &temporary));
        assert_eq!(testnet.line(), "35 nodes are ready\n");
        assert!(testnet.line().contains(path));
        let bootstrap = read_manifest(&manifest).unwrap().bootstrap;

        let quoting = |cap: &str| {
            let mut command = ant(&["quote", "--json", "--manifest", path]);
            command.env("ANT_MERKLE_CAP", cap);
            command
        };
        let quote = |cap: &str| json(&mut quoting(cap));
        let capped = quote("8");
        assert_eq!(capped["strategy"], "shard-8");
        assert!(number(&capped, "peak_in_flight") <= 8);
        assert!(number(&capped, "peak_slots") <= 8);
        assert_eq!(number(&capped, "pools_full"), 16);
        assert!(
            capped["lost"].is_null(),
            "what a joined network lost is unknown"
        );
        assert!(capped["answers_sent"].is_null());
        // Without a cap a pool may come out short: that is what it is there to
        // show, and the document is printed all the same.
        let output = quoting("uncapped").output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
        let uncapped: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(number(&uncapped, "peak_in_flight") > 8);
        assert_eq!(quote("release-2s-16")["strategy"], "release-2s-16");
        assert_eq!(quote(" ")["strategy"], "shard-24", "blank is unset");

        testnet.signal(Signal::SIGINT);
        let (code, _) = testnet.end();
        assert_eq!(code, Some(0), "how a testnet is meant to end");
        assert!(!manifest.exists());
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
        for address in bootstrap {
            assert!(UdpSocket::bind(address.socket_addr().unwrap()).is_ok());
        }

        // Joining what is gone fails in bounded time, and says so.
        let address = "127.0.0.1:9";
        fs::create_dir(folder.path().join("profiles")).unwrap();
        let profile = "[network]\nkind = \"remote\"\njoin_within = \"2s\"\n";
        fs::write(folder.path().join("profiles/quick.toml"), profile).unwrap();
        let mut command = ant(&["quote", "--profile", "quick", "--bootstrap", address]);
        let output = ends_with(command.current_dir(folder.path()), 1);
        let message = text(&output.stderr);
        assert!(
            message.contains("no bootstrap peer answered in "),
            "{message}"
        );
    });
}

#[test]
fn ended_while_starting_it_leaves_no_files() {
    run(async {
        let _turn = turn().await;
        let temporary = tempfile::tempdir().unwrap();
        for (signal, expected) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
            let mut command = ant(&["measure", "--blocks", "1"]);
            let running = Running::start(command.env("TMPDIR", temporary.path()));
            thread::sleep(Duration::from_secs(3));
            running.signal(signal);
            let (code, printed) = running.end();
            assert_eq!(code, Some(expected));
            assert_eq!(printed, "", "nothing was measured");
            assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
        }
    });
}

#[test]
fn a_measurement_prints_the_document() {
    run(async {
        let _turn = turn().await;
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("profiles")).unwrap();
        let profile = "[plan]\nrequest_timeout = \"1s\"\n";
        fs::write(folder.path().join("profiles/quick.toml"), profile).unwrap();
        let mut command = ant(&[
            "measure",
            "--profile",
            "quick",
            "--json",
            "--nodes",
            "20",
            "--silent",
            "1",
            "--leaves",
            "4",
            "--blocks",
            "2",
            "--arms",
            "hold-4,release-2s-8@client,hold-4",
            "--seed",
            "7",
        ]);
        let document = json(command.current_dir(folder.path()));
        assert_eq!(number(&document, "seed"), 7);
        assert_eq!(document["settings"]["nodes"], 20);
        assert!(document["host"]["cores"].as_u64().is_some());
        assert_eq!(document["versions"]["ant-node"], "0.23.1");
        let arms = document["arms"].as_array().unwrap();
        let names: Vec<_> = arms
            .iter()
            .map(|arm| arm["arm"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["hold-4", "release-2s-8@client", "hold-4"]);
        for arm in arms {
            let runs = arm["runs"].as_array().unwrap();
            assert_eq!(runs.len(), 2);
            for (block, run) in runs.iter().enumerate() {
                assert_eq!(number(run, "block"), block as u64);
                assert!(run["error"].is_null(), "{run}");
                assert_eq!((number(run, "pools"), number(run, "pools_full")), (2, 2));
                // The books balance, and the silent node is named.
                let came = number(run, "answers_taken") + number(run, "late");
                assert_eq!(number(run, "answers_sent"), came + number(run, "lost"));
                assert_eq!(run["silent_peers"].as_array().unwrap().len(), 1);
                assert!(run["cpu_s"].as_f64().unwrap() > 0.0);
            }
            assert!(arm["median"]["tree_s"].as_f64().unwrap() > 0.0);
        }
    });
}

#[test]
fn a_measurement_cut_short_shows_what_it_has() {
    run(async {
        let _turn = turn().await;
        let temporary = tempfile::tempdir().unwrap();
        let mut command = ant(&[
            "measure", "--nodes", "16", "--leaves", "2", "--blocks", "10000", "--arms", "hold-16",
        ]);
        let mut child = command
            .env("TMPDIR", temporary.path())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // The third run has begun, so two have ended.
        let progress = std::io::BufReader::new(child.stderr.take().unwrap());
        let mut lines = std::io::BufRead::lines(progress);
        let second = lines.find(|line| line.as_ref().unwrap().starts_with("[2/"));
        assert!(second.is_some());
        let id = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
        nix::sys::signal::kill(id, Signal::SIGINT).unwrap();
        let rest = thread::spawn(move || lines.count());
        let output = child.wait_with_output().unwrap();
        rest.join().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let table = text(&output.stdout);
        assert!(table.contains("hold-16"), "{table}");
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
    });
}
