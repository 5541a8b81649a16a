use serde_json::{Value, json};

use super::*;
use crate::decision::Decision;
use crate::opinion::Opinion;
use crate::reading::Reading;
use crate::reported::{NATIVE, Reported};

const PATCH: &str =
    "*** Begin Patch\n*** Update File: a.rs\n@@\n-1\n+2\n*** Delete File: /p/b\n*** End Patch\n";

#[test]
fn what_codex_reports_is_told_in_bowlines_words() {
    for (tool, input, expected) in [
        (
            "Bash",
            json!({"command": "ls"}),
            json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}),
        ),
        (
            "mcp__files__read",
            json!({"path": "a"}),
            json!({"tool_name": "mcp__files__read", "tool_input": {"path": "a"}}),
        ),
        (
            "view_image",
            json!({"path": "a.png"}),
            json!({
                "tool_name": "Read", "tool_input": {"file_path": "a.png"},
                "native": {"tool_name": "view_image", "tool_input": {"path": "a.png"}},
            }),
        ),
        (
            "collaborationspawn_agent",
            json!({"task_name": "help", "message": "Clean up.", "fork_turns": "none"}),
            json!({
                "tool_name": "Agent", "tool_input": {"description": "help", "prompt": "Clean up.", "fork_turns": "none"},
                "native": {
                    "tool_name": "collaborationspawn_agent",
                    "tool_input": {"task_name": "help", "message": "Clean up.", "fork_turns": "none"},
                },
            }),
        ),
        (
            "apply_patch",
            json!({"command": PATCH}),
            json!({
                "tool_name": "Edit", "tool_input": {"file_path": "/p/a.rs", "old_string": "1", "new_string": "2"},
                "parts": [
                    {"tool_name": "Edit", "tool_input": {"file_path": "/p/a.rs", "old_string": "1", "new_string": "2"}},
                    {"tool_name": "Delete", "tool_input": {"file_path": "/p/b"}},
                ],
                "native": {"tool_name": "apply_patch", "tool_input": {"command": PATCH}},
            }),
        ),
        (
            "apply_patch",
            json!({"command": "*** Begin Patch\n*** Add File: .env\n+KEY=1\n*** End Patch"}),
            json!({
                "tool_name": "Write", "tool_input": {"file_path": "/p/.env", "content": "KEY=1\n"},
                "native": {
                    "tool_name": "apply_patch",
                    "tool_input": {"command": "*** Begin Patch\n*** Add File: .env\n+KEY=1\n*** End Patch"},
                },
            }),
        ),
        (
            "apply_patch",
            json!({"command": "*** Delete File: a"}),
            json!({
                "tool_name": "Unread", "tool_input": {"why": "line 1 of the patch is not `*** Begin Patch`"},
                "parts": [
                    {"tool_name": "Unread", "tool_input": {"why": "line 1 of the patch is not `*** Begin Patch`"}},
                    {"tool_name": "Edit", "tool_input": {"file_path": "/p/a"}},
                ],
                "native": {"tool_name": "apply_patch", "tool_input": {"command": "*** Delete File: a"}},
            }),
        ),
        (
            "apply_patch",
            json!(["x"]),
            json!({
                "tool_name": "Unread", "tool_input": {"why": "the patch is no text"},
                "native": {"tool_name": "apply_patch", "tool_input": ["x"]},
            }),
        ),
    ] {
        for event in ["PreToolUse", "PermissionRequest", "PostToolUse"] {
            let common =
                json!({"hook_event_name": event, "session_id": "s", "cwd": "/p", "model": "m"});
            let with = |more: &Value| {
                let fields = common
                    .as_object()
                    .into_iter()
                    .chain(more.as_object())
                    .flatten();
                fields
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect::<Value>()
            };
            let said = with(&json!({"tool_name": tool, "tool_input": input}));
            assert_eq!(PROTOCOL.decode(said), with(&expected), "{event} {tool}");
        }
    }
}

/// Events that Bowline does not know, and payloads that are none.
#[test]
fn what_is_not_known_stays_as_it_is() {
    for said in [
        json!({"hook_event_name": "PostModelRequest", "token_usage": {"total_tokens": 120}}),
        json!({"hook_event_name": "Interrupt", "session_id": "s"}),
        json!({"tool_name": "write_stdin", "tool_input": {"chars": "x"}}),
        json!({"tool_name": 3}),
        json!("x"),
        json!(null),
    ] {
        assert_eq!(PROTOCOL.decode(said.clone()), said);
    }
}

/// An event of a call of this tool.
fn reported(event: HookEvent, tool: Option<&'static str>) -> Reported<'static> {
    Reported {
        tool,
        ..Reported::of(event)
    }
}

fn answered(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    let opinion = PROTOCOL.express(AGENT.title, reported, opinion);
    PROTOCOL.encode(reported, &opinion)
}

fn own(event: HookEvent, fields: Value) -> Value {
    let mut own = fields;
    own["hookEventName"] = event.name().into();
    json!({ "hookSpecificOutput": own })
}

#[test]
fn an_answer_has_only_what_codex_reads() {
    use HookEvent as E;
    let block = || Opinion::block("why");
    let denied = |why: &str| {
        let fields = json!({"permissionDecision": "deny", "permissionDecisionReason": why});
        own(E::PreToolUse, fields)
    };
    let rewritten = || Opinion::allow().updated_input(json!({"command": "make -n"}));
    for (event, opinion, expected) in [
        (E::PreToolUse, block(), denied("why")),
        (
            E::PreToolUse,
            Opinion::block(" "),
            denied("a hook gave no reason"),
        ),
        (E::PreToolUse, Opinion::grant(), Value::Null),
        (
            E::PreToolUse,
            rewritten().context("c").system_message("m"),
            json!({
                "systemMessage": "m",
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse", "permissionDecision": "allow",
                    "updatedInput": {"command": "make -n"}, "additionalContext": "c",
                },
            }),
        ),
        (
            E::PreToolUse,
            Opinion {
                end_turn: Some("enough".to_owned()),
                ..Opinion::allow()
            },
            own(
                E::PreToolUse,
                json!({
                    "permissionDecision": "deny",
                    "permissionDecisionReason": "enough\nA hook ends the turn here, and Codex cannot be told that. Do nothing more. \
                        Tell the user why you stopped.",
                }),
            ),
        ),
        (
            E::PreToolUse,
            Opinion::allow().context("c"),
            own(E::PreToolUse, json!({"additionalContext": "c"})),
        ),
        (
            E::PermissionRequest,
            Opinion::grant(),
            own(
                E::PermissionRequest,
                json!({"decision": {"behavior": "allow"}}),
            ),
        ),
        (
            E::PermissionRequest,
            block().context("c"),
            own(
                E::PermissionRequest,
                json!({"decision": {"behavior": "deny", "message": "why\nc"}}),
            ),
        ),
        (E::PermissionRequest, Opinion::ask("why"), Value::Null),
        (
            E::UserPromptSubmit,
            block(),
            json!({"decision": "block", "reason": "why"}),
        ),
        (
            E::PostToolUse,
            block(),
            json!({"decision": "block", "reason": "why"}),
        ),
        (
            E::PostToolUse,
            Opinion::ask("why"),
            json!({"decision": "block", "reason": "The user has to decide this: why"}),
        ),
        (
            E::Stop,
            block().context("c"),
            json!({"decision": "block", "reason": "why\nc"}),
        ),
        (E::Stop, Opinion::allow().context("c"), Value::Null),
        (
            E::Stop,
            Opinion {
                end_turn: Some("enough".to_owned()),
                ..Opinion::allow()
            },
            json!({"continue": false, "stopReason": "enough"}),
        ),
        (
            E::SessionStart,
            block(),
            json!({"continue": false, "stopReason": "why"}),
        ),
        (
            E::PreCompact,
            block(),
            json!({"continue": false, "stopReason": "why"}),
        ),
        (E::SessionEnd, block().system_message("m"), Value::Null),
        (E::Notification, block().context("c"), Value::Null),
        (
            E::PostCompact,
            Opinion::allow().system_message("m"),
            json!({"systemMessage": "m"}),
        ),
    ] {
        let answer = answered(&reported(event, Some("Bash")), &opinion);
        let said = match expected {
            Value::Null => Answer::default(),
            expected => Answer {
                stdout: format!("{expected}\n"),
                ..Answer::default()
            },
        };
        let parsed = |answer: &Answer| serde_json::from_str::<Value>(&answer.stdout).ok();
        assert_eq!(
            (answer.exit, parsed(&answer)),
            (said.exit, parsed(&said)),
            "{event} {opinion:?}"
        );
        assert_eq!(answer.stderr, "");
    }
}

#[test]
fn what_codex_cannot_be_told_is_denied_with_the_reason() {
    let rewritten = || Opinion::allow().updated_input(json!({"file_path": "/p/b"}));
    for (event, tool, opinion, told) in [
        (
            HookEvent::PreToolUse,
            "Bash",
            Opinion::ask("is it fine?"),
            "Codex cannot ask",
        ),
        (
            HookEvent::PreToolUse,
            "apply_patch",
            rewritten(),
            "cannot run a changed call",
        ),
        (
            HookEvent::PermissionRequest,
            "Bash",
            rewritten(),
            "cannot run a changed call",
        ),
        (
            HookEvent::UserPromptSubmit,
            "",
            Opinion::ask("is it fine?"),
            "is it fine?",
        ),
        (
            HookEvent::SubagentStart,
            "",
            Opinion::block("no"),
            "cannot enforce: no",
        ),
    ] {
        let answer = answered(&reported(event, Some(tool)), &opinion);
        assert!(answer.stdout.contains(told), "{event}: {answer:?}");
        let read = PROTOCOL
            .reads(&reported(event, Some(tool)), &answer)
            .unwrap();
        let denies = PROTOCOL.enforces(event);
        assert_eq!(read.decision == Decision::Deny, denies, "{event}");
    }
    // Of a tool with other words, the input is in those.
    let image = Opinion::allow().updated_input(json!({"file_path": "/p/b.png"}));
    let answer = answered(&reported(HookEvent::PreToolUse, Some("view_image")), &image);
    assert!(
        answer
            .stdout
            .contains(r#""updatedInput":{"path":"/p/b.png"}"#),
        "{answer:?}"
    );
}

#[test]
fn an_answer_means_what_codex_makes_of_it() {
    use HookEvent as E;
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why"}}"#;
    let silence = || Some(Reading::silence());
    let denied = || Some(Reading::decided(Decision::Deny, Some("why".to_owned())));
    let context = || {
        Some(Reading {
            context: Some("c".to_owned()),
            ..Reading::silence()
        })
    };
    for (event, stdout, expected) in [
        (E::PreToolUse, "", silence()),
        (E::PreToolUse, "{}", silence()),
        (E::PreToolUse, "c", silence()),
        (E::PreToolUse, "{", None),
        (E::PreToolUse, "[1]", None),
        (E::PreToolUse, deny, denied()),
        (
            E::PreToolUse,
            r#"{"decision":"block","reason":"why"}"#,
            denied(),
        ),
        (E::PreToolUse, r#"{"decision":"block"}"#, None),
        (
            E::PreToolUse,
            r#"{"decision":"approve","reason":"why"}"#,
            None,
        ),
        (E::PreToolUse, r#"{"reason":"why"}"#, None),
        (E::PreToolUse, r#"{"continue":true}"#, silence()),
        (
            E::PreToolUse,
            r#"{"continue":false,"stopReason":"why"}"#,
            None,
        ),
        (E::PreToolUse, r#"{"suppressOutput":true}"#, None),
        (E::PreToolUse, r#"{"new":1}"#, None),
        (
            E::PreToolUse,
            r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"why"}}"#,
            None,
        ),
        (
            E::PreToolUse,
            r#"{"hookSpecificOutput":{"hookEventName":"Stop"}}"#,
            None,
        ),
        (
            E::PreToolUse,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#,
            None,
        ),
        (
            E::PreToolUse,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#,
            None,
        ),
        (
            E::PreToolUse,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"why"}}"#,
            None,
        ),
        (
            E::PreToolUse,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{}}}"#,
            None,
        ),
        (
            E::PreToolUse,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls"}}}"#,
            Some(Reading {
                input: Some(json!({"command": "ls"})),
                ..Reading::silence()
            }),
        ),
        (
            E::PreToolUse,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}"#,
            context(),
        ),
        (
            E::PreToolUse,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":3}}"#,
            None,
        ),
        (E::PermissionRequest, "c", silence()),
        (
            E::PermissionRequest,
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest"}}"#,
            silence(),
        ),
        (
            E::PermissionRequest,
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#,
            Some(Reading::decided(Decision::Grant, None)),
        ),
        (
            E::PermissionRequest,
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"why"}}}"#,
            denied(),
        ),
        (
            E::PermissionRequest,
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{}}}}"#,
            None,
        ),
        (
            E::PermissionRequest,
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","interrupt":true}}}"#,
            None,
        ),
        (
            E::PermissionRequest,
            r#"{"decision":"block","reason":"why"}"#,
            None,
        ),
        (
            E::PostToolUse,
            r#"{"decision":"block","reason":"why"}"#,
            denied(),
        ),
        (E::PostToolUse, r#"{"decision":"block","reason":" "}"#, None),
        (
            E::PostToolUse,
            r#"{"continue":false,"stopReason":"why"}"#,
            denied(),
        ),
        (E::PostToolUse, r#"{"suppressOutput":true}"#, None),
        (E::UserPromptSubmit, "c", context()),
        (
            E::UserPromptSubmit,
            r#"{"decision":"block","reason":"why"}"#,
            denied(),
        ),
        (
            E::UserPromptSubmit,
            r#"{"continue":false,"stopReason":"why"}"#,
            denied(),
        ),
        (E::UserPromptSubmit, r#"{"suppressOutput":true}"#, silence()),
        (E::SessionStart, "c", context()),
        (
            E::SessionStart,
            r#"{"continue":false,"stopReason":"why"}"#,
            denied(),
        ),
        (
            E::SessionStart,
            r#"{"decision":"block","reason":"why"}"#,
            None,
        ),
        (
            E::SubagentStart,
            r#"{"continue":false,"stopReason":"why"}"#,
            silence(),
        ),
        (E::Stop, "c", None),
        (E::Stop, r#"{"decision":"block","reason":"why"}"#, denied()),
        (
            E::Stop,
            r#"{"continue":false,"stopReason":"why"}"#,
            silence(),
        ),
        (
            E::Stop,
            r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"c"}}"#,
            None,
        ),
        (E::PreCompact, "c", silence()),
        (
            E::PreCompact,
            r#"{"continue":false,"stopReason":"why"}"#,
            denied(),
        ),
        (
            E::PreCompact,
            r#"{"decision":"block","reason":"why"}"#,
            None,
        ),
        (E::SessionEnd, r#"{"new":1}"#, silence()),
        (E::Notification, "{", silence()),
    ] {
        let answer = Answer {
            stdout: stdout.to_owned(),
            ..Answer::default()
        };
        let read = PROTOCOL.reads(&reported(event, Some("Bash")), &answer);
        assert_eq!(read, expected, "{event} {stdout}");
    }
}

#[test]
fn exit_codes_mean_what_codex_makes_of_them() {
    use HookEvent as E;
    let denied = || Some(Reading::decided(Decision::Deny, Some("why".to_owned())));
    for (event, exit, stderr, expected) in [
        (E::PreToolUse, 2, "why\n", denied()),
        (E::PreToolUse, 2, " \n", None),
        (E::PreToolUse, 1, "why", None),
        (E::PermissionRequest, 2, "why", denied()),
        (E::PostToolUse, 2, "why", denied()),
        (E::UserPromptSubmit, 2, "why", denied()),
        (E::Stop, 2, "why", denied()),
        (E::SubagentStop, 2, "why", denied()),
        (E::SessionStart, 2, "why", None),
        (E::PreCompact, 2, "why", None),
        (E::SessionEnd, 2, "why", Some(Reading::silence())),
    ] {
        let answer = Answer {
            exit,
            stdout: deny_all(event),
            stderr: stderr.to_owned(),
        };
        let read = PROTOCOL.reads(&reported(event, Some("Bash")), &answer);
        assert_eq!(read, expected, "{event} {exit} {stderr:?}");
    }
}

/// What is printed beside an exit code does not count.
fn deny_all(event: HookEvent) -> String {
    json!({"continue": false, "stopReason": event.name()}).to_string()
}

/// What Codex accepts of an answer, by event. One field beside these voids it.
const SCHEMAS: &str = include_str!("output-schemas.json");

/// Whether a value is what a schema says: a kind, one of some words, or an object with these fields and no other.
fn fits(value: &Value, schema: &Value) -> bool {
    match schema {
        Value::String(kind) => match kind.as_str() {
            "flag" => value.is_boolean(),
            "text" => value.is_string(),
            _ => kind == "any",
        },
        Value::Array(words) => words.contains(value),
        Value::Object(fields) => value.as_object().is_some_and(|said| {
            let mut said = said.iter();
            said.all(|(name, value)| fields.get(name).is_some_and(|it| fits(value, it)))
        }),
        _ => false,
    }
}

#[test]
fn every_answer_is_one_that_codex_accepts() {
    let schemas: Value = serde_json::from_str(SCHEMAS).unwrap();
    let texts = |opinion: Opinion| {
        [
            opinion.clone(),
            opinion
                .context("c")
                .system_message("m")
                .suppress_logging()
                .warning("w"),
        ]
    };
    let rewritten = || json!({"command": "make -n"});
    let mut opinions: Vec<Opinion> = [
        Opinion::allow(),
        Opinion::grant(),
        Opinion::ask("why"),
        Opinion::block("why"),
        Opinion::block(""),
        Opinion::allow().updated_input(rewritten()),
        Opinion::grant().updated_input(rewritten()),
        Opinion::ask("why").updated_input(rewritten()),
        Opinion::allow().updated_input(json!("x")),
        Opinion {
            stop_reason: None,
            ..Opinion::block("")
        },
    ]
    .into_iter()
    .flat_map(texts)
    .collect();
    let fields = json!({"sessionTitle": "t", "updatedToolOutput": "x", "permissionDecision": "defer", "terminalSequence": "x"});
    opinions.extend(opinions.clone().into_iter().map(|opinion| Opinion {
        end_turn: Some("enough".to_owned()),
        event_fields: fields.as_object().cloned().unwrap(),
        facts: fields.as_object().cloned().unwrap(),
        ..opinion
    }));
    let mut answered_events = Vec::new();
    for event in HookEvent::ALL {
        for tool in [None, Some("Bash"), Some("apply_patch"), Some("mcp__a__b")] {
            for opinion in &opinions {
                let reported = reported(*event, tool);
                // Also what was not made fit before.
                for answer in [
                    answered(&reported, opinion),
                    PROTOCOL.encode(&reported, opinion),
                ] {
                    assert_eq!((answer.exit, answer.stderr.as_str()), (0, ""), "{event}");
                    if answer == Answer::default() {
                        continue;
                    }
                    let said: Value = serde_json::from_str(&answer.stdout).unwrap();
                    let schema = schemas.get(event.name()).unwrap_or(&Value::Null);
                    assert!(fits(&said, schema), "{event}: {said}");
                    assert!(
                        PROTOCOL.reads(&reported, &answer).is_some(),
                        "{event}: {said}"
                    );
                    answered_events.push(event.name());
                }
            }
        }
    }
    for event in schemas.as_object().unwrap().keys() {
        assert!(answered_events.contains(&event.as_str()), "{event}");
    }
    assert!(!fits(&json!({"new": 1}), &schemas["Stop"]));
}

/// What is reported of a decoded payload is what Codex called it.
#[test]
fn an_answer_knows_what_codex_called_the_call() {
    let payload = PROTOCOL.decode(json!({
        "hook_event_name": "PreToolUse", "cwd": "/p", "tool_name": "apply_patch", "tool_input": {"command": PATCH},
    }));
    let tool = (payload["tool_name"].as_str(), payload.get("tool_input"));
    let reported = Reported::decoded(HookEvent::PreToolUse, payload.get(NATIVE), tool);
    assert_eq!(reported.tool, Some("apply_patch"));
    assert_eq!(reported.input, Some(&json!({"command": PATCH})));
}
