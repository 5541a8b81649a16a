//! What is done for each file that a search finds or a pattern names.

use bowline::hooks::Decision::{Ask, Deny, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Op::{Folder, Link};
use super::ground::Step::Write;
use super::{case, play, put};

#[needs(git)]
#[tokio::test]
async fn what_is_put_over_each_file_that_is_found_is_lost() {
    let mut cases = Vec::new();
    for command in [
        "find notes -name '*.md' -exec cp own.txt {} \\;",
        "find notes -name '*.md' -exec cp -f own.txt {} ';'",
        "find notes -name '*.md' -exec mv own.txt {} \\;",
        "find notes -name '*.md' | xargs -I{} cp own.txt {}",
        "find notes -name '*.md' -print0 | xargs -0 -I% cp own.txt %",
    ] {
        cases.extend([
            case(
                vec![put("notes/b.md")],
                vec![Write("own.txt")],
                command,
                Ask,
            ),
            case(
                vec![],
                vec![Write("own.txt"), Write("notes/b.md")],
                command,
                Pass,
            ),
            case(
                vec![put("notes/b.txt")],
                vec![Write("own.txt")],
                command,
                Pass,
            ),
        ]);
    }
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn what_is_moved_over_one_another_is_lost() {
    let mut cases = Vec::new();
    for command in [
        "find notes -name '*.md' -exec mv {} x.txt \\;",
        "find notes -name '*.md' | xargs -I{} mv {} x.txt",
        "find notes -name '*.md' | while read f; do mv \"$f\" x.txt; done",
    ] {
        cases.extend([
            case(
                vec![put("notes/a.md"), put("notes/b.md")],
                vec![],
                command,
                Ask,
            ),
            case(vec![put("notes/a.md"), put("x.txt")], vec![], command, Ask),
            case(vec![put("notes/a.md")], vec![], command, Pass),
            case(
                vec![],
                vec![Write("notes/a.md"), Write("notes/b.md")],
                command,
                Pass,
            ),
        ]);
    }
    for command in [
        "mkdir -p old && find notes -name '*.md' -exec mv {} old/ \\;",
        "mkdir -p old && find notes -name '*.md' -exec mv -t old {} +",
        "find notes -name '*.md' -exec cp {} {}.bak \\;",
        "find notes -name '*.md' -exec wc {} \\;",
        "find notes -type d -exec cp README.md {} \\;",
    ] {
        cases.push(case(
            vec![put("notes/a.md"), put("notes/b.md")],
            vec![],
            command,
            Pass,
        ));
    }
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn all_but_some_names_are_those_of_people_too() {
    let mut cases = Vec::new();
    for (command, decision) in [
        ("shopt -s extglob; rm -rf !(own.txt)", Deny),
        ("shopt -s extglob; rm !(own.txt|README.md)", Deny),
        ("bash -O extglob -c 'rm !(own.txt)'", Deny),
        ("bash -O extglob -c 'rm -rf notes/!(own.txt)'", Ask),
        ("shopt -s extglob; rm notes/@(a|b).md", Ask),
        ("shopt -s extglob; rm notes/+([a-z]).md", Ask),
    ] {
        let own = vec![Write("own.txt"), Write("notes/own.txt")];
        let setup = vec![put("notes/a.md"), put("a.md")];
        cases.push(case(setup, own, command, decision));
    }
    for command in [
        "shopt -s extglob; rm -rf notes/!(a.md)",
        "bash -O extglob -c 'rm notes/!(a.md|b.md)'",
        "shopt -s extglob; rm notes/@(b|c).txt",
    ] {
        let own = vec![Write("notes/b.txt"), Write("notes/c.txt")];
        cases.push(case(vec![put("notes/a.md")], own, command, Pass));
    }
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn a_search_that_follows_links_finds_what_they_lead_to() {
    play(vec![
        case(
            vec![put("notes/a.md"), Folder("od"), Link("../notes", "od/x")],
            vec![],
            "find -L od -type f -delete",
            Ask,
        ),
        case(
            vec![put("notes/a.md"), Folder("od"), Link("../notes", "od/x")],
            vec![],
            "find -L od -type f -exec rm {} +",
            Ask,
        ),
        case(
            vec![],
            vec![Write("od/b.md")],
            "find -L od -type f -delete",
            Pass,
        ),
    ])
    .await;
}
