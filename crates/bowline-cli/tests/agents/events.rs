//! Every event that an agent can report, in every form that one was seen in, through the real programs.

use bowline::hooks::{DateTime, HookEvent};
use bowline_testkit::{Ran, Recorded, Sandbox, recorded_of};
use serde_json::{Value, json};

use super::reporting::{AGENT, Reporting as _, with_client};

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
    let sandbox = with_client();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let before = sandbox.json(&["daemon", "status"]);

    let mut sent = 0;
    for (name, event, payload) in recorded(&sandbox).into_iter().chain(minimal()) {
        let output = sandbox.hook(&event, payload.to_string().as_bytes());
        understood(&name, &event, &output);
        sent += 1;
    }

    let after = sandbox.json(&["daemon", "status"]);
    assert_eq!(
        before["daemon"]["pid"], after["daemon"]["pid"],
        "the daemon was replaced"
    );
    assert_eq!(after["daemon"]["events"], sent, "decided by the daemon");
    let log = sandbox.json(&["log", "--limit", "1000"]);
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
        let sandbox = with_client();
        let mut payload = json!({
            "session_id": "s1", "cwd": sandbox.path("project"), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": "ls"},
        });
        let report = |event: &str, payload: &Value| {
            let payload = payload.to_string();
            let ran = sandbox.hook_with(event, payload.as_bytes(), &[], way);
            ran.expect(0, &[]);
        };
        report("PreToolUse", &payload);
        payload["hook_event_name"] = "PostToolUse".into();
        payload["tool_response"] = json!({"stdout": "a"});
        report("PostToolUse", &payload);

        let list = sandbox.json(&["trace", "list"]);
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
fn understood(name: &str, event: &str, output: &Ran) {
    let (stdout, stderr) = (&output.stdout, &output.stderr);
    let told = format!("{name}: {output}");
    match output.code {
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
    let answer: Value = serde_json::from_str(stdout).expect(&told);
    for (key, value) in answer.as_object().expect(&told) {
        assert!(KEYS.contains(&key.as_str()), "{key}: {told}");
        if key == "hookSpecificOutput" {
            assert_eq!(value["hookEventName"], event, "{told}");
        }
    }
}

/// What the real agent has sent, as if in the project of this sandbox.
fn recorded(sandbox: &Sandbox) -> Vec<(String, String, Value)> {
    let recorded = recorded_of(AGENT);
    assert!(recorded.len() >= 80, "{} payloads", recorded.len());
    let project = sandbox.path("project").display().to_string();
    let payload = |it: Recorded| {
        let text = it.text.replace("/home/user/project", &project);
        let payload: Value = serde_json::from_str(&text).unwrap();
        let event = payload["hook_event_name"].as_str().unwrap().to_owned();
        (it.name, event, payload)
    };
    recorded.into_iter().map(payload).collect()
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
