//! `bowline redact`.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use bowline_testkit::Sandbox;

/// Looks like a live token of a vendor and is none.
fn token() -> String {
    format!("ghp_{}", "aQ7kZ2mX9pR4tW6vB8nC3dF5gH1jLsTyUeKw")
}

#[test]
fn secrets_vanish_and_the_rest_stays() {
    let text = format!(
        "\u{1b}[31merror\u{1b}[0m\tGITHUB_TOKEN={}\r\ncommit 0a9b8c7d\n",
        token()
    );
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .command(&["redact"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(text.as_bytes()).unwrap();
    input.write_all(b"caf\xe9\xff").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let start = b"\x1b[31merror\x1b[0m\tGITHUB_TOKEN=[REDACTED:";
    assert!(output.stdout.starts_with(start), "{:?}", output.stdout);
    assert!(
        output
            .stdout
            .ends_with(b"]\r\ncommit 0a9b8c7d\ncaf\xe9\xff"),
        "{:?}",
        output.stdout
    );
}

#[test]
fn nothing_in_gives_nothing_out() {
    let ran = Sandbox::with_repository().run(&["redact"]);
    ran.expect(0, &[]);
    assert_eq!(ran.stdout, "");
}

#[test]
fn records_keep_their_ids() {
    let lines = format!(
        "{}\n{}\n",
        json!({"id": "a", "text": format!("key {}", token())}),
        json!({"text": "plain", "id": 7, "other": token()}),
    );
    let ran = Sandbox::with_repository().run_with(&["redact", "--jsonl"], lines.as_bytes());
    ran.expect(0, &[]).lacks(&[&token()]);
    let answers: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers[0]["id"], "a");
    assert!(
        answers[0]["text"]
            .as_str()
            .unwrap()
            .starts_with("key [REDACTED:")
    );
    assert_eq!(answers[1], json!({"id": 7, "text": "plain"}));
}

#[test]
fn what_is_no_record_is_reported_and_not_repeated() {
    let ran = Sandbox::with_repository().run_with(
        &["redact", "--jsonl"],
        b"\"hunter2\"\n{\"id\":1,\"text\":\"ok\"}\nhunter2",
    );
    ran.expect(1, &["not a record", "{\"id\":1,\"text\":\"ok\"}"])
        .lacks(&["hunter2"]);
    assert_eq!(ran.stdout.lines().count(), 3);
}
