//! The guard's view of a real machine, compared with what git itself says.

#![expect(
    clippy::unwrap_used,
    reason = "tests fail where they cannot set their ground"
)]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::ops::Deref;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use bowline_builtins::machine::{LinkedWorktree, Machine, MachineWorld};
use bowline_guard::effect::Gravity;
use bowline_guard::judge::judge;
use bowline_guard::paths::World;
use bowline_testkit::{Sandbox, needs};

#[derive(Debug)]
struct Compared {
    what: String,
    git: bool,
    we: Option<bool>,
}

/// A sandbox, and the machine as the guard sees it.
struct Ground {
    sandbox: Sandbox,
    machine: Machine,
}

impl Deref for Ground {
    type Target = Sandbox;

    fn deref(&self) -> &Sandbox {
        &self.sandbox
    }
}

impl Ground {
    fn new() -> Self {
        let sandbox = Sandbox::with_project("home/project");
        let machine = Machine::new(Some(sandbox.home()), Vec::new());
        Self { sandbox, machine }
    }

    /// With a repository in the project.
    fn with_git() -> Self {
        let ground = Self::new();
        ground.git(&["init", "-q"]);
        ground
    }

    fn path(&self, name: &str) -> String {
        self.project().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, text: &str) {
        self.write_in_project(name, text);
    }

    fn try_git(&self, folder: &Path, args: &[&str]) -> Output {
        self.git_command(args).current_dir(folder).output().unwrap()
    }

    fn commit(&self) {
        self.git(&["commit", "-q", "--allow-empty", "-m", "state"]);
    }

    fn world(&self) -> MachineWorld<'_> {
        let project = self.path("");
        self.machine.world(&project, &project)
    }

    fn tracked(&self, name: &str) -> Option<bool> {
        self.world().is_tracked(&self.path(name))
    }

    fn ignored(&self, name: &str) -> Option<bool> {
        self.world().is_ignored(&self.path(name))
    }

    fn gravity(&self, command: &str) -> Gravity {
        judge(command, &self.world()).verdict.gravity
    }

    /// Of `names`, those that git says it ignores.
    fn git_ignores<'name>(&self, names: &[&'name str]) -> Vec<&'name str> {
        let mut asked = self
            .git_command(&["check-ignore", "-z", "--stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Dropped at once, which ends the list.
        let mut list = asked.stdin.take().unwrap();
        list.write_all(names.join("\0").as_bytes()).unwrap();
        drop(list);
        let output = asked.wait_with_output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
        let told: Vec<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
        let is_told = |name: &&str| told.contains(&name.as_bytes());
        names.iter().copied().filter(is_told).collect()
    }

    /// What git and we say these rules ignore.
    fn compare(&self, rules: &str, deep_rules: &str, names: &[&str]) -> Vec<Compared> {
        self.write(".gitignore", rules);
        self.write("deep/.gitignore", deep_rules);
        let ignored = self.git_ignores(names);
        let compared = names.iter().map(|name| Compared {
            what: format!("{name} by {rules:?} and {deep_rules:?}"),
            git: ignored.contains(name),
            we: self.ignored(name),
        });
        compared.collect()
    }
}

#[needs(git)]
#[test]
fn ignore_rules_say_what_git_says() {
    let ground = Ground::with_git();
    let files = [
        "a",
        "a.o",
        "a.log",
        "b.log",
        "keep.log",
        "!bang",
        "#hash",
        "x.{o,a}",
        "x.js",
        "sp ",
        "tab\t",
        "build/x",
        "build/keep/y",
        "deep/build/x",
        "deep/a.o",
        "deep/keep.log",
        "deep/er/a.log",
        "deep/er/most/z",
        "docs/a.txt",
        "docs/sub/a.txt",
        "out/x",
        "out/.gitignore",
        "src/out",
        "logs/today/x",
        "logs/keep/x",
        "Upper",
        "lower",
        "7up",
        "[id].tsx",
        "back\\slash",
        "\u{e9}t\u{e9}",
        "again/in",
        "again/out",
        "star/a/b/c",
        "star/c",
        "*",
        "hidden/.dot",
        "foo",
        "sub/foo",
        "-dash",
        "excluded/x",
        "everywhere.x",
        "deep/everywhere.x",
        "link-to-folder",
    ];
    let folders = [
        "build",
        "deep/build",
        "deep",
        "docs/sub",
        "out",
        "logs",
        "logs/keep",
        "star/a",
        "star",
    ];
    for file in files.iter().filter(|file| **file != "link-to-folder") {
        ground.write(file, "");
    }
    symlink("deep", ground.path("link-to-folder")).unwrap();
    let tables = [
        ("*.o\n*.log\n!keep.log\n", ""),
        ("build/\n", "!build/\n"),
        ("/build\n", "er/\n"),
        ("build/*\n!build/keep\n", ""),
        ("build/\n!build/keep\n", ""),
        ("*.{o,a}\n*.{js,ts}\n", ""),
        ("\\!bang\n\\#hash\n#hash\n!a\n", "*.log"),
        ("sp \nsp\\ \ntab\t\n", ""),
        ("docs/*.txt\n**/build\n", ""),
        ("docs/**\n", ""),
        ("**/a.txt\ndocs/sub\n", ""),
        ("logs/*\n!logs/keep/\n", ""),
        ("[[:upper:]]*\n[0-9]*\n", ""),
        ("[!a-z]*\n", ""),
        ("\\[id\\].tsx\nback\\\\slash\n", ""),
        ("[id].tsx\nback\\slash\n", ""),
        ("star/**/c\n", ""),
        ("star/**c\n", ""),
        ("**\n!**/\n!*.log\n", ""),
        ("*\n!*/\n!/deep/**\n", "er\n"),
        ("/*\n!/deep\n", "a.o"),
        ("\\*\n", ""),
        ("?\n???\n", ""),
        ("out\n", ""),
        ("/out/\nsrc/out/\n", ""),
        ("foo/\nlink-to-folder/\n", ""),
        ("/foo\n", ""),
        ("/\n!\n\\\n[\n[a\n*[\n", ""),
        ("\u{feff}a\r\na.log\r\n", ""),
        (" a\n  \n", ""),
        ("\u{e9}t?\n", ""),
        ("\u{e9}t??\n", ""),
        ("-dash\nd*p/\n", ""),
        ("again\n!again/in\n", ""),
        ("deep/er/../er\n./a\ndeep//er\n", ""),
        ("***\n!a\n", ""),
        ("dee[pq]/er/most/**\n", ""),
        ("dee\\p/e\\r\n", ""),
        ("[a-]\n[\\a]\n[^b]\n", ""),
        ("hidden/\\.dot\nhidden/*\n", ""),
        ("deep[/]er\ndeep?er\n", ""),
        ("", ""),
    ];
    ground.write(".git/info/exclude", "excluded\n");
    fs::create_dir_all(ground.home().join(".config/git")).unwrap();
    fs::write(ground.home().join(".config/git/ignore"), "everywhere.x\n").unwrap();
    let names: Vec<&str> = files.into_iter().chain(folders).collect();
    let mut ignored = 0;
    for (rules, deep_rules) in tables {
        for compared in ground.compare(rules, deep_rules, &names) {
            assert_eq!(compared.we, Some(compared.git), "{}", compared.what);
            ignored += usize::from(compared.git);
        }
    }
    assert!(ignored > 300, "{ignored}");
    assert_eq!(ground.ignored("deep/everywhere.x"), Some(true));
    assert_eq!(ground.ignored("excluded/x"), Some(true));
}

#[needs(git)]
#[test]
fn rules_put_together_at_random_say_what_git_says() {
    let ground = Ground::with_git();
    let names = [
        "a", "b", "a.b", "ab", "a b", "[a]", "-", "deep", "deep/a", "deep/b", "deep/a.b",
        "deep/b/a", "deep/b/b", "b-a", "{a,b}", "!a", "a^", "]", "x/a/b/a", "x/b", "x/a", "x/a/b",
        "x",
    ];
    for name in names.iter().rev().filter(|name| {
        !names
            .iter()
            .any(|other| other.starts_with(&format!("{name}/")))
    }) {
        ground.write(name, "");
    }
    let pieces = [
        "a", "b", "*", "**", "?", "/", "!", "[", "]", "[ab]", "[!a]", "[^b-]", "\\", "-", ".", " ",
        "{a,b}", "/**/", "deep", "x", "\n", "\n", "\n!", "/\n",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % below
    };
    let (mut known, mut unknown, mut ignored) = (0, 0, 0);
    for _ in 0..300 {
        let mut text = |most: usize| -> String {
            (0..next(most))
                .map(|_| pieces[next(pieces.len())])
                .collect()
        };
        let (rules, deep_rules) = (text(14), text(6));
        for Compared { what, git, we } in ground.compare(&rules, &deep_rules, &names) {
            match we {
                Some(we) => assert_eq!(we, git, "{what}"),
                None => unknown += 1,
            }
            known += usize::from(we.is_some());
            ignored += usize::from(git);
        }
    }
    assert!(ignored > 300, "{ignored}");
    assert!(unknown * 20 < known, "{unknown} of {known}");
}

#[needs(git)]
#[test]
fn the_index_is_read_in_every_version() {
    let ground = Ground::with_git();
    let names = [
        "0/only",
        "a-b",
        "a.c",
        "a/x",
        "deep/er/one",
        "deep/er/two",
        "deep/erst",
        "deep/z",
        "\u{e9}/\u{e9}",
    ];
    for name in names {
        ground.write(name, name);
    }
    let long = format!("{}/{}", "l".repeat(200), "m".repeat(200));
    ground.write(&long, "");
    ground.git(&["add", "-A"]);
    ground.write("untracked", "");
    let check = |version: &str| {
        for name in names.iter().copied().chain([long.as_str()]) {
            assert_eq!(ground.tracked(name), Some(true), "{version} {name}");
        }
        for folder in ["a", "deep", "deep/er", "\u{e9}"] {
            assert_eq!(ground.tracked(folder), Some(true), "{version} {folder}");
        }
        for name in ["untracked", "a/y", "dee", "deep/e", "deep/er/one-x", "zzz"] {
            assert_eq!(ground.tracked(name), Some(false), "{version} {name}");
        }
    };
    let version = || fs::read(ground.path(".git/index")).unwrap()[7];
    for wanted in [2, 4] {
        ground.git(&["update-index", "--index-version", &wanted.to_string()]);
        assert_eq!(version(), wanted);
        check(&wanted.to_string());
    }
    ground.git(&["update-index", "--index-version", "2"]);
    ground.write("intended", "");
    ground.git(&["add", "--intent-to-add", "intended"]);
    assert_eq!(version(), 3);
    check("3");
    assert_eq!(ground.tracked("intended"), Some(true));
    ground.git(&["update-index", "--index-version", "4"]);
    check("4, extended");
    assert_eq!(ground.tracked("intended"), Some(true));
}

#[needs(git)]
#[test]
fn an_index_with_longer_hashes_is_read() {
    let ground = Ground::with_git();
    fs::remove_dir_all(ground.path(".git")).unwrap();
    ground.git(&["init", "-q", "--object-format=sha256"]);
    for name in ["a", "b/c", "b/d"] {
        ground.write(name, name);
    }
    ground.git(&["add", "-A"]);
    for version in ["2", "4"] {
        ground.git(&["update-index", "--index-version", version]);
        assert_eq!(ground.tracked("b/c"), Some(true));
        assert_eq!(ground.tracked("c"), Some(false));
    }
}

#[needs(git)]
#[test]
fn a_damaged_or_unknown_index_is_unknown() {
    let ground = Ground::with_git();
    for name in ["a", "b", "node_modules/x"] {
        ground.write(name, name);
    }
    ground.git(&["add", "-A"]);
    let whole = fs::read(ground.path(".git/index")).unwrap();
    // Cut anywhere, or with any byte turned over, it gives an answer or none, but never a panic.
    for at in 0..whole.len() {
        fs::write(ground.path(".git/index"), &whole[..at]).unwrap();
        assert_eq!(ground.tracked("a"), None, "cut at {at}");
        assert_eq!(ground.ignored("a"), None, "cut at {at}");
        let mut flipped = whole.clone();
        flipped[at] ^= 0xff;
        fs::write(ground.path(".git/index"), flipped).unwrap();
        let _ = ground.tracked("a");
    }
    fs::write(ground.path(".git/index"), &whole).unwrap();
    assert_eq!(ground.tracked("a"), Some(true));
    // A split index names only a part of what is tracked.
    ground.git(&["update-index", "--split-index"]);
    assert_eq!(ground.tracked("a"), None);
    fs::remove_file(ground.path(".git/index")).unwrap();
    assert_eq!(ground.tracked("a"), Some(false));
}

#[needs(git)]
#[test]
fn what_is_remembered_follows_what_changes() {
    let ground = Ground::with_git();
    ground.write("a", "");
    ground.write("b.log", "");
    assert_eq!(ground.tracked("a"), Some(false));
    assert_eq!(ground.ignored("b.log"), Some(false));
    ground.git(&["add", "a"]);
    ground.write(".gitignore", "*.log");
    assert_eq!(ground.tracked("a"), Some(true));
    assert_eq!(ground.ignored("b.log"), Some(true));
    ground.git(&["rm", "-q", "--cached", "a"]);
    ground.write(".gitignore", "*.txt");
    assert_eq!(ground.tracked("a"), Some(false));
    assert_eq!(ground.ignored("b.log"), Some(false));
    ground.write(".gitignore", "*.log");
    assert_eq!(ground.ignored("b.log"), Some(true));
    ground.git(&["add", "-f", "b.log"]);
    assert_eq!(
        ground.ignored("b.log"),
        Some(false),
        "tracked, so not ignored"
    );
}

#[needs(git)]
#[test]
fn many_threads_share_a_machine() {
    let ground = Ground::with_git();
    for number in 0..50 {
        ground.write(&format!("folder/{number}"), "");
    }
    ground.git(&["add", "-A"]);
    let machine = Arc::new(Machine::new(Some(ground.home()), Vec::new()));
    let project = ground.path("");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for number in 0..50 {
                    let world = machine.world(&project, &project);
                    let path = ground.path(&format!("folder/{number}"));
                    assert_eq!(world.is_tracked(&path), Some(true));
                    assert_eq!(world.is_ignored(&path), Some(false));
                }
            });
        }
    });
}

#[needs(git)]
#[test]
fn patterns_are_tracked_if_something_they_name_is() {
    let ground = Ground::with_git();
    for name in ["kept.log", "src/a.rs", "pages/[id].tsx", "out/x"] {
        ground.write(name, "");
    }
    ground.write(".gitignore", "out/\n*.tmp\n");
    ground.git(&["add", "-A"]);
    for (pattern, tracked) in [
        ("*.log", true),
        ("*.o", false),
        ("s?c", true),
        ("{src,none}", true),
        ("src/*.rs", true),
        ("pages/[id].tsx", true),
        ("out/*", false),
        ("nowhere/*.rs", false),
    ] {
        assert_eq!(ground.tracked(pattern), Some(tracked), "{pattern}");
    }
    for (pattern, ignored) in [("out/*", Some(true)), ("*.tmp", None), ("src/*", None)] {
        assert_eq!(ground.ignored(pattern), ignored, "{pattern}");
    }
}

#[needs(git)]
#[test]
fn repositories_within_repositories_keep_their_own() {
    let ground = Ground::with_git();
    ground.write(".gitignore", "nested\nempty\nbroken\n");
    ground.write("file", "");
    ground.write("nested/inner", "");
    ground.write("nested/other", "");
    ground.write("empty/.git/nothing", "");
    ground.write("empty/x", "");
    ground.write("broken/.git", "gitdir: /nowhere/at/all\n");
    ground.git(&["add", "file", ".gitignore"]);
    let nested = ground.project().join("nested");
    assert!(ground.try_git(&nested, &["init", "-q"]).status.success());
    assert!(ground.try_git(&nested, &["add", "inner"]).status.success());
    assert_eq!(ground.tracked("nested/inner"), Some(true));
    assert_eq!(ground.tracked("nested/other"), Some(false));
    assert_eq!(ground.ignored("nested/other"), Some(false));
    // All of it would go with the folder.
    assert_eq!(ground.tracked("nested"), Some(true));
    assert_eq!(ground.ignored("nested"), Some(false));
    assert_eq!(ground.ignored("empty/x"), Some(true));
    assert_eq!(ground.tracked("broken/x"), None);
    assert_eq!(ground.ignored("broken/x"), None);
    // The project's root belongs to no repository around it, but tracks files.
    assert_eq!(ground.tracked(""), Some(true));
    let outside = ground.home().join("elsewhere");
    assert_eq!(ground.world().is_tracked(outside.to_str().unwrap()), None);
    for strange in ["relative", "", "/", "/a/../b", "/\u{fffd}\0"] {
        assert_eq!(ground.world().is_tracked(strange), None, "{strange}");
        assert_eq!(ground.world().is_ignored(strange), None, "{strange}");
        assert_eq!(ground.world().symlink_target(strange), None, "{strange}");
    }
}

#[needs(git)]
#[test]
fn submodules_and_worktrees_have_indexes_of_their_own() {
    let ground = Ground::with_git();
    ground.write("file", "");
    ground.git(&["add", "-A"]);
    ground.commit();
    let other = ground.home().join("other");
    fs::create_dir_all(&other).unwrap();
    for args in [
        &["init", "-q"][..],
        &["commit", "-q", "--allow-empty", "-m", "first"],
    ] {
        assert!(ground.try_git(&other, args).status.success());
    }
    fs::write(other.join("theirs"), "").unwrap();
    for args in [&["add", "-A"][..], &["commit", "-q", "-m", "second"]] {
        assert!(ground.try_git(&other, args).status.success());
    }
    ground.git(&["submodule", "--quiet", "add", "../other", "sub"]);
    assert_eq!(ground.tracked("sub"), Some(true));
    assert_eq!(ground.tracked("sub/theirs"), Some(true));
    assert_eq!(ground.tracked("sub/mine"), Some(false));

    ground.git(&["worktree", "add", "-q", "../tree"]);
    let tree = ground.home().join("tree");
    fs::create_dir_all(tree.join("folder")).unwrap();
    fs::write(tree.join("only-here"), "").unwrap();
    assert!(
        ground
            .try_git(&tree, &["add", "only-here"])
            .status
            .success()
    );
    ground.write(".git/info/exclude", "*.shared\n");
    let world = ground
        .machine
        .world(tree.to_str().unwrap(), tree.to_str().unwrap());
    let at = |name: &str| tree.join(name).to_str().unwrap().to_owned();
    assert_eq!(world.is_tracked(&at("only-here")), Some(true));
    assert_eq!(ground.tracked("only-here"), Some(false));
    assert_eq!(world.is_ignored(&at("x.shared")), Some(true));

    let expected = LinkedWorktree {
        root: tree.clone(),
        name: "tree".to_owned(),
        main_checkout: ground.project().to_owned(),
    };
    let machine = &ground.machine;
    assert_eq!(machine.linked_worktree(&tree), Some(expected.clone()));
    assert_eq!(
        machine.linked_worktree(&tree.join("folder")),
        Some(expected)
    );
    for other in ["", "sub", ".git", "nowhere"] {
        let folder = ground.project().join(other);
        assert_eq!(machine.linked_worktree(&folder), None, "{other}");
    }
    assert_eq!(machine.linked_worktree(Path::new("/")), None);

    // A worktree within the worktree's main checkout is found from its own folder.
    ground.git(&["worktree", "add", "-q", "inside/second"]);
    let inside = machine.linked_worktree(&ground.project().join("inside/second"));
    assert_eq!(inside.unwrap().name, "second");
    assert_eq!(ground.tracked("inside/second"), Some(true));
}

#[needs(git)]
#[test]
fn a_forged_worktree_is_none() {
    let ground = Ground::with_git();
    ground.commit();
    ground.git(&["worktree", "add", "-q", "../tree"]);
    let tree = ground.home().join("tree");
    let pointer = fs::read_to_string(tree.join(".git")).unwrap();
    assert!(ground.machine.linked_worktree(&tree).is_some());

    // Another folder that claims to be the same worktree.
    let copy = ground.home().join("copy");
    fs::create_dir_all(&copy).unwrap();
    fs::write(copy.join(".git"), &pointer).unwrap();
    assert_eq!(ground.machine.linked_worktree(&copy), None);
    // One that points to nothing, to the main checkout, or to a folder without a way back.
    let lonely = ground.home().join("fake/.git/worktrees/copy");
    fs::create_dir_all(&lonely).unwrap();
    fs::write(lonely.join("HEAD"), "ref: refs/heads/x\n").unwrap();
    let main = ground.path(".git");
    for target in ["/nowhere", &main, lonely.to_str().unwrap(), "", ".", "\0"] {
        fs::write(copy.join(".git"), format!("gitdir: {target}\n")).unwrap();
        assert_eq!(ground.machine.linked_worktree(&copy), None, "{target}");
    }
    // Even with a way back, if there is no main checkout behind it.
    fs::write(
        lonely.join("gitdir"),
        copy.join(".git").as_os_str().as_bytes(),
    )
    .unwrap();
    fs::write(lonely.join("commondir"), "../..\n").unwrap();
    fs::write(copy.join(".git"), format!("gitdir: {}\n", lonely.display())).unwrap();
    assert_eq!(ground.machine.linked_worktree(&copy), None);
    // Nor if the main checkout, whole as it is, lies within the worktree.
    let within = copy.join("main");
    fs::create_dir_all(&within).unwrap();
    fs::rename(ground.home().join("fake/.git"), within.join(".git")).unwrap();
    for (name, text) in [("HEAD", "ref: refs/heads/x\n"), ("config", "")] {
        fs::write(within.join(".git").join(name), text).unwrap();
    }
    for folder in ["objects", "refs"] {
        fs::create_dir_all(within.join(".git").join(folder)).unwrap();
    }
    let own = within.join(".git/worktrees/copy");
    fs::write(copy.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
    assert_eq!(ground.machine.linked_worktree(&copy), None);
    // Moved out of it, the same is one.
    let beside = ground.home().join("main");
    fs::rename(&within, &beside).unwrap();
    let own = beside.join(".git/worktrees/copy");
    fs::write(copy.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
    assert!(ground.machine.linked_worktree(&copy).is_some());
    // A worktree that git has forgotten.
    fs::remove_dir_all(ground.path(".git/worktrees/tree")).unwrap();
    assert_eq!(ground.machine.linked_worktree(&tree), None);
}

#[test]
fn links_are_seen_through() {
    let ground = Ground::new();
    ground.write(".env", "");
    fs::create_dir_all(ground.path("dist")).unwrap();
    symlink(ground.home(), ground.path("link")).unwrap();
    symlink(ground.home(), ground.path("dist/link")).unwrap();
    symlink(".env", ground.path("notes.txt")).unwrap();
    symlink(ground.home().join(".bashrc"), ground.path("profile")).unwrap();
    symlink("loop-b", ground.path("loop-a")).unwrap();
    symlink("loop-a", ground.path("loop-b")).unwrap();
    ground.write("plain.txt", "");
    assert_eq!(
        ground
            .world()
            .symlink_target(&ground.path("notes.txt"))
            .as_deref(),
        Some(".env")
    );
    assert_eq!(
        ground.world().symlink_target(&ground.path("plain.txt")),
        None
    );
    for (command, gravity) in [
        ("rm -rf link/", Gravity::Grave),
        ("rm -rf dist/link/", Gravity::Grave),
        ("rm -rf dist/link/documents", Gravity::Grave),
        ("rm -rf dist/link/*", Gravity::Grave),
        ("rm -rf dist/link/.", Gravity::Grave),
        ("rm -rf dist/link", Gravity::Harmless),
        ("rm -rf dist/*", Gravity::Harmless),
        ("rm -rf dist", Gravity::Harmless),
        ("cat plain.txt", Gravity::Harmless),
        ("ls loop-a", Gravity::Harmless),
        ("echo x > plain.txt", Gravity::Harmless),
        ("echo x > profile", Gravity::Doubtful),
        ("make | tee profile", Gravity::Doubtful),
        (": > profile", Gravity::Grave),
        ("truncate -s 0 profile", Gravity::Grave),
    ] {
        assert_eq!(ground.gravity(command), gravity, "{command}");
    }
    assert!(ground.gravity("cat notes.txt") > Gravity::Harmless);
    assert_eq!(ground.gravity("cat notes.txt"), ground.gravity("cat .env"));
}

#[needs(git)]
#[test]
fn what_git_tracks_is_no_output_and_what_it_ignores_is() {
    let ground = Ground::with_git();
    ground.write("out/x", "made");
    ground.write("generated/x", "made");
    ground.write(".gitignore", "out/\ngenerated/\n");
    for command in ["rm -rf out", "rm -rf generated"] {
        assert_eq!(ground.gravity(command), Gravity::Harmless, "{command}");
    }
    ground.git(&["add", "-f", "out/x", "generated/x"]);
    ground.write("out/x", "written by hand");
    ground.write("generated/x", "written by hand");
    for command in [
        "rm -rf out",
        "rm -rf generated",
        "cd out && cd .. && rm -rf out",
    ] {
        assert_eq!(ground.gravity(command), Gravity::Doubtful, "{command}");
    }
}

#[test]
fn a_home_behind_a_link_is_the_home() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap().join("volume/me");
    fs::create_dir_all(real.join("project/dist")).unwrap();
    let home = folder.path().join("me");
    symlink(&real, &home).unwrap();
    let machine = Machine::new(Some(home.clone()), Vec::new());
    let project = home.join("project");
    let world = machine.world(project.to_str().unwrap(), project.to_str().unwrap());
    assert_eq!(world.home(), real.to_str());
    assert_eq!(world.project_root(), real.join("project").to_str().unwrap());
    for (command, gravity) in [
        ("rm -rf dist".to_owned(), Gravity::Harmless),
        (
            format!("rm -rf {}/dist", project.display()),
            Gravity::Harmless,
        ),
        (format!("rm -rf {}/", home.display()), Gravity::Grave),
        ("rm -rf ~".to_owned(), Gravity::Grave),
    ] {
        assert_eq!(
            judge(&command, &world).verdict.gravity,
            gravity,
            "{command}"
        );
    }
}

#[test]
fn look_ups_are_counted() {
    let ground = Ground::new();
    symlink(ground.home(), ground.path("link")).unwrap();
    let world = ground.world();
    let link = ground.path("link");
    // What was seen once costs nothing more.
    for _ in 0..100 {
        let _ = world.is_tracked(&ground.path("same"));
    }
    assert!(!world.is_exhausted());
    assert!(world.symlink_target(&link).is_some());
    for number in 0..3_000 {
        let _ = world.symlink_target(&ground.path(&number.to_string()));
    }
    assert!(world.is_exhausted());
    symlink(ground.home(), ground.path("later")).unwrap();
    assert_eq!(world.symlink_target(&ground.path("later")), None);
    assert_eq!(world.is_tracked(&ground.path("unseen/x")), None);
    assert_eq!(world.is_ignored(&ground.path("unseen/x")), None);
    assert!(
        ground.world().symlink_target(&link).is_some(),
        "every world has its own budget"
    );
    let names = |count: usize| -> Vec<String> { (0..count).map(|it| format!("{it}/x")).collect() };
    assert_eq!(
        ground.gravity(&format!("wc -l {}", names(100).join(" "))),
        Gravity::Harmless
    );
    assert_eq!(
        ground.gravity(&format!("cat {} link/x", names(4_000).join(" "))),
        Gravity::Doubtful,
        "what cannot be looked at is asked about"
    );
}

#[needs(git)]
#[test]
fn nothing_waits_and_nothing_fails_on_strange_files() {
    let ground = Ground::with_git();
    ground.write("file", "");
    ground.git(&["add", "-A"]);
    let pipe = |name: &str| {
        let made = Command::new("mkfifo").arg(ground.path(name)).status();
        assert!(made.unwrap().success());
    };
    fs::create_dir_all(ground.path("odd/folder")).unwrap();
    pipe("odd/pipe");
    pipe("odd/.gitignore");
    assert_eq!(
        ground.world().symlink_target(&ground.path("odd/pipe")),
        None
    );
    assert_eq!(ground.tracked("odd/pipe"), Some(false));
    assert_eq!(ground.ignored("odd/pipe"), None, "its rules cannot be read");
    symlink(OsStr::from_bytes(b"\xff"), ground.path("lossy")).unwrap();
    assert_eq!(
        ground
            .world()
            .symlink_target(&ground.path("lossy"))
            .as_deref(),
        Some("\u{fffd}")
    );
    // Git does not follow a link to its rules.
    ground.write("linked/rules", "*\n");
    symlink("rules", ground.path("linked/.gitignore")).unwrap();
    assert_eq!(ground.ignored("linked/x"), Some(false));
    assert!(ground.git_ignores(&["linked/x"]).is_empty());
    // Beyond a link lies another place.
    symlink("odd", ground.path("way")).unwrap();
    assert_eq!(ground.tracked("way/file"), None);
    fs::create_dir_all(ground.path("closed/inner")).unwrap();
    fs::set_permissions(ground.path("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let _ = (
        ground.tracked("closed/inner/x"),
        ground.ignored("closed/inner/x"),
    );
    fs::set_permissions(ground.path("closed"), fs::Permissions::from_mode(0o700)).unwrap();
    fs::remove_file(ground.path(".git/index")).unwrap();
    pipe(".git/index");
    assert_eq!(ground.tracked("file"), None);
}

#[test]
fn the_environment_stays_untold() {
    let ground = Ground::new();
    let world = ground.world();
    for name in ["PATH", "HOME", "PWD", "CARGO_MANIFEST_DIR", "USER"] {
        assert_eq!(world.variable(name), None, "{name}");
    }
    let machine = Machine::from_env();
    let world = machine.world("/", "/");
    for name in ["PATH", "CARGO_MANIFEST_DIR", "CARGO_PKG_NAME"] {
        assert_eq!(world.variable(name), None, "{name}");
    }
    // A program is judged where it runs, so `$PWD` must not be that of the judge.
    fs::create_dir_all(ground.path("dist/deep")).unwrap();
    assert_eq!(
        ground.gravity("cd dist/deep && rm -rf $PWD"),
        Gravity::Harmless
    );
    assert_eq!(ground.gravity("cd ~ && rm -rf $PWD"), Gravity::Grave);
}
