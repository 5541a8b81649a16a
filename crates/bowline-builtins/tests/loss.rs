//! What would be lost decides: a project with a history, an agent that works in it, and a person beside it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

#[path = "loss/backups.rs"]
mod backups;
#[path = "loss/beside.rs"]
mod beside;
#[path = "loss/code.rs"]
mod code;
#[path = "loss/copies.rs"]
mod copies;
#[path = "loss/failing.rs"]
mod failing;
#[path = "loss/git_lines.rs"]
mod git_lines;
#[path = "loss/ground.rs"]
mod ground;
#[path = "loss/ignored.rs"]
mod ignored;
#[path = "loss/listings.rs"]
mod listings;
#[path = "loss/owners.rs"]
mod owners;
#[path = "loss/reach.rs"]
mod reach;
#[path = "loss/rebase.rs"]
mod rebase;
#[path = "loss/rescue.rs"]
mod rescue;
#[path = "loss/saved.rs"]
mod saved;
#[path = "loss/scripts.rs"]
mod scripts;
#[path = "loss/searches.rs"]
mod searches;
#[path = "loss/writers.rs"]
mod writers;

use bowline::hooks::Decision::{self, Ask, Deny, NoOpinion as Pass};
use bowline_testkit::needs;
use ground::Ground;
use ground::Op::{self, Append, Commit, Delete, Folder, Git, Ignore, Link, Move};
use ground::Step::{self, Bash, Edit, Elsewhere, Person, Read, Refused};
use serde_json::json;

struct Case {
    /// What is there before the session.
    setup: Vec<Op>,
    steps: Vec<Step>,
    command: &'static str,
    decision: Decision,
}

fn case(setup: Vec<Op>, steps: Vec<Step>, command: &'static str, decision: Decision) -> Case {
    Case {
        setup,
        steps,
        command,
        decision,
    }
}

fn put(name: &'static str) -> Op {
    Op::Write(name, "somebody wrote this\n")
}

/// The agent runs something that leaves a file behind.
fn makes(command: &'static str, name: &'static str) -> Step {
    Bash(command, vec![Op::Write(name, "made by a program\n")])
}

const FIX: &[&str] = &["worktree", "add", "-q", "-b", "fix", "../fix"];

/// The agent makes a further work tree beside the project.
fn makes_worktree() -> Step {
    Bash("git worktree add -b fix ../fix", vec![Git(FIX)])
}

async fn play(cases: Vec<Case>) {
    play_on(Ground::with_history, cases).await;
}

async fn play_on(start: fn() -> Ground, cases: Vec<Case>) {
    let mut wrong = Vec::new();
    for case in cases {
        let mut ground = start();
        for op in &case.setup {
            ground.perform(op);
        }
        ground.person(&[]);
        for step in &case.steps {
            ground.step(step).await;
        }
        let (decision, reason) = ground.judge_command(case.command).await;
        if decision != case.decision {
            wrong.push(format!(
                "{} after {:?} {:?}: {decision:?} rather than {:?} ({reason})",
                case.command, case.setup, case.steps, case.decision
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[needs(git)]
#[tokio::test]
async fn own_files_may_go_and_those_of_others_may_not() {
    play(vec![
        case(vec![], vec![Step::Write("repro.py")], "rm repro.py", Pass),
        case(
            vec![],
            vec![Step::Write("repro.py")],
            "rm -f ./repro.py && ls",
            Pass,
        ),
        case(vec![put("ideas.md")], vec![], "rm ideas.md", Ask),
        case(
            vec![put("ideas.md")],
            vec![Step::Write("repro.py")],
            "rm repro.py ideas.md",
            Ask,
        ),
        case(
            vec![],
            vec![makes("python gen.py", "out/result.dat")],
            "rm -rf out",
            Pass,
        ),
        case(
            vec![],
            vec![makes("pytest -q", "test.sqlite3")],
            "rm test.sqlite3",
            Pass,
        ),
        case(
            vec![],
            vec![
                Bash("ls", vec![]),
                Person(vec![put("sketch.py")]),
                Bash("ls", vec![]),
            ],
            "rm sketch.py",
            Ask,
        ),
        case(
            vec![],
            vec![Step::Write("plan.md"), Person(vec![Append("plan.md")])],
            "rm plan.md",
            Ask,
        ),
        case(
            vec![],
            vec![Refused("local.json"), Person(vec![put("local.json")])],
            "rm local.json",
            Ask,
        ),
        case(vec![], vec![Elsewhere("theirs.py")], "rm theirs.py", Ask),
        case(
            vec![put("ideas.md")],
            vec![Bash("cp ideas.md copy.md", vec![put("copy.md")])],
            "rm copy.md",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![Bash("echo x >> ideas.md", vec![Append("ideas.md")])],
            "rm ideas.md",
            Ask,
        ),
        case(
            vec![put("ideas.md")],
            vec![Bash(
                "mv ideas.md later.md",
                vec![Move("ideas.md", "later.md")],
            )],
            "rm later.md",
            Ask,
        ),
        case(
            vec![],
            vec![
                Step::Write("a.py"),
                Bash("mv a.py b.py", vec![Move("a.py", "b.py")]),
            ],
            "rm b.py",
            Pass,
        ),
        case(
            vec![],
            vec![makes("wget -q https://x.example/a.bin", "a.bin")],
            "rm a.bin",
            Pass,
        ),
        case(
            vec![],
            vec![Bash("ln -s src shortcut", vec![Link("src", "shortcut")])],
            "rm shortcut",
            Pass,
        ),
        case(
            vec![put("play/idea.py")],
            vec![Step::Write("play/a.py")],
            "rm -rf play",
            Ask,
        ),
        case(
            vec![],
            vec![Step::Write("play/a.py"), Step::Write("play/b/c.py")],
            "rm -rf play",
            Pass,
        ),
        case(
            vec![],
            vec![Step::Write("a.py")],
            "python3 -c \"import os; os.remove('a.py')\"",
            Pass,
        ),
        case(vec![put("ideas.md")], vec![], "bash -c 'rm ideas.md'", Ask),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn what_git_holds_or_what_is_not_there_is_no_loss() {
    play(vec![
        case(vec![], vec![], "rm src/nosuch.py", Pass),
        case(vec![], vec![], "rm -rf nowhere", Pass),
        case(vec![], vec![], "rm src/util.py", Pass),
        case(vec![], vec![], "rm -rf docs", Pass),
        case(vec![], vec![], "git rm -r -q docs", Pass),
        case(vec![], vec![], "cd docs && rm -rf *", Pass),
        case(
            vec![put("docs/interview.md")],
            vec![],
            "cd docs && rm -rf *",
            Ask,
        ),
        case(vec![Append("src/util.py")], vec![], "rm src/util.py", Ask),
        case(vec![Append("docs/api.md")], vec![], "rm -rf docs", Ask),
        case(vec![], vec![], "> src/util.py", Pass),
        case(
            vec![
                Append("src/util.py"),
                Git(&["update-index", "--assume-unchanged", "src/util.py"]),
            ],
            vec![],
            "rm src/util.py",
            Ask,
        ),
        case(
            vec![put("new.py"), Git(&["add", "new.py"])],
            vec![],
            "rm new.py",
            Pass,
        ),
        case(
            vec![put("new.py"), Git(&["add", "new.py"])],
            vec![],
            "rm new.py && git add -A",
            Ask,
        ),
        case(
            vec![put("new.py"), Git(&["add", "new.py"])],
            vec![],
            "git rm -f -q new.py",
            Ask,
        ),
        case(
            vec![put("new.py"), Git(&["add", "new.py"])],
            vec![],
            "git rm --cached -q new.py",
            Pass,
        ),
        case(vec![Folder("empty")], vec![], "rm -rf empty", Pass),
        case(
            vec![
                Git(&["checkout", "-q", "-b", "next"]),
                Append("src/main.py"),
                Commit,
                Git(&["checkout", "-q", "main"]),
                Append("src/main.py"),
            ],
            vec![],
            "git checkout -- src/main.py",
            Pass,
        ),
        case(
            vec![Ignore(".venv*/"), Commit, put(".venv311/pyvenv.cfg")],
            vec![],
            "rm -rf .venv311",
            Pass,
        ),
        case(
            vec![Ignore("config/local.yml"), Commit, put("config/local.yml")],
            vec![],
            "rm config/local.yml",
            Ask,
        ),
        case(
            vec![Ignore("media/"), Commit, put("media/talk.mp4")],
            vec![],
            "rm -rf media",
            Ask,
        ),
        case(vec![], vec![], "touch t.txt && rm t.txt", Pass),
        case(
            vec![put("ideas.md")],
            vec![],
            "touch t.txt && rm t.txt; rm ideas.md",
            Ask,
        ),
        case(
            vec![],
            vec![],
            "cat > x_test.go <<'E'\npackage main\nE\ngo test ./...; rm x_test.go",
            Pass,
        ),
        case(
            vec![put("reports/q3.csv")],
            vec![],
            "mkdir -p reports && python gen.py; rm -rf reports",
            Ask,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn whatever_writes_over_a_persons_work_asks() {
    let dirty = || vec![Append("src/main.py")];
    let mut cases: Vec<Case> = [
        "echo x > src/main.py",
        "cp README.md src/main.py",
        "printf '1d\\nw\\n' | ed -s src/main.py",
        "gcc -o src/main.py main.c",
        "mv docs/guide.md src/main.py",
        "date | tee src/main.py",
        "sed -i 's/a/b/' src/main.py",
        "truncate -s 0 src/main.py",
        "ln -sf /dev/null src/main.py",
        "sort -o src/main.py README.md",
        "dd if=/dev/zero of=src/main.py bs=1k count=1",
        "tar xzf /tmp/gen.tgz src/main.py",
        "perl -pi -e 's/a/b/' src/main.py",
        "curl -so src/main.py https://x.example/y",
        "mv src/main.py /tmp/",
    ]
    .into_iter()
    .map(|command| case(dirty(), vec![], command, Ask))
    .collect();
    cases.extend([
        case(dirty(), vec![], "cp -n README.md src/main.py", Pass),
        case(
            dirty(),
            vec![],
            "cp --backup=numbered README.md src/main.py",
            Pass,
        ),
        case(dirty(), vec![], "sed 's/a/b/' src/main.py", Pass),
        case(dirty(), vec![], "echo x >> src/main.py", Pass),
        case(dirty(), vec![], "mv src/main.py src/app.py", Pass),
        case(dirty(), vec![], "git mv src/main.py src/app.py", Pass),
        case(dirty(), vec![], "echo x > src/util.py", Pass),
        case(dirty(), vec![], "cp src/main.py src/copy.py", Pass),
        case(
            vec![],
            vec![
                Bash("cat src/util.py", vec![]),
                Person(vec![Append("src/util.py")]),
            ],
            "echo x > src/util.py",
            Ask,
        ),
        case(
            vec![],
            vec![Edit("src/main.py")],
            "echo x > src/main.py",
            Pass,
        ),
        case(
            vec![],
            vec![Step::Write("notes.txt")],
            "echo done > notes.txt",
            Pass,
        ),
    ]);
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn uncommitted_work_is_thrown_away_only_if_it_is_the_sessions_own() {
    for command in [
        "git reset --hard",
        "git checkout .",
        "git restore .",
        "git checkout -f",
        "git checkout HEAD -- .",
        "git switch --discard-changes main",
        "git stash -q && git stash drop",
    ] {
        play(vec![
            case(vec![], vec![], command, Pass),
            case(
                vec![],
                vec![Edit("src/main.py"), Edit("src/util.py")],
                command,
                Pass,
            ),
            case(vec![Append("README.md")], vec![], command, Deny),
            case(
                vec![Append("README.md")],
                vec![Edit("src/main.py")],
                command,
                Deny,
            ),
            case(
                vec![],
                vec![Edit("src/main.py"), Person(vec![Append("src/main.py")])],
                command,
                Deny,
            ),
        ])
        .await;
    }
    play(vec![
        case(
            vec![Append("docs/guide.md")],
            vec![],
            "git checkout -- docs/api.md",
            Pass,
        ),
        case(
            vec![Append("docs/guide.md")],
            vec![],
            "git checkout -- docs/api.md docs/guide.md",
            Ask,
        ),
        case(
            vec![Append("docs/guide.md")],
            vec![],
            "git checkout -- '*.md'",
            Ask,
        ),
        case(
            vec![Append("docs/guide.md")],
            vec![],
            "git checkout -- '*.toml'",
            Pass,
        ),
        case(
            vec![Append("docs/guide.md")],
            vec![],
            "git restore src/",
            Pass,
        ),
        case(
            vec![],
            vec![
                Edit("src/main.py"),
                Bash("git add src", vec![Git(&["add", "src"])]),
            ],
            "git checkout HEAD -- src/main.py",
            Pass,
        ),
        case(
            vec![Append("src/main.py")],
            vec![
                Read("src/main.py"),
                Edit("src/main.py"),
                Person(vec![Commit]),
                Edit("src/main.py"),
            ],
            "git checkout -- src/main.py",
            Pass,
        ),
        case(
            vec![Append("src/main.py")],
            vec![],
            "git stash && git reset --hard && git stash pop",
            Pass,
        ),
        case(vec![put("ideas.md")], vec![], "git reset --hard", Pass),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn untracked_files_are_cleaned_only_if_nobody_misses_them() {
    play(vec![
        case(vec![], vec![], "git clean -fd", Pass),
        case(vec![], vec![Step::Write("repro.py")], "git clean -fd", Pass),
        case(vec![put("ideas.md")], vec![], "git clean -fd", Deny),
        case(
            vec![put("ideas.md")],
            vec![Step::Write("repro.py")],
            "git clean -fd -e ideas.md",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "git clean -fd -e other.md",
            Deny,
        ),
        case(
            vec![put("reports/q3.csv")],
            vec![],
            "git clean -fd reports/",
            Ask,
        ),
        case(vec![put("reports/q3.csv")], vec![], "git clean -f", Pass),
        case(
            vec![Ignore("dist/"), Commit, put("dist/app.js")],
            vec![],
            "git clean -fdX",
            Pass,
        ),
        case(
            vec![Ignore(".env"), Commit, put(".env")],
            vec![],
            "git clean -fdx",
            Deny,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "git add -A && git commit -qm x && git clean -fd",
            Pass,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn stashes_branches_commits_and_worktrees_are_held_or_own() {
    let stash = || vec![Append("src/main.py"), Git(&["stash", "-q"])];
    let own_stash = || {
        vec![
            Edit("src/util.py"),
            Bash("git stash", vec![Git(&["stash", "-q"])]),
        ]
    };
    let feature = || {
        vec![
            Git(&["checkout", "-q", "-b", "feature"]),
            Append("README.md"),
            Commit,
            Git(&["checkout", "-q", "main"]),
        ]
    };
    let with = |mut ops: Vec<Op>, more: Op| {
        ops.push(more);
        ops
    };
    play(vec![
        case(vec![], vec![], "git stash drop", Pass),
        case(stash(), vec![], "git stash drop", Deny),
        case(stash(), vec![], "git stash clear", Deny),
        case(stash(), own_stash(), "git stash drop", Pass),
        case(stash(), own_stash(), "git stash drop stash@{1}", Deny),
        case(stash(), own_stash(), "git stash clear", Deny),
        case(with(stash(), Git(&["branch", "keep", "stash@{0}"])), vec![], "git stash drop", Pass),
        case(with(stash(), Git(&["stash", "apply", "-q"])), vec![], "git stash drop", Pass),
        case(stash(), vec![], "git stash && git stash drop", Deny),
        case(vec![Append("src/main.py")], vec![], "git stash push && git stash apply && git stash drop", Pass),
        case(vec![Git(&["branch", "idle"])], vec![], "git branch -D idle", Pass),
        case(feature(), vec![], "git branch -D feature", Deny),
        case(with(feature(), Git(&["merge", "-q", "feature"])), vec![], "git branch -D feature", Pass),
        case(with(feature(), Git(&["branch", "topic", "feature"])), vec![], "git branch -D feature", Pass),
        case(
            vec![],
            vec![
                Bash("git checkout -q -b spike", vec![Git(&["checkout", "-q", "-b", "spike"])]),
                Edit("src/main.py"),
                Bash("git commit -qam spike", vec![Commit]),
                Bash("git checkout -q main", vec![Git(&["checkout", "-q", "main"])]),
            ],
            "git branch -D spike",
            Pass,
        ),
        case(
            vec![Append("README.md")],
            vec![Bash(
                "git checkout -q -b spike && git commit -qam spike && git checkout -q main",
                vec![Git(&["checkout", "-q", "-b", "spike"]), Commit, Git(&["checkout", "-q", "main"])],
            )],
            "git branch -D spike",
            Deny,
        ),
        case(vec![], vec![], "git checkout -q -b try && pytest -q; git checkout -q main && git branch -D try", Pass),
        case(
            vec![Append("src/main.py")],
            vec![],
            "git checkout -q -b save && git commit -qam save && git checkout -q main && git branch -D save",
            Deny,
        ),
        case(vec![Append("README.md"), Commit], vec![], "git reset --hard HEAD~1", Ask),
        case(vec![Append("README.md"), Commit, Git(&["branch", "backup"])], vec![], "git reset --hard HEAD~1", Pass),
        case(vec![Append("README.md"), Commit], vec![], "git branch backup && git reset --hard HEAD~1", Pass),
        case(
            vec![],
            vec![Edit("src/main.py"), Bash("git commit -qam x", vec![Commit])],
            "git reset --hard HEAD~1",
            Pass,
        ),
        case(vec![Git(&["tag", "v1"])], vec![], "git tag -d v1", Pass),
        case(vec![Git(&["tag", "v1"])], vec![], "git tag -f v1 main", Pass),
        case(
            vec![Git(&["switch", "-q", "-c", "side"]), put("a.md"), Commit, Git(&["tag", "t"]), Git(&["switch", "-q", "main"]), Git(&["branch", "-q", "-D", "side"])],
            vec![],
            "git tag -f t main",
            Ask,
        ),
        case(vec![put("prod.sqlite3")], vec![], "sqlite3 prod.sqlite3 'DROP TABLE users;'", Ask),
        case(vec![put("prod.sqlite3")], vec![], "sqlite3 prod.sqlite3 'SELECT 1;'", Pass),
        case(vec![], vec![makes("pytest -q", "prod.sqlite3")], "sqlite3 prod.sqlite3 'DROP TABLE users;'", Pass),
        case(vec![Git(&["worktree", "add", "-q", "-b", "fix", ".trees/fix"])], vec![], "git worktree remove --force .trees/fix", Pass),
        case(vec![], vec![makes_worktree()], "rm -rf ../fix && git worktree prune", Pass),
        case(
            vec![],
            vec![makes_worktree(), makes("echo x > ../fix/notes.md", "../fix/notes.md")],
            "rm -rf ../fix",
            Pass,
        ),
        case(
            vec![],
            vec![makes_worktree(), Person(vec![Append("../fix/src/main.py")])],
            "rm -rf ../fix",
            Deny,
        ),
        case(vec![], vec![makes_worktree(), Person(vec![put("../fix/ideas.md")])], "rm -rf ../fix", Deny),
        case(vec![], vec![Person(vec![Git(FIX)])], "rm -rf ../fix", Deny),
        case(vec![], vec![makes_worktree()], "rm -rf ../fix ../other", Deny),
        case(
            vec![Git(&["worktree", "add", "-q", "-b", "fix", "../fix"]), Append("../fix/src/main.py")],
            vec![],
            "git worktree remove --force ../fix",
            Deny,
        ),
        case(vec![Delete("docs/api.md")], vec![], "git reset --hard", Pass),
        // What is moved by git keeps its owner, too.
        case(
            vec![Append("src/main.py")],
            vec![Bash("git mv src/main.py src/app.py", vec![Git(&["mv", "src/main.py", "src/app.py"])])],
            "rm src/app.py",
            Ask,
        ),
        // A file that git does not track is in the way of a commit that has one of its name.
        case(
            with(feature(), Op::Write("README.md", "mine\n")),
            vec![Bash("git rm -q --cached README.md", vec![Git(&["rm", "-q", "--cached", "README.md"])])],
            "git reset --hard feature",
            Deny,
        ),
        case(vec![put("ideas.md")], vec![], "git add -A && git reset --hard", Deny),
        case(vec![Append("src/main.py")], vec![], "git checkout src", Ask),
        case(vec![Append("src/main.py")], vec![], "git checkout main", Pass),
        case(vec![put("bad.md")], vec![], "rm $'b\\xffd.md'", Ask),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_tool_writes_over_what_it_has_read_or_what_git_has() {
    let dirty = || vec![Append("src/main.py")];
    for (setup, steps, tool, name, decision) in [
        (vec![], vec![], "Write", "src/main.py", Pass),
        (vec![], vec![], "Write", "new.py", Pass),
        (dirty(), vec![], "Write", "src/main.py", Ask),
        (
            dirty(),
            vec![Read("src/main.py")],
            "Write",
            "src/main.py",
            Pass,
        ),
        (
            dirty(),
            vec![Read("src/main.py")],
            "Edit",
            "src/main.py",
            Pass,
        ),
        (
            dirty(),
            vec![Read("src/main.py"), Person(vec![Append("src/main.py")])],
            "Write",
            "src/main.py",
            Ask,
        ),
        (
            vec![put("ideas.md")],
            vec![Read("ideas.md")],
            "Edit",
            "ideas.md",
            Pass,
        ),
        (
            vec![],
            vec![Edit("src/main.py")],
            "Edit",
            "src/main.py",
            Pass,
        ),
        (
            vec![Link("src/main.py", "now.py"), Append("src/main.py")],
            vec![],
            "Write",
            "now.py",
            Ask,
        ),
    ] {
        let mut ground = Ground::with_history();
        for op in &setup {
            ground.perform(op);
        }
        ground.person(&[]);
        for step in &steps {
            ground.step(step).await;
        }
        let (found, reason) = ground.judge_tool(tool, name).await;
        assert_eq!(
            found, decision,
            "{tool} {name} after {setup:?} {steps:?}: {reason}"
        );
    }
}

/// A path is as good as another one of the same file.
#[needs(git)]
#[tokio::test]
async fn a_file_that_was_read_is_known_by_any_of_its_paths() {
    for (read, written, decision) in [
        (Step::ReadAs("ideas.md"), "ideas.md", Pass),
        (Step::ReadAs("./ideas.md"), "ideas.md", Pass),
        (Step::ReadAs("ideas.md"), "docs/../ideas.md", Pass),
        (Step::ReadAs("docs/../ideas.md"), "ideas.md", Pass),
        (Step::ReadAs("notes.md"), "ideas.md", Ask),
        (Step::ReadUnnumbered("ideas.md"), "ideas.md", Pass),
        (Step::ReadUnnumbered("notes.md"), "ideas.md", Ask),
    ] {
        let mut ground = Ground::with_history();
        ground.perform(&put("ideas.md"));
        ground.perform(&put("notes.md"));
        ground.person(&[]);
        ground.step(&read).await;
        let input = json!({"file_path": written, "content": "x"});
        let (found, reason) = ground.judge("Write", input).await;
        assert_eq!(found, decision, "{written} after {read:?}: {reason}");
        ground.step(&Read("notes.md")).await;
        let input = json!({"file_path": ground.project().join("notes.md"), "content": "x"});
        let (found, reason) = ground.judge("Write", input).await;
        assert_eq!(found, Pass, "{reason}");
    }
}

/// Who names what goes has it; an empty text names nothing, and stands for the whole file.
#[needs(git)]
#[tokio::test]
async fn an_edit_takes_what_it_names() {
    let edit = |old: &str| json!({"old_string": old, "new_string": "b"});
    for (tool, fields, name, decision) in [
        ("Edit", edit("a"), "ideas.md", Pass),
        ("Edit", edit(""), "ideas.md", Ask),
        ("Edit", edit(""), "new.md", Pass),
        (
            "MultiEdit",
            json!({"edits": [edit("a"), edit("b")]}),
            "ideas.md",
            Pass,
        ),
        (
            "MultiEdit",
            json!({"edits": [edit("a"), edit("")]}),
            "ideas.md",
            Ask,
        ),
    ] {
        let mut ground = Ground::with_history();
        ground.perform(&put("ideas.md"));
        ground.person(&[]);
        let mut input = fields.clone();
        let file = ground.project().join(name);
        input["file_path"] = file.to_str().unwrap().into();
        let (found, reason) = ground.judge(tool, input).await;
        assert_eq!(found, decision, "{tool} {fields} of {name}: {reason}");
    }
}

#[tokio::test]
async fn without_git_only_what_the_session_made_may_go() {
    for (steps, command, decision) in [
        (vec![], "rm notes.md", Ask),
        (vec![], "cp notes.md chapter.md", Ask),
        (vec![Step::Write("convert.py")], "rm convert.py", Pass),
        (vec![Read("notes.md"), Edit("notes.md")], "rm notes.md", Ask),
    ] {
        let mut ground = Ground::new();
        for name in ["notes.md", "chapter.md"] {
            ground.perform(&put(name));
        }
        ground.person(&[]);
        for step in &steps {
            ground.step(step).await;
        }
        let (found, reason) = ground.judge_command(command).await;
        assert_eq!(found, decision, "{command} after {steps:?}: {reason}");
    }
}
