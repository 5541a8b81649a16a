use serde_json::{Value, json};

use super::*;
use crate::answer::Answer;
use crate::decision::Decision;
use crate::event::HookEvent as E;
use crate::opinion::Opinion;
use crate::reading::Reading;

fn decoded(payload: Value) -> Value {
    (PROTOCOL.decode)(payload)
}

#[test]
fn what_it_reports_is_said_in_bowlines_words() {
    for (said, expected) in [
        (
            json!({"hook_event_name": "PreToolUse", "permission_mode": "auto-high", "tool_name": "Execute",
                "tool_input": {"command": "ls", "summary": "Run", "riskLevel": "low"}}),
            json!({"hook_event_name": "PreToolUse", "permission_mode": "bypassPermissions", "tool_name": "Bash",
                "tool_input": {"command": "ls", "summary": "Run", "riskLevel": "low"},
                "native": {"tool_name": "Execute", "permission_mode": "auto-high"}}),
        ),
        (
            json!({"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"file_path": "/a", "old_str": "1", "new_str": "2"}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"file_path": "/a", "old_string": "1", "new_string": "2"},
                "native": {"tool_input": {"file_path": "/a", "old_str": "1", "new_str": "2"}}}),
        ),
        (
            json!({"hook_event_name": "PreToolUse", "tool_name": "Glob", "tool_input": {"patterns": ["*.rs", "**/.env"], "folder": "/d"}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Glob", "tool_input": {"pattern": "*.rs", "path": "/d"},
                "native": {"tool_name": "Glob", "tool_input": {"patterns": ["*.rs", "**/.env"], "folder": "/d"}},
                "parts": [{"tool_name": "Glob", "tool_input": {"pattern": "*.rs", "path": "/d"}},
                    {"tool_name": "Glob", "tool_input": {"pattern": "**/.env", "path": "/d"}}]}),
        ),
        (
            json!({"hook_event_name": "PreToolUse", "tool_name": "my_files___read_all", "tool_input": {}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__my_files__read_all", "tool_input": {},
                "native": {"tool_name": "my_files___read_all"}}),
        ),
        (
            json!({"hook_event_name": "PostToolUse", "tool_name": "Execute", "tool_input": {"command": "ls"},
                "tool_response": "a.txt\n\n\n[Process exited with code 0]"}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"},
                "tool_response": {"stdout": "a.txt", "stderr": "", "interrupted": false},
                "native": {"tool_name": "Execute", "tool_response": "a.txt\n\n\n[Process exited with code 0]"}}),
        ),
        (
            json!({"hook_event_name": "SubagentStop", "task_name": "Help", "task_result": "Done."}),
            json!({"hook_event_name": "SubagentStop", "description": "Help", "last_assistant_message": "Done."}),
        ),
    ] {
        assert_eq!(decoded(said), expected);
    }
    let patch = "*** Begin Patch\n*** Delete File: a\n*** Add File: b\n+x\n*** End Patch";
    let patched = decoded(json!({
        "cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": "ApplyPatch", "tool_input": {"input": patch},
    }));
    assert_eq!(patched["tool_name"], "Delete");
    assert_eq!(patched["parts"][1]["tool_input"]["file_path"], "/p/b");
    assert_eq!(patched["native"]["tool_name"], "ApplyPatch");
    for (mode, expected) in [
        ("off", "default"),
        ("spec", "plan"),
        ("auto-medium", "auto"),
        ("new", "new"),
    ] {
        let payload = decoded(json!({"hook_event_name": "Stop", "permission_mode": mode}));
        assert_eq!(payload["permission_mode"], expected);
    }
    for odd in [
        json!(null),
        json!([1]),
        json!({"hook_event_name": "PreToolUse", "tool_name": "Glob", "tool_input": {"patterns": [1]}}),
        json!({"hook_event_name": "PreToolUse", "tool_name": "___", "tool_input": 3}),
    ] {
        decoded(odd);
    }
}

#[test]
fn a_denial_is_exit_code_2_and_the_rest_is_json() {
    let denied = |reason: &str| Answer {
        exit: 2,
        stderr: format!("{reason}\n"),
        ..Answer::default()
    };
    let said = |fields: Value| match fields {
        Value::Object(fields) => Answer::json(fields),
        _ => Answer::default(),
    };
    let own = |event: HookEvent, fields: Value| {
        let mut own = json!({"hookEventName": event.name()});
        for (name, value) in fields.as_object().unwrap() {
            own[name] = value.clone();
        }
        said(json!({ "hookSpecificOutput": own }))
    };
    let ends = Opinion {
        end_turn: Some("enough".to_owned()),
        ..Opinion::allow()
    };
    let ended = said(json!({"continue": false, "stopReason": "enough"}));
    for (event, opinion, expected) in [
        (E::PreToolUse, Opinion::allow(), Answer::default()),
        (
            E::PreToolUse,
            Opinion::allow().context("c").system_message("m"),
            Answer::default(),
        ),
        (E::PreToolUse, Opinion::block("why"), denied("why")),
        (
            E::PreToolUse,
            Opinion::block("").context("c"),
            denied("a hook gave no reason\nc"),
        ),
        (
            E::PreToolUse,
            Opinion::ask("why"),
            denied("The user has to decide this: why"),
        ),
        (
            E::PreToolUse,
            Opinion::grant(),
            own(E::PreToolUse, json!({"permissionDecision": "allow"})),
        ),
        (
            E::PreToolUse,
            Opinion::allow().updated_input(json!({"command": "ls"})),
            own(E::PreToolUse, json!({"updatedInput": {"command": "ls"}})),
        ),
        (E::PreToolUse, ends.clone(), ended.clone()),
        (E::PostToolUse, Opinion::block("why"), denied("why")),
        (
            E::PostToolUse,
            Opinion::allow().context("c"),
            own(E::PostToolUse, json!({"additionalContext": "c"})),
        ),
        (
            E::PostToolUse,
            Opinion::allow().system_message("m"),
            said(json!({"systemMessage": "m"})),
        ),
        (E::UserPromptSubmit, Opinion::block("why"), denied("why")),
        (
            E::UserPromptSubmit,
            Opinion::allow().context("c"),
            own(E::UserPromptSubmit, json!({"additionalContext": "c"})),
        ),
        (
            E::Stop,
            Opinion::block("why"),
            said(json!({"decision": "block", "reason": "why"})),
        ),
        (E::Stop, ends, ended),
        (E::PreCompact, Opinion::block("why"), denied("why")),
        (
            E::SessionStart,
            Opinion::allow().context("c"),
            own(E::SessionStart, json!({"additionalContext": "c"})),
        ),
        (E::SubagentStop, Opinion::block("why"), Answer::default()),
        (E::SessionEnd, Opinion::block("why"), Answer::default()),
    ] {
        let answer = (PROTOCOL.encode)(&Reported::of(event), &opinion);
        assert_eq!(answer, expected, "{event} {opinion:?}");
    }
}

#[test]
fn a_changed_input_keeps_every_field() {
    let input = json!({"command": "rm a", "summary": "Remove it"});
    let call = Reported {
        tool: Some(SHELL),
        input: Some(&input),
        ..Reported::of(HookEvent::PreToolUse)
    };
    for (new, can) in [
        (json!({"command": "trash a", "summary": "Remove it"}), true),
        (json!({"command": "trash a"}), false),
        (json!(3), false),
    ] {
        assert_eq!((PROTOCOL.rewrites)(&call, &new), can, "{new}");
    }
}

#[test]
fn an_answer_means_what_the_client_makes_of_it() {
    let denied = |reason: &str| Some(Reading::decided(Decision::Deny, Some(reason.to_owned())));
    let silence = || Some(Reading::silence());
    let granted = || Some(Reading::decided(Decision::Grant, None));
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
    let blocks = r#"{"decision":"block","reason":"why"}"#;
    let ends = r#"{"continue":false,"stopReason":"why"}"#;
    for (event, exit, stdout, stderr, expected) in [
        (E::PreToolUse, 0, "", "", silence()),
        (E::PreToolUse, 0, "hello", "", silence()),
        (E::PreToolUse, 0, "{hello", "", silence()),
        (E::PreToolUse, 0, nested("deny").as_str(), "", denied("why")),
        (E::PreToolUse, 0, nested("allow").as_str(), "", granted()),
        (
            E::PreToolUse,
            2,
            nested("allow").as_str(),
            "why",
            denied("why"),
        ),
        (E::PreToolUse, 0, nested("ask").as_str(), "", silence()),
        (E::PreToolUse, 0, blocks, "", silence()),
        (E::PreToolUse, 0, ends, "", denied("why")),
        (E::PreToolUse, 2, "", "why\n", denied("why")),
        (E::PreToolUse, 2, "", "", denied("")),
        (E::PreToolUse, 3, "", "why", denied("why")),
        (E::PreToolUse, 1, "", "why", None),
        (E::PostToolUse, 0, blocks, "", silence()),
        (E::PostToolUse, 2, "", "why", denied("why")),
        (
            E::PostToolUse,
            0,
            r#"{"hookSpecificOutput":{"additionalContext":"c"}}"#,
            "",
            context("c"),
        ),
        (E::UserPromptSubmit, 0, blocks, "", silence()),
        (E::UserPromptSubmit, 2, "", "why", denied("why")),
        (E::UserPromptSubmit, 0, "hello", "", context("hello")),
        (E::SessionStart, 2, "hello", "why", silence()),
        (E::Stop, 0, blocks, "", denied("why")),
        (E::Stop, 2, "", "why", denied("why")),
        // Without a reason it ends, exit code 2 or not.
        (E::Stop, 2, r#"{"decision":"block"}"#, "why", silence()),
        (E::Stop, 0, ends, "", silence()),
        (E::PreCompact, 2, "", "why", denied("why")),
        (E::SubagentStop, 2, "", "why", silence()),
    ] {
        let answer = Answer {
            exit,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
        };
        let read = (PROTOCOL.reads)(&Reported::of(event), &answer);
        assert_eq!(read, expected, "{event} {exit} {stdout}{stderr}");
    }
    let input = json!({"command": "rm a", "summary": "s"});
    let call = Reported {
        input: Some(&input),
        ..Reported::of(E::PreToolUse)
    };
    let answer = Answer {
        stdout: r#"{"hookSpecificOutput":{"updatedInput":{"command":"ls"}}}"#.to_owned(),
        ..Answer::default()
    };
    let read = (PROTOCOL.reads)(&call, &answer).unwrap();
    assert_eq!(read.input, Some(json!({"command": "ls", "summary": "s"})));
}
