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

#[test]
fn a_report_tells_what_failed_again_and_what_was_spent() {
    let sandbox = Sandbox::with_repository();
    sandbox.write(
        "home/.config/bowline/config.toml",
        "[errors]\nmemory = true\n",
    );
    let failed =
        json!({"tool_input": {"command": "make"}, "error": "error: no rule to make target"});
    for call in ["t-1", "t-2"] {
        hook(
            &sandbox,
            "PreToolUse",
            call,
            &json!({"tool_input": {"command": "make"}}),
        );
        hook(&sandbox, "PostToolUseFailure", call, &failed);
    }
    let message = json!({
        "type": "assistant", "sessionId": "s-1", "cwd": sandbox.project(), "timestamp": chrono::Utc::now(),
        "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-8", "content": [],
            "usage": {"input_tokens": 10, "output_tokens": 7}},
    });
    sandbox.write(
        "home/.claude/projects/shop/s-1.jsonl",
        format!("{message}\n"),
    );
    sandbox.run(&["cost", "scan"]).expect(0, &[]);
    until("both failures are counted", || {
        sandbox.json(&["report"])["repeated_failures"][0]["count"] == 2
    });
    let document = sandbox.json(&["report"]);
    let model = &document["cost"]["models"][0];
    assert_eq!(model["model"], "claude-opus-4-8", "{document:#}");
    assert_eq!(model["output_tokens"], 7);
    sandbox.run(&["report"]).expect(
        0,
        &[
            "Repeated failures",
            "no rule to make target",
            "Cost",
            "7 out",
        ],
    );
}
