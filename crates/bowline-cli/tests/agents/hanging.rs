//! Files that never open, as on a disk that hangs. A pipe that nobody writes to stands for them.

use std::fs;
use std::process::{Command, Output, Stdio};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use super::background::until;
use super::place::{Place, programs};

/// A machine on which nobody can tell whether Bowline is paused.
fn place() -> Place {
    let place = Place::new();
    let data = place.path("home/.local/share/bowline");
    fs::create_dir_all(&data).unwrap();
    let mode = Mode::from_raw_mode(0o600);
    mknodat(CWD, data.join("paused.json"), FileType::Fifo, mode, 0).unwrap();
    place
}

/// What the client answers, which gives up long before a test does.
fn report(place: &Place, way: &str) -> Output {
    let event = place.path("event.json");
    let payload = json!({
        "session_id": "s1", "transcript_path": "/t", "cwd": place.path("project"),
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": "git push --force origin main"},
    });
    fs::write(&event, payload.to_string()).unwrap();
    let mut client = Command::new(programs().join("bowline-hook"));
    client.args(["claude-code", "PreToolUse", "--on-failure", "open"]);
    client.args(["--timeout", "30"]);
    place
        .surround(&mut client)
        .env("BOWLINE_DAEMON", way)
        .stdin(Stdio::from(fs::File::open(event).unwrap()))
        .output()
        .unwrap()
}

fn is_denied(output: &Output) -> bool {
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    said["hookSpecificOutput"]["permissionDecision"] == "deny"
}

#[test]
fn a_file_that_hangs_does_not_hold_up_a_direct_run() {
    let place = place();
    let output = report(&place, "off");
    assert!(is_denied(&output), "{output:?}");
}

#[test]
fn a_file_that_hangs_does_not_keep_the_daemon_from_starting() {
    let place = place();
    assert!(is_denied(&report(&place, "on")), "the first is direct");
    until("the daemon answers", || place.socket().exists());
    let status = place.json(&["daemon", "status"]);
    assert_eq!(status["running"], true, "{status}");
}
