//! What git ignores: a tool's products may go, and what somebody keeps out of git may not.

use bowline::hooks::Decision::{Ask, Deny, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Ground;
use super::ground::Op::{self, Commit, Ignore};
use super::ground::Step::{self, Bash, Read};
use super::{Case, case, play, put};

/// Somebody has a file that git was told to ignore.
fn ignored(pattern: &'static str, file: &'static str) -> Vec<Op> {
    vec![Ignore(pattern), Commit, put(file)]
}

#[needs(git)]
#[tokio::test]
async fn ignored_files_that_no_tool_makes_are_somebodys() {
    let mut cases = Vec::new();
    for (pattern, file, command) in [
        ("lab/", "lab/trial.json", "rm lab/trial.json"),
        ("lab/", "lab/trial.yaml", "rm -f lab/trial.yaml"),
        ("lab/", "lab/trial.txt", "rm lab/*.txt"),
        ("lab/", "lab/trial.py", "rm -rf lab"),
        ("lab/", "lab/deep/trial.html", "rm -rf lab/deep"),
        ("lab/", "lab/trial.jsonl", "echo x > lab/trial.jsonl"),
        ("lab/", "lab/trial.toml", "cp README.md lab/trial.toml"),
        ("lab/", "lab/trial.svg", "mv README.md lab/trial.svg"),
        ("lab/", "lab/trial.ts", "sed -i s/a/b/ lab/trial.ts"),
        ("lab/", "lab/trial.js", "git clean -fdx lab"),
        ("lab/", "lab/trial.go", "find lab -name '*.go' -delete"),
        ("lab/", "lab/trial", "rm lab/trial"),
        ("answers.xml", "answers.xml", "rm answers.xml"),
        ("mlruns/", "mlruns/0/meta.yaml", "rm -rf mlruns"),
        ("labels/", "labels/one.json", "rm -rf labels"),
    ] {
        cases.push(case(ignored(pattern, file), vec![], command, Ask));
    }
    for command in ["git clean -fdx", "git clean -fdX"] {
        cases.push(case(
            ignored("lab/", "lab/trial.json"),
            vec![],
            command,
            Deny,
        ));
    }
    // What the session itself put there is its own.
    let own = Bash("python run.py", vec![put("lab/trial.json")]);
    for command in ["rm lab/trial.json", "rm -rf lab", "git clean -fdx"] {
        cases.push(case(
            vec![Ignore("lab/"), Commit],
            vec![own.clone()],
            command,
            Pass,
        ));
    }
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn ignored_products_of_tools_may_go() {
    let mut cases: Vec<Case> = Vec::new();
    for (pattern, file, command) in [
        ("dist/", "dist/app.js", "rm -rf dist"),
        ("bin/", "bin/tool.dll", "rm -rf bin obj"),
        ("vendor/", "vendor/acme/autoload.php", "rm -rf vendor"),
        ("generated/", "generated/client.ts", "rm -rf generated"),
        ("src/gen/", "src/gen/api.py", "rm -rf src/gen"),
        ("*.pyc", "src/main.pyc", "rm src/*.pyc"),
        ("*.so", "src/fast.so", "rm src/fast.so"),
        ("*.whl", "tool-1.0.whl", "rm *.whl"),
        ("*_pb2.py", "src/api_pb2.py", "rm src/api_pb2.py"),
        ("*.min.js", "web/app.min.js", "rm web/app.min.js"),
        ("*.d.ts", "src/app.d.ts", "rm src/app.d.ts"),
        ("report.log", "report.log", "rm report.log"),
        (".pdm-build/", ".pdm-build/a.json", "rm -rf .pdm-build"),
        (".foo_cache/", ".foo_cache/a.json", "rm -rf .foo_cache"),
        ("build-arm/", "build-arm/a.json", "rm -rf build-arm"),
        ("coverage.json", "coverage.json", "rm coverage.json"),
        ("src/_version.py", "src/_version.py", "rm src/_version.py"),
        ("tags", "tags", "rm tags"),
        ("generated/", "generated/a.json", "git clean -fdX"),
        (
            "generated/",
            "generated/a.json",
            "echo x > generated/a.json",
        ),
    ] {
        cases.push(case(ignored(pattern, file), vec![], command, Pass));
    }
    // A program that was compiled, and scripts that are compiled from others beside them.
    let program = Op::Write("server", "\x7fELF\x02\x01\x01");
    let setup = vec![Ignore("/server"), Commit, program];
    cases.push(case(setup, vec![], "rm server", Pass));
    cases.push(case(ignored("/server", "server"), vec![], "rm server", Ask));
    let compiled = |name| {
        let source = Op::Write(name, "the source\n");
        vec![Ignore("web/*.js"), source, Commit, put("web/app.js")]
    };
    cases.push(case(compiled("web/app.ts"), vec![], "rm web/app.js", Pass));
    cases.push(case(compiled("web/other.ts"), vec![], "rm web/app.js", Ask));
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn an_ignored_file_is_read_before_a_tool_writes_over_it() {
    let read: Vec<Step> = vec![Read("lab/trial.json")];
    for (steps, decision) in [(vec![], Ask), (read, Pass)] {
        let mut ground = Ground::with_history();
        for op in &ignored("lab/", "lab/trial.json") {
            ground.perform(op);
        }
        ground.person(&[]);
        for step in &steps {
            ground.step(step).await;
        }
        let (found, reason) = ground.judge_tool("Write", "lab/trial.json").await;
        assert_eq!(found, decision, "after {steps:?}: {reason}");
    }
}
