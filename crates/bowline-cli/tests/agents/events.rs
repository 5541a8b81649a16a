//! Every event that an agent can report, in every form that one was seen in, through the real programs.

use std::fs;
use std::path::Path;
use std::process::Output;

use bowline::hooks::{DateTime, HookEvent};
use serde_json::{Value, json};

use super::place::Place;

/// What Claude Code understands at the top of an answer.
const KEYS: [&str; 7] = [
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "reason",
    "hookSpecificOutput",
];

#[test]
fn all_events_in_all_recorded_forms_are_answered_and_recorded() {
    let place = Place::new();
    assert!(place.bowline(&["daemon", "start"]).status.success());
    let before = place.json(&["daemon", "status"]);

    let mut sent = 0;
    for (name, event, payload) in recorded(&place).into_iter().chain(minimal()) {
        let output = place.hook(&event, payload.to_string().as_bytes());
        understood(&name, &event, &output);
        sent += 1;
    }
    assert_eq!(HookEvent::ALL.len(), 33);

    let after = place.json(&["daemon", "status"]);
    assert_eq!(
        before["daemon"]["pid"], after["daemon"]["pid"],
        "the daemon was replaced"
    );
    assert_eq!(after["daemon"]["events"], sent, "decided by the daemon");
    let log = place.json(&["log", "--limit", "1000"]);
    let kept = log["triggers"].as_array().unwrap();
    assert_eq!(kept.len(), sent, "recorded");
    for event in HookEvent::ALL {
        assert!(
            kept.iter().any(|trigger| trigger["event"] == event.name()),
            "{event} is not recorded"
        );
    }
}

#[test]
fn f20_a_a_call_that_two_processes_report_is_one_row() {
    for way in [&[("BOWLINE_DAEMON", "off")][..], &[]] {
        let place = Place::new();
        let mut payload = json!({
            "session_id": "s1", "cwd": place.path("project"), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": "ls"},
        });
        let report = |event: &str, payload: &Value| {
            let output = place.hook_with(event, payload.to_string().as_bytes(), &[], way);
            assert!(output.status.success(), "{output:?}");
        };
        report("PreToolUse", &payload);
        payload["hook_event_name"] = "PostToolUse".into();
        payload["tool_response"] = json!({"stdout": "a"});
        report("PostToolUse", &payload);

        let list = place.json(&["trace", "list"]);
        let [trace] = list["traces"].as_array().unwrap().as_slice() else {
            panic!("{list}");
        };
        assert_eq!(trace["status"], "ok", "{trace}");
        let [began, ended] = ["started_at", "ended_at"].map(|name| {
            let text = trace[name].as_str().unwrap();
            assert!(text.ends_with('Z'), "{text}");
            DateTime::parse_from_rfc3339(text).unwrap()
        });
        assert_eq!(trace["duration_ms"], (ended - began).num_milliseconds());
    }
}

/// Valid answers: nothing, or a document of which the agent knows every key.
fn understood(name: &str, event: &str, output: &Output) {
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let told = format!("{name}: {stdout}{stderr}");
    match output.status.code() {
        Some(0) => {}
        Some(2) => {
            assert!(!stderr.trim().is_empty(), "{told}");
            return;
        }
        other => panic!("exit code {other:?}: {told}"),
    }
    if stdout.trim().is_empty() {
        return;
    }
    let answer: Value = serde_json::from_str(&stdout).expect(&told);
    for (key, value) in answer.as_object().expect(&told) {
        assert!(KEYS.contains(&key.as_str()), "{key}: {told}");
        if key == "hookSpecificOutput" {
            assert_eq!(value["hookEventName"], event, "{told}");
        }
    }
}

/// What a real agent has sent, as if in the project of this place.
fn recorded(place: &Place) -> Vec<(String, String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bowline/tests/data/claude-code");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() >= 80, "{} recorded payloads", files.len());
    let project = place.path("project").display().to_string();
    let payload = |file: &std::path::PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        let payload: Value =
            serde_json::from_str(&text.replace("/home/user/project", &project)).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let event = payload["hook_event_name"].as_str().unwrap().to_owned();
        (name, event, payload)
    };
    files.iter().map(payload).collect()
}

/// The least that says what happened.
fn minimal() -> Vec<(String, String, Value)> {
    let payload = |event: &HookEvent| {
        let name = event.name().to_owned();
        let payload = json!({"session_id": "minimal", "hook_event_name": name});
        (format!("minimal {name}"), name, payload)
    };
    HookEvent::ALL.iter().map(payload).collect()
}
