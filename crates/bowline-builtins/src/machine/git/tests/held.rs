//! What git holds, and what its settings say.

use std::fs;

use bowline_testkit::needs;

use super::{Ground, id};

#[needs(git)]
#[test]
fn content_is_held_by_refs_and_stashes_at_its_path() {
    let ground = Ground::new();
    let blob = |text: &str| {
        fs::write(ground.home().join("scratch"), text).unwrap();
        let path = ground.home().join("scratch");
        id(&ground.git(&["hash-object", path.to_str().unwrap()]))
    };
    let held = |path: &str, text: &str| {
        let blob = blob(text);
        ground.ask(|git, repo| git.held_at_path(repo, path.as_bytes(), blob))
    };
    assert_eq!(held("deep/file", "one\n"), Some(false), "no commit yet");
    ground.write("deep/file", "one\n");
    ground.commit("one");
    ground.write("deep/file", "two\n");
    ground.commit("two");
    assert_eq!(held("deep/file", "two\n"), Some(true));
    assert_eq!(
        held("deep/file", "one\n"),
        Some(false),
        "no ref has it last"
    );
    assert_eq!(held("file", "two\n"), Some(false), "another path");
    ground.git(&["tag", "-a", "-m", "x", "v1", "HEAD~1"]);
    assert_eq!(held("deep/file", "one\n"), Some(true));
    ground.write("deep/file", "three\n");
    ground.git(&["add", "-A"]);
    assert_eq!(held("deep/file", "three\n"), Some(false), "only staged");
    ground.write("deep/file", "four\n");
    ground.write("new", "five\n");
    ground.git(&["stash", "-q", "-u"]);
    for (path, text) in [
        ("deep/file", "three\n"),
        ("deep/file", "four\n"),
        ("new", "five\n"),
    ] {
        assert_eq!(held(path, text), Some(true), "{text}");
    }
    ground.write("deep/file", "six\n");
    ground.git(&["stash", "-q"]);
    assert_eq!(held("deep/file", "four\n"), Some(true), "an older stash");
    ground.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(held("deep/file", "four\n"), Some(true));
    assert_eq!(held("deep/file", "six\n"), Some(true));
    assert_eq!(held("deep/file", "seven\n"), Some(false));
    ground.git(&["worktree", "add", "-q", "--detach", "../tree"]);
    let tree = ground.home().join("tree");
    fs::write(tree.join("deep/file"), "seven\n").unwrap();
    ground.git_in(&tree, &["commit", "-q", "-a", "-m", "seven"]);
    assert_eq!(held("deep/file", "seven\n"), Some(true), "another checkout");
    // What cannot be read may hold it.
    ground.write(
        ".git/refs/heads/broken",
        "1234567890123456789012345678901234567890\n",
    );
    assert_eq!(held("deep/file", "seven\n"), Some(true));
    assert_eq!(held("deep/file", "eight\n"), None);
}

#[needs(git)]
#[test]
fn aliases_are_what_git_says() {
    let ground = Ground::new();
    let alias = |name: &str| ground.ask(|git, repo| git.alias(repo, name));
    assert_eq!(alias("co"), Some(None));
    ground.git(&["config", "alias.co", "checkout"]);
    ground.git(&[
        "config",
        "alias.Wipe",
        "!git reset --hard # \"all\"; echo \\ok",
    ]);
    fs::write(
        ground.home().join(".gitconfig"),
        "[alias]\n\tco = commit\n\tst = status -s ; short\n\tempty\n",
    )
    .unwrap();
    fs::create_dir_all(ground.home().join(".config/git")).unwrap();
    fs::write(
        ground.home().join(".config/git/config"),
        "[alias] st = stash\n last = log -1\n",
    )
    .unwrap();
    for name in ["co", "wipe", "WIPE", "st", "last"] {
        let expected = ground.git(&["config", "--get", &format!("alias.{name}")]);
        assert_eq!(alias(name), Some(Some(expected)), "{name}");
    }
    assert_eq!(alias("none"), Some(None));
    assert_eq!(alias("empty"), None, "it makes no sense");
    ground.git(&["config", "include.path", "other"]);
    assert_eq!(alias("none"), None, "another file may have it");
    assert_eq!(alias("co"), Some(Some("checkout".to_owned())));
    ground.write(".git/config", "[alias\n");
    assert_eq!(ground.world().git().repository(&ground.project()), None);
}
