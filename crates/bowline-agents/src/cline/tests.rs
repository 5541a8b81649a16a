use serde_json::json;

use super::*;
use crate::reported::NATIVE;

/// What the CLI says of every event.
fn cli(hook: &str, more: Value) -> Value {
    let mut payload = json!({
        "taskId": "conv_1", "sessionContext": {"rootSessionId": "s"}, "workspaceRoots": ["/p"], "agent_id": "agent_1",
        "parent_agent_id": null, "hookName": hook,
    });
    let fields = payload.as_object_mut().unwrap();
    fields.extend(more.as_object().cloned().unwrap());
    payload
}

/// What is left of the payload beside what the CLI says of every event.
fn decoded(payload: Value) -> Value {
    let mut decoded = (PROTOCOL.decode)(payload);
    let fields = decoded.as_object_mut().unwrap();
    for (name, expected) in [("session_id", "s"), ("cwd", "/p"), ("task_id", "conv_1")] {
        assert_eq!(fields.shift_remove(name), Some(expected.into()), "{name}");
    }
    fields.shift_remove("sessionContext");
    fields.shift_remove("workspaceRoots");
    decoded
}

#[test]
fn what_the_cli_reports_is_translated() {
    let run = |commands: Value| {
        json!({"tool_call": {"id": "c", "name": "run_commands", "input": commands},
        "preToolUse": {"toolName": "run_commands", "parameters": {"commands": "[]"}}})
    };
    for (said, expected) in [
        (
            cli("agent_start", json!({})),
            json!({"hook_event_name": "SessionStart", "source": "startup", "native": {"event": "agent_start"}}),
        ),
        (
            cli("agent_resume", json!({})),
            json!({"hook_event_name": "SessionStart", "source": "resume", "native": {"event": "agent_resume"}}),
        ),
        (
            cli("tool_call", run(json!({"commands": ["ls"]}))),
            json!({"hook_event_name": "PreToolUse", "tool_use_id": "c", "tool_name": "Bash", "tool_input": {"command": "ls"},
                "native": {"event": "tool_call", "tool_name": "run_commands", "tool_input": {"commands": ["ls"]}}}),
        ),
        (
            cli("tool_call", run(json!({"commands": ["ls", "rm a"]}))),
            json!({"hook_event_name": "PreToolUse", "tool_use_id": "c", "tool_name": "Bash", "tool_input": {"command": "ls"},
                "parts": [{"tool_name": "Bash", "tool_input": {"command": "ls"}}, {"tool_name": "Bash", "tool_input": {"command": "rm a"}}],
                "native": {"event": "tool_call", "tool_name": "run_commands", "tool_input": {"commands": ["ls", "rm a"]}}}),
        ),
        (
            cli(
                "tool_call",
                json!({"tool_call": {"id": "c", "name": "editor", "input": {"path": "/p/a", "new_text": "x"}}}),
            ),
            json!({"hook_event_name": "PreToolUse", "tool_use_id": "c", "tool_name": "Write",
                "tool_input": {"file_path": "/p/a", "content": "x"},
                "native": {"event": "tool_call", "tool_name": "editor", "tool_input": {"path": "/p/a", "new_text": "x"}}}),
        ),
        (
            cli(
                "tool_call",
                json!({"tool_call": {"id": "c", "name": "files__read_it", "input": {"a": 1}}}),
            ),
            json!({"hook_event_name": "PreToolUse", "tool_use_id": "c", "tool_name": "mcp__files__read_it", "tool_input": {"a": 1},
                "native": {"event": "tool_call", "tool_name": "files__read_it"}}),
        ),
        (
            cli(
                "tool_result",
                json!({"tool_result": {"id": "c", "name": "run_commands", "input": {"commands": ["ls"]}, "durationMs": 9,
                "output": [{"query": "ls", "result": "a\n", "success": true}]}}),
            ),
            json!({"hook_event_name": "PostToolUse", "tool_use_id": "c", "tool_name": "Bash", "tool_input": {"command": "ls"},
                "duration_ms": 9, "tool_response": {"stdout": "a\n", "stderr": "", "interrupted": false},
                "native": {"event": "tool_result", "tool_name": "run_commands", "tool_input": {"commands": ["ls"]},
                    "tool_response": [{"query": "ls", "result": "a\n", "success": true}]}}),
        ),
        (
            cli(
                "tool_result",
                json!({"tool_result": {"id": "c", "name": "read_files", "input": {"files": ["a"]},
                "output": [{"query": "a", "result": "", "error": "gone", "success": false}]}}),
            ),
            json!({"hook_event_name": "PostToolUse", "tool_use_id": "c", "tool_name": "Read", "tool_input": {"file_path": "a"},
                "tool_response": {"results": [{"query": "a", "result": "", "error": "gone", "success": false}], "error": "gone"},
                "native": {"event": "tool_result", "tool_name": "read_files", "tool_input": {"files": ["a"]}}}),
        ),
        (
            cli(
                "tool_result",
                json!({"tool_result": {"id": "c", "name": "skills", "input": {}, "output": "x", "error": "no such skill"}}),
            ),
            json!({"hook_event_name": "PostToolUseFailure", "tool_use_id": "c", "tool_name": "Skill", "tool_input": {},
                "error": "no such skill", "native": {"event": "tool_result", "tool_name": "skills"}}),
        ),
        (
            cli(
                "agent_end",
                json!({"turn": {"outputText": "Done.", "status": "completed"}}),
            ),
            json!({"hook_event_name": "Stop", "last_assistant_message": "Done.", "native": {"event": "agent_end"},
                "turn": {"outputText": "Done.", "status": "completed"}}),
        ),
        (
            cli(
                "agent_error",
                json!({"error": {"name": "Error", "message": "full"}}),
            ),
            json!({"hook_event_name": "StopFailure", "error": "Error", "error_details": "full", "native": {"event": "agent_error"}}),
        ),
        (
            cli("agent_abort", json!({})),
            json!({"hook_event_name": "StopFailure", "error": "aborted", "native": {"event": "agent_abort"}}),
        ),
        (
            cli("session_shutdown", json!({"reason": "exit"})),
            json!({"hook_event_name": "SessionEnd", "reason": "exit", "native": {"event": "session_shutdown"}}),
        ),
    ] {
        assert_eq!(decoded(said.clone()), expected, "{said}");
    }
}

#[test]
fn what_the_extension_reports_is_translated() {
    let said = |hook: &str, more: Value| {
        let mut payload = json!({"taskId": "t", "workspaceRoots": ["/p"], "timestamp": "1794723758106", "hookName": hook});
        payload
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().cloned().unwrap());
        let mut decoded = (PROTOCOL.decode)(payload);
        assert_eq!(
            (&decoded["session_id"], &decoded["cwd"]),
            (&json!("t"), &json!("/p"))
        );
        let fields = decoded.as_object_mut().unwrap();
        for name in [
            "task_id",
            "workspaceRoots",
            "timestamp",
            "session_id",
            "cwd",
        ] {
            fields.shift_remove(name);
        }
        decoded
    };
    let call = |tool: &str, parameters: Value| json!({"preToolUse": {"toolName": tool, "parameters": parameters}});
    for (hook, more, expected) in [
        (
            "PreToolUse",
            call(
                "execute_command",
                json!({"command": "ls", "requires_approval": "true"}),
            ),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls", "requires_approval": "true"},
                "native": {"tool_name": "execute_command"}}),
        ),
        (
            "PreToolUse",
            call("write_to_file", json!({"path": "a", "content": "x"})),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": "a", "content": "x"},
                "native": {"tool_name": "write_to_file", "tool_input": {"path": "a", "content": "x"}}}),
        ),
        (
            "PreToolUse",
            call(
                "attempt_completion",
                json!({"result": "ok", "command": "open a"}),
            ),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"result": "ok", "command": "open a"},
                "native": {"tool_name": "attempt_completion", "tool_input": {"result": "ok", "command": "open a"}}}),
        ),
        (
            "PreToolUse",
            call(
                "use_mcp_tool",
                json!({"server_name": "files", "tool_name": "read", "arguments": "{\"path\": \"a\"}"}),
            ),
            json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__files__read", "tool_input": {"path": "a"},
                "native": {"tool_name": "use_mcp_tool",
                    "tool_input": {"server_name": "files", "tool_name": "read", "arguments": "{\"path\": \"a\"}"}}}),
        ),
        (
            "PostToolUse",
            json!({"postToolUse": {"toolName": "execute_command", "parameters": {"command": "ls"}, "result": "a", "success": true, "executionTimeMs": 5}}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "duration_ms": 5,
                "tool_response": {"stdout": "a", "stderr": "", "interrupted": false},
                "native": {"tool_name": "execute_command", "tool_response": "a"}}),
        ),
        (
            "PostToolUse",
            json!({"postToolUse": {"toolName": "read_file", "parameters": {"path": "a"}, "result": "gone", "success": false}}),
            json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Read", "tool_input": {"file_path": "a"}, "error": "gone",
                "native": {"tool_name": "read_file", "tool_input": {"path": "a"}}}),
        ),
        (
            "UserPromptSubmit",
            json!({"userPromptSubmit": {"prompt": "Tidy up.", "attachments": []}}),
            json!({"hook_event_name": "UserPromptSubmit", "prompt": "Tidy up.", "userPromptSubmit": {"prompt": "Tidy up.", "attachments": []}}),
        ),
        (
            "TaskCancel",
            json!({"taskCancel": {}}),
            json!({"hook_event_name": "SessionEnd", "reason": "abort", "taskCancel": {}, "native": {"event": "TaskCancel"}}),
        ),
    ] {
        assert_eq!(said(hook, more), expected, "{hook}");
    }
}

#[test]
fn a_sub_agent_belongs_to_the_session_that_a_person_began() {
    let child = json!({"agent_id": "agent_2", "parent_agent_id": "agent_1"});
    for (hook, expected, success) in [
        ("agent_start", "SubagentStart", None),
        ("tool_call", "PreToolUse", None),
        ("agent_end", "SubagentStop", None),
        ("agent_error", "StopFailure", None),
        ("session_shutdown", "SubagentStop", Some(false)),
    ] {
        let decoded = decoded(cli(hook, child.clone()));
        assert_eq!(decoded["hook_event_name"], expected, "{hook}");
        assert_eq!(decoded["agent_id"], "agent_2", "{hook}");
        assert_eq!(
            decoded.get("success"),
            success.map(Value::from).as_ref(),
            "{hook}"
        );
    }
}

/// The script says what it was started for, and the payload what happened.
#[test]
fn what_can_still_be_stopped_counts_where_script_and_payload_differ() {
    for (script, hook, expected) in [
        ("PreToolUse", "tool_call", "PreToolUse"),
        ("PreToolUse", "tool_result", "PreToolUse"),
        ("PostToolUse", "tool_call", "PreToolUse"),
        ("TaskComplete", "nobody_knows", "Stop"),
        ("TaskComplete", "agent_error", "StopFailure"),
    ] {
        let payload = cli(hook, json!({"hook_event_name": script}));
        let decoded = (PROTOCOL.decode)(payload);
        assert_eq!(decoded["hook_event_name"], expected, "{script} {hook}");
    }
}

#[test]
fn odd_payloads_are_decoded_as_far_as_they_go() {
    let places = [
        "tool_call",
        "tool_result",
        "preToolUse",
        "postToolUse",
        "sessionContext",
        "workspaceRoots",
        "turn",
        "error",
        "userPromptSubmit",
        "parent_agent_id",
        "agent_id",
        "timestamp",
        "taskId",
    ];
    for value in [
        json!(null),
        json!(3),
        json!([]),
        json!({}),
        json!("x"),
        json!({"id": 3, "name": [], "input": "y", "output": [3]}),
    ] {
        for hook in [
            "tool_call",
            "tool_result",
            "agent_start",
            "agent_end",
            "agent_error",
            "prompt_submit",
            "session_shutdown",
        ] {
            let mut payload = json!({"hookName": hook});
            for place in places {
                payload[place] = value.clone();
            }
            assert!(
                (PROTOCOL.decode)(payload)["hook_event_name"].is_string(),
                "{hook} {value}"
            );
        }
        let odd = json!({"hookName": value, "taskId": value});
        let _ = (PROTOCOL.decode)(odd);
    }
}

fn reported(event: HookEvent, tool: &str) -> Reported<'_> {
    Reported {
        tool: Some(tool),
        ..Reported::of(event)
    }
}

#[test]
fn opinions_are_written_as_cline_reads_them() {
    use HookEvent as E;
    let rewritten = |input: Value| Opinion::allow().updated_input(input);
    let denied = json!({"overrideInput": {"commands": ["printf '%s\\n' 'This call was denied. no' >&2; exit 1"]}});
    for (event, tool, opinion, expected) in [
        (E::PreToolUse, "run_commands", Opinion::allow(), json!(null)),
        (E::PreToolUse, "run_commands", Opinion::grant(), json!(null)),
        (E::PreToolUse, "run_commands", Opinion::block("no"), denied),
        (
            E::PreToolUse,
            "read_files",
            Opinion::block("no").context("try /b"),
            json!({"overrideInput": {"files": [{"path": "/dev/null/This call was denied. no try \u{2215}b"}]}}),
        ),
        (
            E::PreToolUse,
            "execute_command",
            Opinion::block("no").context("try b"),
            json!({"cancel": true, "errorMessage": "no\ntry b"}),
        ),
        (
            E::PreToolUse,
            "files__read",
            Opinion::block(""),
            json!({"cancel": true, "errorMessage": "a hook gave no reason"}),
        ),
        (
            E::PreToolUse,
            "run_commands",
            rewritten(json!({"command": "ls"})).context("know"),
            json!({"overrideInput": {"commands": ["ls"]}, "contextModification": "know"}),
        ),
        (
            E::PreToolUse,
            "execute_command",
            rewritten(json!({"command": "ls"})),
            json!({"cancel": true, "errorMessage": "A hook changed what this call would do to something that cannot be run."}),
        ),
        (
            E::PostToolUse,
            "editor",
            Opinion::allow().context("know"),
            json!({"contextModification": "know"}),
        ),
        (
            E::PostToolUse,
            "editor",
            Opinion::block("wrong").context("know"),
            json!({"contextModification": "wrong\nknow"}),
        ),
        (
            E::UserPromptSubmit,
            "",
            Opinion::block("no"),
            json!({"cancel": true, "errorMessage": "no"}),
        ),
        (
            E::SessionStart,
            "",
            Opinion::allow().context("know"),
            json!({"contextModification": "know"}),
        ),
        (E::Stop, "", Opinion::block("go on"), json!(null)),
        // Without a denial it would become context.
        (
            E::PreToolUse,
            "editor",
            Opinion::allow().system_message("look"),
            json!(null),
        ),
    ] {
        let answer = encode(&reported(event, tool), &opinion);
        let said = match answer.stdout.as_str() {
            "" => Value::Null,
            text => serde_json::from_str(text).unwrap(),
        };
        assert_eq!(
            (said, answer.exit),
            (expected, 0),
            "{event} {tool} {opinion:?}"
        );
    }
}

#[test]
fn answers_mean_what_cline_makes_of_them() {
    let read = |event, stdout: &str| {
        let answer = Answer {
            // No exit code has a meaning.
            exit: 2,
            stdout: stdout.to_owned(),
            stderr: "why".to_owned(),
        };
        reads(&reported(event, "run_commands"), &answer)
    };
    let with_input = |input: Value| Reading {
        input: Some(input),
        ..Reading::silence()
    };
    let with_context = |context: &str| Reading {
        context: Some(context.to_owned()),
        ..Reading::silence()
    };
    let ended = |message: Option<&str>| Reading {
        message: message.map(str::to_owned),
        ..Reading::decided(Decision::Deny, None)
    };
    for (stdout, expected) in [
        ("", Some(Reading::silence())),
        ("hello", None),
        ("[]", Some(Reading::silence())),
        (
            r#"{"cancel": true, "errorMessage": "no"}"#,
            Some(ended(Some("no"))),
        ),
        (r#"{"cancel": true}"#, Some(ended(None))),
        (r#"{"cancel": "true"}"#, Some(Reading::silence())),
        (r#"{"errorMessage": "look"}"#, Some(with_context("look"))),
        (
            r#"{"context": "a", "contextModification": "b"}"#,
            Some(with_context("a")),
        ),
        (
            r#"{"overrideInput": {"commands": ["ls"]}}"#,
            Some(with_input(json!({"commands": ["ls"]}))),
        ),
        (
            "noise\nHOOK_CONTROL\t{\"cancel\": true}\nmore",
            Some(ended(None)),
        ),
        // The words of other agents are none of Cline's.
        (r#"{"permission": "deny"}"#, Some(Reading::silence())),
        (
            r#"{"hookSpecificOutput": {"permissionDecision": "deny"}}"#,
            Some(Reading::silence()),
        ),
    ] {
        assert_eq!(read(HookEvent::PreToolUse, stdout), expected, "{stdout}");
    }
    let cancelled = read(HookEvent::UserPromptSubmit, r#"{"cancel": true}"#);
    assert_eq!(cancelled, Some(Reading::silence()));
}

/// What Bowline makes a call do instead comes back as the result of the call.
#[test]
fn a_denied_call_has_not_happened() {
    for tool in [
        "run_commands",
        "editor",
        "read_files",
        "search_codebase",
        "fetch_web_content",
    ] {
        let input = denial::input(tool, "not this").unwrap();
        let result = json!({"id": "c", "name": tool, "input": input, "output": [{"query": "x", "result": "", "error": "failed", "success": false}]});
        let decoded = decoded(cli("tool_result", json!({"tool_result": result})));
        assert_eq!(decoded["hook_event_name"], "PermissionDenied", "{tool}");
        assert_eq!(
            (&decoded["tool_use_id"], &decoded["reason"]),
            (&json!("c"), &json!("not this")),
            "{tool}"
        );
        assert_eq!(decoded.get("tool_response"), None, "{tool}");
        assert_eq!(decoded[NATIVE]["tool_name"], tool);
    }
}
