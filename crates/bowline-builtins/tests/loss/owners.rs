//! Content that changes its place or its form keeps its owner: packed, renamed, stashed, moved within a line.

use bowline::hooks::Decision::{Ask, Deny, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Ground;
use super::ground::Op::{self, Append, Delete, Folder, Git, Move};
use super::ground::Step::{self, Bash, Edit, Write};
use super::{case, play, put};

/// The agent packs or renames a file: a new one is there instead.
fn becomes(command: &'static str, from: &'static str, to: &'static str) -> Step {
    Bash(command, vec![put(to), Delete(from)])
}

#[needs(git)]
#[tokio::test]
async fn packed_work_is_still_somebodys() {
    let mut cases = Vec::new();
    for (command, from, to, delete) in [
        ("gzip notes.md", "notes.md", "notes.md.gz", "rm notes.md.gz"),
        (
            "gzip -9f notes.md",
            "notes.md",
            "notes.md.gz",
            "rm notes.md.gz",
        ),
        (
            "bzip2 notes.md",
            "notes.md",
            "notes.md.bz2",
            "rm notes.md.bz2",
        ),
        ("xz notes.md", "notes.md", "notes.md.xz", "rm notes.md.xz"),
        (
            "zstd --rm notes.md",
            "notes.md",
            "notes.md.zst",
            "rm notes.md.zst",
        ),
        (
            "gzip -S .z notes.md",
            "notes.md",
            "notes.md.z",
            "rm notes.md.z",
        ),
        (
            "gunzip notes.md.gz",
            "notes.md.gz",
            "notes.md",
            "rm notes.md",
        ),
        (
            "gzip -d notes.md.gz",
            "notes.md.gz",
            "notes.md",
            "rm notes.md",
        ),
        ("unxz notes.md.xz", "notes.md.xz", "notes.md", "rm notes.md"),
        ("gunzip notes.tgz", "notes.tgz", "notes.tar", "rm notes.tar"),
        (
            "zstd -d --rm notes.md.zst",
            "notes.md.zst",
            "notes.md",
            "rm notes.md",
        ),
        (
            "rename .md .txt notes.md",
            "notes.md",
            "notes.txt",
            "rm notes.txt",
        ),
        (
            "rename 's/\\.md$/.log/' *.md",
            "notes.md",
            "notes.log",
            "rm notes.log",
        ),
        (
            "prename s/notes/old/ notes.md",
            "notes.md",
            "old.md",
            "rm old.md",
        ),
        (
            "mmv 'n*.md' 'm#1.md'",
            "notes.md",
            "motes.md",
            "rm motes.md",
        ),
    ] {
        cases.extend([
            case(
                vec![put(from)],
                vec![becomes(command, from, to)],
                delete,
                Ask,
            ),
            case(
                vec![],
                vec![Write(from), becomes(command, from, to)],
                delete,
                Pass,
            ),
        ]);
    }
    cases.extend([
        // What is kept beside the packed file is not lost with it.
        case(
            vec![put("notes.md")],
            vec![Bash("gzip -k notes.md", vec![put("notes.md.gz")])],
            "rm notes.md.gz",
            Pass,
        ),
        case(vec![put("notes.md")], vec![], "gzip notes.md", Pass),
        case(
            vec![put("notes.md")],
            vec![],
            "gzip notes.md && rm notes.md.gz",
            Ask,
        ),
        case(
            vec![],
            vec![Write("notes.md")],
            "gzip notes.md && rm notes.md.gz",
            Pass,
        ),
        case(
            vec![put("a.md.gz")],
            vec![Write("a.md")],
            "gzip -f a.md",
            Ask,
        ),
        case(vec![put("a.md.gz")], vec![Write("a.md")], "gzip a.md", Pass),
        case(
            vec![put("notes/a.md")],
            vec![Bash(
                "gzip -r notes",
                vec![put("notes/a.md.gz"), Delete("notes/a.md")],
            )],
            "rm -rf notes",
            Ask,
        ),
    ]);
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn many_renamed_onto_one_lose_all_but_the_last() {
    play(vec![
        case(
            vec![put("a.md"), put("b.md")],
            vec![],
            "rename 's/.*/x/' *.md",
            Ask,
        ),
        case(
            vec![put("a.md"), put("b.md")],
            vec![],
            "rename a.md b.md a.md",
            Ask,
        ),
        case(
            vec![put("a.md")],
            vec![Write("b.txt")],
            "rename 's/.*/x/' *.txt",
            Pass,
        ),
        case(
            vec![],
            vec![Write("a.txt"), Write("b.txt")],
            "rename 's/.*/x/' *.txt",
            Pass,
        ),
        case(
            vec![put("a.md"), put("b.md")],
            vec![],
            "rename 's/md$/txt/' *.md",
            Pass,
        ),
        case(
            vec![put("a.md"), put("b.md")],
            vec![],
            "rename -n 's/.*/x/' *.md",
            Pass,
        ),
        case(
            vec![put("a.md"), put("b.md")],
            vec![],
            "mmv -d '*.md' x",
            Ask,
        ),
        case(
            vec![put("a.md")],
            vec![],
            "for f in *.md; do mv $f x.txt; done",
            Pass,
        ),
        case(
            vec![put("a.md"), put("b.md")],
            vec![],
            "for f in *.md; do mv $f x.txt; done",
            Ask,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_stash_of_mixed_work_keeps_its_owners() {
    let mixed = || vec![Append("README.md")];
    let stashed = || {
        vec![
            Edit("src/main.py"),
            Bash("git stash", vec![Git(&["stash", "-q"])]),
            Bash("git stash pop", vec![Git(&["stash", "pop", "-q"])]),
        ]
    };
    let at_once = || {
        vec![
            Edit("src/main.py"),
            Bash(
                "git stash && git stash pop",
                vec![Git(&["stash", "-q"]), Git(&["stash", "pop", "-q"])],
            ),
        ]
    };
    let untracked = |write: &'static str| {
        vec![
            Write(write),
            Bash(
                "git stash -u && pytest; git stash pop",
                vec![Git(&["stash", "-q", "-u"]), Git(&["stash", "pop", "-q"])],
            ),
        ]
    };
    play(vec![
        case(mixed(), stashed(), "git checkout src/main.py", Pass),
        case(mixed(), stashed(), "git checkout README.md", Ask),
        case(mixed(), stashed(), "git checkout .", Deny),
        case(mixed(), at_once(), "git checkout src/main.py", Pass),
        case(mixed(), at_once(), "git checkout README.md", Ask),
        case(
            vec![put("ideas.md")],
            untracked("own.md"),
            "rm ideas.md",
            Ask,
        ),
        case(
            vec![put("ideas.md")],
            untracked("own.md"),
            "rm own.md",
            Pass,
        ),
        case(mixed(), stashed(), "git stash -q && git stash drop", Deny),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_stash_takes_what_its_words_name() {
    let mixed = || vec![Append("README.md")];
    let own = || vec![Edit("src/main.py")];
    play(vec![
        case(
            mixed(),
            own(),
            "git stash push src/main.py && git stash drop",
            Pass,
        ),
        case(
            mixed(),
            own(),
            "git stash push -- src && git stash drop",
            Pass,
        ),
        case(
            mixed(),
            own(),
            "git stash -- src/main.py && git stash drop",
            Pass,
        ),
        case(
            mixed(),
            own(),
            "git stash push README.md && git stash drop",
            Deny,
        ),
        case(
            mixed(),
            own(),
            "git stash -- README.md && git stash drop",
            Deny,
        ),
        case(
            mixed(),
            own(),
            "git stash push -m x README.md; git stash clear",
            Deny,
        ),
        // What was not put aside is still in the tree.
        case(
            mixed(),
            own(),
            "git stash push src/main.py && git checkout .",
            Deny,
        ),
        case(
            mixed(),
            own(),
            "git stash push README.md && git checkout .",
            Pass,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_line_is_followed_where_it_moves_things() {
    let idea = || vec![put("ideas.md")];
    let own = || vec![Write("ideas.md")];
    let mut cases = Vec::new();
    for (command, lost) in [
        ("mv ideas.md src/main.py && git checkout .", Deny),
        ("mv ideas.md src/main.py && git checkout src/main.py", Ask),
        ("mv ideas.md src/main.py && git reset --hard", Deny),
        (
            "mv ideas.md src/main.py && git stash && git stash drop",
            Deny,
        ),
        ("mv ideas.md new.md && git clean -fd", Deny),
        ("mv ideas.md x.log; rm *.log", Ask),
        ("mv ideas.md x.log; find . -name '*.log' -delete", Ask),
        ("mv ideas.md x.log; echo x > x.log", Ask),
        ("mv ideas.md x.log; cp README.md x.log", Ask),
        ("mv ideas.md a && mv a b && rm b", Ask),
        ("mv ideas.md a.txt; rm a*", Ask),
        ("mkdir bk && mv ideas.md bk && rm -rf bk", Ask),
        ("mkdir bk && mv i*.md bk && rm -rf bk", Ask),
        ("mkdir bk && mv i*.md bk && rm bk/ideas.md", Ask),
        ("mv ideas.md dist/x; rm -rf dist", Ask),
    ] {
        cases.extend([
            case(idea(), vec![], command, lost),
            case(vec![], own(), command, Pass),
        ]);
    }
    cases.extend([
        case(
            vec![],
            vec![Write("r1.json"), Write("r2.json")],
            "mkdir bk && mv r*.json bk && rm -rf bk",
            Pass,
        ),
        case(
            vec![put("r2.json")],
            vec![Write("r1.json")],
            "mkdir bk && mv r*.json bk && rm -rf bk",
            Ask,
        ),
        case(idea(), vec![], "mv ideas.md x.log; rm *.tmp", Pass),
        case(
            idea(),
            vec![],
            "mv ideas.md src/main.py && git checkout docs",
            Pass,
        ),
        case(
            vec![put("r1.json"), put("r2.json")],
            vec![Bash(
                "mkdir bk && mv r*.json bk",
                vec![
                    Folder("bk"),
                    Move("r1.json", "bk/r1.json"),
                    Move("r2.json", "bk/r2.json"),
                ],
            )],
            "rm -rf bk",
            Ask,
        ),
        case(
            vec![],
            vec![
                Write("r1.json"),
                Write("r2.json"),
                Bash(
                    "mkdir bk && mv r*.json bk",
                    vec![
                        Folder("bk"),
                        Move("r1.json", "bk/r1.json"),
                        Move("r2.json", "bk/r2.json"),
                    ],
                ),
            ],
            "rm -rf bk",
            Pass,
        ),
    ]);
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn repositories_and_listings_of_the_sessions_own_may_go() {
    let own = || vec![Write("a.txt"), Write("b.txt")];
    let cloned = || {
        let ops: Vec<Op> = vec![Git(&["clone", "-q", ".", "copy"])];
        vec![Bash("git clone . copy", ops)]
    };
    play(vec![
        case(vec![], own(), "ls *.txt | xargs rm", Pass),
        case(vec![put("c.txt")], own(), "ls *.txt | xargs rm", Ask),
        case(vec![put("c.txt")], own(), "ls a* b* | xargs rm -f", Pass),
        case(vec![put("c.txt")], own(), "ls | grep txt | xargs rm", Ask),
        case(vec![put("c.txt")], own(), "rm $(ls *.txt)", Ask),
        case(vec![], own(), "rm $(ls *.txt)", Pass),
        case(vec![], cloned(), "rm -rf copy", Pass),
        case(vec![], vec![], "git clone . copy && rm -rf copy", Pass),
        case(
            vec![],
            {
                let mut steps = cloned();
                steps.push(Step::Person(vec![put("copy/mine.md")]));
                steps
            },
            "rm -rf copy",
            Ask,
        ),
        case(
            vec![put(".git/a.dat")],
            vec![],
            "find . -maxdepth 1 -name '*.dat' -delete",
            Pass,
        ),
        case(
            vec![put(".git/a.dat")],
            vec![],
            "find . -name '*.dat' -delete",
            Ask,
        ),
        case(
            vec![put("x.tmp")],
            vec![],
            "find . -maxdepth 1 -name '*.tmp' -delete",
            Pass,
        ),
        case(
            vec![Append("README.md")],
            vec![],
            "git worktree add ../wz && cd ../wz && git reset --hard",
            Pass,
        ),
        case(
            vec![Append("README.md")],
            vec![],
            "git worktree add ../wz && git reset --hard",
            Deny,
        ),
        case(
            vec![Append("README.md")],
            vec![],
            "git worktree add ../wz -b feat && cd ../wz && git checkout .",
            Pass,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn reasons_name_what_happens() {
    for (command, expected) in [
        (
            "mv ideas.md /tmp/",
            "to /tmp, where it does not last: ideas.md holds work",
        ),
        ("mv README.md ideas.md", "over "),
        (
            "mv ideas.md x.log; rm *.log",
            "ideas.md, which is moved to x.log before, holds work",
        ),
        (
            "python3 -c \"open('ideas.md','w').write('x')\"",
            "the python code writes over ",
        ),
        ("> ideas.md", "`> ideas.md` empties "),
        ("date > ideas.md", "`date > ideas.md` writes over "),
        (
            "find . -maxdepth 1 -name '*.md' -delete",
            "ideas.md holds work that git does not have",
        ),
    ] {
        let mut ground = Ground::with_history();
        ground.perform(&put("ideas.md"));
        ground.perform(&put(".git/ideas.md"));
        let (decision, reason) = ground.judge_command(command).await;
        assert_eq!(decision, Ask, "{command}: {reason}");
        assert!(reason.contains(expected), "{command}: {reason}");
    }
}
