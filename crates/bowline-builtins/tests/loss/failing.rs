//! Commands that fail or need not run: what comes after them takes place all the same.

use bowline::hooks::Decision::{Ask, NoOpinion as Pass};

use super::ground::Op::{Append, Folder, Ignore};
use super::{Ground, Op, has_git, put};

/// Judges each line, in a project where somebody has work that is not committed; `true` if it must be stopped.
async fn judge(setup: Vec<Op>, lines: &[(&str, bool)]) {
    if !has_git() {
        return;
    }
    let mut ground = Ground::with_history();
    for op in &setup {
        ground.perform(op);
    }
    ground.person(&[]);
    let mut wrong = Vec::new();
    for (line, stopped) in lines {
        let (decision, reason) = ground.judge_command(line).await;
        let right = if *stopped {
            decision >= Ask
        } else {
            decision == Pass
        };
        if !right {
            wrong.push(format!("{line}: {decision:?} ({reason})"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn work() -> Vec<Op> {
    vec![
        put("notes.md"),
        Append("src/main.py"),
        Folder("sub"),
        Ignore("dist/"),
    ]
}

#[tokio::test]
async fn a_shell_that_cannot_go_elsewhere_stays() {
    judge(
        work(),
        &[
            ("cd build; rm -rf *", true),
            ("cd build\nrm -rf *", true),
            ("cd build 2>/dev/null; rm -rf *", true),
            ("pushd nope; rm notes.md", true),
            ("cd src/main.py; rm notes.md", true),
            ("cd nope; git checkout .", true),
            ("cd nope; git clean -fd", true),
            ("cd nope; echo > notes.md", true),
            ("cd /nope; rm -rf *", true),
            ("cd a || true; rm -rf *", true),
            ("cd a || echo no; rm notes.md", true),
            ("cd a || cd b; rm notes.md", true),
            ("{ cd a; }; rm notes.md", true),
            ("cd a && ls; rm notes.md", true),
            ("f() { cd a; }; f; rm notes.md", true),
            ("for d in a b; do cd $d; rm notes.md; done", true),
            ("if cd a; then ls; fi; rm notes.md", true),
            ("if cd a; then ls; else rm notes.md; fi", true),
            ("bash -c 'cd a; rm notes.md'", true),
            ("set -e; cd sub; set +e; cd a; rm ../notes.md", true),
            ("set -e; cd a && ls; rm notes.md", true),
            ("mkdir b; cd a; rm notes.md", true),
            ("git status; ls; cd a; rm notes.md", true),
            ("(cd a; rm notes.md)", true),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_shell_that_may_go_elsewhere_goes() {
    judge(
        work(),
        &[
            ("cd build && rm -rf *", false),
            ("cd build && { ls; rm -rf x; }", false),
            ("cd build && cd deep; ls", false),
            ("cd build || exit 1; rm -rf x", false),
            ("cd build || { echo no; exit 1; }; rm notes.md", false),
            (
                "die() { echo no; exit 1; }; cd build || die; rm notes.md",
                false,
            ),
            ("set -e; cd build; rm notes.md", false),
            ("set -euo pipefail\ncd build\nrm notes.md", false),
            ("set -o errexit; cd build; rm notes.md", false),
            ("bash -ec 'cd build; rm notes.md'", false),
            ("if cd build; then rm notes.md; fi", false),
            ("mkdir build; cd build; rm -f notes.md", false),
            ("mkdir -p a/b && cd a/b; rm -rf *", false),
            ("mkdir -p a/b; cd a; rm -rf *", false),
            (
                "git clone https://example.com/x.git x; cd x; rm -f notes.md",
                false,
            ),
            ("tar xf x.tar; cd x; rm -f notes.md", false),
            ("cargo new x; cd x; rm -f notes.md", false),
            ("cd sub; npm test; rm -rf dist", false),
            ("cd build || mkdir build && cd build; rm -f notes.md", false),
            ("cd sub; ls; cd ..; ls", false),
        ],
    )
    .await;
}
