//! One request from its first command to the next agent: a dangerous command is blocked, tests gate the work, the handoff is followed,
//! the state survives a compaction, and the figures of the day are there.

use bowline_testkit::{Ran, Sandbox, client, until};
use serde_json::{Value, json};

const SETTINGS: &str = "
[handoff]
detect = true
[subagents]
registry = ['unit-testing-agent']
context = true
[tests]
gate = 'handoff'
test = 'sh ./check.sh'
[behaviour]
recovery = true
files = ['INDEX.md']
[metrics]
daily = true
";
const READY: &str = "The cart adds up. COLLECTIVE_HANDOFF_READY\nUse the unit\u{2013}testing-agent subagent to test it.";

/// An agent that reports events.
struct Agent<'s> {
    sandbox: &'s Sandbox,
    /// `off`: each event is decided by a process of its own.
    daemon: &'static str,
}

impl Agent<'_> {
    fn reports(&self, event: &str, fields: Value) -> Value {
        let mut payload = json!({
            "session_id": "s1", "transcript_path": "/t", "cwd": self.sandbox.project(),
            "hook_event_name": event,
        });
        for (name, value) in fields.as_object().unwrap() {
            payload[name] = value.clone();
        }
        let mut command = self.sandbox.hook_command(&["claude-code", event]);
        let ran = Ran::with_stdin(
            command.env("BOWLINE_DAEMON", self.daemon),
            payload.to_string().as_bytes(),
        );
        assert_eq!(ran.code, Some(0), "{event}: {ran:?}");
        serde_json::from_str(&ran.stdout).unwrap_or_default()
    }

    fn bash(&self, event: &str, call: &str, command: &str) -> Value {
        self.reports(
            event,
            json!({
                "tool_name": "Bash", "tool_use_id": call, "tool_input": {"command": command},
                "tool_response": {"stdout": "", "stderr": ""},
            }),
        )
    }

    fn subagent(&self, event: &str, id: &str, said: &str) -> Value {
        self.reports(
            event,
            json!({
                "agent_id": id, "agent_type": "cart-builder", "stop_hook_active": false,
                "last_assistant_message": said,
            }),
        )
    }
}

fn tell(daemon: &'static str) {
    client();
    let sandbox = Sandbox::new();
    sandbox.write("home/.config/bowline/config.toml", SETTINGS);
    sandbox.write_in_project("INDEX.md", "Be brief.\n");
    sandbox.write_in_project("composer.json", r#"{"require": {"drupal/core": "^11"}}"#);
    sandbox.write_in_project("check.sh", "echo 'test cart::adds ... FAILED'; exit 1\n");
    if daemon == "on" {
        sandbox.run(&["daemon", "start"]).expect(0, &[]);
    }
    let agent = Agent {
        sandbox: &sandbox,
        daemon,
    };
    let context = |said: &Value| said["hookSpecificOutput"]["additionalContext"].to_string();

    let said = agent.reports("SessionStart", json!({"source": "startup"}));
    assert!(context(&said).contains("Be brief."), "{said}");
    let said = agent.bash("PreToolUse", "t1", "git push --force origin main");
    assert_eq!(
        said["hookSpecificOutput"]["permissionDecision"], "deny",
        "{said}"
    );
    assert_eq!(agent.bash("PreToolUse", "t2", "ls"), Value::Null);
    agent.bash("PostToolUse", "t2", "ls");

    let said = agent.subagent("SubagentStart", "a1", "");
    assert!(context(&said).contains("Drupal ^11"), "{said}");
    let said = agent.subagent("SubagentStop", "a1", READY);
    assert_eq!(said["decision"], "block", "{said}");
    let reason = said["reason"].as_str().unwrap();
    assert!(
        reason.contains("1 test fails in `sh ./check.sh`: cart::adds"),
        "{reason}"
    );

    sandbox.write_in_project("check.sh", "exit 0\n");
    agent.subagent("SubagentStart", "a2", "");
    let said = agent.subagent("SubagentStop", "a2", READY);
    assert_eq!(said["decision"], "block", "{said}");
    let reason = said["reason"].as_str().unwrap();
    assert!(
        reason.contains("Execute next: Use the unit-testing-agent subagent"),
        "{reason}"
    );
    // The other event of the same run.
    let said = agent.reports(
        "PostToolUse",
        json!({
            "tool_name": "Task", "tool_use_id": "t3", "tool_input": {"subagent_type": "cart-builder"},
            "tool_response": {"agentId": "a2", "content": [{"type": "text", "text": READY}]},
        }),
    );
    assert_eq!(said["decision"], Value::Null, "{said}");

    agent.reports("PreCompact", json!({"trigger": "auto"}));
    let said = agent.reports("SessionStart", json!({"source": "compact"}));
    assert!(
        context(&said).contains("`cart-builder` had handed over to `unit-testing-agent`"),
        "{said}"
    );
    let said = agent.reports("SessionStart", json!({"source": "compact"}));
    assert!(!context(&said).contains("unit-testing-agent"), "{said}");

    agent.reports("Stop", json!({"stop_hook_active": false}));
    until("the figures have everything", || {
        let file = sandbox.json(&["metrics", "write"])["file"]
            .as_str()
            .unwrap()
            .to_owned();
        let day: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let done = &day["performance_metrics"];
        done["agent_handoffs"] == 1
            && done["directive_violations"] == 1
            // The other event of the second run asked again, and was answered from the store.
            && done["quality_gates"] == 3
            && day["research_metrics"]["tdd_hypothesis"]["integration_defects"] == 1
    });
    let report = sandbox.json(&["metrics", "report"]);
    let bash = report["tools"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["name"] == "Bash");
    assert_eq!(bash.unwrap()["samples"], 1, "{report}");
    sandbox
        .run(&["metrics", "report"])
        .expect(0, &["Bash", "0.50"]);
}

#[test]
fn a_request_goes_from_a_blocked_command_to_the_next_agent() {
    tell("on");
}

#[test]
fn a_request_goes_the_same_way_without_a_daemon() {
    tell("off");
}
