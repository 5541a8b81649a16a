//! Rebases, pull requests and files that git was only told of: what they leave behind, and what they set back.

use bowline::hooks::Decision::{self, Ask, Deny, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Op::{self, Append, Commit, Fails, Git, Write as Put};
use super::ground::Step::{self, Bash};
use super::{case, play, put};

/// A rebase that has stopped at a commit of the branch `topic`.
fn stopped() -> Vec<Op> {
    vec![
        Git(&["checkout", "-q", "-b", "topic"]),
        Put("src/main.py", "the person's text\n"),
        Commit,
        Git(&["checkout", "-q", "main"]),
        Put("src/main.py", "another text\n"),
        Commit,
        Git(&["checkout", "-q", "topic"]),
        Fails(&["rebase", "main"]),
    ]
}

fn with(mut ops: Vec<Op>, more: Vec<Op>) -> Vec<Op> {
    ops.extend(more);
    ops
}

/// Judges each line, before the session has done anything.
async fn rows(rows: Vec<(Vec<Op>, &'static str, Decision)>) {
    let cases = rows.into_iter();
    play(
        cases
            .map(|(setup, command, decision)| case(setup, vec![], command, decision))
            .collect(),
    )
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_commit_that_is_left_out_is_gone_unless_something_holds_it() {
    let held = || with(stopped(), vec![Git(&["branch", "kept", "topic"])]);
    let resolved = || with(held(), vec![Put("src/main.py", "both texts\n")]);
    let beside = || with(held(), vec![Append("docs/api.md")]);
    play(vec![
        case(stopped(), vec![], "git rebase --skip", Ask),
        case(held(), vec![], "git rebase --skip", Pass),
        case(
            stopped(),
            vec![],
            "git branch kept topic && git rebase --skip",
            Pass,
        ),
        case(resolved(), vec![], "git rebase --skip", Deny),
        case(beside(), vec![], "git rebase --skip", Deny),
        case(beside(), vec![], "git rebase --abort", Deny),
        case(stopped(), vec![], "git rebase --abort", Pass),
        case(vec![], vec![], "git rebase --skip", Pass),
        case(
            vec![Append("docs/api.md")],
            vec![],
            "git rebase --abort; git rebase --skip",
            Pass,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn commits_of_the_session_may_be_left_out() {
    play(vec![case(
        vec![
            Git(&["checkout", "-q", "-b", "topic"]),
            Git(&["checkout", "-q", "main"]),
            Put("src/main.py", "another text\n"),
            Commit,
            Git(&["checkout", "-q", "topic"]),
        ],
        vec![
            Step::Edit("src/main.py"),
            Bash(
                "git commit -qam mine",
                vec![Git(&["commit", "-qam", "mine"])],
            ),
            Bash("git rebase main", vec![Fails(&["rebase", "main"])]),
        ],
        "git rebase --skip",
        Pass,
    )])
    .await;
}

/// A branch with three commits of a person, which nothing else holds.
fn three() -> Vec<Op> {
    let mut ops = vec![Git(&["checkout", "-q", "-b", "topic"])];
    for name in ["one.md", "two.md", "three.md"] {
        ops.extend([put(name), Commit]);
    }
    ops
}

#[needs(git)]
#[tokio::test]
async fn a_rebase_onto_another_commit_may_drop_what_lies_between() {
    let held = || with(three(), vec![Git(&["branch", "kept"])]);
    rows(vec![
        (three(), "git rebase --onto HEAD~3 HEAD~1", Ask),
        (three(), "git rebase --onto=main topic~2", Ask),
        (three(), "git rebase --onto main topic~1 topic", Ask),
        (three(), "git rebase --onto HEAD~2 HEAD~1", Ask),
        (three(), "git rebase --onto main main", Pass),
        (three(), "git rebase --onto main main topic", Pass),
        (three(), "git rebase main", Pass),
        (three(), "git rebase --root --onto main", Pass),
        (held(), "git rebase --onto HEAD~3 HEAD~1", Pass),
        (
            three(),
            "git branch kept && git rebase --onto main topic~1",
            Pass,
        ),
        (
            three(),
            "git tag kept && git rebase --onto main topic~1",
            Pass,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_pull_request_that_is_checked_out_by_force_sets_files_back() {
    let work = || vec![Append("src/main.py")];
    let branch = || vec![Git(&["branch", "feature"])];
    rows(vec![
        (work(), "gh pr checkout 12 --force", Deny),
        (work(), "gh pr checkout -f 12", Deny),
        (work(), "gh co 12 -f", Deny),
        (
            with(branch(), work()),
            "gh pr checkout feature --force",
            Deny,
        ),
        (work(), "gh pr checkout feature --force", Pass),
        (work(), "gh pr checkout 12 --force -b feature", Pass),
        (work(), "gh pr checkout 12", Pass),
        (work(), "gh pr checkout 12 --force --detach", Pass),
        (vec![], "gh pr checkout 12 --force", Pass),
        (vec![put("ideas.md")], "gh pr checkout 12 --force", Pass),
        (work(), "git stash && gh pr checkout 12 --force", Pass),
    ])
    .await;
    play(vec![case(
        vec![],
        vec![Step::Edit("src/main.py")],
        "gh pr checkout 12 --force",
        Pass,
    )])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_file_that_git_was_only_told_of_goes_with_the_index() {
    let untracked = || vec![put("ideas.md")];
    let stash = || {
        vec![
            Append("src/main.py"),
            Git(&["stash", "-q"]),
            put("ideas.md"),
        ]
    };
    let told = || with(untracked(), vec![Git(&["add", "-N", "ideas.md"])]);
    rows(vec![
        (
            untracked(),
            "git add -N . && git stash && git stash drop",
            Deny,
        ),
        (
            untracked(),
            "git add --intent-to-add ideas.md; git stash; git stash clear",
            Deny,
        ),
        (untracked(), "git add -N ideas.md && git reset --hard", Deny),
        (untracked(), "git add -N . && git checkout .", Deny),
        (
            untracked(),
            "git add -N ideas.md && git checkout -- ideas.md",
            Ask,
        ),
        (
            untracked(),
            "git add -N ideas.md && git rm -f ideas.md",
            Ask,
        ),
        (
            untracked(),
            "git add -N ideas.md && git commit -m x; rm ideas.md",
            Ask,
        ),
        // Git refuses to stash anything then.
        (
            with(untracked(), vec![Append("src/main.py")]),
            "git add -N ideas.md; git stash; git checkout .",
            Deny,
        ),
        (
            with(untracked(), vec![Append("src/main.py")]),
            "git add -N ideas.md; git stash; rm src/main.py",
            Ask,
        ),
        (told(), "git reset --hard", Deny),
        (told(), "git checkout .", Deny),
        (told(), "git stash; git stash drop", Deny),
        (untracked(), "git add -N ideas.md && git diff", Pass),
        (
            untracked(),
            "git add -N ideas.md && git diff && git reset -q",
            Pass,
        ),
        (
            untracked(),
            "git add -N ideas.md && git commit -qam x && git reset --hard",
            Pass,
        ),
    ])
    .await;
    let mine = |command, decision| case(vec![], vec![Step::Write("mine.py")], command, decision);
    play(vec![
        mine("git add -N mine.py && git reset --hard", Pass),
        mine("git add -N mine.py && git stash && git stash drop", Pass),
        // Git refuses to stash it, and drops what is there.
        case(
            stash(),
            vec![Step::Write("mine.py")],
            "git add -N mine.py; git stash; git stash drop",
            Deny,
        ),
    ])
    .await;
}
