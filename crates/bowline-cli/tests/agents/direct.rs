//! What a session has done before counts, although each event is decided by a process of its own.

use bowline_testkit::Sandbox;
use serde_json::{Value, json};

use super::reporting::{Reporting as _, with_client};

/// A sandbox whose user has these settings.
fn with_settings(text: &str) -> Sandbox {
    let sandbox = with_client();
    sandbox.write("home/.config/bowline/config.toml", text);
    sandbox
}

fn call(sandbox: &Sandbox, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": "s1", "cwd": sandbox.path("project"), "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": input,
    })
}

#[test]
fn f40_e_a_second_attempt_passes_without_a_daemon() {
    let sandbox = with_settings("[guard]\nmode = 'one-strike'\n");
    let push = call(&sandbox, "Bash", &json!({"command": "git push -f"}));
    assert!(sandbox.direct(&push).contains("deny"));
    let again = sandbox.direct(&push);
    assert!(!again.contains("deny"), "{again}");
    assert!(again.contains("second attempt"), "{again}");
}

#[test]
fn f06_b_a_skill_is_in_use_without_a_daemon() {
    let sandbox = with_settings("[bridge]\nclaude_hooks = true\n");
    sandbox.write(
        "home/.claude/skills/review/SKILL.md",
        "---\nname: review\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          \
         command: echo reviewing >&2; exit 2\n---\n",
    );
    let list = call(&sandbox, "Bash", &json!({"command": "ls"}));
    assert_eq!(sandbox.direct(&list), "");
    sandbox.direct(&call(&sandbox, "Skill", &json!({"skill": "review"})));
    assert!(sandbox.direct(&list).contains("reviewing"));
}
