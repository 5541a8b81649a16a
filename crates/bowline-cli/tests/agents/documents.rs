//! What programs read: one unit of time, and one name for one thing, whichever command prints it.

use serde_json::{Value, json};

use super::reporting::{Reporting as _, with_client};

const SESSION: &str = "8c2f51de-0d6b-4a3e-9f5c-1f2e3d4c5b6a";
const CALL: &str = "toolu_01SIwCMflBrCdrKUcAYfRzkn";

const COMMANDS: &[&str] = &[
    "trace list",
    "trace show last",
    "trace slow --threshold 0ms",
    "trace errors",
    "trace tree last",
    "trace stats",
    "log",
    "approvals",
    "search ls",
    "errors",
    "session list",
    "session show last",
    "hooks",
    "hooks --live",
    "check",
    "config show --all",
    "report",
    "test Stop",
    "daemon status",
    "doctor",
    "store size",
    "work list",
    "orchestrator status",
    "metrics report",
    "cost",
    "cost prices",
    "top",
    "pause --for 10m",
];

/// How another unit than milliseconds would be called, or none at all.
const OTHER_UNITS: &[&str] = &[
    "duration", "length", "nanos", "ns", "s", "secs", "seconds", "took", "timeout", "uptime", "us",
];

#[test]
fn documents_have_one_unit_of_time_and_one_name_for_one_thing() {
    let sandbox = with_client();
    for (event, more) in [
        ("UserPromptSubmit", json!({"prompt": "look around"})),
        ("PreToolUse", json!({})),
        ("PostToolUseFailure", json!({"error": "exit code 1"})),
    ] {
        let mut payload = json!({
            "session_id": SESSION, "transcript_path": "/t", "cwd": sandbox.path("project"),
            "hook_event_name": event, "tool_name": "Bash", "tool_use_id": CALL,
            "tool_input": {"command": "ls"},
        });
        (payload.as_object_mut().unwrap()).extend(more.as_object().unwrap().clone());
        sandbox.hook(event, payload.to_string().as_bytes());
    }
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let mut times = 0;
    for command in COMMANDS {
        let document = sandbox.json(&command.split(' ').collect::<Vec<_>>());
        assert!(document["error"].is_null(), "{command}: {document}");
        each(&document, &mut |key, value| {
            let unit = key.rsplit('_').next().unwrap_or(key);
            let is_time = value.is_number() || value.get("nanos").is_some();
            assert!(
                !(is_time && OTHER_UNITS.contains(&unit)),
                "{command}: {key} is {value}"
            );
            times += usize::from(is_time && unit == "ms");
            for (name, named) in [("session", SESSION), ("tool_use_id", CALL)] {
                assert!(
                    value != named || key == name,
                    "{command}: {key} is the {name}"
                );
            }
        });
    }
    assert!(times > COMMANDS.len(), "only {times} times were seen");
}

/// Looks at every entry of every object.
fn each(value: &Value, look: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                look(key, value);
                each(value, look);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| each(value, look)),
        _ => {}
    }
}
