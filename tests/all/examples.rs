//! The examples, run as a reader would run them.

use std::process::Command;

use nix::sys::signal::Signal;

use crate::{
    command::{Running, ant, ends_with, program, text},
    network::{run, turn},
};

/// An example that `cargo test --workspace` has built.
fn example(name: &str) -> Command {
    let program = program().with_file_name("examples").join(name);
    assert!(program.exists(), "{} is not built", program.display());
    Command::new(program)
}

#[test]
fn a_strategy_of_ones_own_lets_one_of_each_half_leave() {
    let output = ends_with(&mut example("own_strategy"), 0);
    assert_eq!(text(&output.stdout), "2 of 4 may leave now: [0, 3]\n");
}

#[test]
fn the_gate_keeps_twenty_requests_at_four() {
    let output = ends_with(&mut example("gate_around_requests"), 0);
    assert_eq!(text(&output.stdout), "20 requests, at most 4 at a time\n");
}

#[test]
fn a_payment_is_prepared_under_a_profile() {
    run(async {
        let _turn = turn().await;
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("m.json");
        let path = manifest.to_str().unwrap();
        let words = ["testnet", "--nodes", "18", "--manifest", path];
        let mut testnet = Running::start(&mut ant(&words));
        assert_eq!(testnet.line(), "18 nodes are ready\n");
        let mut example = example("prepare_under_a_profile");
        let output = ends_with(example.args([path, "hold-8"]), 0);
        let said = text(&output.stdout);
        assert!(said.starts_with("2 pools full under hold-8, "), "{said}");
        testnet.signal(Signal::SIGINT);
        let (code, _) = testnet.end();
        assert!(code.is_some());
    });
}
