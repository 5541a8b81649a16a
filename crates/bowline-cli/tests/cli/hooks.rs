//! `bowline hooks` and `bowline trust`.

use std::fs;

use super::bench::Bench;

#[test]
fn hooks_are_listed_in_order_with_what_keeps_them_from_running() {
    let bench = Bench::with_example();
    bench.run(&["hooks"]).expect(
        0,
        &[
            "Trust    not trusted",
            "duplicate of #1",
            "not trusted: run `bowline trust`",
            "only in skill release",
            ".claude/settings.local.json:7",
        ],
    );
    let (_, document) = bench.json(&["hooks", "--event", "pre-tool-use"]);
    assert_eq!(document["trust"], "untrusted");
    let hooks: Vec<(&str, &str, Option<u64>)> = document["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hook| {
            (
                hook["scope"].as_str().unwrap(),
                hook["status"].as_str().unwrap(),
                hook["position"].as_u64(),
            )
        })
        .collect();
    assert_eq!(
        hooks,
        [
            ("local", "in_force", Some(1)),
            ("project", "untrusted", None),
            ("project", "duplicate", None),
            ("plugin", "in_force", Some(2)),
        ]
    );
}

#[test]
fn a_misspelt_event_is_explained() {
    let bench = Bench::new();
    for command in ["hooks --event PreToolUze", "test PreToolUze"] {
        let args: Vec<&str> = command.split(' ').collect();
        bench.run(&args).expect(2, &["did you mean `PreToolUse`?"]);
    }
}

#[test]
fn no_hooks_is_not_an_error() {
    let bench = Bench::new();
    bench.run(&["hooks"]).expect(0, &["No hooks."]);
    bench.run(&["check"]).expect(0, &["no errors, no warnings"]);
    bench
        .run(&["test", "Stop"])
        .expect(0, &["no hook matches", "allowed"]);
}

#[test]
fn trust_brings_the_projects_hooks_into_force_until_they_change() {
    let bench = Bench::with_example();
    let status = || {
        let (_, document) = bench.json(&["hooks"]);
        let hook = document["hooks"]
            .as_array()
            .unwrap()
            .iter()
            .find(|hook| hook["runs"] == "hooks/no-lockfile-edits.sh")
            .unwrap();
        (
            document["trust"].as_str().unwrap().to_owned(),
            hook["status"].as_str().unwrap().to_owned(),
        )
    };
    let is = |trust: &str, hook: &str| assert_eq!(status(), (trust.to_owned(), hook.to_owned()));
    let edit = [
        "test",
        "PreToolUse",
        "--tool",
        "Write",
        "--input",
        r#"{"file_path": "Cargo.lock"}"#,
    ];

    let toml = fs::read_to_string(bench.project().join("bowline.toml")).unwrap();
    bench.write(
        "bowline.toml",
        format!("{toml}\n[prompt]\nmodel = \"other\"\n"),
    );
    is("untrusted", "untrusted");
    bench.run(&["trust"]).expect(
        2,
        &[
            "standard input is not a terminal",
            "--yes",
            "hooks/no-lockfile-edits.sh",
            "`prompt.model = \"other\"` is ignored",
        ],
    );
    let (code, document) = bench.json(&["trust"]);
    assert_eq!(code, Some(1), "without --yes it only tells");
    assert_eq!(document["would_loosen"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        document["would_run"][0]["runs"],
        "hooks/no-lockfile-edits.sh"
    );
    is("untrusted", "untrusted");
    bench.run(&edit).expect(0, &["not in force"]);

    bench
        .run(&["trust", "--yes"])
        .expect(0, &["hooks/no-lockfile-edits.sh", "Trusted"]);
    is("trusted", "in_force");
    bench.run(&["trust"]).expect(0, &["already trusted"]);
    bench.run(&["trust", "--list"]).expect(0, &["/project"]);
    bench
        .run(&edit)
        .expect(1, &["Do not edit Cargo.lock by hand"]);

    let toml = fs::read_to_string(bench.project().join("bowline.toml")).unwrap();
    bench.write("bowline.toml", format!("{toml}\n# changed"));
    is("changed", "untrusted");
    bench
        .run(&["hooks"])
        .expect(0, &["changed since it was trusted"]);
    bench
        .run(&["trust", "-y"])
        .expect(0, &["changed since it was trusted", "Trusted"]);
    is("trusted", "in_force");

    bench
        .run(&["trust", "--revoke"])
        .expect(0, &["no longer trusted"]);
    bench
        .run(&["trust", "--revoke"])
        .expect(0, &["was not trusted"]);
    is("untrusted", "untrusted");
    bench
        .run(&["trust", "--list"])
        .expect(0, &["No project is trusted."]);
}

#[test]
fn a_project_without_settings_needs_no_trust() {
    Bench::new()
        .run(&["trust", "--yes"])
        .expect(0, &["Nothing to trust"]);
}

#[test]
fn what_cannot_be_read_cannot_be_trusted() {
    let bench = Bench::new();
    bench.write("bowline.toml", "[hooks");
    bench
        .run(&["trust", "--yes"])
        .expect(2, &["cannot tell what", "bowline check"]);
    bench
        .run(&["trust", "--list"])
        .expect(0, &["No project is trusted."]);
}
