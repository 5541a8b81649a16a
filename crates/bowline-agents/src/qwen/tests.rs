use serde_json::{Value, json};

use super::*;
use crate::decision::Decision;
use crate::event::HookEvent as E;
use crate::opinion::Opinion;
use crate::reading::Reading;
use crate::reported::Reported;

fn decoded(payload: Value) -> Value {
    (PROTOCOL.decode)(payload)
}

#[test]
fn what_it_reports_is_said_in_bowlines_words() {
    for (said, expected) in [
        (
            json!({"hook_event_name": "PreToolUse", "permission_mode": "yolo", "tool_name": "run_shell_command",
                "tool_input": {"command": "ls", "is_background": false}, "tool_use_id": "t", "tool_call_id": "c"}),
            json!({"hook_event_name": "PreToolUse", "permission_mode": "bypassPermissions", "tool_name": "Bash",
                "tool_input": {"command": "ls", "run_in_background": false}, "tool_use_id": "c", "tool_call_id": "c",
                "native": {"tool_name": "run_shell_command", "tool_input": {"command": "ls", "is_background": false},
                    "permission_mode": "yolo", "tool_use_id": "t"}}),
        ),
        // A command runs in the folder that the call names.
        (
            json!({"cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": "monitor", "tool_input": {"command": "ls", "directory": "/q"}}),
            json!({"cwd": "/q", "hook_event_name": "PreToolUse", "tool_name": "Monitor",
                "tool_input": {"command": "ls", "directory": "/q"},
                "native": {"tool_name": "monitor", "works_in": "/p"}}),
        ),
        (
            json!({"hook_event_name": "Stop", "permission_mode": "auto_edit", "crons": []}),
            json!({"hook_event_name": "Stop", "permission_mode": "acceptEdits", "session_crons": [],
                "native": {"permission_mode": "auto_edit"}}),
        ),
        (
            json!({"hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "mcp__files__read", "tool_input": {}}),
            json!({"hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "mcp__files__read", "tool_input": {}}),
        ),
    ] {
        assert_eq!(decoded(said), expected);
    }
    for odd in [
        json!(null),
        json!([1]),
        json!({"tool_name": 3, "permission_mode": 4}),
    ] {
        decoded(odd);
    }
}

/// It would be a prompt after each round of tools otherwise.
#[test]
fn a_prompt_without_any_text_is_none() {
    let prompt = |fields: Value| {
        let mut payload = json!({"hook_event_name": "UserPromptSubmit"});
        for (name, value) in fields.as_object().unwrap() {
            payload[name] = value.clone();
        }
        decoded(payload)
    };
    let goes_on = prompt(json!({"prompt": ""}));
    assert_eq!(goes_on["native"]["event"], "UserPromptSubmit");
    let name = goes_on["hook_event_name"].as_str().unwrap();
    assert_eq!(HookEvent::from_name(name), None);
    assert_eq!(HookEvent::from_any_spelling(name), None);
    for said in [
        json!({"prompt": "Go.", "submitted_prompt": "Go."}),
        json!({"prompt": "also say goodbye"}),
        json!({"prompt": "", "submitted_prompt": "/x"}),
        json!({}),
    ] {
        assert_eq!(prompt(said)["hook_event_name"], "UserPromptSubmit");
    }
}

#[test]
fn an_answer_is_one_object_or_nothing() {
    let denied = |word: &str, reason: &str| {
        json!({"continue": false, "stopReason": reason, "hookSpecificOutput": {"hookEventName": "PreToolUse",
            "permissionDecision": word, "permissionDecisionReason": reason}})
    };
    let context = |event: HookEvent, text: &str| json!({"hookSpecificOutput": {"hookEventName": event.name(), "additionalContext": text}});
    let decision = |decision: Value| json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}});
    let ends = Opinion {
        end_turn: Some("enough".to_owned()),
        ..Opinion::allow()
    };
    let blocked = json!({"decision": "block", "reason": "why"});
    for (event, opinion, expected) in [
        (E::PreToolUse, Opinion::allow(), json!(null)),
        (E::PreToolUse, Opinion::grant(), json!(null)),
        (E::PreToolUse, Opinion::allow().context("c"), json!(null)),
        (
            E::PreToolUse,
            Opinion::allow().system_message("m"),
            json!(null),
        ),
        (E::PreToolUse, Opinion::block("why"), denied("deny", "why")),
        (
            E::PreToolUse,
            Opinion::block("").context("c"),
            denied("deny", "a hook gave no reason\nc"),
        ),
        (E::PreToolUse, Opinion::ask("why"), denied("ask", "why")),
        (E::PermissionRequest, Opinion::allow(), json!(null)),
        (E::PermissionRequest, Opinion::ask("why"), json!(null)),
        (
            E::PermissionRequest,
            Opinion::block("why"),
            decision(json!({"behavior": "deny", "message": "why"})),
        ),
        (
            E::PermissionRequest,
            Opinion::grant().updated_input(json!({"command": "ls"})),
            decision(json!({"behavior": "allow", "updatedInput": {"command": "ls"}})),
        ),
        (E::UserPromptSubmit, Opinion::block("why"), blocked.clone()),
        (
            E::UserPromptSubmit,
            Opinion::allow().context("c"),
            context(E::UserPromptSubmit, "c"),
        ),
        (E::Stop, Opinion::block("why"), blocked.clone()),
        // It would go on.
        (E::Stop, ends, json!(null)),
        (
            E::Stop,
            Opinion::allow().system_message("m"),
            json!({"systemMessage": "m"}),
        ),
        (E::SubagentStop, Opinion::block("why"), blocked.clone()),
        (E::PostToolBatch, Opinion::block("why"), blocked),
        (
            E::PostToolUse,
            Opinion::block("why"),
            context(E::PostToolUse, "why"),
        ),
        (
            E::PostToolUse,
            Opinion::block("why").context("c"),
            context(E::PostToolUse, "why\nc"),
        ),
        (
            E::PreCompact,
            Opinion::allow().context("c"),
            context(E::PreCompact, "c"),
        ),
        (E::PreCompact, Opinion::block("why"), json!(null)),
        (E::SessionEnd, Opinion::block("why"), json!(null)),
    ] {
        let answer = (PROTOCOL.encode)(&Reported::of(event), &opinion);
        let expected = match expected {
            Value::Object(fields) => Answer::json(fields),
            _ => Answer::default(),
        };
        assert_eq!(answer, expected, "{event} {opinion:?}");
    }
}

#[test]
fn a_change_before_a_tool_is_denied() {
    let changed = Opinion::allow().updated_input(json!({"command": "trash a"}));
    let reported = Reported::of(HookEvent::PreToolUse);
    let said = PROTOCOL.express(AGENT.title, &reported, &changed);
    assert_eq!(said.decision(), Decision::Deny);
    assert!(said.stop_reason.as_ref().unwrap().contains("trash a"));
    let granted = Opinion::grant().updated_input(json!({"command": "trash a"}));
    let reported = Reported::of(HookEvent::PermissionRequest);
    let said = PROTOCOL.express(AGENT.title, &reported, &granted);
    assert_eq!(*said, granted);
}

#[test]
fn an_answer_means_what_the_client_makes_of_it() {
    let decided =
        |decision, reason: &str| Some(Reading::decided(decision, Some(reason.to_owned())));
    let denied = |reason: &str| decided(Decision::Deny, reason);
    let silence = || Some(Reading::silence());
    let context = |text: &str| {
        Some(Reading {
            context: Some(text.to_owned()),
            ..Reading::silence()
        })
    };
    let nested = |word: &str| {
        format!(
            r#"{{"hookSpecificOutput":{{"permissionDecision":"{word}","permissionDecisionReason":"why"}}}}"#
        )
    };
    let both =
        r#"{"decision":"deny","reason":"why","hookSpecificOutput":{"permissionDecision":"allow"}}"#;
    let stops = r#"{"continue":false,"stopReason":"why","hookSpecificOutput":{"permissionDecision":"allow"}}"#;
    let blocks = r#"{"decision":"block","reason":"why"}"#;
    for (event, exit, stdout, stderr, expected) in [
        (E::PreToolUse, 0, "", "", silence()),
        (E::PreToolUse, 0, nested("deny").as_str(), "", denied("why")),
        (
            E::PreToolUse,
            0,
            nested("ask").as_str(),
            "",
            decided(Decision::Ask, "why"),
        ),
        (E::PreToolUse, 0, nested("allow").as_str(), "", silence()),
        (E::PreToolUse, 0, blocks, "", denied("why")),
        // What another hook allowed replaces this denial, and not this stop.
        (E::PreToolUse, 0, both, "", silence()),
        (E::PreToolUse, 0, stops, "", denied("why")),
        (E::PreToolUse, 0, "hello", "", silence()),
        (E::PreToolUse, 0, "{hello", "", None),
        (E::PreToolUse, 1, "", "why", silence()),
        (E::PreToolUse, 2, "", "why\n", denied("why")),
        // With exit code 2 it reads standard error, and nothing else.
        (E::PreToolUse, 2, nested("deny").as_str(), "", None),
        (E::PreToolUse, 2, "", "", None),
        (
            E::PreToolUse,
            0,
            r#"{"hookSpecificOutput":{"updatedInput":{"command":"ls"},"additionalContext":"c"}}"#,
            "",
            silence(),
        ),
        (E::PermissionRequest, 2, "", "why", silence()),
        (E::PostToolUse, 0, blocks, "", silence()),
        (E::PostToolUse, 2, "", "why", silence()),
        (
            E::PostToolUse,
            0,
            r#"{"hookSpecificOutput":{"additionalContext":"c"}}"#,
            "",
            context("c"),
        ),
        (E::UserPromptSubmit, 0, "hello", "", context("hello")),
        (E::UserPromptSubmit, 0, blocks, "", denied("why")),
        (E::Stop, 0, blocks, "", denied("why")),
        // It goes on, where others would end.
        (
            E::Stop,
            0,
            r#"{"continue":false,"stopReason":"why"}"#,
            "",
            denied("why"),
        ),
        (E::Stop, 2, "", "why", denied("why")),
        (E::SessionEnd, 2, "", "why", silence()),
    ] {
        let answer = Answer {
            exit,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
        };
        let read = (PROTOCOL.reads)(&Reported::of(event), &answer);
        assert_eq!(read, expected, "{event} {exit} {stdout}{stderr}");
    }
}
