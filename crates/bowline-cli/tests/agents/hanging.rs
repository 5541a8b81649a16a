//! Files that never open, as on a disk that hangs. A pipe that nobody writes to stands for them.

use bowline_testkit::{Ran, Sandbox, until};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use super::reporting::with_client;

/// A machine on which nobody can tell whether Bowline is paused.
fn hanging() -> Sandbox {
    let sandbox = with_client();
    let data = sandbox.folder("home/.local/share/bowline");
    let mode = Mode::from_raw_mode(0o600);
    mknodat(CWD, data.join("paused.json"), FileType::Fifo, mode, 0).unwrap();
    sandbox
}

/// What the client answers, which gives up long before a test does.
fn report(sandbox: &Sandbox, way: &str) -> Ran {
    let payload = json!({
        "session_id": "s1", "transcript_path": "/t", "cwd": sandbox.path("project"),
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": "git push --force origin main"},
    });
    let mut client = sandbox.hook_command(&["claude-code", "PreToolUse", "--on-failure", "open"]);
    client.args(["--timeout", "30"]).env("BOWLINE_DAEMON", way);
    Ran::with_stdin(&mut client, payload.to_string().as_bytes())
}

fn is_denied(output: &Ran) -> bool {
    let said: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    said["hookSpecificOutput"]["permissionDecision"] == "deny"
}

#[test]
fn a_file_that_hangs_does_not_hold_up_a_direct_run() {
    let sandbox = hanging();
    let output = report(&sandbox, "off");
    assert!(is_denied(&output), "{output:?}");
}

#[test]
fn a_file_that_hangs_does_not_keep_the_daemon_from_starting() {
    let sandbox = hanging();
    assert!(is_denied(&report(&sandbox, "on")), "the first is direct");
    until("the daemon answers", || sandbox.socket().exists());
    let status = sandbox.json(&["daemon", "status"]);
    assert_eq!(status["running"], true, "{status}");
}
