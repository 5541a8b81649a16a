//! Several steps of git in one line: the later ones take away what the earlier ones have let go of.

use bowline::hooks::Decision::{Ask, Deny, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Op::{self, Append, Commit, Git, Ignore, Write as Put};
use super::ground::Step::{self, Bash};
use super::{Case, case, play, put};

fn staged() -> Vec<Op> {
    vec![Append("src/main.py"), Git(&["add", "src/main.py"])]
}

fn all(
    setup: impl Fn() -> Vec<Op>,
    commands: &[&'static str],
    decision: bowline::hooks::Decision,
) -> Vec<Case> {
    let cases = commands.iter();
    cases
        .map(|command| case(setup(), vec![], command, decision))
        .collect()
}

#[needs(git)]
#[tokio::test]
async fn what_is_unstaged_first_is_thrown_away_with_the_files() {
    play(all(
        staged,
        &[
            "git restore --staged . && git restore .",
            "git restore --staged .; git restore .; git status",
            "git reset -q docs && git checkout .",
            "git reset && git checkout .",
            "git reset HEAD -- . ; git checkout -- .",
        ],
        Deny,
    ))
    .await;
    play(all(
        staged,
        &[
            "git reset -q src/main.py && git checkout src/main.py",
            "git reset HEAD src/main.py && git checkout -- src/main.py",
        ],
        Ask,
    ))
    .await;
    let own = || vec![Step::Edit("src/main.py")];
    play(vec![
        case(vec![], own(), "git reset && git checkout .", Pass),
        case(
            vec![put("ideas.md")],
            own(),
            "git restore --staged . && git restore .",
            Pass,
        ),
        case(staged(), vec![], "git reset && git status", Pass),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_stash_takes_what_the_line_has_added() {
    let untracked = || vec![put("ideas.md")];
    play(all(
        untracked,
        &[
            "git add . && git stash && git stash drop",
            "git add -A && git stash && git stash clear",
            "git add -A && git stash push -q -m tmp && git stash drop",
            "(git add -A) && git stash -q && git stash drop -q",
            "git add ideas.md && git stash push ideas.md && git stash drop",
        ],
        Deny,
    ))
    .await;
    play(all(
        || vec![Ignore("data/"), put("data/a.csv"), Commit],
        &["git stash --all && git stash drop"],
        Deny,
    ))
    .await;
    play(all(
        untracked,
        &["git add ideas.md && git rm -f ideas.md"],
        Ask,
    ))
    .await;
    play(vec![
        case(
            vec![],
            vec![Step::Write("mine.py")],
            "git add -A && git stash && git stash drop",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![Step::Edit("src/main.py")],
            "git add src/main.py && git stash && git stash drop",
            Pass,
        ),
        case(
            vec![Ignore("data/"), put("data/a.csv"), Commit],
            vec![Step::Edit("src/main.py")],
            "git stash -u && git stash drop",
            Pass,
        ),
        case(
            vec![],
            vec![Step::Write("mine.py")],
            "git add mine.py && git rm -f mine.py",
            Pass,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_work_tree_whose_name_is_not_known_may_be_any() {
    let further = || {
        vec![
            Ignore(".wt/"),
            Commit,
            Git(&["worktree", "add", "-q", "-b", "f", ".wt/f"]),
            Append(".wt/f/src/main.py"),
        ]
    };
    play(all(
        further,
        &[
            r#"git worktree remove --force "$W""#,
            r#"for w in .wt/*; do git worktree remove --force "$w"; done"#,
            "cd .wt && for w in *; do git worktree remove -f $w; done",
            "git worktree list | awk 'NR>1{print $1}' | xargs -n1 git worktree remove --force",
            r#"git worktree list --porcelain | cut -d' ' -f2 | while read w; do git worktree remove --force "$w"; done"#,
        ],
        Deny,
    ))
    .await;
    play(all(
        further,
        &["git worktree move .wt/f .wt/g && rm -rf .wt/g"],
        Ask,
    ))
    .await;
    play(vec![
        case(
            vec![Append("src/main.py")],
            vec![],
            r#"W=$(mktemp -d) && git worktree add -q "$W" HEAD && make test; git worktree remove --force $W"#,
            Pass,
        ),
        case(
            vec![Ignore(".wt/"), Commit],
            vec![Bash(
            "git worktree add -q -b f .wt/f",
            vec![Git(&["worktree", "add", "-q", "-b", "f", ".wt/f"])],
        )],
        r#"for w in .wt/*; do git worktree remove --force "$w"; done"#,
        Pass,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn rules_that_the_line_changes_ignore_nothing_for_sure() {
    let ignored = || {
        vec![
            Git(&["branch", "old"]),
            Git(&["tag", "v0"]),
            Ignore("data/"),
            Commit,
            put("data/a.csv"),
        ]
    };
    play(all(
        ignored,
        &[
            "git checkout -q old && git clean -fd",
            "git checkout -q v0 && npm ci; git clean -fdq",
            "git reset --hard old && git clean -fd",
            "rm .gitignore && git clean -fd",
            r"printf 'node_modules/\n' > .gitignore && git clean -fdq",
            "sed -i '/data/d' .gitignore && git clean -fd",
            "git rm -q .gitignore && git clean -fd",
        ],
        Deny,
    ))
    .await;
    play(vec![
        case(ignored(), vec![], "git clean -fd", Pass),
        case(
            ignored(),
            vec![],
            "echo dist/ >> .gitignore && git clean -fd",
            Pass,
        ),
        case(
            vec![
                Ignore("out/"),
                Commit,
                put("out/a.o"),
                Git(&["branch", "old"]),
            ],
            vec![],
            "git checkout -q old && git clean -fd",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "echo ideas.md >> .gitignore && git clean -fd",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "echo ideas.md >> .gitignore && git clean -fdx",
            Deny,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "echo other.md >> .gitignore && git clean -fd",
            Deny,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn commits_go_with_what_the_line_lets_go_of() {
    let changed = || vec![Append("src/main.py")];
    play(all(
        changed,
        &[
            "git checkout -q --detach && git commit -qam wip && git checkout -q main",
            "git checkout -q HEAD^0 && git commit -qam t && git switch -q -",
        ],
        Deny,
    ))
    .await;
    let committed = || vec![Append("src/main.py"), Commit];
    play(all(
        committed,
        &[
            "git branch keep && git reset --hard HEAD~1 && git branch -D keep",
            "git tag keep && git reset --hard HEAD~1 && git tag -d keep",
        ],
        Deny,
    ))
    .await;
    play(all(
        committed,
        &["git tag keep && git reset --hard HEAD~1"],
        Pass,
    ))
    .await;
    play(vec![
        case(
            vec![],
            vec![Step::Edit("src/main.py")],
            "git checkout -q --detach && git commit -qam wip && git checkout -q main",
            Pass,
        ),
        case(
            changed(),
            vec![],
            "git checkout -q --detach && git commit -qam wip && git branch kept && git checkout -q main",
            Pass,
        ),
        case(
            committed(),
            vec![],
            "git branch keep && git branch -D keep",
            Pass,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_copy_of_what_was_set_back_keeps_nothing() {
    play(all(
        || vec![Append("src/main.py")],
        &["cp src/main.py src/main.keep && git checkout src/main.py && cp src/main.py src/main.keep"],
        Ask,
    ))
    .await;
    play(vec![
        case(
            vec![
                put("ideas.md"),
                Ignore(".wt/"),
                Commit,
                Put("plan.md", "a plan\n"),
            ],
            vec![],
            "git worktree add -q .wt/a && mv plan.md .wt/a/ && git worktree remove --force .wt/a",
            Ask,
        ),
        case(
            vec![Append("src/main.py")],
            vec![],
            "cp src/main.py src/main.keep && git checkout src/main.py",
            Pass,
        ),
        case(
            vec![Append("src/main.py")],
            vec![],
            "git archive HEAD | tar x",
            Ask,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "git archive HEAD | tar x",
            Pass,
        ),
        case(
            vec![Append("src/main.py")],
            vec![],
            "mkdir -p /tmp/base && git archive HEAD | tar x -C /tmp/base",
            Pass,
        ),
        case(
            vec![],
            vec![
                Bash(
                    "mkdir play && git init play",
                    vec![Git(&["init", "-q", "play"])],
                ),
                Step::Write("play/a.py"),
            ],
            "cd play && git add -A && git reset --hard && git stash clear",
            Pass,
        ),
    ])
    .await;
}
