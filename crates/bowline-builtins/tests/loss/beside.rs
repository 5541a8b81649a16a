//! A person works beside the agent, also while its calls run; and lines whose parts rely on each other.

use bowline::hooks::Decision::{Ask, Deny, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Op::{Append, Git};
use super::ground::Step::{Bash, Person, Write};
use super::{case, play, put};

#[needs(git)]
#[tokio::test]
async fn what_changes_while_tests_run_is_a_persons() {
    let during = |command: &'static str| vec![Bash(command, vec![Append("src/main.py")])];
    for command in [
        "cargo test",
        "pytest -q",
        "git status",
        "ls",
        "npm run build",
    ] {
        play(vec![
            case(vec![], during(command), "git checkout .", Deny),
            case(vec![], during(command), "echo x > src/main.py", Ask),
        ])
        .await;
    }
    play(vec![
        case(
            vec![],
            vec![Bash("ls", vec![put("sketch.md")])],
            "rm sketch.md",
            Ask,
        ),
        case(
            vec![],
            vec![
                Write("a.py"),
                Person(vec![]),
                Bash("pytest", vec![Append("a.py")]),
            ],
            "rm a.py",
            Ask,
        ),
        // What tests leave behind is theirs.
        case(
            vec![],
            vec![Bash("pytest", vec![put("result.dat")])],
            "rm result.dat",
            Pass,
        ),
        case(
            vec![],
            vec![Write("a.py"), Bash("python3 fmt.py", vec![Append("a.py")])],
            "rm a.py",
            Pass,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_copy_that_the_session_made_holds_the_work() {
    let copied = || Bash("cp ideas.md ideas.md.bak", vec![put("ideas.md.bak")]);
    play(vec![
        case(
            vec![put("ideas.md")],
            vec![copied()],
            "echo x > ideas.md",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "cp ideas.md b.md && echo x > ideas.md",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![
                copied(),
                Bash(
                    "echo x > ideas.md",
                    vec![super::Op::Write("ideas.md", "x\n")],
                ),
            ],
            "rm ideas.md.bak",
            Ask,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn links_of_the_same_line_are_followed() {
    let theirs = || vec![put("notes/n.md"), put("ideas.md")];
    for (command, decision) in [
        ("ln -s notes l; rm -rf l/*", Ask),
        ("ln -s notes l; echo x > l/n.md", Ask),
        ("ln -s ideas.md l && echo x > l", Ask),
        ("ln ideas.md hard && : > hard", Ask),
        ("ln -s notes l; rm l", Pass),
        ("ln -s notes l; ls l", Pass),
    ] {
        play(vec![case(theirs(), vec![], command, decision)]).await;
    }
}

#[needs(git)]
#[tokio::test]
async fn what_holds_work_is_not_let_go_of_on_the_way() {
    let applied = || {
        vec![
            Append("src/main.py"),
            Git(&["stash", "-q"]),
            Git(&["stash", "apply", "-q"]),
        ]
    };
    let staged = || vec![put("ideas.md"), Git(&["add", "ideas.md"])];
    for (setup, command) in [
        (applied(), "git stash drop && git checkout ."),
        (applied(), "git checkout . && git stash drop"),
        (applied(), "git stash drop; git reset --hard"),
        (staged(), "git reset -q; rm ideas.md"),
        (staged(), "git rm --cached ideas.md && rm ideas.md"),
        (staged(), "git restore --staged ideas.md && rm ideas.md"),
        (staged(), "git reset --merge"),
        (
            vec![put("ideas.md")],
            "git add -A; git reset; git clean -fd",
        ),
        (vec![Append("src/main.py")], "git checkout --theirs ."),
    ] {
        let mut ground = super::Ground::with_history();
        for op in &setup {
            ground.perform(op);
        }
        ground.person(&[]);
        let (decision, _) = ground.judge_command(command).await;
        assert!(decision >= Ask, "{command}: {decision:?}");
    }
    play(vec![
        case(applied(), vec![], "git stash drop", Pass),
        case(
            vec![],
            vec![Write("a.py")],
            "git add a.py && git reset -q && rm a.py",
            Pass,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn files_that_hold_a_text_are_edited() {
    let dirty = || vec![Append("src/main.py")];
    for (command, decision) in [
        ("grep -rl text src | xargs sed -i s/text/word/", Ask),
        ("grep -rl idea src | xargs sed -i s/idea/thought/", Ask),
        ("rg -l idea | xargs sed -i s/idea/thought/", Ask),
        ("grep -rl nowhere src | xargs sed -i s/nowhere/here/", Pass),
        ("grep -rl first docs | xargs sed -i s/first/last/", Pass),
    ] {
        play(vec![case(dirty(), vec![], command, decision)]).await;
    }
}
