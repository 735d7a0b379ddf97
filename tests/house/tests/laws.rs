//! The laws, held against the whole repository.

use std::{fmt::Write, fs, path::Path};

/// The most lines that a file may have.
const MOST_LINES: usize = 400;

fn top() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[test]
fn no_files_of_a_crate_need_each_other() {
    let crates = ant_house::crates(top()).unwrap();
    assert!(crates.len() > 10, "only {} crates found", crates.len());
    let mut circles = String::new();
    for one in &crates {
        for circle in one.circles() {
            writeln!(circles, "{}: {}", one.folder.display(), circle.join(" ")).unwrap();
        }
    }
    assert!(circles.is_empty(), "\n{circles}");
}

#[test]
fn no_file_is_too_long_to_read() {
    let mut long = String::new();
    for path in ant_house::files(top()).unwrap() {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        if lines > MOST_LINES {
            writeln!(long, "{lines} {}", path.display()).unwrap();
        }
    }
    assert!(long.is_empty(), "\n{long}");
}
