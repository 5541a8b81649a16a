//! Commands that fail or need not run: what comes after them takes place all the same.

use bowline::hooks::Decision::{Ask, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Op::{Append, Folder, Ignore};
use super::{Ground, Op, put};

/// Judges each line, in a project where somebody has work that is not committed; `true` if it must be stopped.
async fn judge(setup: Vec<Op>, lines: &[(&str, bool)]) {
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

#[needs(git)]
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

#[needs(git)]
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

#[needs(git)]
#[tokio::test]
async fn a_rescue_that_need_not_run_is_none() {
    judge(
        work(),
        &[
            ("[ -f z ] && cp notes.md k; rm notes.md", true),
            ("if false; then cp notes.md k; fi; rm notes.md", true),
            ("cp notes.md k || rm notes.md", true),
            ("! cp notes.md k && rm notes.md", true),
            ("false && git stash; git checkout .", true),
            ("true || git stash; git checkout .", true),
            ("cp notes.md nodir/k; rm notes.md", true),
            ("cp notes.md nodir/; rm notes.md", true),
            ("mv notes.md nodir/k; rm notes.md", true),
            ("[ -f z ] && mv notes.md k; rm notes.md", true),
            ("case $x in a) cp notes.md k;; esac; rm notes.md", true),
            ("while false; do cp notes.md k; done; rm notes.md", true),
            ("for f in; do cp notes.md k; done; rm notes.md", true),
            ("npm test && git stash -u; git clean -fd", true),
            (
                "if [ -f z ]; then git add -A; git commit -m x; fi; git clean -fd",
                true,
            ),
            (
                "if ! [ -f notes.md ]; then cp notes.md k; fi; rm notes.md",
                true,
            ),
            (
                "[ -f z ] && git add -A; git commit -m x; git clean -fd",
                true,
            ),
            ("[ -f z ] && git add -A; git reset --hard", true),
            ("cd nope && git stash; git checkout .", true),
            ("cp notes.md k; [ -f z ] && rm k; rm notes.md", true),
            (
                "test -f z && { cp notes.md k; echo kept; }; rm notes.md",
                true,
            ),
        ],
    )
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_rescue_that_runs_first_is_one() {
    judge(
        work(),
        &[
            ("cp notes.md k && rm notes.md", false),
            ("cp notes.md k; rm notes.md", false),
            ("cp notes.md k || exit 1; rm notes.md", false),
            ("cp notes.md k || true; rm notes.md", false),
            ("[ -f z ] && cp notes.md k && rm notes.md", false),
            ("[ -f z ] && cp notes.md k || exit 1; rm notes.md", false),
            ("[ -f notes.md ] && cp notes.md k; rm notes.md", false),
            (
                "if [ -f notes.md ]; then cp notes.md k; fi; rm notes.md",
                false,
            ),
            ("if [ -f z ]; then cp notes.md k; rm notes.md; fi", false),
            ("if cp notes.md k; then rm notes.md; fi", false),
            ("mkdir -p bak && cp notes.md bak/; rm notes.md", false),
            ("mkdir bak; cp notes.md bak/k && rm notes.md", false),
            ("cp notes.md sub/ && rm notes.md", false),
            ("npm test && git stash && git checkout .", false),
            ("git add -A && git commit -m x; git checkout .", false),
            ("git stash; git checkout .", false),
            ("for f in notes.md; do cp $f k; done; rm notes.md", false),
            ("npm test || true; git stash; git checkout .", false),
            (
                "if ! cd build; then echo no; exit 1; fi; rm notes.md",
                false,
            ),
            ("if cd build; then ls; else exit 1; fi; rm notes.md", false),
        ],
    )
    .await;
}
