//! Agents that are killed and cannot say that they end.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::json;

use super::background::until;
use super::place::{Place, programs};
use super::put::put;

/// An agent that reports two calls, of which the second never ends, and then waits for ever.
const AGENT: &str = r#"
"$HOOK" claude-code PreToolUse < first.json
"$HOOK" claude-code PreToolUse < second.json
exec sleep 600
"#;

#[test]
#[cfg(target_os = "linux")]
fn an_agent_that_is_killed_ends_its_session_and_its_calls() {
    let place = Place::new();
    assert!(place.bowline(&["daemon", "start"]).status.success());
    for (file, id) in [("first.json", "toolu_1"), ("second.json", "toolu_2")] {
        let payload = json!({
            "session_id": "s1", "transcript_path": "/t", "cwd": place.path("project"),
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": id,
            "tool_input": {"command": "ls"},
        });
        fs::write(place.path("project").join(file), payload.to_string()).unwrap();
    }
    // A shell is not taken for an agent: this one has another name.
    let shell = place.path("agent");
    put("/bin/sh", &shell);
    let mut agent = Command::new(shell);
    let mut agent = place
        .surround(agent.args(["-c", AGENT]))
        .env("HOOK", programs().join("bowline-hook"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let session = || place.json(&["session", "list"])["sessions"][0].clone();
    until("both calls are recorded", || session()["calls"] == 2);
    assert_eq!(session()["status"], "active");
    agent.kill().unwrap();
    agent.wait().unwrap();
    until("the session ends", || session()["status"] == "ended");
    assert_eq!(session()["end_reason"], "gone");
    let call = place.json(&["trace", "show", "toolu_2"]);
    assert_eq!(call["trace"]["status"], "cancelled");
    assert_eq!(call["trace"]["error"], "the agent's process ended");
    assert_eq!(session()["errors"], 0);
    assert_eq!(place.json(&["trace", "errors"])["traces"], json!([]));
}
