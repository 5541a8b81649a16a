//! How files stand in a checkout.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, SystemTime};

use bowline_testkit::needs;

use super::{Ground, Numbers, id};
use crate::machine::git::{
    Changed, Ignored, IgnoredFiles, Stage, Staged, Standing, UntrackedEntry, UntrackedKind,
    Worktree,
};

/// The two letters of `git status` for each path.
type Letters = BTreeMap<Vec<u8>, String>;

fn letters_by_git(ground: &Ground, under: &str) -> Letters {
    let mut args = vec![
        "--no-optional-locks",
        "status",
        "--porcelain",
        "-z",
        "--ignored",
        "-uall",
        "--no-renames",
        "--ignore-submodules=all",
    ];
    if !under.is_empty() {
        args.extend(["--", under]);
    }
    let output = ground.try_git(&ground.project(), &args);
    assert!(output.status.success(), "{output:?}");
    let lines = output.stdout.split(|byte| *byte == 0);
    lines
        .filter(|line| !line.is_empty())
        .map(|line| {
            let letters = String::from_utf8(line[..2].to_vec()).unwrap();
            let letters = if letters.contains('U') {
                "conflict".to_owned()
            } else if letters.starts_with('T') {
                // In the index, a change is a change.
                letters.replacen('T', "M", 1)
            } else {
                letters
            };
            let path = line[3..].strip_suffix(b"/").unwrap_or(&line[3..]);
            (path.to_vec(), letters)
        })
        .collect()
}

fn letters_by_us(ground: &Ground, under: &str) -> Option<Letters> {
    let (changes, untracked) = ground.ask(|git, repo| {
        let untracked = git.untracked(repo, under.as_bytes(), IgnoredFiles::Include);
        (git.changes(repo, under.as_bytes()), untracked)
    });
    let mut letters = Letters::new();
    for entry in untracked? {
        let told = match entry.ignored {
            Ignored::Yes => "!!",
            Ignored::No => "??",
        };
        letters.insert(entry.path, told.to_owned());
    }
    for change in changes? {
        // Git tells a path twice that was taken out of the index and is still there.
        let is_untracked = letters.contains_key(&change.path);
        if !is_untracked {
            letters.insert(change.path.clone(), letters_of(ground, &change));
        }
    }
    Some(letters)
}

fn letters_of(ground: &Ground, change: &Changed) -> String {
    let entry = ground.ask(|git, repo| git.index_entry(repo, &change.path));
    let is_intended = entry.flatten().is_some_and(|entry| entry.intent_to_add);
    let staged = match change.staged {
        Staged::Unchanged => ' ',
        Staged::Added => 'A',
        Staged::Modified => 'M',
        Staged::Deleted => 'D',
        Staged::Conflicted => return "conflict".to_owned(),
    };
    let worktree = match change.worktree {
        Worktree::Unchanged => ' ',
        Worktree::Modified if is_intended => 'A',
        Worktree::Modified => 'M',
        Worktree::Deleted => 'D',
        Worktree::TypeChanged => 'T',
    };
    format!("{staged}{worktree}")
}

/// What one file is told to be must fit what all are told to be.
fn compare_standing(ground: &Ground, letters: &Letters, names: &[&str], what: &str) {
    let world = ground.world();
    let git = world.git();
    let mut files = Vec::new();
    for name in names {
        let path = ground.path(name);
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            assert_eq!(
                git.standing(&path),
                Some(Standing::Missing),
                "{what} {name}"
            );
            continue;
        };
        let through_link = path
            .ancestors()
            .skip(1)
            .take_while(|folder| *folder != ground.project())
            .any(|folder| fs::symlink_metadata(folder).unwrap().is_symlink());
        if metadata.is_dir() || through_link {
            assert_eq!(git.standing(&path), None, "{what} {name}");
            continue;
        }
        let expected = match letters.get(name.as_bytes()).map(String::as_str) {
            None => Standing::Clean,
            Some("??") => Standing::Untracked,
            Some("!!") => Standing::Ignored,
            Some("A " | "M " | "T ") => Standing::Staged,
            Some(_) => Standing::Modified,
        };
        assert_eq!(git.standing(&path), Some(expected), "{what} {name}");
        if !metadata.is_symlink() {
            files.push(*name);
        }
    }
    if !files.is_empty() {
        let named = ground.git(&[&["hash-object", "--"], files.as_slice()].concat());
        for (name, line) in files.iter().zip(named.lines()) {
            let found = git.blob_id(&ground.path(name));
            assert_eq!(found, Some(id(line)), "{what} {name}");
        }
    }
}

const NAMES: [&str; 14] = [
    "a",
    "b",
    "c.log",
    "d.o",
    "deep/a",
    "deep/b.log",
    "deep/er/a",
    "deep/er/keep.log",
    "out/a",
    "out/b",
    "out/deep/c",
    "x/a",
    "x/y",
    "x",
];

/// Does something to a path, whatever it is.
fn disturb(ground: &Ground, numbers: &mut Numbers) {
    let name = NAMES[numbers.below(NAMES.len())];
    let path = ground.path(name);
    let git = |args: &[&str]| drop(ground.try_git(&ground.project(), args));
    let clear = || {
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|it| it.is_dir());
        let _ = if is_folder {
            fs::remove_dir_all(&path)
        } else {
            fs::remove_file(&path)
        };
    };
    let text = ["one\n", "two\n", "six\n", "much longer\n", ""][numbers.below(5)];
    match numbers.below(14) {
        0..=4 => {
            clear();
            if fs::create_dir_all(path.parent().unwrap()).is_ok() {
                let _ = fs::write(&path, text);
            }
        }
        5 => clear(),
        6 => {
            clear();
            let _ = symlink(["a", "deep", "nowhere"][numbers.below(3)], &path);
        }
        7 => {
            let mode = [0o644, 0o755][numbers.below(2)];
            if fs::symlink_metadata(&path).is_ok_and(|it| it.is_file()) {
                fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            }
        }
        8 => git(&["add", "-f", "--", name]),
        9 => git(&["rm", "-q", "--cached", "-r", "--", name]),
        10 => git(&["add", "-N", "-f", "--", name]),
        11 => git(&["commit", "-q", "-m", "state"]),
        12 => git(&["add", "-A"]),
        // The same content with another time is the same.
        _ => {
            if let Ok(file) = File::open(&path) {
                let _ = file.set_modified(SystemTime::now() - Duration::from_secs(100));
            }
        }
    }
}

#[needs(git)]
#[test]
fn checkouts_at_random_stand_as_git_says() {
    let ground = Ground::new();
    ground.write(".gitignore", "*.o\nout/\n*.log\n!keep.log\n");
    let mut numbers = Numbers(0x1234_5678_9abc_def1);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for round in 0..100 {
        for _ in 0..4 {
            disturb(&ground, &mut numbers);
        }
        let expected = letters_by_git(&ground, "");
        let what = format!("round {round}");
        assert_eq!(letters_by_us(&ground, ""), Some(expected.clone()), "{what}");
        compare_standing(&ground, &expected, &NAMES, &what);
        let under = ["deep", "out", "x", "deep/er", "a"][round % 5];
        let is_link = fs::symlink_metadata(ground.path("deep")).is_ok_and(|it| it.is_symlink());
        if under != "deep/er" || !is_link {
            let expected = letters_by_git(&ground, under);
            assert_eq!(
                letters_by_us(&ground, under),
                Some(expected),
                "{what} {under}"
            );
        }
        if round == 50 {
            ground.git(&["update-index", "--index-version", "4"]);
        }
        for letters in expected.into_values() {
            *seen.entry(letters).or_default() += 1;
        }
    }
    for letters in [
        "??", "!!", "A ", "M ", "D ", " M", " D", " T", " A", "AM", "MM", "MD",
    ] {
        assert!(seen.contains_key(letters), "{letters} in {seen:?}");
    }
}

#[needs(git)]
#[test]
fn conflicts_are_told() {
    let ground = Ground::new();
    ground.write("file", "base\n");
    ground.write("gone", "base\n");
    ground.commit("base");
    ground.git(&["checkout", "-q", "-b", "other"]);
    ground.write("file", "theirs\n");
    fs::remove_file(ground.path("gone")).unwrap();
    ground.commit("theirs");
    ground.git(&["checkout", "-q", "main"]);
    ground.write("file", "ours\n");
    ground.write("gone", "ours\n");
    ground.commit("ours");
    let merged = ground.try_git(&ground.project(), &["merge", "-q", "other"]);
    assert!(!merged.status.success());
    let changes = || ground.ask(|git, repo| git.changes(repo, b"")).unwrap();
    let conflict = |path: &str, worktree| Changed {
        path: path.as_bytes().to_vec(),
        staged: Staged::Conflicted,
        worktree,
    };
    assert_eq!(
        changes(),
        [
            conflict("file", Worktree::Modified),
            conflict("gone", Worktree::Unchanged)
        ]
    );
    let entry = ground.ask(|git, repo| git.index_entry(repo, b"file"));
    assert_eq!(entry.unwrap().unwrap().stage, Stage::Base);
    let standing = |name: &str| ground.world().git().standing(&ground.path(name));
    assert_eq!(standing("file"), Some(Standing::Modified));
    ground.write("file", "theirs\n");
    fs::remove_file(ground.path("gone")).unwrap();
    assert_eq!(
        changes(),
        [
            conflict("file", Worktree::Unchanged),
            conflict("gone", Worktree::Deleted)
        ]
    );
    assert_eq!(
        ground.ask(|git, repo| git.resolve(repo, "MERGE_HEAD")),
        Some(ground.id("other"))
    );
}

#[needs(git)]
#[test]
fn what_git_was_told_to_assume_is_not_believed() {
    let ground = Ground::new();
    for name in ["assumed", "skipped", "gone", "plain"] {
        ground.write(name, "text\n");
    }
    ground.commit("first");
    ground.git(&["update-index", "--assume-unchanged", "assumed"]);
    ground.git(&["update-index", "--skip-worktree", "skipped", "gone"]);
    let changed = || -> Vec<Vec<u8>> {
        let changes = ground.ask(|git, repo| git.changes(repo, b"")).unwrap();
        changes.into_iter().map(|it| it.path).collect()
    };
    assert!(changed().is_empty());
    let entry = |name: &str| {
        let entry = ground.ask(|git, repo| git.index_entry(repo, name.as_bytes()));
        entry.unwrap().unwrap()
    };
    assert!(entry("assumed").assume_unchanged && !entry("assumed").skip_worktree);
    assert!(entry("skipped").skip_worktree && !entry("plain").skip_worktree);
    ground.write("assumed", "else\n");
    ground.write("skipped", "else\n");
    fs::remove_file(ground.path("gone")).unwrap();
    assert_eq!(changed(), [b"assumed".to_vec(), b"skipped".to_vec()]);
    let standing = |name: &str| ground.world().git().standing(&ground.path(name));
    assert_eq!(standing("assumed"), Some(Standing::Modified));
    assert_eq!(standing("skipped"), Some(Standing::Modified));
    assert_eq!(standing("plain"), Some(Standing::Clean));
    let absent = ground.ask(|git, repo| git.index_entry(repo, b"absent"));
    assert_eq!(absent, Some(None));
}

#[needs(git)]
#[test]
fn a_change_within_the_same_moment_is_seen() {
    let ground = Ground::new();
    // The same length and time as before: only the content tells.
    for round in 0..20 {
        ground.write("file", "one\n");
        ground.commit("one");
        let before = fs::metadata(ground.path("file")).unwrap();
        ground.write("file", "two\n");
        let file = File::options().write(true).open(ground.path("file"));
        file.unwrap()
            .set_modified(before.modified().unwrap())
            .unwrap();
        let standing = ground.world().git().standing(&ground.path("file"));
        assert_eq!(standing, Some(Standing::Modified), "{round}");
    }
}

#[needs(git)]
#[test]
fn content_that_git_converts_is_unknown() {
    let ground = Ground::new();
    ground.write("plain", "a\n");
    ground.write("windows", "a\r\nb\r\n");
    ground.write("large.bin", "a\n");
    ground.commit("first");
    let standing = |name: &str| ground.world().git().standing(&ground.path(name));
    let blob = |name: &str| ground.world().git().blob_id(&ground.path(name));
    let touch = |name: &str, text: &str| {
        fs::remove_file(ground.path(name)).unwrap();
        ground.write(name, text);
    };
    for setting in ["true", "input"] {
        ground.git(&["config", "core.autocrlf", setting]);
        touch("windows", "a\r\nb\r\n");
        assert_eq!(standing("windows"), Some(Standing::Clean));
        touch("windows", "a\r\nc\r\n");
        assert_eq!(standing("windows"), None, "{setting}");
        assert_eq!(blob("windows"), None, "{setting}");
        touch("plain", "b\n");
        assert_eq!(standing("plain"), Some(Standing::Modified));
        assert!(blob("plain").is_some());
    }
    ground.git(&["config", "core.autocrlf", "false"]);
    assert_eq!(standing("windows"), Some(Standing::Modified));
    ground.write(".gitattributes", "*.bin filter=lfs\n");
    touch("large.bin", "b\n");
    assert_eq!(standing("large.bin"), None);
    assert_eq!(standing("windows"), Some(Standing::Modified));
    ground.write(".gitattributes", "* text=auto\n");
    assert_eq!(standing("large.bin"), Some(Standing::Modified));
    assert_eq!(standing("windows"), None);
}

#[needs(git)]
#[test]
fn repositories_within_are_one_entry() {
    let ground = Ground::new();
    ground.write("file", "");
    ground.commit("first");
    for folder in ["nested", "deep/nested", "hidden"] {
        fs::create_dir_all(ground.path(folder)).unwrap();
        ground.git_in(&ground.path(folder), &["init", "-q"]);
        ground.write(&format!("{folder}/inside"), "");
    }
    ground.write(".git/info/exclude", "hidden\n");
    ground.write("sub-source/x", "");
    symlink("nested", ground.path("link")).unwrap();
    ground.write("stale/.git", "gitdir: /nowhere/at/all\n");
    ground.write("stale/file", "");
    let untracked = |wanted| ground.ask(|git, repo| git.untracked(repo, b"", wanted));
    let entry = |path: &str, ignored, kind| UntrackedEntry {
        path: path.as_bytes().to_vec(),
        ignored,
        kind,
    };
    let deep = entry("deep/nested", Ignored::No, UntrackedKind::Repository);
    let hidden = entry("hidden", Ignored::Yes, UntrackedKind::Repository);
    let link = entry("link", Ignored::No, UntrackedKind::Link);
    let nested = entry("nested", Ignored::No, UntrackedKind::Repository);
    let stale = entry("stale", Ignored::No, UntrackedKind::Repository);
    let source = entry("sub-source/x", Ignored::No, UntrackedKind::File);
    assert_eq!(
        untracked(IgnoredFiles::Skip).unwrap(),
        [&deep, &link, &nested, &stale, &source].map(UntrackedEntry::clone)
    );
    assert_eq!(
        untracked(IgnoredFiles::Include).unwrap(),
        [deep, hidden, link, nested, stale, source]
    );
    let under = |path: &[u8]| ground.ask(|git, repo| git.untracked(repo, path, IgnoredFiles::Skip));
    assert_eq!(under(b"nested").map(|found| found.len()), Some(1));
    assert_eq!(under(b"nested/inside"), None, "another repository");
    assert_eq!(under(b"link/inside"), None, "beyond a link");
    assert_eq!(under(b".git"), None);
    assert_eq!(under(b"../x"), None);
    assert_eq!(under(b"nowhere/x"), Some(Vec::new()));
    assert_eq!(under(b"file"), Some(Vec::new()));
    let standing = |name: &str| ground.world().git().standing(&ground.path(name));
    assert_eq!(standing("nested/inside"), Some(Standing::Untracked));
    assert_eq!(standing("link"), Some(Standing::Untracked));
    assert_eq!(standing(".git/config"), None);
    assert_eq!(standing("deep"), None);
    let outside = ground.home().join("outside");
    fs::write(&outside, "x").unwrap();
    let world = ground.world();
    assert_eq!(world.git().standing(&outside), Some(Standing::NoRepository));
    assert_eq!(
        world.git().blob_id(&outside),
        Some(id(&ground.git(&["hash-object", outside.to_str().unwrap()])))
    );
}

#[needs(git)]
#[test]
fn submodules_stand_apart() {
    let ground = Ground::new();
    let other = ground.home().join("other");
    fs::create_dir_all(&other).unwrap();
    ground.git_in(&other, &["init", "-q"]);
    fs::write(other.join("theirs"), "x").unwrap();
    ground.git_in(&other, &["add", "-A"]);
    ground.git_in(&other, &["commit", "-q", "-m", "first"]);
    ground.git(&["submodule", "--quiet", "add", "../other", "sub"]);
    let standing = |name: &str| ground.world().git().standing(&ground.path(name));
    assert_eq!(standing("sub"), Some(Standing::Submodule));
    assert_eq!(standing(".gitmodules"), Some(Standing::Staged));
    assert_eq!(standing("sub/theirs"), Some(Standing::Clean));
    ground.write("sub/theirs", "y");
    ground.write("sub/new", "y");
    assert_eq!(standing("sub/theirs"), Some(Standing::Modified));
    assert_eq!(standing("sub/new"), Some(Standing::Untracked));
    let changes = ground.ask(|git, repo| git.changes(repo, b"")).unwrap();
    let paths: Vec<_> = changes.iter().map(|it| it.path.as_slice()).collect();
    assert_eq!(paths, [b".gitmodules"]);
    let untracked = ground.ask(|git, repo| git.untracked(repo, b"", IgnoredFiles::Include));
    assert_eq!(untracked, Some(Vec::new()));
}

#[needs(git)]
#[test]
fn rules_of_the_user_are_found_by_their_setting() {
    let ground = Ground::new();
    ground.write("a.x", "");
    ground.write("a.y", "");
    let standing = |name: &str| ground.world().git().standing(&ground.path(name));
    fs::create_dir_all(ground.home().join(".config/git")).unwrap();
    fs::write(ground.home().join(".config/git/ignore"), "*.x\n").unwrap();
    assert_eq!(standing("a.x"), Some(Standing::Ignored));
    fs::write(ground.home().join("mine"), "*.y\n").unwrap();
    fs::write(
        ground.home().join(".gitconfig"),
        "[core]\nexcludesFile = ~/mine\n",
    )
    .unwrap();
    let expected = letters_by_git(&ground, "");
    assert_eq!(letters_by_us(&ground, ""), Some(expected));
    assert_eq!(standing("a.x"), Some(Standing::Untracked));
    assert_eq!(standing("a.y"), Some(Standing::Ignored));
}

#[needs(git)]
#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "needs a file system that takes names that are not text"
)]
fn names_need_not_be_text() {
    let ground = Ground::new();
    let strange = OsStr::from_bytes(b"a\xff\n");
    fs::write(ground.project().join(strange), "x").unwrap();
    let untracked = ground.ask(|git, repo| git.untracked(repo, b"", IgnoredFiles::Skip));
    assert_eq!(untracked.unwrap()[0].path, strange.as_bytes());
    ground.commit("first");
    fs::write(ground.project().join(strange), "y").unwrap();
    let changes = ground.ask(|git, repo| git.changes(repo, b"")).unwrap();
    assert_eq!(changes[0].path, strange.as_bytes());
}
