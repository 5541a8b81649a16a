use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use super::*;

struct Bench {
    root: tempfile::TempDir,
    project: PathBuf,
    locations: Locations,
}

impl Bench {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().join("project");
        fs::create_dir(&project).unwrap();
        Self {
            locations: Locations::under(root.path()),
            project,
            root,
        }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.project.join(name), text).unwrap();
    }

    fn open(&self) -> TrustStore {
        TrustStore::open(&self.locations).unwrap()
    }

    fn state(&self) -> TrustState {
        self.open().state(&self.project)
    }

    fn trust_file(&self) -> PathBuf {
        self.open().file()
    }
}

#[test]
fn trust_follows_the_contents() {
    let bench = Bench::new();
    assert_eq!(bench.state(), TrustState::NotNeeded);
    assert!(
        bench.open().record(&bench.project).is_err(),
        "nothing to trust"
    );

    bench.write("bowline.toml", "# one");
    assert_eq!(bench.state(), TrustState::Untrusted);
    bench.open().record(&bench.project).unwrap();
    assert_eq!(bench.state(), TrustState::Trusted);

    bench.write("bowline.local.toml", "# local");
    assert_eq!(bench.state(), TrustState::Changed);
    bench.open().record(&bench.project).unwrap();
    bench.write("bowline.toml", "# two");
    assert_eq!(bench.state(), TrustState::Changed);
    bench.write("bowline.toml", "# one");
    assert_eq!(bench.state(), TrustState::Trusted);

    assert!(bench.open().revoke(&bench.project).unwrap());
    assert!(!bench.open().revoke(&bench.project).unwrap());
    assert_eq!(bench.state(), TrustState::Untrusted);
}

#[test]
fn text_that_moves_between_the_files_is_a_change() {
    let bench = Bench::new();
    bench.write("bowline.toml", "# same");
    let shared = bench.open().fingerprint(&bench.project).unwrap();
    fs::rename(
        bench.project.join("bowline.toml"),
        bench.project.join("bowline.local.toml"),
    )
    .unwrap();
    assert_ne!(shared, bench.open().fingerprint(&bench.project).unwrap());
}

#[test]
fn what_was_not_shown_is_not_trusted() {
    let bench = Bench::new();
    bench.write("bowline.toml", "# shown");
    let shown = bench.open().fingerprint(&bench.project).unwrap().unwrap();
    bench.write("bowline.toml", "# swapped");
    assert!(bench.open().record_shown(&bench.project, &shown).is_err());
    assert_eq!(bench.state(), TrustState::Untrusted);
    bench.write("bowline.toml", "# shown");
    bench.open().record_shown(&bench.project, &shown).unwrap();
    assert_eq!(bench.state(), TrustState::Trusted);
}

#[test]
fn a_linked_file_counts_by_its_contents() {
    let bench = Bench::new();
    let target = bench.root.path().join("shared.toml");
    fs::write(&target, "# one").unwrap();
    std::os::unix::fs::symlink(&target, bench.project.join("bowline.toml")).unwrap();
    bench.open().record(&bench.project).unwrap();
    assert_eq!(bench.state(), TrustState::Trusted);
    fs::write(&target, "# two").unwrap();
    assert_eq!(bench.state(), TrustState::Changed);
}

#[test]
fn one_project_by_two_paths_is_one_project() {
    let bench = Bench::new();
    bench.write("bowline.toml", "");
    let other = bench.root.path().join("link");
    std::os::unix::fs::symlink(&bench.project, &other).unwrap();
    bench.open().record(&other).unwrap();
    assert_eq!(bench.state(), TrustState::Trusted);
    assert_eq!(bench.open().entries().len(), 1);
}

#[test]
fn an_unreadable_file_is_not_trusted() {
    let bench = Bench::new();
    fs::create_dir(bench.project.join("bowline.toml")).unwrap();
    assert_eq!(bench.state(), TrustState::Untrusted);
    assert!(bench.open().record(&bench.project).is_err());
}

#[test]
fn a_damaged_record_trusts_nothing_and_is_kept() {
    for damaged in [
        "{",
        "[]",
        "{}",
        r#"{"format":2,"projects":{}}"#,
        r#"{"format":1,"projects":{"/p":{"sha256":1}}}"#,
    ] {
        let bench = Bench::new();
        bench.write("bowline.toml", "");
        bench.open().record(&bench.project).unwrap();
        fs::write(bench.trust_file(), damaged).unwrap();
        assert_eq!(bench.state(), TrustState::Untrusted, "{damaged}");
        let mut store = bench.open();
        assert!(store.problem().unwrap().contains("damaged"), "{damaged}");
        let error = store.record(&bench.project).unwrap_err().to_string();
        assert!(error.contains("repair it or remove it"), "{error}");
        assert!(store.revoke(&bench.project).is_err());
        assert_eq!(fs::read_to_string(bench.trust_file()).unwrap(), damaged);
    }
}

#[test]
fn the_record_is_private_and_refused_when_it_was_not() {
    let bench = Bench::new();
    bench.write("bowline.toml", "");
    bench.open().record(&bench.project).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
    assert_eq!(mode(&bench.trust_file()), 0o600);
    assert_eq!(mode(bench.trust_file().parent().unwrap()), 0o700);

    fs::set_permissions(bench.trust_file(), Permissions::from_mode(0o666)).unwrap();
    assert_eq!(bench.state(), TrustState::Untrusted);
    assert!(bench.open().record(&bench.project).is_err());
}

#[test]
fn concurrent_writers_lose_nothing() {
    let bench = Bench::new();
    let projects: Vec<PathBuf> = (0..16)
        .map(|n| {
            let project = bench.root.path().join(format!("p{n}"));
            fs::create_dir(&project).unwrap();
            fs::write(project.join("bowline.toml"), n.to_string()).unwrap();
            project
        })
        .collect();
    std::thread::scope(|scope| {
        for project in &projects {
            scope.spawn(|| bench.open().record(project).unwrap());
        }
    });
    assert_eq!(bench.open().entries().len(), projects.len());
}
