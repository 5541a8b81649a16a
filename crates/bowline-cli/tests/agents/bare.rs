//! `bowline-hook` without arguments, as a client starts it that does not know `args` of hooks.

use bowline::hooks::HookEvent;
use serde_json::{Value, json};

use super::place::Place;

/// With a daemon, and without one.
const WAYS: [&[(&str, &str)]; 2] = [&[], &[("BOWLINE_DAEMON", "off")]];

fn payload(place: &Place, event: &str, command: &str) -> Value {
    json!({
        "session_id": "s1", "transcript_path": "/dev/null", "cwd": place.path("project"),
        "hook_event_name": event, "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": command}, "prompt": "hello", "source": "startup",
    })
}

#[test]
fn a_bare_call_decides_by_the_payloads_shape() {
    for way in WAYS {
        let place = Place::new();
        let said = |payload: &str| {
            let output = place.report(payload.as_bytes(), &[], way);
            let text = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
            (output.status.code().unwrap(), text.concat())
        };
        let (code, text) = said(&payload(&place, "PreToolUse", "rm -rf /").to_string());
        assert_eq!(code, 0, "{text}");
        assert!(text.contains("\"permissionDecision\":\"deny\""), "{text}");
        let harmless = payload(&place, "PreToolUse", "ls").to_string();
        assert_eq!(said(&harmless), (0, String::new()));
        let log = place.json(&["log"]);
        assert_eq!(log["triggers"][0]["agent"], "claude-code", "{log}");

        // A tool's input does not make another event of it.
        let mut nested = payload(&place, "PreToolUse", "rm -rf /");
        nested["tool_input"]["hook_event_name"] = json!("Stop");
        assert!(said(&nested.to_string()).1.contains("\"deny\""));

        // What has another shape is not verified: passed with a word, unless it looks dangerous.
        for (payload, expected) in [
            (r#"{"type":"before_tool","command":"ls"}"#, 0),
            ("hello", 0),
            (r#"{"type":"before_tool","command":"rm -rf /"}"#, 2),
        ] {
            let (code, text) = said(payload);
            assert_eq!(code, expected, "{payload}: {text}");
            assert!(
                text.contains("not verified: no agent is named"),
                "{payload}: {text}"
            );
        }
    }
}

#[test]
fn a_bare_call_never_blocks_a_prompt() {
    for way in WAYS {
        let place = Place::new();
        for event in HookEvent::ALL {
            let payload = payload(&place, event.name(), "ls").to_string();
            let output = place.report(payload.as_bytes(), &[], way);
            let told = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{event}: {told}");
            let answer = String::from_utf8_lossy(&output.stdout);
            assert!(
                !answer.contains("block") && !answer.contains("deny"),
                "{event}: {answer}"
            );
        }
    }
}
