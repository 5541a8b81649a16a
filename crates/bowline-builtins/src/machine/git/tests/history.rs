//! Commits, refs and ways to name them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bowline_testkit::needs;

use super::{Ground, Numbers, id};
use crate::machine::git::{Head, ObjectId, TreeEntry};

/// A history with branches, merges and tags, put together at random.
fn random_history(ground: &Ground, seed: u64, commits: usize) {
    let mut numbers = Numbers(seed);
    ground.write("start", "start\n");
    ground.commit("start");
    let mut branches = vec!["main".to_owned()];
    let lines: Vec<String> = (0..300).map(|it| format!("line {it} of many\n")).collect();
    for number in 0..commits {
        let branch = branches[numbers.below(branches.len())].clone();
        ground.git(&["checkout", "-q", &branch]);
        match numbers.below(6) {
            0 => {
                let name = format!("topic/{number}");
                ground.git(&["checkout", "-q", "-b", &name]);
                branches.push(name);
            }
            1 => {
                let other = branches[numbers.below(branches.len())].clone();
                ground.git(&["merge", "-q", "-s", "ours", "-m", "merge", &other]);
            }
            2 => {
                let kind = if numbers.below(2) == 0 { "-a" } else { "-f" };
                ground.git(&["tag", kind, "-m", "tag", &format!("v{number}")]);
            }
            _ => {
                // Large files that differ in one line become deltas in packs.
                let mut text = lines.clone();
                text[numbers.below(300)] = format!("changed in {number}\n");
                let folder = numbers.below(4);
                ground.write(&format!("folder-{folder}/file"), &text.concat());
                ground.write(&format!("deep/{folder}/{number}"), &number.to_string());
                ground.commit(&format!("commit {number}"));
            }
        }
    }
    ground.git(&["update-ref", "refs/remotes/origin/main", "main~1"]);
    ground.git(&[
        "symbolic-ref",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/main",
    ]);
    ground.git(&["update-ref", "refs/changes/1/2", "main"]);
}

/// What git lists as refs, with tags peeled.
fn refs_by_git(ground: &Ground) -> Vec<(String, ObjectId)> {
    let format = "--format=%(refname) %(objecttype) %(objectname) %(*objectname)";
    let mut refs: Vec<_> = ground
        .git(&["for-each-ref", format])
        .lines()
        .map(|line| {
            let parts: Vec<&str> = line.split(' ').collect();
            let target = if parts[1] == "tag" {
                parts[3]
            } else {
                parts[2]
            };
            (parts[0].to_owned(), id(target))
        })
        .collect();
    refs.push(("HEAD".to_owned(), ground.id("HEAD")));
    refs.sort();
    refs
}

fn compare_history(ground: &Ground, what: &str) {
    let refs = refs_by_git(ground);
    assert_eq!(
        ground.ask(|git, repo| git.refs(repo)),
        Some(refs.clone()),
        "{what}"
    );
    let all: Vec<ObjectId> = ground
        .git(&["rev-list", "--all", "HEAD"])
        .lines()
        .map(id)
        .collect();
    let told = ground.git(&["log", "--all", "--format=%H %T %P", "HEAD"]);
    assert_eq!(told.lines().count(), all.len());
    for line in told.lines() {
        let mut ids = line.split_whitespace().map(id);
        let commit = ids.next().unwrap();
        let found = ground.ask(|git, repo| git.commit(repo, commit)).unwrap();
        assert_eq!(Some(found.tree), ids.next(), "{what}");
        assert_eq!(found.parents, ids.collect::<Vec<_>>(), "{what}");
    }
    let mut numbers = Numbers(77);
    for _ in 0..20 {
        let tip = all[numbers.below(all.len())];
        let holders: Vec<ObjectId> = (0..numbers.below(4))
            .map(|_| refs[numbers.below(refs.len())].1)
            .collect();
        let mut args = vec!["rev-list".to_owned(), tip.to_string(), "--not".to_owned()];
        args.extend(holders.iter().map(ToString::to_string));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let expected: BTreeSet<ObjectId> = ground.git(&args).lines().map(id).collect();
        let found = ground.ask(|git, repo| git.unheld(repo, tip, &holders));
        let found: BTreeSet<ObjectId> = found.unwrap().into_iter().collect();
        assert_eq!(found, expected, "{what}: {args:?}");
    }
    compare_trees(ground, &all, what);
}

fn compare_trees(ground: &Ground, all: &[ObjectId], what: &str) {
    let mut numbers = Numbers(5);
    for _ in 0..15 {
        let mut tree = || ground.id(&format!("{}^{{tree}}", all[numbers.below(all.len())]));
        let (a, b) = (tree(), tree());
        let text = ground.git(&[
            "diff-tree",
            "-r",
            "--no-renames",
            "--name-only",
            &a.to_string(),
            &b.to_string(),
        ]);
        let expected: Vec<Vec<u8>> = text.lines().map(|it| it.as_bytes().to_vec()).collect();
        let found = ground.ask(|git, repo| git.changed_paths(repo, Some(a), Some(b)));
        assert_eq!(found.unwrap(), expected, "{what} {a} {b}");
        let whole = ground.git(&["ls-tree", "-r", &a.to_string()]);
        let found = ground.ask(|git, repo| git.changed_paths(repo, Some(a), None));
        assert_eq!(found.unwrap().len(), whole.lines().count(), "{what}");
        let world = ground.world();
        let git = world.git();
        let repo = git.repository(&ground.project()).unwrap();
        for line in whole.lines() {
            let (about, path) = line.split_once('\t').unwrap();
            let about: Vec<&str> = about.split(' ').collect();
            let entry = git.tree_entry(&repo, a, path.as_bytes()).unwrap().unwrap();
            let expected = TreeEntry {
                mode: u32::from_str_radix(about[0], 8).unwrap(),
                id: id(about[2]),
            };
            assert_eq!(entry, expected, "{what} {path}");
        }
    }
}

#[needs(git)]
#[test]
fn histories_are_read_as_git_reads_them() {
    let ground = Ground::new();
    random_history(&ground, 0x2545_f491_4f6c_dd1d, 60);
    compare_history(&ground, "loose");
    ground.git(&["pack-refs", "--all"]);
    compare_history(&ground, "packed refs");
    ground.git(&["gc", "-q", "--prune=now"]);
    let packs = fs::read_dir(ground.path(".git/objects/pack")).unwrap();
    assert!(packs.count() >= 2);
    compare_history(&ground, "packed");
    ground.write("later", "later\n");
    ground.commit("later");
    ground.git(&["repack", "-q", "-d"]);
    ground.write("later", "still later\n");
    ground.commit("still later");
    compare_history(&ground, "two packs and loose objects");
    // Bases named by their ids rather than their places.
    ground.git(&[
        "-c",
        "repack.useDeltaBaseOffset=false",
        "repack",
        "-q",
        "-a",
        "-d",
        "-f",
    ]);
    compare_history(&ground, "packed otherwise");
}

#[needs(git)]
#[test]
fn what_is_borrowed_is_found() {
    let ground = Ground::new();
    random_history(&ground, 99, 12);
    let tip = ground.id("main");
    let copy = ground.home().join("copy");
    ground.git(&["clone", "-q", "--shared", ".", copy.to_str().unwrap()]);
    let found = ground.ask_in(&copy, |git, repo| git.unheld(repo, tip, &[]));
    let expected = ground.git(&["rev-list", "--count", "main"]);
    assert_eq!(found.unwrap().len().to_string(), expected);
    // Two repositories that borrow from each other.
    let back = copy.join(".git/objects");
    fs::write(
        ground.path(".git/objects/info/alternates"),
        format!("{}\n", back.display()),
    )
    .unwrap();
    let found = ground.ask_in(&copy, |git, repo| git.commit(repo, tip));
    assert!(found.is_some());
}

#[needs(git)]
#[test]
fn the_head_is_on_a_branch_or_not() {
    let ground = Ground::new();
    let head = || ground.ask(|git, repo| git.head(repo));
    let on_main = |commit| Head {
        branch: Some("refs/heads/main".to_owned()),
        commit,
    };
    assert_eq!(head(), Some(on_main(None)));
    // Where this program runs is nothing to the judgement.
    let relative = Path::new("../..");
    assert_eq!(ground.world().git().repository(relative), None);
    assert_eq!(ground.ask(|git, repo| git.refs(repo)), Some(Vec::new()));
    assert_eq!(ground.ask(|git, repo| git.stashes(repo)), Some(Vec::new()));
    let first = ground.commit("first");
    assert_eq!(head(), Some(on_main(Some(first))));
    ground.git(&["pack-refs", "--all"]);
    assert_eq!(head(), Some(on_main(Some(first))));
    ground.git(&["checkout", "-q", "--detach"]);
    assert_eq!(
        head(),
        Some(Head {
            branch: None,
            commit: Some(first)
        })
    );
}

#[needs(git)]
#[test]
fn revisions_lead_where_git_says() {
    let ground = Ground::new();
    random_history(&ground, 4242, 40);
    ground.git(&["checkout", "-q", "main"]);
    let upstream = ground.home().join("upstream");
    ground.git(&["clone", "-q", "--bare", ".", upstream.to_str().unwrap()]);
    ground.git(&["remote", "add", "up", upstream.to_str().unwrap()]);
    ground.git(&["fetch", "-q", "up"]);
    ground.git(&["branch", "-q", "--set-upstream-to=up/main", "main"]);
    ground.git(&["branch", "-q", "local", "main"]);
    ground.git(&["branch", "-q", "--set-upstream-to=main", "local"]);
    ground.git(&["tag", "-a", "-m", "x", "annotated"]);
    ground.git(&["tag", "-a", "-m", "x", "twice", "annotated"]);
    ground.git(&["tag", "main", "main~1"]);
    for number in 0..3 {
        ground.write("start", &format!("stash {number}"));
        ground.git(&["stash", "-q"]);
    }
    ground.write("more", "more");
    ground.commit("more");
    ground.git(&["checkout", "-q", "local"]);
    ground.git(&["reset", "-q", "--hard", "HEAD~1"]);
    ground.git(&["checkout", "-q", "heads/main"]);
    ground.git(&["checkout", "-q", "main", "--"]);
    ground.git(&["merge", "-q", "-s", "ours", "-m", "m", "local"]);
    let full = ground.id("HEAD~2").to_string();
    let short = full[..8].to_owned();
    let upper = full[..10].to_uppercase();
    let described = ground.git(&["rev-parse", "--short", "HEAD"]);
    let revisions = [
        "HEAD",
        "@",
        "@~1",
        "@^",
        "HEAD^^",
        "HEAD~3",
        "HEAD~0",
        "HEAD^0",
        "HEAD^2",
        "HEAD^2~1",
        "HEAD^{commit}",
        "HEAD^{}",
        "main",
        "heads/main",
        "refs/heads/main",
        "tags/main",
        "annotated",
        "annotated^{}",
        "annotated~1",
        "twice",
        "twice^0",
        "origin",
        "origin/main",
        "remotes/origin/main",
        "up/main",
        "stash",
        "stash@{0}",
        "stash@{1}",
        "stash@{2}",
        "stash@{2}^2",
        "stash^1",
        "@{0}",
        "@{1}",
        "@{2}",
        "HEAD@{0}",
        "HEAD@{1}",
        "HEAD@{3}",
        "HEAD@{5}",
        "local@{0}",
        "local@{1}",
        "refs/heads/main@{1}",
        "@{u}",
        "@{upstream}",
        "@{UPSTREAM}",
        "local@{u}",
        "HEAD@{u}",
        "@{u}~1",
        "@{-1}",
        "@{-2}",
        "@{-1}~1",
        "ORIG_HEAD",
        "FETCH_HEAD",
        "refs/changes/1/2",
        "changes/1/2",
        &full,
        &short,
        &upper,
        &described,
        &format!("{short}~1"),
        &format!("{full}^"),
    ];
    let mut refs = 0;
    for revision in revisions {
        let asked = format!("{revision}^{{commit}}");
        let output = ground.try_git(&ground.project(), &["rev-parse", "-q", "--verify", &asked]);
        let text = String::from_utf8(output.stdout).unwrap();
        let expected = output.status.success().then(|| id(text.trim()));
        let found = ground.ask(|git, repo| git.resolve(repo, revision));
        assert_eq!(found, expected, "{revision}");
        refs += usize::from(expected.is_some());
    }
    assert!(refs > 45, "{refs}");
    assert_eq!(
        ground.ask(|git, repo| git.resolve(repo, "-")),
        Some(ground.id("@{-1}"))
    );
    for unknown in [
        "",
        "nowhere",
        "HEAD^9",
        "HEAD~999",
        "HEAD:start",
        "HEAD^{tree}",
        "HEAD^{/x}",
        "a..b",
        "HEAD^!",
        "HEAD^@",
        "HEAD@{yesterday}",
        "HEAD@{999}",
        "@{-99}",
        "../config",
        "config",
        "main.lock",
        "@{push}",
        "abc",
        "HEAD~99999999999",
        ":/x",
        "^",
        "~",
        "@{",
        "@{}",
        "--all",
    ] {
        let found = ground.ask(|git, repo| git.resolve(repo, unknown));
        assert_eq!(found, None, "{unknown}");
    }
    let stashes: Vec<ObjectId> = ground
        .git(&["stash", "list", "--format=%H"])
        .lines()
        .map(id)
        .collect();
    assert_eq!(stashes.len(), 3);
    assert_eq!(ground.ask(|git, repo| git.stashes(repo)), Some(stashes));
}

#[needs(git)]
#[test]
fn every_worktree_has_a_head() {
    let ground = Ground::new();
    let first = ground.commit("first");
    ground.git(&["worktree", "add", "-q", "-b", "other", "../tree"]);
    let tree = ground.home().join("tree");
    ground.git_in(&tree, &["commit", "-q", "--allow-empty", "-m", "second"]);
    let second = id(&ground.git_in(&tree, &["rev-parse", "HEAD"]));
    ground.git_in(&tree, &["update-ref", "refs/bisect/bad", "HEAD"]);
    let name = |text: &str| text.to_owned();
    assert_eq!(
        ground.ask(|git, repo| git.refs(repo)).unwrap(),
        [
            (name("HEAD"), first),
            (name("refs/heads/main"), first),
            (name("refs/heads/other"), second),
            (name("worktrees/tree/HEAD"), second),
        ]
    );
    assert_eq!(
        ground.ask_in(&tree, |git, repo| git.refs(repo)).unwrap(),
        [
            (name("HEAD"), second),
            (name("main-worktree/HEAD"), first),
            (name("refs/bisect/bad"), second),
            (name("refs/heads/main"), first),
            (name("refs/heads/other"), second),
        ]
    );
    let head = ground.ask_in(&tree, |git, repo| git.head(repo)).unwrap();
    assert_eq!(head.branch.as_deref(), Some("refs/heads/other"));
    for (rev, commit) in [
        ("main-worktree/HEAD", first),
        ("worktrees/tree/HEAD", second),
    ] {
        assert_eq!(
            ground.ask_in(&tree, |git, repo| git.resolve(repo, rev)),
            Some(commit)
        );
    }
}

#[needs(git)]
#[test]
fn a_clock_that_was_wrong_hides_no_loss() {
    let ground = Ground::new();
    let dated = |message: &str, date: &str| {
        let made = ground
            .command(
                &ground.project(),
                &["commit", "-q", "--allow-empty", "-m", message],
            )
            .env("GIT_COMMITTER_DATE", date)
            .status();
        assert!(made.unwrap().success());
        ground.id("HEAD")
    };
    let root = dated("root", "1700000000 +0000");
    let future = dated("future", "1900000000 +0000");
    let past = dated("past", "1000000000 +0000");
    let tip = dated("tip", "1700000001 +0000");
    let unheld = |tip, holders: &[ObjectId]| ground.ask(|git, repo| git.unheld(repo, tip, holders));
    assert_eq!(unheld(future, &[past]), Some(vec![]));
    assert_eq!(unheld(future, &[tip]), Some(vec![]));
    assert_eq!(unheld(tip, &[past]), Some(vec![tip]));
    assert_eq!(unheld(past, &[root]), Some(vec![future, past]));
    assert_eq!(unheld(root, &[tip]), Some(vec![]));
    assert_eq!(unheld(root, &[]), Some(vec![root]));
}

#[needs(git)]
#[test]
fn a_shallow_copy_ends_where_it_was_cut() {
    let ground = Ground::new();
    for number in 0..5 {
        ground.commit(&number.to_string());
    }
    let copy = ground.home().join("copy");
    let source = format!("file://{}", ground.project().display());
    ground.git(&["clone", "-q", "--depth=2", &source, copy.to_str().unwrap()]);
    let tip = ground.id("HEAD");
    let unheld = ground.ask_in(&copy, |git, repo| git.unheld(repo, tip, &[]));
    assert_eq!(unheld.unwrap().len(), 2);
}
