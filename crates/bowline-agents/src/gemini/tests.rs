use serde_json::json;

use super::*;
use crate::answer::Answer;
use crate::decision::Decision;
use crate::opinion::Opinion;
use crate::reading::Reading;

fn decoded(payload: Value) -> Value {
    (PROTOCOL.decode)(payload)
}

#[test]
fn what_it_reports_is_said_in_bowlines_words() {
    for (said, expected) in [
        (
            json!({"session_id": "s", "hook_event_name": "BeforeTool", "tool_name": "run_shell_command",
                "tool_input": {"command": "ls", "description": "Run"}}),
            json!({"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash",
                "tool_input": {"command": "ls", "description": "Run"},
                "native": {"event": "BeforeTool", "tool_name": "run_shell_command"}}),
        ),
        // A command runs in the folder that the call names.
        (
            json!({"cwd": "/p", "hook_event_name": "BeforeTool", "tool_name": "run_shell_command",
                "tool_input": {"command": "ls", "dir_path": "a b"}}),
            json!({"cwd": "/p/a b", "hook_event_name": "PreToolUse", "tool_name": "Bash",
                "tool_input": {"command": "ls", "dir_path": "a b"},
                "native": {"event": "BeforeTool", "tool_name": "run_shell_command", "works_in": "/p"}}),
        ),
        (
            json!({"hook_event_name": "BeforeTool", "tool_name": "grep_search", "tool_input": {"pattern": "x", "dir_path": "/d", "include_pattern": "*.rs"}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Grep", "tool_input": {"pattern": "x", "path": "/d", "glob": "*.rs"},
                "native": {"event": "BeforeTool", "tool_name": "grep_search",
                    "tool_input": {"pattern": "x", "dir_path": "/d", "include_pattern": "*.rs"}}}),
        ),
        (
            json!({"hook_event_name": "BeforeTool", "tool_name": "mcp_my_files_read", "tool_input": {"path": "/a"},
                "mcp_context": {"server_name": "my_files", "tool_name": "read"}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__my_files__read", "tool_input": {"path": "/a"},
                "mcp_context": {"server_name": "my_files", "tool_name": "read"},
                "native": {"event": "BeforeTool", "tool_name": "mcp_my_files_read"}}),
        ),
        (
            json!({"hook_event_name": "BeforeTool", "tool_name": "mcp_files_read_all", "tool_input": {}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__files__read_all", "tool_input": {},
                "native": {"event": "BeforeTool", "tool_name": "mcp_files_read_all"}}),
        ),
        (
            json!({"cwd": "/p", "hook_event_name": "BeforeTool", "tool_name": "read_many_files", "tool_input": {"include": ["a.txt", "**/*.pem"]}}),
            json!({"cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "/p/a.txt"},
                "parts": [{"tool_name": "Read", "tool_input": {"file_path": "/p/a.txt"}},
                    {"tool_name": "Grep", "tool_input": {"pattern": "", "glob": "**/*.pem"}}],
                "native": {"event": "BeforeTool", "tool_name": "read_many_files", "tool_input": {"include": ["a.txt", "**/*.pem"]}}}),
        ),
        (
            json!({"hook_event_name": "BeforeTool", "tool_name": "web_fetch", "tool_input": {"prompt": "Compare (https://a.example/x) and http://b.example."}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "WebFetch",
                "tool_input": {"url": "https://a.example/x", "prompt": "Compare (https://a.example/x) and http://b.example."},
                "parts": [
                    {"tool_name": "WebFetch", "tool_input": {"url": "https://a.example/x", "prompt": "Compare (https://a.example/x) and http://b.example."}},
                    {"tool_name": "WebFetch", "tool_input": {"url": "http://b.example", "prompt": "Compare (https://a.example/x) and http://b.example."}}],
                "native": {"event": "BeforeTool", "tool_name": "web_fetch",
                    "tool_input": {"prompt": "Compare (https://a.example/x) and http://b.example."}}}),
        ),
        (
            json!({"hook_event_name": "BeforeAgent", "prompt": "<hook_context>The shed is green.</hook_context>\n\nTidy up."}),
            json!({"hook_event_name": "UserPromptSubmit", "prompt": "Tidy up.",
                "native": {"event": "BeforeAgent", "prompt": "<hook_context>The shed is green.</hook_context>\n\nTidy up."}}),
        ),
        (
            json!({"hook_event_name": "AfterAgent", "prompt": "Hi", "prompt_response": "Done.", "stop_hook_active": false}),
            json!({"hook_event_name": "Stop", "prompt": "Hi", "last_assistant_message": "Done.", "stop_hook_active": false,
                "native": {"event": "AfterAgent"}}),
        ),
        (
            json!({"hook_event_name": "Notification", "notification_type": "ToolPermission", "message": "Edit?"}),
            json!({"hook_event_name": "Notification", "notification_type": "permission_prompt", "message": "Edit?",
                "native": {"notification_type": "ToolPermission"}}),
        ),
    ] {
        assert_eq!(decoded(said), expected);
    }
    for odd in [
        json!(null),
        json!([1]),
        json!("text"),
        json!({"tool_name": 3, "mcp_context": 4}),
    ] {
        decoded(odd);
    }
}

/// Every request to the model would be a compaction otherwise.
#[test]
fn only_a_command_to_compact_is_a_compaction() {
    let event = |trigger: &str| {
        let payload = json!({"hook_event_name": "PreCompress", "trigger": trigger});
        decoded(payload)["hook_event_name"].clone()
    };
    assert_eq!(event("manual"), "PreCompact");
    assert_eq!(event("auto"), "PreCompress");
    assert_eq!(HookEvent::from_name("PreCompress"), None);
}

#[test]
fn what_failed_is_a_failure() {
    let shell = |text: &str| {
        json!({"hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": {"command": "x"},
            "tool_response": {"llmContent": format!("<untrusted_context>\n{text}\nProcess Group PGID: 1\n</untrusted_context>"),
                "returnDisplay": "oops"}})
    };
    let read = |error: Value| {
        json!({"hook_event_name": "AfterTool", "tool_name": "read_file", "tool_input": {"file_path": "/a"},
            "tool_response": {"llmContent": "no", "returnDisplay": "no", "error": error}})
    };
    for (said, event, error) in [
        (
            shell("Output: oops\nExit Code: 3"),
            "PostToolUseFailure",
            json!("Exit code 3\noops"),
        ),
        (shell("Output: oops"), "PostToolUse", Value::Null),
        (
            shell("Output: Exit Code: 3\nmore"),
            "PostToolUse",
            Value::Null,
        ),
        (
            read(json!({"message": "not found", "type": "x"})),
            "PostToolUseFailure",
            json!("not found"),
        ),
        (read(json!("broken")), "PostToolUseFailure", json!("broken")),
        (read(Value::Null), "PostToolUse", Value::Null),
    ] {
        let read = decoded(said.clone());
        assert_eq!(read["hook_event_name"], event, "{said}");
        assert_eq!(read["error"], error, "{said}");
        assert_eq!(read["native"]["event"], "AfterTool");
    }
}

/// An event with a call, as it was reported.
fn reported(event: HookEvent, name: &'static str) -> Reported<'static> {
    Reported {
        name,
        ..Reported::of(event)
    }
}

#[test]
fn an_answer_is_one_object_or_nothing() {
    let before = reported(HookEvent::PreToolUse, "BeforeTool");
    let after = reported(HookEvent::PostToolUse, "AfterTool");
    let prompt = reported(HookEvent::UserPromptSubmit, "BeforeAgent");
    let stop = reported(HookEvent::Stop, "AfterAgent");
    let start = reported(HookEvent::SessionStart, "SessionStart");
    let ends = Opinion {
        end_turn: Some("enough".to_owned()),
        ..Opinion::allow()
    };
    for (reported, opinion, expected) in [
        (before, Opinion::allow(), json!(null)),
        (before, Opinion::grant(), json!(null)),
        (before, Opinion::allow().context("c"), json!(null)),
        (
            before,
            Opinion::block("why"),
            json!({"decision": "deny", "reason": "why"}),
        ),
        (
            before,
            Opinion::block(" "),
            json!({"decision": "deny", "reason": "a hook gave no reason"}),
        ),
        (
            before,
            Opinion::block("why").context("c"),
            json!({"decision": "deny", "reason": "why\nc"}),
        ),
        // It is never asked, even if nobody looked whether it can be.
        (
            before,
            Opinion::ask("why"),
            json!({"decision": "deny", "reason": "The user has to decide this: why"}),
        ),
        (
            before,
            Opinion::allow().system_message("m"),
            json!({"systemMessage": "m"}),
        ),
        (
            before,
            Opinion::allow().updated_input(json!({"command": "ls"})),
            json!({"hookSpecificOutput": {"tool_input": {"command": "ls"}}}),
        ),
        (
            before,
            ends.clone(),
            json!({"continue": false, "stopReason": "enough"}),
        ),
        (
            after,
            Opinion::block("why"),
            json!({"decision": "deny", "reason": "why"}),
        ),
        (
            after,
            Opinion::allow().context("c"),
            json!({"hookSpecificOutput": {"additionalContext": "c"}}),
        ),
        (
            prompt,
            Opinion::allow().context("c"),
            json!({"hookSpecificOutput": {"additionalContext": "c"}}),
        ),
        (
            prompt,
            Opinion::block("why"),
            json!({"decision": "deny", "reason": "why"}),
        ),
        (
            stop,
            Opinion::block("go on"),
            json!({"decision": "deny", "reason": "go on"}),
        ),
        (
            stop,
            ends.clone(),
            json!({"continue": false, "stopReason": "enough"}),
        ),
        (
            start,
            Opinion::allow().context("c"),
            json!({"hookSpecificOutput": {"additionalContext": "c"}}),
        ),
        (
            start,
            Opinion::block("why"),
            json!({"hookSpecificOutput": {"additionalContext":
                "A hook blocked SessionStart, which Gemini CLI cannot enforce: why\nDo not go on before you have told the user and the user has agreed."}}),
        ),
        (start, ends, json!(null)),
        (
            Reported::of(HookEvent::Notification),
            Opinion::block("why"),
            json!(null),
        ),
    ] {
        let answer = (PROTOCOL.encode)(&reported, &opinion);
        let expected = match expected {
            Value::Object(fields) => Answer::json(fields),
            _ => Answer::default(),
        };
        assert_eq!(answer, expected, "{} {opinion:?}", reported.name);
    }
}

#[test]
fn a_changed_input_keeps_every_field() {
    let input = json!({"pattern": "x", "dir_path": "/d"});
    let call = Reported {
        tool: Some("grep_search"),
        input: Some(&input),
        ..reported(HookEvent::PreToolUse, "BeforeTool")
    };
    for (new, can) in [
        (json!({"pattern": "y", "path": "/d"}), true),
        (json!({"pattern": "y", "path": "/e", "glob": "*"}), true),
        (json!({"pattern": "y"}), false),
        (json!("y"), false),
    ] {
        assert_eq!((PROTOCOL.rewrites)(&call, &new), can, "{new}");
    }
    let changed = Opinion::allow().updated_input(json!({"pattern": "y"}));
    let said = PROTOCOL.express(AGENT.title, &call, &changed);
    assert_eq!(said.decision(), Decision::Deny);
    let changed = Opinion::allow().updated_input(json!({"pattern": "y", "path": "/e"}));
    let answer = (PROTOCOL.encode)(&call, &changed);
    let read = (PROTOCOL.reads)(&call, &answer).unwrap();
    assert_eq!(read.input, Some(json!({"pattern": "y", "dir_path": "/e"})));
}

#[test]
fn an_answer_means_what_the_client_makes_of_it() {
    let denied = |reason: &str| Some(Reading::decided(Decision::Deny, Some(reason.to_owned())));
    let silence = || Some(Reading::silence());
    let asks = Some(Reading::decided(Decision::Ask, Some("why".to_owned())));
    let message = |text: &str| {
        Some(Reading {
            message: Some(text.to_owned()),
            ..Reading::silence()
        })
    };
    let (pre, stop, start) = (
        HookEvent::PreToolUse,
        HookEvent::Stop,
        HookEvent::SessionStart,
    );
    for (event, exit, stdout, stderr, expected) in [
        (pre, 0, "", "", silence()),
        (
            pre,
            0,
            r#"{"decision":"deny","reason":"why"}"#,
            "",
            denied("why"),
        ),
        (
            pre,
            0,
            r#"{"decision":"block","reason":"why"}"#,
            "",
            denied("why"),
        ),
        (
            pre,
            0,
            r#""{\"decision\":\"deny\",\"reason\":\"why\"}""#,
            "",
            denied("why"),
        ),
        (pre, 0, r#"{"decision":"ask","reason":"why"}"#, "", asks),
        (pre, 0, r#"{"decision":"allow"}"#, "", silence()),
        (
            pre,
            0,
            r#"{"continue":false,"stopReason":"why"}"#,
            "",
            denied("why"),
        ),
        // What other agents are told is nothing to it.
        (
            pre,
            0,
            r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"why"}}"#,
            "",
            silence(),
        ),
        (pre, 2, "", "why\n", denied("why")),
        (pre, 3, "", "why", denied("why")),
        (pre, 1, "", "why", message("why")),
        (pre, 0, "hello", "", message("hello")),
        // Without a reason, exit code 2 is a failure of the hook.
        (pre, 2, "", "", None),
        (pre, 2, "", r#"{"decision":"allow"}"#, silence()),
        (
            stop,
            0,
            r#"{"decision":"deny","reason":"go on"}"#,
            "",
            denied("go on"),
        ),
        (
            stop,
            0,
            r#"{"decision":"deny","reason":"go on","continue":false}"#,
            "",
            silence(),
        ),
        (
            start,
            0,
            r#"{"decision":"deny","reason":"why"}"#,
            "",
            silence(),
        ),
        (start, 2, "", "why", silence()),
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
