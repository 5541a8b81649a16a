//! Work that hides: the last copy of something, work that was moved out of sight, what a folder or a branch is put over.

use bowline::hooks::Decision::{Ask, Deny, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Op::{Append, Commit, Delete, Folder, Git, Ignore, Move};
use super::ground::Step::{Bash, Person, Write};
use super::{case, play, put};

#[needs(git)]
#[tokio::test]
async fn the_last_copy_is_as_good_as_the_original() {
    let copied = || Bash("cp ideas.md copy.md", vec![put("copy.md")]);
    play(vec![
        case(vec![put("ideas.md")], vec![copied()], "rm copy.md", Pass),
        case(
            vec![put("ideas.md")],
            vec![copied(), Person(vec![Delete("ideas.md")])],
            "rm copy.md",
            Ask,
        ),
        case(
            vec![put("ideas.md")],
            vec![Bash(
                "cp ideas.md copy.md && rm ideas.md",
                vec![put("copy.md"), Delete("ideas.md")],
            )],
            "rm copy.md",
            Ask,
        ),
        // A copy of a copy, under another name.
        case(
            vec![put("ideas.md")],
            vec![
                copied(),
                Bash("mv copy.md kept.md", vec![Move("copy.md", "kept.md")]),
                Person(vec![Delete("ideas.md")]),
            ],
            "rm kept.md",
            Ask,
        ),
        case(
            vec![put("notes/a.md")],
            vec![
                Bash("cp -r notes old", vec![put("old/a.md")]),
                Person(vec![Delete("notes")]),
            ],
            "rm -rf old",
            Ask,
        ),
        // What git has is not lost with its copy.
        case(
            vec![],
            vec![
                Bash(
                    "cp README.md copy.md",
                    vec![super::ground::Op::Write("copy.md", "the first text\n")],
                ),
                Person(vec![Delete("README.md")]),
            ],
            "rm copy.md",
            Pass,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn work_that_the_session_moved_is_still_somebodys() {
    let moved = |to: &'static str, command: &'static str| {
        Bash(command, vec![Folder("dist"), Move("ideas.md", to)])
    };
    play(vec![
        case(
            vec![put("ideas.md")],
            vec![moved("dist/ideas.md", "mkdir -p dist && mv ideas.md dist/")],
            "rm -rf dist",
            Ask,
        ),
        case(
            vec![put("ideas.md")],
            vec![moved("ideas.log", "mkdir -p dist && mv ideas.md ideas.log")],
            "rm ideas.log",
            Ask,
        ),
        case(
            vec![Ignore("*.log"), Commit, put("journal.log")],
            vec![Bash(
                "mv journal.log journal.md",
                vec![Move("journal.log", "journal.md")],
            )],
            "rm journal.md",
            Pass,
        ),
        // Moved in a ring: what is where b was is now under another name.
        case(
            vec![put("b.md")],
            vec![
                Write("a.md"),
                Bash(
                    "mv a.md t && mv b.md a.md && mv t b.md",
                    vec![Move("a.md", "t"), Move("b.md", "a.md"), Move("t", "b.md")],
                ),
            ],
            "rm a.md",
            Ask,
        ),
        case(
            vec![put("b.md")],
            vec![
                Write("a.md"),
                Bash(
                    "mv b.md t && mv a.md b.md && mv t a.md",
                    vec![Move("b.md", "t"), Move("a.md", "b.md"), Move("t", "a.md")],
                ),
            ],
            "rm a.md",
            Ask,
        ),
        // What a build has made is made again, wherever it lies.
        case(
            vec![Ignore("dist/"), Commit, put("dist/app.js")],
            vec![Bash("ls", vec![])],
            "rm -rf dist",
            Pass,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn folders_are_put_over_folders() {
    let fresh = || Bash("mkdir x && touch x/a.md", vec![put("x/a.md")]);
    let theirs = || vec![put("notes/a.md"), put("notes/b.md")];
    for command in [
        "cp -r x/. notes/",
        "cp -rT x notes",
        "cp -r --no-target-directory x notes",
        "rsync -a x/ notes/",
        "rsync -a x/ notes",
        "cp -r x/a.md notes/",
        "cp -r x/* notes/",
    ] {
        play(vec![case(theirs(), vec![fresh()], command, Ask)]).await;
    }
    for command in ["cp -r x notes", "cp -r x/. other/", "rsync -a x notes/"] {
        play(vec![case(theirs(), vec![fresh()], command, Pass)]).await;
    }
}

#[needs(git)]
#[tokio::test]
async fn branches_and_heads_hold_commits() {
    let branch = || {
        vec![
            Git(&["checkout", "-q", "-b", "exp"]),
            Append("README.md"),
            Commit,
            Git(&["checkout", "-q", "main"]),
            Git(&["branch", "other"]),
        ]
    };
    let detached = || {
        vec![
            Git(&["checkout", "-q", "--detach"]),
            Append("README.md"),
            Commit,
        ]
    };
    play(vec![
        case(branch(), vec![], "git branch -M other exp", Deny),
        case(branch(), vec![], "git branch -f -m other exp", Deny),
        case(branch(), vec![], "git branch -C main exp", Deny),
        case(branch(), vec![], "git branch -M other new", Pass),
        case(branch(), vec![], "git branch -m other exp", Pass),
        case(detached(), vec![], "git checkout main", Ask),
        case(detached(), vec![], "git switch main", Ask),
        case(
            detached(),
            vec![],
            "git branch keep && git checkout main",
            Pass,
        ),
        case(detached(), vec![], "git checkout -b keep", Pass),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_resolution_is_work() {
    let conflict = |rest: Vec<super::Op>| {
        let mut ops = vec![
            Git(&["checkout", "-q", "-b", "exp"]),
            super::Op::Write("README.md", "one way\n"),
            Commit,
            Git(&["checkout", "-q", "main"]),
            super::Op::Write("README.md", "another way\n"),
            Commit,
            super::Op::Fails(&["merge", "exp"]),
        ];
        ops.extend(rest);
        ops
    };
    let resolved = || vec![super::Op::Write("README.md", "both ways\n")];
    let staged = || {
        vec![
            super::Op::Write("README.md", "both ways\n"),
            Git(&["add", "README.md"]),
        ]
    };
    play(vec![
        case(conflict(vec![]), vec![], "git merge --abort", Pass),
        case(conflict(resolved()), vec![], "git merge --abort", Deny),
        case(conflict(staged()), vec![], "git merge --abort", Deny),
        case(
            conflict(vec![]),
            vec![Bash("sed -i s/x/y/ README.md", resolved())],
            "git merge --abort",
            Pass,
        ),
        case(
            conflict(resolved()),
            vec![],
            "git checkout --theirs README.md",
            Ask,
        ),
        case(
            conflict(vec![]),
            vec![],
            "git checkout --theirs README.md",
            Pass,
        ),
        case(
            conflict(resolved()),
            vec![],
            "git restore --ours README.md",
            Ask,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn git_puts_tracked_files_over_ignored_ones() {
    let setup = |text: &'static str| {
        vec![
            Git(&["checkout", "-q", "-b", "old"]),
            super::Op::Write(".env", "from the history\n"),
            Commit,
            Git(&["checkout", "-q", "main"]),
            Ignore(".env"),
            Commit,
            super::Op::Write(".env", text),
        ]
    };
    play(vec![
        case(setup("mine\n"), vec![], "git checkout old", Ask),
        case(setup("mine\n"), vec![], "git switch old", Ask),
        case(
            setup("from the history\n"),
            vec![],
            "git checkout old",
            Pass,
        ),
        case(setup("mine\n"), vec![], "git checkout main", Pass),
    ])
    .await;
}
