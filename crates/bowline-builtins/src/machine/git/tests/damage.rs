//! Damaged files and unknown kinds: an answer is right or there is none.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use miniz_oxide::deflate::compress_to_vec_zlib;

use bowline_testkit::needs;

use super::{Ground, Numbers, id};
use crate::machine::git::{Commit, IgnoredFiles, ObjectId, Standing};

/// A repository with one pack, in which trees and files are written as differences.
fn packed() -> Ground {
    let ground = Ground::new();
    let lines: Vec<String> = (0..200).map(|it| format!("line {it}\n")).collect();
    for number in 0..8 {
        let mut text = lines.clone();
        text[number * 20] = format!("changed {number}\n");
        ground.write("file", &text.concat());
        for name in 0..20 {
            ground.write(
                &format!("folder/{name}"),
                &format!("{name} {}\n", number / 4),
            );
        }
        ground.commit(&number.to_string());
    }
    ground.git(&["tag", "-a", "-m", "tag", "v1"]);
    ground.git(&["gc", "-q", "--prune=now"]);
    ground
}

fn pack_file(ground: &Ground, extension: &str) -> PathBuf {
    let folder = fs::read_dir(ground.path(".git/objects/pack")).unwrap();
    folder
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|it| it == extension))
        .unwrap()
}

/// Git writes packs that nobody may change.
fn replace(path: &Path, content: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, content).unwrap();
}

type Answers = Vec<(Option<Commit>, Option<Vec<Vec<u8>>>)>;

fn answers(ground: &Ground, commits: &[ObjectId]) -> Answers {
    ground.ask(|git, repo| {
        let answer = |id: &ObjectId| {
            let commit = git.commit(repo, *id);
            let paths = commit
                .as_ref()
                .and_then(|commit| git.changed_paths(repo, Some(commit.tree), None));
            (commit, paths)
        };
        commits.iter().map(answer).collect()
    })
}

#[needs(git)]
#[test]
fn a_damaged_pack_gives_right_answers_or_none() {
    let ground = packed();
    let commits: Vec<ObjectId> = ground.git(&["rev-list", "HEAD"]).lines().map(id).collect();
    let right = answers(&ground, &commits);
    assert!(
        right
            .iter()
            .all(|(commit, paths)| commit.is_some() && paths.is_some())
    );
    let mut numbers = Numbers(31);
    let mut missing = 0;
    for extension in ["pack", "idx"] {
        let path = pack_file(&ground, extension);
        let whole = fs::read(&path).unwrap();
        for round in 0..120 {
            let mut damaged = whole.clone();
            let at = numbers.below(whole.len());
            match round % 3 {
                0 => damaged.truncate(at),
                1 => damaged[at] ^= 1 << numbers.below(8),
                _ => damaged[at..]
                    .iter_mut()
                    .take(24)
                    .for_each(|byte| *byte = 0xff),
            }
            replace(&path, &damaged);
            for (found, right) in answers(&ground, &commits).into_iter().zip(&right) {
                assert!(found.0.is_none() || found.0 == right.0, "{extension} {at}");
                assert!(found.1.is_none() || found.1 == right.1, "{extension} {at}");
                missing += usize::from(found.0.is_none() || found.1.is_none());
            }
            let unheld = ground.ask(|git, repo| git.unheld(repo, commits[0], &[commits[7]]));
            let unheld = unheld.map(BTreeSet::from_iter);
            let all: BTreeSet<ObjectId> = commits[..7].iter().copied().collect();
            assert!(unheld.is_none_or(|found| found == all), "{extension} {at}");
        }
        replace(&path, &whole);
    }
    assert!(missing > 100, "{missing}");
    assert_eq!(answers(&ground, &commits), right);
}

#[needs(git)]
#[test]
fn damaged_objects_are_unknown() {
    let ground = Ground::new();
    ground.write("file", "text\n");
    let commit = ground.commit("first");
    let name = commit.to_string();
    let path = ground
        .path(".git/objects")
        .join(&name[..2])
        .join(&name[2..]);
    let whole = fs::read(&path).unwrap();
    let read = || ground.ask(|git, repo| git.commit(repo, commit));
    let right = read();
    assert!(right.is_some());
    for at in 0..whole.len() {
        replace(&path, &whole[..at]);
        assert_eq!(read(), None, "cut at {at}");
        let mut flipped = whole.clone();
        flipped[at] ^= 0x55;
        replace(&path, &flipped);
        let found = read();
        assert!(found.is_none() || found == right, "turned over at {at}");
    }
    // Another object under its name, and one that claims or takes up more than it may.
    let bomb = compress_to_vec_zlib(&vec![b' '; 64 << 20], 1);
    let claim = compress_to_vec_zlib(b"commit 99999999999\0tree", 1);
    for content in [compress_to_vec_zlib(b"commit 1\0x", 1), claim, bomb] {
        replace(&path, &content);
        assert_eq!(read(), None);
        let standing = ground.world().git().standing(&ground.path("file"));
        assert_eq!(standing, None, "what the head has is unknown");
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(read(), None);
    assert_eq!(ground.ask(|git, repo| git.changes(repo, b"")), None);
}

#[needs(git)]
#[test]
fn refs_that_make_no_sense_hold_nothing() {
    let ground = Ground::new();
    let commit = ground.commit("first");
    let blob = ground.git(&["hash-object", "-w", "--stdin"]);
    let absent = "1234567890123456789012345678901234567890";
    for (name, text) in [
        ("heads/empty", ""),
        ("heads/garbage", "no commit\n"),
        ("heads/loop-a", "ref: refs/heads/loop-b\n"),
        ("heads/loop-b", "ref: refs/heads/loop-a\n"),
        ("heads/dangling", "ref: refs/heads/nowhere\n"),
        ("heads/out", "ref: ../config\n"),
        ("heads/x.lock", &format!("{commit}\n")),
        ("tags/absent", &format!("{absent}\n")),
        ("tags/blob", &format!("{blob}\n")),
        ("heads/good", "ref: refs/heads/main\n"),
    ] {
        ground.write(&format!(".git/refs/{name}"), text);
    }
    let refs = ground.ask(|git, repo| git.refs(repo)).unwrap();
    let names: Vec<&str> = refs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["HEAD", "refs/heads/good", "refs/heads/main"]);
    for (name, found) in [
        ("empty", None),
        ("garbage", None),
        ("loop-a", None),
        ("dangling", None),
        ("out", None),
        ("absent", None),
        ("blob", None),
        ("good", Some(commit)),
    ] {
        assert_eq!(
            ground.ask(|git, repo| git.resolve(repo, name)),
            found,
            "{name}"
        );
    }
    // A holder that is no commit holds none, and one that cannot be read leaves it open.
    let unheld = |holder: &str| ground.ask(|git, repo| git.unheld(repo, commit, &[id(holder)]));
    assert_eq!(unheld(&blob), Some(vec![commit]));
    assert_eq!(unheld(absent), None);
    ground.write(".git/packed-refs", "garbage\n");
    assert_eq!(ground.world().git().repository(&ground.project()), None);
    fs::remove_file(ground.path(".git/packed-refs")).unwrap();
    ground.write(".git/HEAD", "ref: refs/heads/loop-a\n");
    assert_eq!(ground.ask(|git, repo| git.head(repo)), None);
    assert_eq!(ground.ask(|git, repo| git.changes(repo, b"")), None);
}

/// Nothing is known of a repository that was made with this option.
fn must_not_be_read(option: &str) {
    let ground = Ground::new();
    let folder = ground.sandbox.folder("home/other");
    ground.git_in(&folder, &["init", "-q", option]);
    fs::write(folder.join("file"), "x").unwrap();
    ground.git_in(&folder, &["add", "-A"]);
    ground.git_in(&folder, &["commit", "-q", "-m", "first"]);
    let world = ground.world();
    assert_eq!(world.git().repository(&folder), None, "{option}");
    assert_eq!(world.git().standing(&folder.join("file")), None, "{option}");
}

#[needs(git_reftable)]
#[test]
fn a_repository_with_a_table_of_refs_is_not_read() {
    must_not_be_read("--ref-format=reftable");
}

#[needs(git)]
#[test]
fn repositories_of_unknown_kinds_are_not_read() {
    let ground = Ground::new();
    must_not_be_read("--object-format=sha256");
    ground.write("file", "x");
    let commit = ground.commit("first");
    ground.write("file", "y");
    ground.commit("second");
    let standing = || ground.world().git().standing(&ground.path("file"));
    assert_eq!(standing(), Some(Standing::Clean));
    ground.git(&["update-index", "--split-index"]);
    assert_eq!(standing(), None);
    ground.git(&["update-index", "--no-split-index"]);
    assert_eq!(standing(), Some(Standing::Clean));
    // Commits that are shown in place of others have other parents than they say.
    ground.git(&["replace", "--graft", "HEAD"]);
    assert_eq!(ground.ask(|git, repo| git.resolve(repo, "HEAD~1")), None);
    assert_eq!(ground.ask(|git, repo| git.commit(repo, commit)), None);
    assert_eq!(ground.ask(|git, repo| git.unheld(repo, commit, &[])), None);
    ground.git(&["pack-refs", "--all"]);
    assert_eq!(ground.ask(|git, repo| git.unheld(repo, commit, &[])), None);
    ground.git(&["replace", "-d", "HEAD"]);
    assert!(ground.ask(|git, repo| git.commit(repo, commit)).is_some());
    ground.write(".git/info/grafts", &format!("{commit}\n"));
    assert_eq!(ground.world().git().repository(&ground.project()), None);
    fs::remove_file(ground.path(".git/info/grafts")).unwrap();
    // A checkout that lies elsewhere.
    ground.git(&["config", "core.worktree", ground.home().to_str().unwrap()]);
    assert_eq!(ground.world().git().repository(&ground.project()), None);
}

#[needs(git)]
#[test]
fn a_damaged_index_is_unknown() {
    let ground = Ground::new();
    ground.write("file", "x");
    ground.commit("first");
    let path = ground.path(".git/index");
    let whole = fs::read(&path).unwrap();
    let standing = || ground.world().git().standing(&ground.path("file"));
    for at in 0..whole.len() {
        replace(&path, &whole[..at]);
        assert_eq!(standing(), None, "cut at {at}");
        let mut flipped = whole.clone();
        flipped[at] ^= 0xff;
        replace(&path, &flipped);
        assert_eq!(standing(), None, "turned over at {at}");
    }
    replace(&path, &whole);
    assert_eq!(standing(), Some(Standing::Clean));
    // Written without a checksum, as a setting of git's asks for.
    let mut unsigned = whole.clone();
    let end = unsigned.len() - 20;
    unsigned[end..].fill(0);
    replace(&path, &unsigned);
    assert_eq!(standing(), Some(Standing::Clean));
}

#[needs(git)]
#[test]
fn nothing_is_told_beyond_the_budget() {
    let ground = packed();
    let tip = ground.id("HEAD");
    ground.write("file", "changed");
    let world = ground.world();
    let git = world.git();
    let repo = git.repository(&ground.project()).unwrap();
    git.budget().exhaust();
    assert_eq!(git.commit(&repo, tip), None);
    assert_eq!(git.head(&repo), None);
    assert_eq!(git.refs(&repo), None);
    assert_eq!(git.resolve(&repo, "HEAD"), None);
    assert_eq!(git.stashes(&repo), None);
    assert_eq!(git.unheld(&repo, tip, &[]), None);
    assert_eq!(git.changes(&repo, b""), None);
    assert_eq!(git.standing(&ground.path("file")), None);
    assert_eq!(git.blob_id(&ground.path("file")), None);
    while git.look().spend().is_some() {}
    assert_eq!(git.untracked(&repo, b"", IgnoredFiles::Include), None);
    assert_eq!(git.repository(&ground.home()), None);
    // The judgement's own budget is untouched.
    let again = ground.world();
    assert_eq!(
        again.git().standing(&ground.path("file")),
        Some(Standing::Modified)
    );
}

#[needs(git)]
#[test]
fn nothing_waits_for_a_pipe() {
    let ground = Ground::new();
    ground.write("file", "x");
    let commit = ground.commit("first");
    let pipe = |name: &str| {
        let path = ground.path(name);
        let _ = fs::remove_file(&path);
        let made = Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    };
    pipe(".git/refs/heads/pipe");
    pipe("file");
    pipe("untracked");
    assert_eq!(ground.ask(|git, repo| git.resolve(repo, "pipe")), None);
    assert_eq!(ground.ask(|git, repo| git.refs(repo)).unwrap().len(), 2);
    assert_eq!(ground.world().git().blob_id(&ground.path("file")), None);
    let untracked = ground.ask(|git, repo| git.untracked(repo, b"", IgnoredFiles::Include));
    assert_eq!(untracked, Some(Vec::new()));
    let name = commit.to_string();
    pipe(&format!(".git/objects/{}/{}", &name[..2], &name[2..]));
    assert_eq!(ground.ask(|git, repo| git.commit(repo, commit)), None);
    pipe(".git/packed-refs");
    assert_eq!(ground.world().git().repository(&ground.project()), None);
}
