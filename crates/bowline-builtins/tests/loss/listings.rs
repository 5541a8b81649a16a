//! Names that another program lists, and what is done for each of them.

use bowline::hooks::Decision::{Ask, Deny, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Op::{self, Append, Commit, Ignore};
use super::ground::Step::{Bash, Edit};
use super::{case, play, put};

#[needs(git)]
#[tokio::test]
async fn what_git_lists_may_be_somebodys() {
    let mut cases = Vec::new();
    for command in [
        "git diff --name-only | xargs sed -i s/first/last/",
        "git diff --name-only HEAD | xargs perl -pi -e s/first/last/",
        "git diff --name-only -- src | xargs sed -i s/first/last/",
        "git diff --name-only | grep '\\.py$' | xargs sed -i s/first/last/",
        "git diff --name-only | xargs -n1 cp README.md",
        "for f in $(git diff --name-only); do sed -i s/first/last/ \"$f\"; done",
        "git diff --name-only | while read f; do echo x > \"$f\"; done",
        "sed -i s/first/last/ $(git diff --name-only)",
        "sed -i s/first/last/ `git grep -l first`",
        "git grep -lz first | xargs -0 sed -i s/first/last/",
        "git grep -l first -- src | xargs sed -i s/first/last/",
        "git grep -l -e first | xargs sed -i s/first/last/",
        "rg -l first -g '*.py' | xargs perl -i -pe s/first/last/",
        "rg -l -t py first src | xargs perl -i -pe s/first/last/",
        "rg --files-with-matches -e first | xargs sed -i s/first/last/",
        "grep -rl --include='*.py' first . | xargs sed -i s/first/last/",
        "git status -s | awk '{print $2}' | xargs sed -i s/first/last/",
        "git status --porcelain | cut -c4- | xargs sed -i s/first/last/",
        "git ls-files -m | xargs sed -i s/first/last/",
        "git ls-files '*.py' | xargs sed -i s/first/last/",
    ] {
        cases.extend([
            case(vec![Append("src/main.py")], vec![], command, Ask),
            case(vec![], vec![], command, Pass),
            case(vec![], vec![Edit("src/main.py")], command, Pass),
        ]);
        // What is ignored, and what has another name, is not among them.
        let others = vec![Ignore("lab/"), Commit, put("lab/first.md")];
        if !command.starts_with("grep") {
            cases.push(case(others, vec![], command, Pass));
        }
    }
    let first: Op = Op::Write("plan.md", "the first plan\n");
    for (setup, command, decision) in [
        // Only git's own files are listed.
        (
            vec![first.clone()],
            "git diff --name-only | xargs sed -i s/first/last/",
            Pass,
        ),
        (
            vec![first.clone()],
            "git grep -l first | xargs sed -i s/first/last/",
            Pass,
        ),
        (
            vec![first.clone()],
            "git ls-files | xargs sed -i s/first/last/",
            Pass,
        ),
        (
            vec![first.clone()],
            "git ls-files -o | xargs sed -i s/first/last/",
            Ask,
        ),
        (
            vec![first.clone()],
            "git status -s | awk '{print $2}' | xargs sed -i s/first/last/",
            Ask,
        ),
        (
            vec![first.clone()],
            "rg -l first | xargs sed -i s/first/last/",
            Ask,
        ),
        (
            vec![first.clone()],
            "rg -l first -g '*.py' | xargs sed -i s/first/last/",
            Pass,
        ),
        (
            vec![first.clone()],
            "rg -l other | xargs sed -i s/other/last/",
            Pass,
        ),
        (
            vec![Append("README.md")],
            "git diff --name-only -- src | xargs sed -i s/first/last/",
            Pass,
        ),
        (
            vec![Append("README.md")],
            "git diff --name-only | grep '\\.py$' | xargs sed -i s/first/last/",
            Pass,
        ),
        (
            vec![Append("README.md")],
            "git ls-files '*.py' | xargs sed -i s/first/last/",
            Pass,
        ),
        (
            vec![Append("README.md")],
            "git ls-files src docs | xargs sed -i s/first/last/",
            Pass,
        ),
    ] {
        cases.push(case(setup, vec![], command, decision));
    }
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn what_git_lists_is_set_back_if_all_of_it_is_own() {
    let mut cases = Vec::new();
    for command in [
        "git diff --name-only | xargs git checkout --",
        "git diff --name-only | xargs git restore",
        "git diff --name-only -z | xargs -0 git checkout --",
        "git diff --name-only --diff-filter=M | xargs git checkout --",
        "git checkout -- $(git diff --name-only)",
        "git checkout $(git diff --name-only)",
        "git restore $(git diff --name-only HEAD)",
        "git ls-files -m | xargs git checkout --",
        "git checkout -- `git ls-files -m`",
    ] {
        let ran = Bash("python fix.py", vec![put("fixed.txt")]);
        cases.extend([
            case(vec![], vec![Edit("src/main.py")], command, Pass),
            case(
                vec![put("plan.md")],
                vec![ran, Edit("src/main.py")],
                command,
                Pass,
            ),
            case(
                vec![Append("README.md")],
                vec![Edit("src/main.py")],
                command,
                Deny,
            ),
        ]);
    }
    for (command, decision) in [
        ("git diff --name-only -- src | xargs git checkout --", Pass),
        ("git diff --name-only -- docs | xargs git checkout --", Ask),
        // Which of them are meant is not known.
        (
            "git diff --name-only | head -1 | xargs git checkout --",
            Ask,
        ),
        ("git diff --name-only --cached | xargs git checkout --", Ask),
    ] {
        let setup = vec![Append("docs/api.md")];
        cases.push(case(setup, vec![Edit("src/main.py")], command, decision));
    }
    play(cases).await;
}
