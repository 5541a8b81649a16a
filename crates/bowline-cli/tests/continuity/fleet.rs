//! What a person sees of the agents that run.

use bowline_testkit::until;
use serde_json::json;

use super::agent::{FakeAgent, with_client};

#[test]
fn f38_a_the_status_of_an_agent_follows_its_events() {
    let sandbox = with_client();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let mut agent = FakeAgent::start(&sandbox, "s1");
    let status = || sandbox.json(&["fleet"])["agents"][0]["status"].clone();
    agent.begins("startup");
    assert_eq!(status(), "done");
    let failed =
        json!({"tool_name": "Bash", "tool_use_id": "x", "tool_input": {}, "error": "boom"});
    let asks = json!({"tool_name": "Bash", "tool_input": {"command": "git push"}});
    for (event, fields, expected) in [
        ("UserPromptSubmit", json!({"prompt": "go"}), "working"),
        ("PermissionRequest", asks, "attention"),
        (
            "PreToolUse",
            json!({"tool_name": "Bash", "tool_use_id": "x", "tool_input": {"command": "ls"}}),
            "working",
        ),
        ("PostToolUseFailure", failed, "error"),
        ("UserPromptSubmit", json!({"prompt": "again"}), "working"),
        (
            "Notification",
            json!({"message": "Claude needs your permission", "notification_type": "permission_prompt"}),
            "attention",
        ),
        ("Stop", json!({"stop_hook_active": false}), "done"),
    ] {
        agent.report(event, fields);
        assert_eq!(status(), expected, "{event}");
    }
}

#[test]
fn attention_says_for_what_and_ends_when_somebody_looks() {
    let sandbox = with_client();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let mut agent = FakeAgent::with(&sandbox, "s1", &[("AGENT_ID", "main:builder")]);
    agent.begins("startup");
    agent.report(
        "PermissionRequest",
        json!({"tool_name": "Bash", "tool_input": {"command": "git push origin x"}}),
    );
    let first = || sandbox.json(&["fleet"])["agents"][0].clone();
    let waiting = first();
    assert_eq!(waiting["id"], "main:builder");
    assert_eq!(waiting["status"], "attention");
    assert!(
        waiting["waiting_for"]
            .as_str()
            .unwrap()
            .contains("git push origin x"),
        "{waiting}"
    );
    sandbox.run(&["fleet", "seen", "main"]).expect(0, &[]);
    assert_eq!(first()["status"], "checked");
}

#[test]
#[cfg(target_os = "linux")]
fn an_agent_that_is_killed_is_shown_dead_and_its_work_is_offered() {
    let sandbox = with_client();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let mut agent = FakeAgent::start(&sandbox, "s1");
    agent.begins("startup");
    agent
        .bowline(&["effort", "start", "login", "implement"])
        .expect(0, &[]);
    agent.report("UserPromptSubmit", json!({"prompt": "Fix the login"}));
    agent.bash("ls").is_silent();
    let status = || sandbox.json(&["fleet", "--all"])["agents"][0]["state"].clone();
    assert_eq!(status(), "working");
    agent.kill();
    assert_eq!(status(), "dead");
    let session = || sandbox.json(&["session", "list"])["sessions"][0].clone();
    until("the session ends", || session()["end_reason"] == "gone");
    assert_eq!(status(), "dead");
    let mut next = FakeAgent::start(&sandbox, "s2");
    let told = next.begins("startup");
    assert!(told.context().contains("/login"), "{told:?}");
    assert!(told.context().contains("Fix the login"), "{told:?}");
}
