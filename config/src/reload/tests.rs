//! Files as editors, Kubernetes and accidents change them.

use std::{fs, path::PathBuf};

use super::*;

struct Bench {
    folder: tempfile::TempDir,
    reloader: Reloader,
}

const FIRST: &str = "[pacing]\nstrategy = \"hold-16\"\n";
const SECOND: &str = "[pacing]\nstrategy = \"hold-32\"\n";

impl Bench {
    fn new(name: &str) -> Self {
        Self::with(name, |path| fs::write(path, FIRST).unwrap())
    }

    fn with(name: &str, make: impl FnOnce(&PathBuf)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        make(&folder.path().join(format!("{name}.toml")));
        let reloader = Reloader::new(Sources {
            environment: [("ANT_MERKLE_PROFILE", name)].into_iter().collect(),
            folders: vec![folder.path().to_owned()],
            ..Sources::default()
        });
        Self {
            folder,
            reloader: reloader.unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, text: &str) {
        fs::write(self.path("mine.toml"), text).unwrap();
    }

    /// Looks until two looks agree.
    fn settle(&mut self) -> Look {
        match self.reloader.look() {
            Look::Unsettled => self.reloader.look(),
            look => look,
        }
    }

    fn changes_to(&mut self, pacing: &str) {
        let before = self.reloader.reloads();
        let look = self.settle();
        assert!(matches!(look, Look::Changed), "{look:?}");
        assert_eq!(self.pacing(), pacing);
        assert_eq!(self.reloader.reloads(), before + 1);
        assert!(matches!(self.settle(), Look::Same));
    }

    fn rejects(&mut self, part: &str) {
        let (before, pacing) = (self.reloader.rejections(), self.pacing());
        match self.settle() {
            Look::Rejected(error) => assert!(error.to_string().contains(part), "{error}"),
            look => panic!("{look:?}"),
        }
        assert_eq!(self.pacing(), pacing, "the last good settings stay");
        assert!(matches!(self.settle(), Look::Same), "it is said once");
        assert_eq!(self.reloader.rejections(), before + 1);
    }

    fn pacing(&self) -> String {
        self.reloader.current().settings.pacing.to_string()
    }
}

#[test]
fn a_file_written_in_place_or_renamed_into_place() {
    let mut bench = Bench::new("mine");
    assert!(matches!(bench.settle(), Look::Same));
    bench.write(SECOND);
    bench.changes_to("hold-32");
    fs::write(bench.path("mine.toml~"), FIRST).unwrap();
    fs::rename(bench.path("mine.toml~"), bench.path("mine.toml")).unwrap();
    bench.changes_to("hold-16");
}

#[cfg(unix)]
#[test]
fn a_link_that_is_swapped_as_kubernetes_does() {
    use std::os::unix::fs::symlink;
    let mut bench = Bench::with("mine", |path| {
        let folder = path.parent().unwrap();
        for (version, text) in [("v1", FIRST), ("v2", SECOND)] {
            fs::create_dir(folder.join(version)).unwrap();
            fs::write(folder.join(version).join("mine.toml"), text).unwrap();
        }
        symlink("v1", folder.join("..data")).unwrap();
        symlink("..data/mine.toml", path).unwrap();
    });
    symlink("v2", bench.path("..new")).unwrap();
    fs::rename(bench.path("..new"), bench.path("..data")).unwrap();
    bench.changes_to("hold-32");
}

#[test]
fn a_file_deleted_and_made_again() {
    let mut bench = Bench::new("mine");
    fs::remove_file(bench.path("mine.toml")).unwrap();
    bench.rejects("there is no profile `mine`");
    bench.write(SECOND);
    bench.changes_to("hold-32");
    fs::remove_file(bench.path("mine.toml")).unwrap();
    bench.rejects("there is no profile `mine`");
    bench.write(SECOND);
    assert!(matches!(bench.settle(), Look::Same));
}

#[test]
fn a_deleted_file_of_a_shipped_name_does_not_switch_networks() {
    let mut bench = Bench::new("mainnet");
    fs::remove_file(bench.path("mainnet.toml")).unwrap();
    bench.rejects("the file is gone");
    assert_eq!(bench.reloader.current().settings.network.bootstrap.len(), 0);
}

#[test]
fn a_file_half_written() {
    let mut bench = Bench::new("mine");
    bench.write("");
    assert!(matches!(bench.reloader.look(), Look::Unsettled));
    bench.write("[pacing]\nstrategy = \"ho");
    assert!(matches!(bench.reloader.look(), Look::Unsettled));
    bench.write(SECOND);
    assert!(matches!(bench.reloader.look(), Look::Unsettled));
    bench.changes_to("hold-32");
    assert_eq!(bench.reloader.rejections(), 0);
}

#[test]
fn a_file_that_makes_no_settings() {
    let mut bench = Bench::new("mine");
    bench.write("[pacing]\nstrategy = \"hold16\"\n");
    bench.rejects("write `hold-16`");
    bench.write("[plan]\nask = 3\n");
    bench.rejects("write `16`");
    // Whoever asks is told again.
    bench.reloader.ask_again();
    assert!(matches!(bench.settle(), Look::Rejected(_)));
    assert!(matches!(bench.settle(), Look::Same));
    assert_eq!(bench.reloader.rejections(), 2, "each is counted once");
    bench.write(FIRST);
    assert!(matches!(bench.settle(), Look::Same));
}

#[test]
fn what_a_profile_extends_is_read_again_too() {
    let mut bench = Bench::with("mine", |path| {
        fs::write(path, "extends = \"base\"\n").unwrap();
        fs::write(path.with_file_name("base.toml"), FIRST).unwrap();
    });
    fs::write(bench.path("base.toml"), SECOND).unwrap();
    bench.changes_to("hold-32");
    fs::remove_file(bench.path("base.toml")).unwrap();
    bench.rejects("there is no profile `base`");
    // Not needed any more, it may be gone.
    bench.write(FIRST);
    bench.changes_to("hold-16");
}

#[test]
fn a_thousand_reloads_in_a_row() {
    let mut bench = Bench::new("mine");
    for round in 0..1000_u64 {
        bench.write(if round % 2 == 0 { SECOND } else { FIRST });
        let pacing = if round % 2 == 0 { "hold-32" } else { "hold-16" };
        bench.changes_to(pacing);
    }
    assert_eq!(bench.reloader.reloads(), 1000);
    assert_eq!(bench.reloader.rejections(), 0);
}
