//! Payloads, answers and how they are read.

use serde_json::{Value, json};

use super::*;

#[test]
fn what_kimi_reports_is_read_in_bowlines_words() {
    for (said, expected) in [
        (
            json!({"hook_event_name": "UserPromptSubmit", "prompt": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]}),
            json!({"hook_event_name": "UserPromptSubmit", "prompt": "a\nb"}),
        ),
        (
            json!({"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"path": "a", "content": "x"}, "tool_call_id": "t"}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": "a", "content": "x"}, "tool_use_id": "t",
                "native": {"tool_input": {"path": "a", "content": "x"}}}),
        ),
        (
            json!({"hook_event_name": "PreToolUse", "cwd": "/p", "tool_name": "Bash", "tool_input": {"command": "rm -r x", "cwd": "/srv"}}),
            json!({"hook_event_name": "PreToolUse", "cwd": "/srv", "tool_name": "Bash", "tool_input": {"command": "rm -r x", "cwd": "/srv"},
                "native": {"works_in": "/p"}}),
        ),
        (
            json!({"hook_event_name": "PreToolUse", "cwd": "/p", "tool_name": "Bash", "tool_input": {"command": "rm -r x", "cwd": "/p"}}),
            json!({"hook_event_name": "PreToolUse", "cwd": "/p", "tool_name": "Bash", "tool_input": {"command": "rm -r x", "cwd": "/p"}}),
        ),
        (
            json!({"hook_event_name": "PreToolUse", "tool_name": "FetchURL", "tool_input": {"url": "http://x"}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "WebFetch", "tool_input": {"url": "http://x"}, "native": {"tool_name": "FetchURL"}}),
        ),
        (
            json!({"hook_event_name": "PreToolUse", "tool_name": "Grep", "tool_input": {"pattern": "x", "path": "a"}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Grep", "tool_input": {"pattern": "x", "path": "a"}}),
        ),
        (
            json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_output": "hi", "tool_call_id": "t"}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t",
                "tool_response": {"stdout": "hi", "stderr": "", "interrupted": false}, "native": {"tool_response": "hi"}}),
        ),
        (
            json!({"hook_event_name": "PostToolUse", "tool_name": "Glob", "tool_output": "a b"}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "Glob", "tool_response": "a b"}),
        ),
        (
            json!({"hook_event_name": "PostToolUseFailure", "error": {"code": "internal", "message": "gone", "retryable": false}}),
            json!({"hook_event_name": "PostToolUseFailure", "error": "gone"}),
        ),
        (
            json!({"hook_event_name": "StopFailure", "error_type": "APIStatusError", "error_message": "400"}),
            json!({"hook_event_name": "StopFailure", "error": "APIStatusError", "error_details": "400"}),
        ),
        (
            json!({"hook_event_name": "SubagentStop", "agent_name": "coder", "response": "done"}),
            json!({"hook_event_name": "SubagentStop", "agent_type": "coder", "last_assistant_message": "done"}),
        ),
        (
            json!({"hook_event_name": "Interrupt", "turn_id": 3, "reason": "cancelled"}),
            json!({"hook_event_name": "Notification", "turn_id": 3, "reason": "cancelled", "notification_type": "turn_cancelled",
                "message": "The turn was ended: cancelled", "native": {"event": "Interrupt"}}),
        ),
        (
            json!({"prompt": 3, "error": 4, "tool_name": "Bash", "tool_input": {"cwd": 3}}),
            json!({"prompt": 3, "error": 4, "tool_name": "Bash", "tool_input": {"cwd": 3}}),
        ),
        (json!([1]), json!([1])),
    ] {
        assert_eq!(PROTOCOL.decode(said), expected);
    }
}

fn answered(event: HookEvent, opinion: &Opinion) -> Answer {
    PROTOCOL.encode(&Reported::of(event), opinion)
}

fn denial(event: &str, reason: &str) -> Answer {
    Answer::line(&json!({"hookSpecificOutput": {
        "hookEventName": event, "permissionDecision": "deny", "permissionDecisionReason": reason,
    }}))
}

#[test]
fn an_answer_is_written_as_kimi_reads_it() {
    use HookEvent as E;
    let text = |stdout: &str| Answer {
        stdout: stdout.to_owned(),
        ..Answer::default()
    };
    for (event, opinion, expected) in [
        (
            E::PreToolUse,
            Opinion::allow().context("more"),
            Answer::default(),
        ),
        (E::PreToolUse, Opinion::grant(), Answer::default()),
        (
            E::PreToolUse,
            Opinion::block("why").context("more"),
            denial("PreToolUse", "why\nmore"),
        ),
        (
            E::PreToolUse,
            Opinion::block(""),
            denial("PreToolUse", "a hook gave no reason"),
        ),
        // It would go on with either.
        (
            E::PreToolUse,
            Opinion::ask("why"),
            denial("PreToolUse", "why"),
        ),
        (
            E::PreToolUse,
            Opinion::allow().updated_input(json!({"command": "ls"})),
            denial("PreToolUse", "a hook gave no reason"),
        ),
        (
            E::UserPromptSubmit,
            Opinion::block("why"),
            denial("UserPromptSubmit", "why"),
        ),
        (
            E::UserPromptSubmit,
            Opinion::allow().context("more"),
            text("more\n"),
        ),
        (
            E::UserPromptSubmit,
            Opinion::allow().context(r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#),
            text("Context:\n{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}\n"),
        ),
        (E::Stop, Opinion::block("why"), denial("Stop", "why")),
        (E::Stop, Opinion::allow().context("more"), Answer::default()),
        (
            E::PostToolUse,
            Opinion::block("why").context("more"),
            Answer::default(),
        ),
        (
            E::SessionStart,
            Opinion::allow().context("more"),
            Answer::default(),
        ),
        (
            E::PermissionRequest,
            Opinion::block("why"),
            Answer::default(),
        ),
    ] {
        assert_eq!(answered(event, &opinion), expected, "{event} {opinion:?}");
    }
}

/// By the client's own code, and as seen in its runs.
#[test]
fn answers_are_read_as_the_client_reads_them() {
    use Decision::{Deny, NoOpinion};
    use HookEvent as E;
    let nested = |word: &str| -> Value {
        json!({"hookSpecificOutput": {"permissionDecision": word, "permissionDecisionReason": "why"}})
    };
    for (event, exit, stdout, stderr, expected) in [
        (
            E::PreToolUse,
            0,
            nested("deny").to_string(),
            "",
            Some((Deny, Some("why"), None)),
        ),
        (
            E::PreToolUse,
            0,
            nested("ask").to_string(),
            "",
            Some((NoOpinion, None, None)),
        ),
        (
            E::PreToolUse,
            0,
            nested("allow").to_string(),
            "",
            Some((NoOpinion, None, None)),
        ),
        (E::PreToolUse, 1, nested("deny").to_string(), "", None),
        (
            E::PreToolUse,
            0,
            r#"{"decision":"block"}"#.to_owned(),
            "",
            Some((NoOpinion, None, None)),
        ),
        (
            E::PreToolUse,
            0,
            "hello".to_owned(),
            "",
            Some((NoOpinion, None, None)),
        ),
        (
            E::PreToolUse,
            2,
            String::new(),
            "why\n",
            Some((Deny, Some("why"), None)),
        ),
        (
            E::PreToolUse,
            2,
            String::new(),
            "",
            Some((Deny, Some("Blocked by PreToolUse hook"), None)),
        ),
        (
            E::Stop,
            0,
            nested("deny").to_string(),
            "",
            Some((Deny, Some("why"), None)),
        ),
        (
            E::Stop,
            2,
            String::new(),
            "why",
            Some((Deny, Some("why"), None)),
        ),
        (
            E::UserPromptSubmit,
            0,
            nested("deny").to_string(),
            "",
            Some((Deny, Some("why"), None)),
        ),
        (
            E::UserPromptSubmit,
            0,
            "more\n".to_owned(),
            "",
            Some((NoOpinion, None, Some("more"))),
        ),
        (
            E::UserPromptSubmit,
            0,
            r#"{"message":"more"}"#.to_owned(),
            "",
            Some((NoOpinion, None, Some("more"))),
        ),
        (
            E::UserPromptSubmit,
            0,
            r#"{"a":1}"#.to_owned(),
            "",
            Some((NoOpinion, None, Some(r#"{"a":1}"#))),
        ),
        (
            E::PostToolUse,
            2,
            String::new(),
            "why",
            Some((NoOpinion, None, None)),
        ),
        (E::PostToolUse, 1, String::new(), "why", None),
        (
            E::PermissionRequest,
            0,
            nested("deny").to_string(),
            "",
            Some((NoOpinion, None, None)),
        ),
    ] {
        let answer = Answer {
            exit,
            stdout,
            stderr: stderr.to_owned(),
        };
        let read = PROTOCOL.reads(&Reported::of(event), &answer);
        let read = read
            .as_ref()
            .map(|it| (it.decision, it.reason.as_deref(), it.context.as_deref()));
        assert_eq!(read, expected, "{event} {answer:?}");
    }
}
