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
        r#"{"format":3,"projects":{}}"#,
        r#"{"format":2,"projects":{"/p":{"sha256":1}}}"#,
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

/// A checkout as git leaves it.
fn repository(folder: &Path) {
    fs::create_dir_all(folder.join(".git/worktrees")).unwrap();
}

/// A linked worktree as git makes it: both sides name each other.
fn worktree(repository: &Path, folder: &Path) {
    let own = repository
        .join(".git/worktrees")
        .join(folder.file_name().unwrap());
    fs::create_dir_all(folder).unwrap();
    fs::create_dir_all(&own).unwrap();
    fs::write(folder.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
    fs::write(own.join("gitdir"), format!("{}/.git\n", folder.display())).unwrap();
    fs::write(own.join("commondir"), "../..\n").unwrap();
}

const RULE: &str = "guard.mode = 'observe'";

/// A trusted repository, and a place for others.
fn trusted() -> (Bench, PathBuf) {
    let bench = Bench::new();
    repository(&bench.project);
    bench.write("bowline.toml", RULE);
    bench.open().record(&bench.project).unwrap();
    let other = bench.root.path().join("other");
    (bench, other)
}

#[test]
fn a_linked_worktree_and_a_moved_repository_are_trusted() {
    let (bench, linked) = trusted();
    worktree(&bench.project, &linked);
    fs::write(linked.join("bowline.toml"), RULE).unwrap();
    assert_eq!(bench.open().state(&linked), TrustState::Trusted);
    fs::write(linked.join("bowline.toml"), "guard.mode = 'enforce'").unwrap();
    assert_eq!(bench.open().state(&linked), TrustState::Changed);
    // What one worktree has and a person trusted is trusted in all of them.
    bench.open().record(&linked).unwrap();
    bench.write("bowline.toml", "guard.mode = 'enforce'");
    assert_eq!(bench.state(), TrustState::Trusted);

    let moved = bench.root.path().join("moved");
    fs::rename(&bench.project, &moved).unwrap();
    assert_eq!(bench.open().state(&moved), TrustState::Trusted);
    assert!(bench.open().revoke(&moved).unwrap());
    assert!(bench.open().entries().is_empty());
}

#[test]
fn a_part_of_a_repository_is_trusted_for_itself() {
    let bench = Bench::new();
    let (one, two) = (bench.project.join("one"), bench.project.join("two"));
    repository(&bench.project);
    for part in [&one, &two] {
        fs::create_dir(part).unwrap();
        fs::write(part.join("bowline.toml"), RULE).unwrap();
    }
    bench.open().record(&one).unwrap();
    assert_eq!(bench.open().state(&one), TrustState::Trusted);
    assert_eq!(bench.open().state(&two), TrustState::Untrusted);
    bench.open().record_claude_hooks(&two, "abc").unwrap();
    assert_eq!(bench.open().state(&two), TrustState::Untrusted);
}

#[test]
fn a_copy_a_clone_and_a_forged_link_are_not_trusted() {
    let (bench, other) = trusted();
    let git = bench.project.join(".git");
    let own = git.join("worktrees/real");
    worktree(&bench.project, &bench.root.path().join("real"));
    let inside = other.join("inside");
    let forgeries: &[&dyn Fn()] = &[
        // A copy or a clone has a folder of its own.
        &|| repository(&other),
        // A link to the trusted repository's own folder.
        &|| std::os::unix::fs::symlink(&git, other.join(".git")).unwrap(),
        // It claims to be a worktree that is somewhere else.
        &|| fs::write(other.join(".git"), format!("gitdir: {}\n", own.display())).unwrap(),
        // It claims to be the repository itself.
        &|| fs::write(other.join(".git"), format!("gitdir: {}\n", git.display())).unwrap(),
        // It brings both sides of the link, and names the trusted repository as what they share.
        &|| {
            fs::create_dir_all(&inside).unwrap();
            fs::write(other.join(".git"), "gitdir: inside\n").unwrap();
            fs::write(inside.join("gitdir"), "../.git\n").unwrap();
            fs::write(inside.join("commondir"), format!("{}\n", git.display())).unwrap();
        },
        // The same, with a folder that is called as git's is.
        &|| {
            let named = other.join("worktrees/x");
            fs::create_dir_all(&named).unwrap();
            fs::write(other.join(".git"), "gitdir: worktrees/x\n").unwrap();
            fs::write(named.join("gitdir"), "../../.git\n").unwrap();
            fs::write(named.join("commondir"), format!("{}\n", git.display())).unwrap();
        },
    ];
    for (index, forge) in forgeries.iter().enumerate() {
        fs::create_dir_all(&other).unwrap();
        forge();
        fs::write(other.join("bowline.toml"), RULE).unwrap();
        assert_eq!(bench.open().state(&other), TrustState::Untrusted, "{index}");
        fs::remove_dir_all(&other).unwrap();
    }
    // The bench itself is sound: the honest worktree is trusted.
    fs::write(bench.root.path().join("real/bowline.toml"), RULE).unwrap();
    let real = bench.root.path().join("real");
    assert_eq!(bench.open().state(&real), TrustState::Trusted);
}

#[test]
fn a_record_of_the_format_before_is_read() {
    let (bench, _) = trusted();
    let text = fs::read_to_string(bench.trust_file()).unwrap();
    let mut old: serde_json::Value = serde_json::from_str(&text).unwrap();
    old["format"] = 1.into();
    let projects = old["projects"].as_object_mut().unwrap();
    projects
        .values_mut()
        .next()
        .unwrap()
        .as_object_mut()
        .unwrap()
        .remove("repository");
    fs::write(bench.trust_file(), old.to_string()).unwrap();
    assert_eq!(bench.state(), TrustState::Trusted);
    let moved = bench.root.path().join("moved");
    fs::rename(&bench.project, &moved).unwrap();
    assert_eq!(bench.open().state(&moved), TrustState::Untrusted);
}

#[test]
fn a_script_that_changes_ends_trust() {
    let bench = Bench::new();
    let hook =
        |command: &str| format!("[[hooks.PreToolUse]]\nmatcher = 'Bash'\ncommand = '{command}'\n");
    bench.write(
        "bowline.toml",
        &hook("./check.sh --strict && python3 tools/lint.py"),
    );
    fs::create_dir(bench.project.join("tools")).unwrap();
    bench.write("check.sh", "exit 0");
    let changes: &[(&str, &dyn Fn())] = &[
        ("it appears", &|| bench.write("tools/lint.py", "pass")),
        ("it changes", &|| bench.write("check.sh", "exit 1")),
        ("it is no text", &|| {
            fs::write(bench.project.join("check.sh"), b"\xff\x00").unwrap();
        }),
        ("it goes", &|| {
            fs::remove_file(bench.project.join("tools/lint.py")).unwrap();
        }),
    ];
    for (what, change) in changes {
        bench.open().record(&bench.project).unwrap();
        assert_eq!(bench.state(), TrustState::Trusted, "before {what}");
        change();
        assert_eq!(bench.state(), TrustState::Changed, "{what}");
    }
    bench.open().record(&bench.project).unwrap();
    bench.write("README.md", "what no hook calls makes no difference");
    assert_eq!(bench.state(), TrustState::Trusted);
    // Too large to be looked at is too large to be trusted.
    let large = fs::File::create(bench.project.join("check.sh")).unwrap();
    large.set_len(9 * 1024 * 1024).unwrap();
    assert_eq!(bench.state(), TrustState::Changed);
    let error = bench.open().record(&bench.project).unwrap_err().to_string();
    assert!(error.contains("check.sh"), "{error}");
}

#[test]
fn what_changed_since_is_told() {
    let bench = Bench::new();
    bench.write("bowline.toml", "hooks.Stop = ['./a.sh']");
    bench.write("bowline.local.toml", "# mine");
    bench.write("a.sh", "true");
    assert_eq!(bench.open().changes(&bench.project), [""; 0]);
    bench.open().record(&bench.project).unwrap();
    assert_eq!(bench.open().changes(&bench.project), [""; 0]);

    bench.write("a.sh", "false");
    fs::remove_file(bench.project.join("bowline.local.toml")).unwrap();
    bench.write("bowline.toml", "hooks.Stop = ['./a.sh', './b.sh']");
    assert_eq!(bench.state(), TrustState::Changed);
    assert_eq!(
        bench.open().changes(&bench.project),
        [
            "a.sh has changed",
            "b.sh is new",
            "bowline.local.toml is gone",
            "bowline.toml has changed"
        ]
    );
}
