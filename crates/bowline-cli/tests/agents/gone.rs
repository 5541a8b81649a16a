//! Agents that are killed and cannot say that they end.

use std::process::Stdio;

use bowline_testkit::{Sandbox, client, put, until};
use serde_json::json;

use super::reporting::with_client;

/// An agent that reports two calls, of which the second never ends, and then waits for ever.
const AGENT: &str = r#"
"$HOOK" claude-code PreToolUse < first.json
"$HOOK" claude-code PreToolUse < second.json
exec sleep 600
"#;

#[test]
#[cfg(target_os = "linux")]
fn an_agent_that_is_killed_ends_its_session_and_its_calls() {
    let sandbox = with_client();
    kill_an_agent_of(&sandbox, || ());
}

#[test]
#[cfg(target_os = "linux")]
fn so_does_one_that_is_killed_while_no_daemon_runs() {
    let sandbox = with_client();
    kill_an_agent_of(&sandbox, || {
        sandbox.run(&["daemon", "stop"]).expect(0, &[]);
    });
}

/// Starts an agent, lets something happen, kills it, and looks at what becomes of its session with a daemon.
#[cfg(target_os = "linux")]
fn kill_an_agent_of(sandbox: &Sandbox, before: impl FnOnce()) {
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    for (file, id) in [("first.json", "toolu_1"), ("second.json", "toolu_2")] {
        let payload = json!({
            "session_id": "s1", "transcript_path": "/t", "cwd": sandbox.path("project"),
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": id,
            "tool_input": {"command": "ls"},
        });
        sandbox.write_in_project(file, payload.to_string());
    }
    // A shell is not taken for an agent: this one has another name.
    let shell = sandbox.path("agent");
    put("/bin/sh", &shell);
    let mut agent = sandbox
        .program(shell)
        .args(["-c", AGENT])
        .env("HOOK", client())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let session = || sandbox.json(&["session", "list"])["sessions"][0].clone();
    until("both calls are recorded", || session()["calls"] == 2);
    assert_eq!(session()["status"], "active");
    before();
    agent.kill().unwrap();
    agent.wait().unwrap();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    until("the session ends", || session()["status"] == "ended");
    assert_eq!(session()["end_reason"], "gone");
    let call = sandbox.json(&["trace", "show", "toolu_2"]);
    assert_eq!(call["trace"]["status"], "cancelled");
    assert_eq!(call["trace"]["error"], "the agent's process ended");
    assert_eq!(session()["errors"], 0);
    assert_eq!(sandbox.json(&["trace", "errors"])["traces"], json!([]));
}
