//! Has cargo build the program for every `cargo test` of the workspace, since it
//! offers a package's binary to the package's own tests only. The command line
//! tests proper are in `tests/all`, and run what was built for this one.

use std::process::Command;

#[test]
fn the_program_runs_and_says_its_version() {
    let output = Command::new(env!("CARGO_BIN_EXE_ant"))
        .arg("--version")
        .output()
        .expect("it starts");
    assert!(output.status.success());
    let expected = concat!("ant ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}
