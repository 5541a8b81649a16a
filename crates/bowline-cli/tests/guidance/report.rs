//! `bowline report` after the work of an agent, through both programs.

use bowline_testkit::{Sandbox, until};
use serde_json::{Value, json};

fn hook(sandbox: &Sandbox, event: &str, call: &str, more: &Value) {
    let mut payload = json!({
        "session_id": "s-1", "cwd": sandbox.project(), "hook_event_name": event,
        "tool_name": "Bash", "tool_use_id": call,
    });
    (payload.as_object_mut().unwrap()).extend(more.as_object().unwrap().clone());
    let mut command = sandbox.hook_command(&["claude-code", event]);
    bowline_testkit::Ran::with_stdin(&mut command, payload.to_string().as_bytes());
}

#[test]
fn a_report_tells_what_was_denied_asked_and_failed() {
    let sandbox = Sandbox::with_repository();
    sandbox
        .run(&["report"])
        .expect(0, &["Nothing is recorded yet."]);
    let run = |command: &str| json!({"tool_input": {"command": command}});
    hook(
        &sandbox,
        "PreToolUse",
        "t-1",
        &run("git push --force origin main"),
    );
    hook(&sandbox, "PreToolUse", "t-2", &run("ls"));
    let failed = json!({"tool_input": {"command": "ls"}, "error": "exit code 2"});
    hook(&sandbox, "PostToolUseFailure", "t-2", &failed);
    until("the events are recorded", || {
        sandbox.json(&["report"])["totals"]["events"] == 3
    });
    let document = sandbox.json(&["report", "--since", "1h", "--project"]);
    assert_eq!(document["totals"]["calls"], 2, "{document:#}");
    let stopped = [&document["denied"], &document["asked"]];
    let mut stopped = stopped.iter().flat_map(|it| it.as_array().unwrap());
    let push = stopped.next().unwrap();
    assert_eq!(push["rule"], "git.push-force");
    assert_eq!(push["last"]["what"], "git push --force origin main");
    assert_eq!(document["failed"][0]["last"]["error"], "exit code 2");
    sandbox
        .run(&["report", "--md"])
        .expect(0, &["# What happened since ", "| git.push-force | 1 |"]);
    sandbox
        .run(&["report", "--since", "2099-01-01"])
        .expect(0, &["Nothing happened since 2099-01-01"]);
}
