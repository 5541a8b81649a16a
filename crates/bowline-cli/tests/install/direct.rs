//! `bowline hook --direct`.

use std::fs::{self, File};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::installed::installed;

/// The hook ends only when somebody lets it, which happens after the answer.
#[test]
fn a_background_hook_does_not_delay_a_direct_answer() {
    let sandbox = installed();
    let (go, done) = (sandbox.path("go"), sandbox.path("done"));
    let line = format!(
        "while [ ! -e {} ]; do sleep 0.05; done; touch {}",
        go.display(),
        done.display()
    );
    sandbox.write(
        "home/.config/bowline/config.toml",
        format!("[[hooks.PreToolUse]]\nasync = true\ntimeout = 60\ncommand = '{line}'\n"),
    );
    let payload = json!({
        "session_id": "s1", "transcript_path": "/dev/null", "cwd": sandbox.path("project"),
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": "rm -rf /"},
    });
    let stdin = sandbox.write("payload.json", payload.to_string());
    let answer = sandbox
        .command(&["hook", "--direct", "claude-code"])
        .stdin(File::open(stdin).unwrap())
        .output()
        .unwrap();
    assert!(!done.exists());
    let text = String::from_utf8_lossy(&answer.stdout);
    assert!(text.contains("\"deny\""), "{answer:?}");
    fs::write(go, "").unwrap();
    for _ in 0..400 {
        if done.exists() {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    assert!(done.exists(), "the hook did not live on");
    let (_, traces) = sandbox.code_and_json(&["trace", "list"]);
    assert_eq!(
        traces["traces"].as_array().map(Vec::len),
        Some(1),
        "{traces}"
    );
}

/// Every run is a process of its own: it learns from the store what the session's last event with a mode said.
#[test]
fn f08_a_hooks_learn_the_permission_mode_without_a_daemon() {
    let sandbox = installed();
    let seen = sandbox.path("seen");
    sandbox.write(
        "home/.config/bowline/config.toml",
        format!(
            "[[hooks.Notification]]\nhooks = [{{ type = 'command', command = 'cat >> {}' }}]\n",
            seen.display()
        ),
    );
    let run = |event: &Value| {
        let stdin = sandbox.write("payload.json", event.to_string());
        let answer = sandbox
            .command(&["hook", "--direct", "claude-code"])
            .stdin(File::open(stdin).unwrap())
            .output()
            .unwrap();
        assert!(answer.status.success(), "{answer:?}");
    };
    let notified = |session: &str| {
        run(&json!({
            "session_id": session, "cwd": sandbox.path("project"), "hook_event_name": "Notification",
            "message": "done", "notification_type": "idle_prompt",
        }));
        let text = fs::read_to_string(&seen).unwrap();
        let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        last["permission_mode"].clone()
    };
    assert_eq!(notified("s1"), Value::Null);
    for mode in ["plan", "acceptEdits", "acceptEdits"] {
        run(&json!({
            "session_id": "s1", "cwd": sandbox.path("project"), "hook_event_name": "PreToolUse",
            "permission_mode": mode, "tool_name": "Bash", "tool_input": {"command": "ls"},
        }));
        assert_eq!(notified("s1"), mode);
        assert_eq!(notified("s2"), Value::Null);
    }
}
