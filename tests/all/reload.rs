//! Settings that change under a running client.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use ant_config::{Flag, Look, Reloader, Sources};
use ant_core::Plan;
use nix::sys::signal::Signal;

use crate::{
    command::{Running, ant, ends_with, json, text},
    network::{Network, addresses, config, run, turn},
};

fn open_files() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn a_thousand_reloads_under_load_leave_no_tree_without_an_epoch() {
    run(async {
        let network = Network::start(config(18)).await;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.toml");
        let strategies = ["hold-8@client", "hold-16", "release-2s-8", "hold-12"];
        let write = |strategy: &str| {
            fs::write(&file, format!("[pacing]\nstrategy = \"{strategy}\"\n")).unwrap();
        };
        write("hold-12");
        let mut reloader = Reloader::new(Sources {
            flags: Flag::new("profile", "mine", "--profile")
                .into_iter()
                .collect(),
            folders: vec![folder.path().to_owned()],
            ..Sources::default()
        })
        .unwrap();
        let client = network.client("hold-12", Plan::default()).await;
        client.prepare(&addresses(4), 4096).await.unwrap();
        let open_before = open_files();

        let ended = Arc::new(AtomicBool::new(false));
        let loads: Vec<_> = (0..3)
            .map(|_| {
                let (client, ended) = (client.clone(), Arc::clone(&ended));
                tokio::spawn(async move {
                    let mut reports = Vec::new();
                    while !ended.load(Ordering::Relaxed) {
                        // 257 addresses would be two trees: of one payment, so
                        // of one epoch. Smaller ones meet more reloads.
                        let batches = client.prepare(&addresses(4), 4096).await.unwrap();
                        reports.extend(batches.into_iter().map(|batch| batch.report));
                    }
                    reports
                })
            })
            .collect();
        let mut epochs = BTreeMap::from([(0, "hold-12".to_owned())]);
        for round in 1..=1000_u64 {
            let strategy = strategies[usize::try_from(round).unwrap() % strategies.len()];
            write(strategy);
            assert!(matches!(reloader.look(), Look::Unsettled));
            assert!(matches!(reloader.look(), Look::Changed));
            let epoch = client.set_terms(reloader.current().settings.arms(), Plan::default());
            assert_eq!(epoch, round);
            epochs.insert(epoch, strategy.to_owned());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        ended.store(true, Ordering::Relaxed);
        let mut seen = BTreeMap::new();
        for load in loads {
            for report in load.await.unwrap() {
                assert_eq!(epochs[&report.epoch], report.pacing.to_string());
                assert_eq!(report.collection.pools, report.collection.pools_full);
                *seen.entry(report.epoch).or_insert(0) += 1;
            }
        }
        assert!(seen.len() > 10, "trees ran under many epochs: {seen:?}");
        // Of the last epoch's one gate no slot is held and nobody waits.
        let batch = client.prepare(&addresses(4), 4096).await.unwrap().remove(0);
        assert_eq!(batch.report.epoch, 1000);
        assert_eq!(
            (batch.report.gate.occupied, batch.report.gate.waiting),
            (0, 0)
        );
        // Connections to the same 18 nodes, and nothing of the reloads.
        assert!(
            open_files() <= open_before + 18,
            "{} files are open, {open_before} were",
            open_files()
        );
        client.close().await;
        network.stop().await;
    });
}

fn profile(folder: &Path, text: &str) {
    fs::create_dir_all(folder.join("profiles")).unwrap();
    let new = folder.join("profiles/mine.toml~");
    fs::write(&new, text).unwrap();
    fs::rename(new, folder.join("profiles/mine.toml")).unwrap();
}

/// Reads the soak's lines until one is of a tree under `strategy`; says which
/// epoch it was.
fn until(soak: &mut Running, strategy: &str) -> u64 {
    for _ in 0..20 {
        let line = soak.line();
        assert!(line.starts_with("tree "), "{line:?}");
        let (_, rest) = line.split_once(": ").unwrap();
        let (pacing, rest) = rest.split_once(", epoch ").unwrap();
        if pacing == strategy {
            return rest.split_once(':').unwrap().0.parse().unwrap();
        }
    }
    panic!("no tree under {strategy}");
}

#[test]
fn a_soak_follows_its_profile() {
    run(async {
        let _turn = turn().await;
        let folder = tempfile::tempdir().unwrap();
        profile(folder.path(), "[pacing]\nstrategy = \"hold-16\"\n");
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let words = [
            "soak",
            "--profile",
            "mine",
            "--nodes",
            "16",
            "--leaves",
            "2",
        ];
        let mut command = ant(&words);
        command.current_dir(folder.path()).stderr(log);
        let mut soak = Running::start(&mut command);
        assert_eq!(until(&mut soak, "hold-16"), 0);

        profile(folder.path(), "[pacing]\nstrategy = \"hold-8\"\n");
        assert_eq!(until(&mut soak, "hold-8"), 1);

        // What makes no settings changes nothing, deleted files neither.
        profile(folder.path(), "[pacing]\nstrategy = \"hold9\"\n");
        soak.line();
        soak.signal(Signal::SIGHUP);
        for _ in 0..2 {
            assert_eq!(until(&mut soak, "hold-8"), 1);
        }
        fs::remove_file(folder.path().join("profiles/mine.toml")).unwrap();
        for _ in 0..2 {
            assert_eq!(until(&mut soak, "hold-8"), 1);
        }
        profile(
            folder.path(),
            "[pacing]\nstrategy = \"release-2s-4\"\n[plan]\nask = 18\n",
        );
        assert_eq!(until(&mut soak, "release-2s-4"), 2);

        soak.signal(Signal::SIGINT);
        let (code, rest) = soak.end();
        assert_eq!(code, Some(0), "how a soak is meant to end");
        for strategy in ["hold-16", "hold-8", "release-2s-4"] {
            assert!(rest.contains(strategy), "the sum has {strategy}: {rest}");
        }
        let log = fs::read_to_string(folder.path().join("log")).unwrap();
        for part in [
            "hold-8 from the next payment on, epoch 1",
            "write `hold-9`",
            "there is no profile `mine`",
            "reloaded 2 times and rejected 2 times",
        ] {
            assert!(log.contains(part), "{part:?} not in {log}");
        }
        // Once when it was found, and perhaps once more for who asked.
        assert!(
            (1..=2).contains(&log.matches("write `hold-9`").count()),
            "{log}"
        );
        assert_eq!(
            log.matches("there is no profile `mine`").count(),
            1,
            "{log}"
        );
    });
}

#[test]
fn payments_draw_arms_and_are_summed_up() {
    run(async {
        let _turn = turn().await;
        let folder = tempfile::tempdir().unwrap();
        profile(
            folder.path(),
            "[[ab]]\nstrategy = \"hold-16\"\n[[ab]]\nstrategy = \"hold-8\"\nweight = 3\n\
             [payment]\nrecord = \"payments.jsonl\"\nseed = 5\n",
        );
        let soak = || {
            let words = [
                "soak",
                "--profile",
                "mine",
                "--nodes",
                "16",
                "--leaves",
                "2",
                "--trees",
                "8",
                "--json",
            ];
            let output = ends_with(ant(&words).current_dir(folder.path()), 0);
            let lines = text(&output.stdout);
            let drawn = lines.lines().map(|line| {
                let payment: serde_json::Value = serde_json::from_str(line).unwrap();
                assert_eq!(payment["profile"], "mine");
                assert_eq!(payment["addresses"], 2);
                assert_eq!(payment["pools_full"], 2);
                payment["arm"].as_str().unwrap().to_owned()
            });
            drawn.collect::<Vec<_>>()
        };
        let drawn = soak();
        assert_eq!(drawn.len(), 8);
        assert!(drawn.iter().any(|arm| arm == "hold-8"), "{drawn:?}");
        assert_eq!(soak(), drawn, "the seed decides");
        let of = |arm: &str| 2 * drawn.iter().filter(|drawn| *drawn == arm).count();
        let report = json(ant(&["report", "--json", "payments.jsonl"]).current_dir(folder.path()));
        let arms = report["arms"].as_array().unwrap();
        for arm in arms {
            let name = arm["arm"].as_str().unwrap();
            assert_eq!(arm["runs"].as_array().unwrap().len(), of(name), "{name}");
        }
        let table = ends_with(
            ant(&["report", "payments.jsonl"]).current_dir(folder.path()),
            0,
        );
        let full = format!("{0}/{0}", of("hold-8"));
        assert!(
            text(&table.stdout).contains(&full),
            "{}",
            text(&table.stdout)
        );
    });
}
