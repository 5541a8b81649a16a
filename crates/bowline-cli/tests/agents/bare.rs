//! `bowline-hook` without arguments, as a client starts it that does not know `args` of hooks.

use bowline::hooks::HookEvent;
use bowline_testkit::Sandbox;
use serde_json::{Value, json};

use super::reporting::{Reporting as _, with_client};

/// With a daemon, and without one.
const WAYS: [&[(&str, &str)]; 2] = [&[], &[("BOWLINE_DAEMON", "off")]];

fn payload(sandbox: &Sandbox, event: &str, command: &str) -> Value {
    json!({
        "session_id": "s1", "transcript_path": "/dev/null", "cwd": sandbox.path("project"),
        "hook_event_name": event, "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": command}, "prompt": "hello", "source": "startup",
    })
}

#[test]
fn a_bare_call_decides_by_the_payloads_shape() {
    for way in WAYS {
        let sandbox = with_client();
        let said = |payload: &str| sandbox.report(payload.as_bytes(), &[], way);
        said(&payload(&sandbox, "PreToolUse", "rm -rf /").to_string())
            .expect(0, &["\"permissionDecision\":\"deny\""]);
        let harmless = payload(&sandbox, "PreToolUse", "ls").to_string();
        let silence = said(&harmless);
        assert_eq!((silence.stdout, silence.stderr), Default::default());
        let log = sandbox.json(&["log"]);
        assert_eq!(log["triggers"][0]["agent"], "claude-code", "{log}");

        // A tool's input does not make another event of it.
        let mut nested = payload(&sandbox, "PreToolUse", "rm -rf /");
        nested["tool_input"]["hook_event_name"] = json!("Stop");
        said(&nested.to_string()).expect(0, &["\"deny\""]);

        // What has another shape is not verified: passed with a word, unless it looks dangerous.
        for (payload, expected) in [
            (r#"{"type":"before_tool","command":"ls"}"#, 0),
            ("hello", 0),
            (r#"{"type":"before_tool","command":"rm -rf /"}"#, 2),
        ] {
            said(payload).expect_stderr(expected, &["not verified: no agent is named"]);
        }
    }
}

#[test]
fn a_bare_call_never_blocks_a_prompt() {
    for way in WAYS {
        let sandbox = with_client();
        for event in HookEvent::ALL {
            let payload = payload(&sandbox, event.name(), "ls").to_string();
            let ran = sandbox.report(payload.as_bytes(), &[], way);
            assert_eq!(ran.code, Some(0), "{event}: {ran}");
            let answer = &ran.stdout;
            let blocks = answer.contains("block") || answer.contains("deny");
            assert!(!blocks, "{event}: {answer}");
        }
    }
}
