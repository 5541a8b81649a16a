//! What holds work counts only if it outlives the line: a copy, a stash, another name of the file.

use bowline::hooks::Decision::{Ask, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Ground;
use super::ground::Op::{self, Append, Commit, Git, HardLink, Ignore, Move};
use super::ground::Step::{self, Bash, Person};
use super::{case, play, put};

/// Each of the commands is stopped after the same steps.
async fn stopped(setup: &[Op], steps: &[Step], commands: &[&str]) {
    let mut passed = Vec::new();
    for command in commands {
        let mut ground = Ground::with_history();
        for op in setup {
            ground.perform(op);
        }
        ground.person(&[]);
        for step in steps {
            ground.step(step).await;
        }
        let (decision, reason) = ground.judge_command(command).await;
        if decision < Ask {
            passed.push(format!("{command}: {decision:?} ({reason})"));
        }
    }
    assert!(passed.is_empty(), "after {steps:?}\n{}", passed.join("\n"));
}

fn copied(command: &'static str, to: &'static str) -> Vec<Step> {
    vec![Bash(command, vec![put(to)])]
}

#[needs(git)]
#[tokio::test]
async fn a_copy_that_goes_in_the_same_line_holds_nothing() {
    let notes = [put("notes.md"), put("p2.md")];
    let kept = || copied("cp notes.md notes.md.bak", "notes.md.bak");
    stopped(
        &notes[..1],
        &kept(),
        &[
            "rm notes.md notes.md.bak",
            "rm notes.md.bak notes.md",
            "rm -rf notes.md*",
            "git clean -fd",
            "find . -name 'notes*' -delete",
            "echo > notes.md; rm notes.md.bak",
            "rm notes.md; rm notes.md.bak",
            "rm notes.md; mv docs/api.md notes.md.bak",
            "cp docs/api.md notes.md.bak; rm notes.md",
            "sed -i d notes.md.bak && rm notes.md",
            "mv notes.md.bak k; rm k; rm notes.md",
        ],
    )
    .await;
    stopped(
        &notes[..1],
        &copied("mkdir bk; cp notes.md bk/", "bk/notes.md"),
        &["rm -rf notes.md bk", "rm -rf bk && rm notes.md"],
    )
    .await;
    stopped(
        &[Append("src/main.py")],
        &[Bash(
            "cp src/main.py src/main.py.bak",
            vec![Op::Write(
                "src/main.py.bak",
                "the first text\nhalf an idea\n",
            )],
        )],
        &[
            "git checkout . && rm src/main.py.bak",
            "git reset --hard; rm src/main.py.bak",
        ],
    )
    .await;
    stopped(
        &[Ignore("target/"), Commit, put("notes.md")],
        &copied("mkdir target; cp notes.md target/", "target/notes.md"),
        &[
            "rm notes.md; rm -rf target",
            "rm -rf target; rm notes.md",
            "cargo clean; rm notes.md",
            "rm notes.md && cargo clean",
        ],
    )
    .await;
    stopped(
        &notes,
        &[],
        &[
            "cp notes.md k; rm k; rm notes.md",
            "cp notes.md k && echo x > k && rm notes.md",
            "cp notes.md k && rm notes.md && mv p2.md k",
            "cp notes.md k && rm notes.md && echo x > k",
            "cp notes.md k && rm notes.md && find . -name k -delete",
            "cp notes.md n2.md && rm n*.md",
            "cp notes.md k && rm notes.md && mv k j && rm j",
        ],
    )
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_copy_that_is_left_holds_the_work() {
    let kept = || copied("cp notes.md notes.md.bak", "notes.md.bak");
    let cases = [
        "rm notes.md",
        "rm notes.md.bak",
        "mv notes.md.bak old.md && rm notes.md",
        "mv notes.md new.md && rm notes.md.bak",
        "cp notes.md two.md && rm notes.md.bak && rm notes.md",
        "git clean -fd -e notes.md.bak",
        "rm notes.md && git checkout .",
    ];
    let cases = cases.map(|it| case(vec![put("notes.md")], kept(), it, Pass));
    play(cases.into_iter().collect()).await;
    let lines = [
        "cp notes.md k && cp notes.md j && rm notes.md && rm k",
        "cp notes.md k && rm notes.md && mv k j",
        "cp notes.md k && rm notes.md && rm -rf build",
        "cp notes.md k && rm k",
    ];
    let lines = lines.map(|it| case(vec![put("notes.md")], vec![], it, Pass));
    play(lines.into_iter().collect()).await;
}

#[needs(git)]
#[tokio::test]
async fn a_stash_that_the_line_drops_holds_nothing() {
    let work = [put("notes.md"), Append("src/main.py")];
    let applied = [
        Bash("git stash -u", vec![Git(&["stash", "-q", "-u"])]),
        Bash("git stash apply", vec![Git(&["stash", "apply", "-q"])]),
    ];
    stopped(
        &work,
        &applied,
        &[
            "rm notes.md && git stash drop",
            "echo x > notes.md && git stash drop",
            "git clean -fd && git stash drop",
            "git stash drop; git clean -fd",
            "rm notes.md src/main.py && git stash clear",
        ],
    )
    .await;
    stopped(
        &work,
        &applied[..1],
        &["git stash apply && rm notes.md && git stash drop"],
    )
    .await;
    stopped(
        &work,
        &[],
        &["git stash -u && git stash apply && rm notes.md && git stash drop"],
    )
    .await;
    let passing = [
        "git stash drop",
        "rm notes.md",
        "rm other.md && git stash drop",
    ];
    let passing = passing.map(|it| case(work.to_vec(), applied.to_vec(), it, Pass));
    play(passing.into_iter().collect()).await;
}

#[needs(git)]
#[tokio::test]
async fn all_names_of_a_file_have_one_owner() {
    let theirs = || vec![put("notes.md")];
    let linked = |command: &'static str| vec![Bash(command, vec![HardLink("notes.md", "h")])];
    for command in ["ln notes.md h", "cp -l notes.md h", "ln -f notes.md h"] {
        stopped(
            &theirs(),
            &linked(command),
            &[
                "echo > h",
                "truncate -s0 h",
                "cp docs/api.md h",
                "echo > notes.md",
                "rm h notes.md",
                "rm notes.md; echo > h",
            ],
        )
        .await;
    }
    stopped(
        &theirs(),
        &[],
        &[
            "cp -l notes.md h && echo > notes.md",
            "ln -f notes.md h && echo > h",
            "ln notes.md h; echo > notes.md",
            "ln notes.md h && rm notes.md h",
            "ln notes.md h && rm notes.md && rm h",
            "ln notes.md h && rm notes.md && echo > h",
            "ln notes.md h && mv h k && echo > notes.md",
            "ln notes.md README.md; rm notes.md",
            "ln notes.md nodir/h; rm notes.md",
            "ln -s notes.md h && rm notes.md",
        ],
    )
    .await;
    play(vec![
        case(theirs(), vec![], "ln notes.md h && rm notes.md", Pass),
        case(theirs(), vec![], "ln notes.md docs/ && rm notes.md", Pass),
        case(theirs(), vec![], "cp -l notes.md h; rm notes.md", Pass),
        case(theirs(), vec![], "ln notes.md h && rm h", Pass),
        case(theirs(), linked("ln notes.md h"), "rm h", Pass),
        case(theirs(), linked("ln notes.md h"), "rm notes.md", Pass),
        case(
            vec![],
            vec![
                Step::Write("notes.md"),
                Bash("ln notes.md h", vec![HardLink("notes.md", "h")]),
            ],
            "echo > h",
            Pass,
        ),
        case(
            theirs(),
            vec![Bash("ln -s notes.md l", vec![Op::Link("notes.md", "l")])],
            "rm l",
            Pass,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn work_that_is_moved_to_where_git_ignores_it_is_no_rubbish() {
    let setup = [
        Op::Write(".gitignore", "target/\n*.log\n"),
        Commit,
        put("notes.md"),
        put("target/app.o"),
        put("run.log"),
    ];
    stopped(
        &setup,
        &[Bash(
            "mv notes.md target/",
            vec![Move("notes.md", "target/notes.md")],
        )],
        &[
            "rm -rf target",
            "git clean -fdX",
            "cargo clean",
            "rm -rf target/*",
        ],
    )
    .await;
    stopped(
        &setup,
        &[Bash("mv notes.md n.log", vec![Move("notes.md", "n.log")])],
        &["rm *.log", "git clean -fdX", "rm n.log"],
    )
    .await;
    stopped(
        &setup,
        &[],
        &[
            "mv notes.md target/ && git clean -fdX",
            "mv notes.md n.log && git clean -fdX",
            "mv notes.md target/ && cargo clean",
        ],
    )
    .await;
    let passing = [
        "git clean -fdX",
        "cargo clean",
        "rm -rf target/*",
        "rm *.log",
        "mv notes.md n.log && git clean -fd",
        "mv notes.md old.md && git clean -fdX",
    ];
    let passing = passing.map(|it| case(setup.to_vec(), vec![], it, Pass));
    play(passing.into_iter().collect()).await;
}

#[needs(git)]
#[tokio::test]
async fn a_folder_of_the_sessions_own_stays_its_own_where_it_is_moved() {
    let made = || {
        let files = ["gen/1", "gen/2", "gen/3"].map(|it| Op::Write(it, "1\n"));
        Bash(
            "mkdir -p gen; for i in 1 2 3; do echo $i > gen/$i; done",
            files.into_iter().collect(),
        )
    };
    let moved = || Bash("mv gen gen2", vec![Move("gen", "gen2")]);
    play(vec![
        case(vec![], vec![made(), moved()], "rm -rf gen2", Pass),
        case(vec![], vec![made(), moved()], "rm gen2/1", Pass),
        case(
            vec![put("gen/0")],
            vec![made(), moved()],
            "rm -rf gen2",
            Ask,
        ),
        case(
            vec![],
            vec![made(), Person(vec![put("gen/1")]), moved()],
            "rm -rf gen2",
            Ask,
        ),
        case(
            vec![],
            vec![made(), moved(), Person(vec![put("gen2/1")])],
            "rm -rf gen2",
            Ask,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_commit_of_mixed_work_is_called_so() {
    let mut ground = Ground::with_history();
    ground.perform(&Append("README.md"));
    ground.person(&[]);
    ground.step(&Step::Edit("src/main.py")).await;
    ground.step(&Bash("git commit -qam x", vec![Commit])).await;
    let (decision, reason) = ground.judge_command("git reset --hard HEAD~1").await;
    assert_eq!(decision, Ask, "{reason}");
    assert!(
        reason.contains("1 commit with work that this session did not make"),
        "{reason}"
    );
}
