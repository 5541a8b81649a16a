use serde_json::json;

use super::*;
use crate::decision::Decision;
use crate::opinion::Opinion;
use crate::reading::Reading;

/// As the documentation has it.
fn call() -> Value {
    json!({
        "timestamp": "2026-11-15T10:30:00.000Z", "cwd": "/repo/shop", "sessionId": "s",
        "hookEventName": "PreToolUse", "transcript_path": "/t.json", "tool_name": "run_in_terminal",
        "tool_input": {"command": "git push", "explanation": "Publish", "isBackground": false}, "tool_use_id": "c",
    })
}

#[test]
fn what_it_sends_is_put_into_bowlines_words() {
    let decoded = PROTOCOL.decode(call());
    for (path, expected) in [
        ("/hook_event_name", json!("PreToolUse")),
        ("/session_id", json!("s")),
        ("/tool_name", json!("Bash")),
        (
            "/tool_input",
            json!({"command": "git push", "description": "Publish", "run_in_background": false}),
        ),
        ("/tool_use_id", json!("c")),
        ("/native/tool_name", json!("run_in_terminal")),
    ] {
        assert_eq!(decoded.pointer(path), Some(&expected), "{path}");
    }
    let start = json!({"hookEventName": "SessionStart", "sessionId": "s", "source": "new"});
    assert_eq!(PROTOCOL.decode(start)["source"], "startup");
}

#[test]
fn a_call_that_does_several_things_is_told_in_parts() {
    let patch = "*** Begin Patch\n*** Delete File: /a\n*** End Patch";
    let replacements = json!([
        {"filePath": "/a", "oldString": "1", "newString": "2"},
        {"filePath": "/b", "oldString": "1", "newString": "2"},
    ]);
    for (tool, input, first, parts) in [
        ("apply_patch", json!({"input": patch}), "Delete", 0),
        ("apply_patch", json!({}), "Unread", 0),
        (
            "fetch_webpage",
            json!({"urls": ["https://a", "https://b"]}),
            "WebFetch",
            2,
        ),
        (
            "multi_replace_string_in_file",
            json!({"replacements": replacements}),
            "Edit",
            2,
        ),
        (
            "mcp_files_read_all",
            json!({"path": "/a"}),
            "mcp__files__read_all",
            0,
        ),
    ] {
        let mut call = call();
        call["tool_name"] = tool.into();
        call["tool_input"] = input;
        let decoded = PROTOCOL.decode(call);
        assert_eq!(decoded["tool_name"], first, "{tool}");
        let listed = decoded["parts"].as_array().map_or(0, Vec::len);
        assert_eq!(listed, parts, "{tool}");
        assert_eq!(decoded["native"]["tool_name"], tool);
    }
}

#[test]
fn only_it_sends_what_is_taken_for_its_own() {
    let mut grok = call();
    grok["hookEventName"] = "pre_tool_use".into();
    let mut both = call();
    both["hook_event_name"] = "PreToolUse".into();
    let claude = json!({"hook_event_name": "PreToolUse", "session_id": "s"});
    let by_tool =
        |tool: &str| json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": tool});
    for (payload, expected) in [
        (call(), true),
        (json!({"hookEventName": "Stop", "sessionId": "s"}), true),
        (grok, false),
        (both, false),
        (claude, false),
        (by_tool("run_in_terminal"), true),
        (by_tool("Bash"), false),
        (
            json!({"hookEventName": "PreToolUse", "toolName": "x"}),
            false,
        ),
    ] {
        assert_eq!(sent(&payload), expected, "{payload}");
    }
}

#[test]
fn an_answer_is_in_claude_codes_form_with_both_ways_of_going_on() {
    let blocked = json!({"decision": "block", "reason": "why",
        "hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": "why"}});
    for (event, opinion, expected) in [
        (HookEvent::PreToolUse, Opinion::allow(), Value::Null),
        (
            HookEvent::PreToolUse,
            Opinion::ask("why").system_message("m"),
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask",
                "permissionDecisionReason": "why"}, "systemMessage": "m"}),
        ),
        (
            HookEvent::PostToolUse,
            Opinion::block("why").context("c"),
            json!({"decision": "block", "reason": "why",
                "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "c"}}),
        ),
        (HookEvent::Stop, Opinion::block("why"), blocked),
        (
            HookEvent::SessionStart,
            Opinion::allow().context("c"),
            json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "c"}}),
        ),
        (
            HookEvent::UserPromptSubmit,
            Opinion::allow().context("c"),
            Value::Null,
        ),
        (HookEvent::PreCompact, Opinion::block("why"), Value::Null),
    ] {
        let answer = PROTOCOL.encode(&Reported::of(event), &opinion);
        assert_eq!(answer.exit, 0);
        let said = serde_json::from_str(&answer.stdout).unwrap_or(Value::Null);
        assert_eq!(said, expected, "{event} {opinion:?}");
    }
    let prompt = Reported::of(HookEvent::UserPromptSubmit);
    let denied = PROTOCOL.encode(&prompt, &Opinion::block("why"));
    assert_eq!((denied.exit, denied.stderr.as_str()), (2, "why\n"));
}

#[test]
fn a_rewritten_input_is_in_its_fields() {
    let own = json!({"filePath": "/a", "content": "x"});
    let reported = Reported {
        tool: Some("create_file"),
        input: Some(&own),
        ..Reported::of(HookEvent::PreToolUse)
    };
    let opinion = Opinion::allow().updated_input(json!({"file_path": "/b", "content": "x"}));
    let answer = PROTOCOL.encode(&reported, &opinion);
    let read = PROTOCOL.reads(&reported, &answer).unwrap();
    assert_eq!(read.input, Some(json!({"filePath": "/b", "content": "x"})));
}

#[test]
fn an_answer_is_read_by_its_documentation() {
    let denied = || Some(Reading::decided(Decision::Deny, Some("why".to_owned())));
    let silence = || Some(Reading::silence());
    let other =
        r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"deny"}}"#;
    let flat = r#"{"permissionDecision":"deny","permissionDecisionReason":"why"}"#;
    let stop =
        r#"{"hookSpecificOutput":{"hookEventName":"Stop","decision":"block","reason":"why"}}"#;
    for (event, exit, stdout, stderr, expected) in [
        (HookEvent::PreToolUse, 2, "", "why", denied()),
        (HookEvent::PreToolUse, 1, "", "why", None),
        (HookEvent::PreToolUse, 0, other, "", silence()),
        (HookEvent::PreToolUse, 0, flat, "", silence()),
        (HookEvent::PreToolUse, 0, "text", "", silence()),
        (
            HookEvent::PreToolUse,
            0,
            r#"{"continue":false,"stopReason":"why"}"#,
            "",
            denied(),
        ),
        (HookEvent::Stop, 0, stop, "", denied()),
        (
            HookEvent::Stop,
            0,
            r#"{"decision":"block","reason":"why"}"#,
            "",
            silence(),
        ),
        (
            HookEvent::PostToolUse,
            0,
            r#"{"decision":"block","reason":"why"}"#,
            "",
            denied(),
        ),
        (HookEvent::UserPromptSubmit, 2, "", "why", denied()),
    ] {
        let answer = Answer {
            exit,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
        };
        let read = PROTOCOL.reads(&Reported::of(event), &answer);
        assert_eq!(read, expected, "{event} {exit} {stdout}");
    }
}

#[test]
fn what_runs_in_a_terminal_is_a_command() {
    let sends = "workbench.action.terminal.sendSequence";
    for (tool, input, expected, command) in [
        (
            "create_and_run_task",
            json!({"task": {"type": "shell", "command": "rm -rf ~"}}),
            "Bash",
            json!("rm -rf ~"),
        ),
        (
            "create_and_run_task",
            json!({"task": {"command": "rm", "args": ["-rf", "~"]}}),
            "Bash",
            json!("rm -rf ~"),
        ),
        (
            "create_and_run_task",
            json!({"task": {"command": ["rm"]}}),
            "Unread",
            json!(null),
        ),
        (
            "run_vscode_command",
            json!({"commandId": sends, "name": "Type", "args": [{"text": "rm -rf ~\n"}]}),
            "Bash",
            json!("rm -rf ~\n"),
        ),
        (
            "run_vscode_command",
            json!({"commandId": sends, "args": [3]}),
            "Unread",
            json!(null),
        ),
        (
            "run_vscode_command",
            json!({"commandId": "editor.fold", "args": []}),
            "run_vscode_command",
            json!(null),
        ),
    ] {
        let payload =
            json!({"hookEventName": "PreToolUse", "tool_name": tool, "tool_input": input});
        let decoded = AGENT.protocol().unwrap().decode(payload);
        assert_eq!(decoded["tool_name"], expected, "{input}");
        assert_eq!(decoded["tool_input"]["command"], command, "{input}");
    }
}
