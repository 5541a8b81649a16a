use std::ffi::OsString;

use super::*;
use crate::decision::Decision;
use crate::opinion::Opinion;
use crate::reading::Reading;

fn reported(name: &'static str) -> Reported<'static> {
    let event = crate::spelling::find(name, words::EVENTS).unwrap();
    Reported {
        name,
        ..Reported::of(event)
    }
}

fn said(answer: &Answer) -> Value {
    assert_eq!((answer.exit, answer.stderr.as_str()), (0, ""));
    match answer.stdout.as_str() {
        "" => Value::Null,
        line => serde_json::from_str(line).unwrap(),
    }
}

fn nested(fields: Value) -> Value {
    let mut own = json!({"hookEventName": "PreToolUse"});
    own.as_object_mut()
        .unwrap()
        .extend(fields.as_object().cloned().unwrap());
    json!({ "hookSpecificOutput": own })
}

#[test]
fn an_answer_is_in_the_words_of_the_spelling() {
    let ls = || json!({"command": "ls"});
    let denied = json!({"permissionDecision": "deny", "permissionDecisionReason": "why"});
    let asked = json!({"permissionDecision": "ask", "permissionDecisionReason": "why"});
    let told = || json!({"additionalContext": "c"});
    let blocked = || json!({"decision": "block", "reason": "why"});
    for (name, opinion, expected) in [
        ("PreToolUse", Opinion::allow(), Value::Null),
        ("preToolUse", Opinion::allow(), Value::Null),
        ("PreToolUse", Opinion::block("why"), nested(denied.clone())),
        ("preToolUse", Opinion::block("why"), denied),
        ("PreToolUse", Opinion::ask("why"), nested(asked.clone())),
        ("preToolUse", Opinion::ask("why"), asked),
        (
            "PreToolUse",
            Opinion::grant(),
            nested(json!({"permissionDecision": "allow"})),
        ),
        (
            "PreToolUse",
            Opinion::allow().updated_input(ls()).context("c"),
            nested(json!({"updatedInput": {"command": "ls"}, "additionalContext": "c"})),
        ),
        (
            "preToolUse",
            Opinion::allow().updated_input(ls()).context("c"),
            json!({"modifiedArgs": {"command": "ls"}, "additionalContext": "c"}),
        ),
        (
            "preToolUse",
            Opinion::grant().updated_input(json!("x")),
            json!({"permissionDecision": "deny", "permissionDecisionReason": "a hook gave no reason"}),
        ),
        ("PermissionRequest", Opinion::ask("why"), Value::Null),
        (
            "permissionRequest",
            Opinion::block("why"),
            json!({"behavior": "deny", "message": "why"}),
        ),
        (
            "PermissionRequest",
            Opinion::grant(),
            json!({"behavior": "allow"}),
        ),
        (
            "PermissionRequest",
            Opinion::grant().updated_input(ls()),
            Value::Null,
        ),
        // Everywhere else both are told alike.
        ("UserPromptSubmit", Opinion::allow().context("c"), told()),
        ("userPromptSubmitted", Opinion::block("why"), blocked()),
        ("PostToolUse", Opinion::allow().context("c"), told()),
        (
            "PostToolUse",
            Opinion::block("why").context("c"),
            json!({"decision": "block", "reason": "why\nc"}),
        ),
        ("PostToolUseFailure", Opinion::block("c"), told()),
        ("SessionStart", Opinion::allow().context("c"), told()),
        ("SubagentStart", Opinion::allow().context("c"), told()),
        ("Stop", Opinion::block("why"), blocked()),
        ("agentStop", Opinion::block("why"), blocked()),
        ("SubagentStop", Opinion::allow().context("c"), Value::Null),
        ("SessionEnd", Opinion::block("why"), Value::Null),
        // It would make a turn of its own of it.
        ("Notification", Opinion::allow().context("c"), Value::Null),
    ] {
        let answer = PROTOCOL.encode(&reported(name), &opinion);
        assert_eq!(said(&answer), expected, "{name} {opinion:?}");
    }
}

#[test]
fn a_rewritten_input_is_in_copilots_fields() {
    let own = json!({"path": "/a", "file_text": "x"});
    let mut reported = reported("PreToolUse");
    reported.tool = Some("Write");
    reported.input = Some(&own);
    let input = json!({"file_path": "/b", "content": "y"});
    let answer = PROTOCOL.encode(&reported, &Opinion::allow().updated_input(input));
    let updated = &said(&answer)["hookSpecificOutput"]["updatedInput"];
    assert_eq!(*updated, json!({"path": "/b", "file_text": "y"}));
}

/// As the client did with version 1.0.102.
#[test]
fn an_answer_is_read_as_the_client_reads_it() {
    let decided = |decision, reason: Option<&str>| {
        Some(Reading::decided(decision, reason.map(str::to_owned)))
    };
    let denied = |reason: &str| decided(Decision::Deny, Some(reason));
    let silence = || Some(Reading::silence());
    let context = || {
        Some(Reading {
            context: Some("c".to_owned()),
            ..Reading::silence()
        })
    };
    let flat = r#"{"permissionDecision":"deny","permissionDecisionReason":"why"}"#;
    let of_claude = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why"}}"#;
    let block = r#"{"decision":"block","reason":"why"}"#;
    let flat_context = r#"{"additionalContext":"c"}"#;
    let nested_context = r#"{"hookSpecificOutput":{"additionalContext":"c"}}"#;
    let rewritten = Some(Reading {
        input: Some(json!({"command": "ls"})),
        ..Reading::silence()
    });
    for (name, exit, stdout, stderr, expected) in [
        ("PreToolUse", 0, of_claude, "", denied("why")),
        ("PreToolUse", 0, flat, "", denied("why")),
        ("preToolUse", 0, flat, "", denied("why")),
        ("preToolUse", 0, of_claude, "", silence()),
        ("PreToolUse", 0, block, "", silence()),
        ("PreToolUse", 0, r#"{"continue":false}"#, "", silence()),
        (
            "PreToolUse",
            0,
            r#"{"hookSpecificOutput":{"permissionDecision":"block"}}"#,
            "",
            silence(),
        ),
        (
            "PreToolUse",
            0,
            r#"{"hookSpecificOutput":{"updatedInput":{"command":"ls"}}}"#,
            "",
            rewritten.clone(),
        ),
        (
            "preToolUse",
            0,
            r#"{"modifiedArgs":{"command":"ls"}}"#,
            "",
            rewritten,
        ),
        ("PreToolUse", 0, nested_context, "", context()),
        ("preToolUse", 0, nested_context, "", silence()),
        ("PreToolUse", 0, "hello", "", silence()),
        ("PreToolUse", 0, "{nope", "", silence()),
        ("PreToolUse", 0, "{}\n{}", "", silence()),
        (
            "PreToolUse",
            2,
            of_claude,
            "why",
            denied("hook exited with code 2"),
        ),
        ("preToolUse", 1, "", "why", denied("hook errored")),
        (
            "PermissionRequest",
            0,
            r#"{"behavior":"deny","message":"why"}"#,
            "",
            denied("why"),
        ),
        (
            "PermissionRequest",
            0,
            r#"{"behavior":"allow"}"#,
            "",
            decided(Decision::Grant, None),
        ),
        (
            "PermissionRequest",
            0,
            r#"{"hookSpecificOutput":{"decision":{"behavior":"deny"}}}"#,
            "",
            silence(),
        ),
        (
            "PermissionRequest",
            2,
            "",
            "why",
            denied("Permission denied by hook."),
        ),
        ("UserPromptSubmit", 0, block, "", denied("why")),
        ("UserPromptSubmit", 0, flat_context, "", context()),
        ("UserPromptSubmit", 0, nested_context, "", silence()),
        ("UserPromptSubmit", 2, "", "why", None),
        ("PostToolUse", 0, block, "", denied("why")),
        ("PostToolUse", 0, flat_context, "", context()),
        ("PostToolUse", 2, "", "why", None),
        ("PostToolUseFailure", 0, block, "", silence()),
        ("PostToolUseFailure", 0, flat_context, "", context()),
        ("PostToolUseFailure", 2, "", "c\n", context()),
        ("SessionStart", 0, block, "", silence()),
        ("SessionStart", 0, flat_context, "", context()),
        ("SubagentStart", 0, flat_context, "", context()),
        ("Stop", 0, block, "", denied("why")),
        ("Stop", 0, r#"{"decision":"block"}"#, "", silence()),
        (
            "Stop",
            0,
            r#"{"hookSpecificOutput":{"decision":"block","reason":"why"}}"#,
            "",
            silence(),
        ),
        ("SubagentStop", 0, block, "", denied("why")),
        ("Stop", 2, "", "why", None),
    ] {
        let answer = Answer {
            exit,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
        };
        let read = PROTOCOL.reads(&reported(name), &answer);
        assert_eq!(read, expected, "{name} {exit} {stdout}");
    }
}

#[test]
fn only_copilot_sends_what_is_taken_for_its_own() {
    let in_copilot = |name: &str| (name == "COPILOT_CLI").then(|| OsString::from("1"));
    let elsewhere = |_: &str| None;
    let own = json!({"hook_event_name": "PreToolUse", "session_id": "s", "timestamp": "2026-11-15T07:31:05.746Z"});
    let permission = json!({"hookName": "permissionRequest", "sessionId": "s", "timestamp": 1});
    let claude = json!({"hook_event_name": "Stop", "session_id": "s", "transcript_path": "/t", "permission_mode": "default"});
    let mut qwen = own.clone();
    qwen["tool_use_id"] = "t".into();
    for (payload, variable, expected) in [
        (&own, &in_copilot as Variables<'_>, true),
        (&permission, &in_copilot, true),
        (&own, &elsewhere, false),
        // Copilot's shell may start Claude Code.
        (&claude, &in_copilot, false),
        (&qwen, &in_copilot, false),
    ] {
        assert_eq!(sent(payload, variable), expected, "{payload}");
    }
}

#[test]
fn what_is_tried_out_is_read_as_an_answer() {
    use crate::registration::CanaryAnswer;
    let meaning = REGISTRATION.canary.meaning;
    for (opinion, expected) in [
        (Opinion::allow(), CanaryAnswer::Silent),
        (Opinion::block("why"), CanaryAnswer::Deny),
        (Opinion::ask("why"), CanaryAnswer::Ask("why".to_owned())),
    ] {
        let answer = PROTOCOL.encode(&reported("PreToolUse"), &opinion);
        assert_eq!(meaning(&answer), Some(expected));
    }
    let failed = Answer {
        exit: 127,
        ..Answer::default()
    };
    assert_eq!(meaning(&failed), Some(CanaryAnswer::Deny));
}
