//! Bowline in the settings of several agents, of which one runs the hooks of another; and agents that report one call by two events.

use std::collections::BTreeSet;

use bowline::hooks::Decision;
use bowline_wire::{Answer, Call};
use serde_json::{Value, json};

use super::stage::{Stage, permission};

const RULES: &str = r#"
[[rule]]
id = "asked"
command = "echo asked"
verdict = "ask"
message = "it is asked about"

[[rule]]
id = "changed"
command = "echo original"
verdict = "rewrite"
rewrite = "echo rewritten"

[[hooks.SessionStart]]
hooks = [{ type = "command", command = "printf '{\"additional_context\": \"The shed is green.\"}'" }]
"#;

fn stage() -> Stage {
    let mut stage = Stage::without_daemon();
    stage.user_config(RULES);
    stage.start();
    stage
}

/// What an entry brings: the agent and the event that it names, and variables of the agent that runs it.
fn call(stage: &Stage, named: &str, event: &str, variables: &[(&str, &str)]) -> Call {
    let mut call = stage.call();
    named.clone_into(&mut call.agent);
    call.event = Some(event.to_owned()).filter(|event| !event.is_empty());
    for (name, value) in variables {
        call.env.push(((*name).into(), (*value).into()));
    }
    call
}

const IN_COPILOT: &[(&str, &str)] = &[("COPILOT_CLI", "1")];
const BY_PROJECT_IN_COPILOT: &[(&str, &str)] =
    &[("COPILOT_CLI", "1"), ("BOWLINE_SCOPE", "project")];

/// A shell call as Copilot reports it. Every report has its own time.
fn of_copilot(stage: &Stage, command: &str, time: &str) -> Value {
    json!({
        "hook_event_name": "PreToolUse", "session_id": "s1", "timestamp": time, "cwd": stage.path("project"),
        "tool_name": "Bash", "tool_input": {"command": command, "description": "Run"},
    })
}

fn of_cursor(stage: &Stage, event: &str, own: Value) -> Value {
    let mut payload = json!({
        "hook_event_name": event, "conversation_id": "c1", "session_id": "c1", "generation_id": "g", "model": "m",
        "cursor_version": "3.12.17", "workspace_roots": [stage.path("project")], "transcript_path": null,
    });
    let Value::Object(own) = own else {
        panic!("{own}")
    };
    payload.as_object_mut().unwrap().extend(own);
    payload
}

fn shell_of_cursor(stage: &Stage, id: &str, command: &str) -> Value {
    let input = json!({"command": command, "cwd": stage.path("project")});
    let call = json!({"tool_name": "Shell", "tool_input": input, "tool_use_id": id});
    of_cursor(stage, "preToolUse", call)
}

fn before_shell(stage: &Stage, command: &str) -> Value {
    let call = json!({"command": command, "cwd": stage.path("project"), "sandbox": false});
    of_cursor(stage, "beforeShellExecution", call)
}

fn said(answer: &Answer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap_or(Value::Null)
}

/// The agents of all records, and how many records there are.
fn recorded(stage: &Stage) -> (BTreeSet<String>, usize) {
    let recorded = stage.recorded();
    let agents = recorded.iter().map(|it| it.decided.agent.clone());
    (agents.collect(), recorded.len())
}

#[test]
fn an_agent_that_reads_claude_codes_settings_too_is_answered_once_in_its_own_words() {
    let stage = stage();
    let own = call(&stage, "copilot", "PreToolUse", IN_COPILOT);
    let claudes = || call(&stage, "claude-code", "PreToolUse", BY_PROJECT_IN_COPILOT);
    for (number, (command, expected)) in [
        ("echo asked", "ask"),
        ("git push -f", "deny"),
        ("ls", "silence"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut own = own.clone();
        own.id = claudes().id;
        let first = of_copilot(&stage, command, "2026-11-15T07:31:05.746Z");
        let second = of_copilot(&stage, command, "2026-11-15T07:31:05.747Z");
        let first = stage.client().hook(own, &first);
        let second = stage.client().hook(claudes(), &second);
        let (said, why) = permission(&first);
        assert_eq!(said, expected, "{command}");
        assert_eq!(why.contains("it is asked about"), said == "ask", "{why}");
        assert_eq!(first, second, "{command}");
        let once = (BTreeSet::from(["copilot".to_owned()]), number + 1);
        assert_eq!(recorded(&stage), once, "{command}");
    }
    // What the model is told beside the decision, it is told once.
    let start = |own: Value| {
        let mut start = of_copilot(&stage, "", "1");
        start["hook_event_name"] = "SessionStart".into();
        start["source"] = own;
        start
    };
    let own = call(&stage, "copilot", "SessionStart", IN_COPILOT);
    let told = stage.client().hook(own, &start("new".into()));
    assert_eq!(said(&told)["additionalContext"], "The shed is green.");
    let claudes_start = call(&stage, "claude-code", "SessionStart", BY_PROJECT_IN_COPILOT);
    let told = stage.client().hook(claudes_start, &start("new".into()));
    assert_eq!(told, Answer::default());
    // A permission is requested for a call that was reported: a question is left to Copilot's own dialog.
    let request = json!({
        "hookName": "permissionRequest", "sessionId": "s1", "timestamp": 1, "cwd": stage.path("project"),
        "toolName": "bash", "toolInput": {"command": "echo asked"}, "permissionSuggestions": [],
    });
    let claudes = call(
        &stage,
        "claude-code",
        "PermissionRequest",
        BY_PROJECT_IN_COPILOT,
    );
    let answer = stage.client().hook(claudes, &request);
    assert_eq!((answer, recorded(&stage).1), (Answer::default(), 4));
}

#[test]
fn an_entry_of_claude_code_alone_is_answered_as_who_runs_it_reads() {
    let stage = stage();
    let asked = of_copilot(&stage, "echo asked", "2026-11-15T07:31:05.746Z");
    let claudes = |event: &str, variables| call(&stage, "claude-code", event, variables);
    let answer = stage
        .client()
        .hook(claudes("PreToolUse", IN_COPILOT), &asked);
    assert_eq!(permission(&answer).0, "ask");
    // Its own field for a permission, not Claude Code's.
    let request = json!({
        "hookName": "permissionRequest", "sessionId": "s2", "timestamp": 1, "cwd": stage.path("project"),
        "toolName": "bash", "toolInput": {"command": "git push -f"}, "permissionSuggestions": [],
    });
    let answer = stage
        .client()
        .hook(claudes("PermissionRequest", IN_COPILOT), &request);
    assert_eq!(said(&answer)["behavior"], "deny");
    assert_eq!(
        recorded(&stage),
        (BTreeSet::from(["copilot".to_owned()]), 2)
    );
    // Claude Code that Copilot's shell has started stays Claude Code.
    stage
        .client()
        .hook(claudes("PreToolUse", IN_COPILOT), &stage.bash("ls"));
    assert_eq!(stage.recorded().remove(0).decided.agent, "claude-code");
}

#[test]
fn vs_code_is_known_by_what_it_sends() {
    let stage = stage();
    let stop = json!({
        "timestamp": "2026-11-15T10:30:00.000Z", "cwd": stage.path("project"), "sessionId": "v1",
        "hookEventName": "PreToolUse", "tool_name": "run_in_terminal",
        "tool_input": {"command": "git push -f", "explanation": "x", "isBackground": false}, "tool_use_id": "t1",
    });
    // Copilot's entry, Claude Code's of a project, and Claude Code's of the user, whose arguments it does not know.
    for (named, event, variables) in [
        ("copilot", "PreToolUse", &[][..]),
        ("claude-code", "PreToolUse", &[("BOWLINE_SCOPE", "project")]),
        ("", "", &[]),
    ] {
        let answer = stage
            .client()
            .hook(call(&stage, named, event, variables), &stop);
        assert_eq!(permission(&answer).0, "deny", "{named}");
    }
    assert_eq!(recorded(&stage), (BTreeSet::from(["vscode".to_owned()]), 1));
    assert_eq!(
        stage.recorded().remove(0).decided.tool.as_deref(),
        Some("Bash")
    );
}

#[test]
fn a_call_that_cursor_reports_twice_is_decided_once_and_asked_about() {
    let stage = stage();
    let first = |id: &str, command: &str| {
        let call = call(&stage, "cursor", "preToolUse", &[]);
        stage
            .client()
            .hook(call, &shell_of_cursor(&stage, id, command))
    };
    let second = |command: &str| {
        let call = call(&stage, "cursor", "beforeShellExecution", &[]);
        stage.client().hook(call, &before_shell(&stage, command))
    };
    for (number, (command, expected)) in [("echo asked", "ask"), ("git push -f", "deny")]
        .into_iter()
        .enumerate()
    {
        assert_eq!(
            said(&first(&number.to_string(), command))["permission"],
            expected
        );
        let again = said(&second(command));
        assert_eq!(again["permission"], expected, "{command}");
        let told = again["agent_message"].as_str().unwrap();
        let is_told = told.contains("it is asked about");
        assert_eq!(is_told, expected == "ask", "{again}");
        assert_eq!(recorded(&stage).1, number + 1, "{command}");
    }
    assert_eq!(said(&first("3", "ls")), json!({}));
    assert_eq!(said(&second("ls")), json!({}));
    // It is reported again as it was changed, and is the same call.
    let changed = said(&first("4", "echo original"));
    assert_eq!(changed["updated_input"]["command"], "echo rewritten");
    assert_eq!(said(&second("echo rewritten")), json!({}));
    assert_eq!(recorded(&stage), (BTreeSet::from(["cursor".to_owned()]), 4));
    // Whoever did not report it before is decided, too.
    assert_eq!(said(&second("echo asked"))["permission"], "ask");
    assert_eq!(recorded(&stage).1, 5);
}

#[test]
fn by_claude_codes_entry_cursor_is_denied_what_it_would_be_asked_unless_its_own_is_there() {
    let stage = stage();
    let claudes = |id: &str| {
        let call = call(&stage, "claude-code", "PreToolUse", &[]);
        stage
            .client()
            .hook(call, &shell_of_cursor(&stage, id, "echo asked"))
    };
    let alone = claudes("1");
    assert_eq!(alone.exit, 2, "{alone:?}");
    assert!(alone.stderr.contains("cannot ask"), "{alone:?}");
    assert_eq!(stage.recorded().remove(0).decided.decision, Decision::Deny);
    let start = of_cursor(&stage, "sessionStart", json!({}));
    stage
        .client()
        .hook(call(&stage, "cursor", "sessionStart", &[]), &start);
    assert_eq!(said(&claudes("2"))["permission"], "ask");
    let own = call(&stage, "cursor", "preToolUse", &[]);
    let own = stage
        .client()
        .hook(own, &shell_of_cursor(&stage, "2", "echo asked"));
    assert_eq!(said(&own)["permission"], "ask");
    let asking = call(&stage, "cursor", "beforeShellExecution", &[]);
    let asking = stage
        .client()
        .hook(asking, &before_shell(&stage, "echo asked"));
    assert_eq!(said(&asking)["permission"], "ask");
    let (agents, count) = recorded(&stage);
    assert_eq!((agents, count), (BTreeSet::from(["cursor".to_owned()]), 3));
}
