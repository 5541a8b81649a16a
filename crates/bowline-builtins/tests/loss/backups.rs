//! Programs that keep what was there under another name: that name may be taken, and what it holds may be the last of its kind.

use bowline::hooks::Decision::{Ask, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Op::{self, Append, Move};
use super::ground::Step::{Bash, Edit, Write};
use super::{case, play, put};

#[needs(git)]
#[tokio::test]
async fn a_backup_that_goes_with_the_same_line_saves_nothing() {
    let mut cases = Vec::new();
    for command in [
        "sed -i.bak s/first/last/ README.md && rm README.md.bak",
        "sed -i.bak s/first/last/ README.md; rm -f *.bak",
        "sed -i'.old' -e s/first/last/ README.md && rm README.md.old",
        "sed -n -i.bak 1p README.md && cat README.md && rm -f README.md.bak",
        "sed --in-place=.bak s/first/last/ *.md && rm *.bak",
        "perl -pi.bak -e s/first/last/ README.md && rm README.md.bak",
        "perl -i.bak -pe s/first/last/ README.md && rm README.md.bak",
        "ruby -i.bak -pe 'x' README.md && rm README.md.bak",
        "sed -i.bak s/first/last/ README.md && mv README.md.bak /tmp/",
        "cp -b docs/api.md README.md && rm README.md~",
        "perl -i -pe's/in.x/y/' README.md",
    ] {
        // Git has what was committed, and what the session wrote is its own.
        cases.extend([
            case(vec![Append("README.md")], vec![], command, Ask),
            case(vec![], vec![], command, Pass),
            case(vec![], vec![Edit("README.md")], command, Pass),
        ]);
    }
    cases.extend([
        case(
            vec![Append("README.md")],
            vec![],
            "sed -i.bak s/first/last/ README.md",
            Pass,
        ),
        case(
            vec![put("plan.md")],
            vec![],
            "sed -i.bak s/a/b/ plan.md && rm plan.md",
            Pass,
        ),
        case(
            vec![put("plan.md")],
            vec![],
            "sed -i.bak s/a/b/ plan.md && mv plan.md.bak plan.md",
            Pass,
        ),
        case(
            vec![],
            vec![Write("plan.md")],
            "sed -i.bak s/a/b/ plan.md && rm plan.md.bak",
            Pass,
        ),
    ]);
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn a_backup_of_an_earlier_call_is_still_somebodys() {
    let edited = |name, backup| {
        let ops = vec![Move(name, backup), Op::Write(name, "edited\n")];
        Bash("sed -i.bak s/a/b/ plan.md README.md", ops)
    };
    let plan = || vec![edited("plan.md", "plan.md.bak")];
    let readme = || vec![edited("README.md", "README.md.bak")];
    let copied = Bash(
        "perl -pi.bak -e s/a/b/ plan.md",
        vec![put("plan.md.bak"), Op::Write("plan.md", "edited\n")],
    );
    play(vec![
        case(vec![put("plan.md")], vec![copied], "rm plan.md.bak", Ask),
        case(vec![put("plan.md")], plan(), "rm plan.md.bak", Ask),
        case(vec![put("plan.md")], plan(), "rm *.bak", Ask),
        case(vec![Append("README.md")], readme(), "rm README.md.bak", Ask),
        case(vec![], readme(), "rm README.md.bak", Pass),
        case(vec![], readme(), "git checkout README.md", Pass),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn the_name_of_a_backup_may_be_taken() {
    let mut cases = Vec::new();
    for (command, backup) in [
        ("sed -i.bak s/first/last/ README.md", "README.md.bak"),
        ("sed -i.bak s/first/last/ *.md", "README.md.bak"),
        (
            "sed -E --in-place=.orig s/first/last/ README.md",
            "README.md.orig",
        ),
        ("perl -pi.save -e s/first/last/ README.md", "README.md.save"),
        ("ruby -i.bak -pe 'x' README.md", "README.md.bak"),
        ("cp -b docs/api.md README.md", "README.md~"),
        ("cp --backup docs/api.md README.md", "README.md~"),
        ("cp --backup=simple docs/api.md README.md", "README.md~"),
        ("cp -b -S .prev docs/api.md README.md", "README.md.prev"),
        ("cp -b README.md docs", "docs/README.md~"),
        ("mv -b docs/api.md README.md", "README.md~"),
        ("install -b docs/api.md README.md", "README.md~"),
        ("patch -b README.md fix.diff", "README.md.orig"),
    ] {
        let there = || vec![put("docs/README.md"), put(backup)];
        cases.push(case(there(), vec![], command, Ask));
        cases.push(case(vec![], vec![Write(backup)], command, Pass));
        cases.push(case(vec![], vec![], command, Pass));
    }
    cases.extend([
        case(
            vec![put("README.md~")],
            vec![],
            "cp --backup=numbered docs/api.md README.md",
            Pass,
        ),
        case(
            vec![Append("README.md")],
            vec![],
            "cp --backup=none docs/api.md README.md",
            Ask,
        ),
        case(
            vec![Append("README.md")],
            vec![],
            "cp -b docs/api.md README.md",
            Pass,
        ),
        case(
            vec![put("fix.diff")],
            vec![],
            "patch README.md fix.diff",
            Pass,
        ),
        case(
            vec![put("README.md~")],
            vec![],
            "cp -n -b docs/api.md README.md",
            Pass,
        ),
    ]);
    play(cases).await;
}
