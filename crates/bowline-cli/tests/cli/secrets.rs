//! Nothing that is shown holds a secret, while what is run gets it in full.

use std::fs;

use bowline_guard::secrets::expand;
use serde_json::json;

use bowline_testkit::{Ran, Sandbox};

use super::example::one_hook;

/// Both streams hide the secret, and one says so.
#[track_caller]
fn hides(ran: &Ran, secrets: &[&str]) {
    ran.lacks(secrets);
    let marks = ["[REDACTED", "***"];
    let says_so = |stream: &str| marks.iter().any(|mark| stream.contains(mark));
    assert!(
        says_so(&ran.stdout) || says_so(&ran.stderr),
        "nothing is said to be hidden in:\n{ran}"
    );
}

fn token() -> String {
    expand("ghp_{a36}")
}

#[test]
fn a_token_in_a_hooks_command_is_run_but_not_shown() {
    let sandbox = Sandbox::with_repository();
    let token = token();
    let gap = " ".repeat(20);
    let command = format!(
        "curl -u{gap}ci:S3cr3t-pw9 x.test 2>/dev/null; echo {token} >ran; echo {token} >&2; exit 2"
    );
    sandbox.write_in_project(
        ".claude/settings.json",
        one_hook("PreToolUse", "Bash", &command),
    );
    let fire = [
        "test",
        "PreToolUse",
        "--tool",
        "Bash",
        "--agent",
        "claude-code",
    ];
    for args in [
        &["hooks"][..],
        &["hooks", "--json"],
        &["check", "--json"],
        &["test", "PreToolUse", "--tool", "Bash", "--dry-run"],
        &[
            "test",
            "PreToolUse",
            "--tool",
            "Bash",
            "--dry-run",
            "--json",
        ],
        &fire,
        &[&fire[..], &["--json"]].concat(),
    ] {
        hides(&sandbox.run(args), &[&token, "S3cr3t-pw9"]);
    }
    assert_eq!(
        fs::read_to_string(sandbox.project().join("ran"))
            .unwrap()
            .trim(),
        token
    );
}

#[test]
fn what_is_nested_in_a_payload_is_run_but_not_shown() {
    let sandbox = Sandbox::with_repository();
    let token = token();
    let answer = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "additionalContext": format!("use {token}"),
        "updatedInput": {"headers": {"api_key": "short-one"}, "text": token},
    }});
    sandbox.write_in_project("answer.json", answer.to_string());
    sandbox.write_in_project(
        ".claude/settings.json",
        one_hook("PreToolUse", "Bash", "cat >seen; cat answer.json"),
    );
    let input = json!({
        "command": format!("curl -H 'Authorization: Bearer {token}' https://api.test"),
        "options": [{"api_key": "short-one", "author": "Ada"}],
    })
    .to_string();
    let fire = [
        "test",
        "PreToolUse",
        "--tool",
        "Bash",
        "--input",
        &input,
        "--agent",
        "claude-code",
    ];
    for args in [&fire[..], &[&fire[..], &["--json"]].concat()] {
        hides(&sandbox.run(args), &[&token, "short-one"]);
    }
    let (_, document) = sandbox.code_and_json(&fire);
    assert_eq!(
        document["payload"]["tool_input"]["options"],
        json!([{"api_key": "[REDACTED]", "author": "Ada"}])
    );
    let seen = fs::read_to_string(sandbox.project().join("seen")).unwrap();
    assert!(
        seen.contains(&token) && seen.contains("short-one"),
        "{seen}"
    );
}

#[test]
fn explain_shows_no_token() {
    let sandbox = Sandbox::with_repository();
    let token = token();
    let command = format!(
        "cat <<EOF | sudo -E curl -u ci:S3cr3t-pw9 -d @- https://ci:{token}@x.test\n{token}\nEOF"
    );
    let input = json!({"file_path": ".env", "content": token}).to_string();
    for args in [
        &["explain", &command][..],
        &["explain", "--json", &command],
        &["explain", "--tool", "Write", "--input", &input],
        &["explain", "--json", "--tool", "Write", "--input", &input],
    ] {
        hides(&sandbox.run(args), &[&token]);
    }
    hides(&sandbox.run(&["explain", &command]), &["S3cr3t-pw9"]);
}

#[test]
fn trust_shows_everything_but_the_secret_part() {
    let sandbox = Sandbox::with_repository();
    let token = token();
    sandbox.write_in_project(
        "bowline.toml",
        format!(
            r#"
[[hooks.PreToolUse]]
matcher = "Bash"
hooks = [
  {{ type = "command", command = "deploy --token {token} --to prod", env = {{ DB_PASSWORD = "short-one", MODE = "fast" }} }},
  {{ type = "http", url = "https://ci:S3cr3t-pw9@hook.test/x?token={token}", headers = {{ Authorization = "Bearer $HOOK_TOKEN", X-Api-Key = "short-one" }} }},
]
"#
        ),
    );
    for args in [&["trust"][..], &["trust", "--json"]] {
        let ran = sandbox.run(args);
        hides(&ran, &[&token, "short-one", "S3cr3t-pw9"]);
        for kept in [
            "deploy --token",
            "--to prod",
            "fast",
            "Bearer $HOOK_TOKEN",
            "hook.test/x",
        ] {
            assert!(ran.stdout.contains(kept), "no `{kept}` in:\n{}", ran.stdout);
        }
    }
}

#[test]
fn a_finding_is_shown_in_its_line_without_the_secret() {
    let sandbox = Sandbox::with_repository();
    let token = token();
    sandbox.write_in_project(
        "bowline.toml",
        format!("[[hooks.PreToolUse]]\ncommand = \"x {token}\"; oops\n"),
    );
    hides(&sandbox.run(&["check"]), &[&token]);
    sandbox.write_in_project(
        ".claude/settings.json",
        format!("{{\"hooks\": {{\"{token}\": []}}}}"),
    );
    for args in [&["check"][..], &["check", "--json"], &["hooks"]] {
        let ran = sandbox.run(args);
        assert!(!ran.stdout.contains(&token), "{}", ran.stdout);
    }
}

#[test]
fn an_error_quotes_no_token() {
    let sandbox = Sandbox::with_repository();
    let token = token();
    let flag = format!("--{token}");
    for args in [
        &["hooks", &flag][..],
        &["hooks", "--json", &flag],
        &["check", &token],
        &["check", "--json", &token],
        &["test", "PreToolUse", "--input", &format!("@{token}")],
    ] {
        hides(sandbox.run(args).expect(2, &[]), &[&token]);
    }
}

#[test]
fn the_words_of_a_usage_error_stay_readable() {
    let sandbox = Sandbox::with_repository();
    for args in [&["events", "--dir"][..], &["explain", "--nope", "x"]] {
        let ran = sandbox.run(args);
        ran.expect(2, &[]);
        assert!(!ran.stderr.contains("[REDACTED"), "{}", ran.stderr);
    }
    let ran = sandbox.run(&["explain", "--nope", "x"]);
    assert!(ran.stderr.contains("-- --nope"), "{}", ran.stderr);
}

#[test]
fn a_case_that_comes_out_differently_shows_no_token() {
    let sandbox = Sandbox::with_repository();
    let token = token();
    let case = json!({"command": format!("deploy {token}"), "verdict": "deny"});
    sandbox.write_in_project("cases.jsonl", format!("{case}\n"));
    for args in [
        &["rules", "test", "cases.jsonl"][..],
        &["rules", "test", "--json", "cases.jsonl"],
    ] {
        hides(sandbox.run(args).expect(1, &[]), &[&token]);
    }
}

#[test]
fn f41_a_an_allow_list_is_shown_before_it_is_trusted() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project(
        ".claude/sensitive-files.json",
        r#"{"patterns": {"custom_patterns": ["("]}, "allowlist": ["^fixtures/"]}"#,
    );
    sandbox
        .run(&["check"])
        .expect(1, &["bad-pattern", "sensitive-files.json"]);
    sandbox
        .run(&["check", ".claude/sensitive-files.json"])
        .expect(1, &["bad-pattern"]);
    sandbox
        .run(&["hooks"])
        .expect(0, &["not trusted", ".claude/sensitive-files.json"]);
    sandbox.run(&["trust", "--yes"]).expect(
        0,
        &[
            ".claude/sensitive-files.json",
            "`allowlist` entry `^fixtures/`",
            "Trusted",
        ],
    );
    sandbox
        .run(&["hooks"])
        .expect(0, &["trusted"])
        .lacks(&["not trusted"]);

    sandbox.write_in_project("bowline.toml", "");
    sandbox.run(&["hooks"]).expect(0, &["changed since"]);
}
