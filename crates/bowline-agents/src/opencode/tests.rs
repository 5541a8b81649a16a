use serde_json::json;

use super::*;
use crate::reported::NATIVE;

#[test]
fn what_the_plugin_says_is_translated() {
    for (said, expected) in [
        (
            json!({"event": "tool.execute.before", "sessionID": "ses_1", "callID": "call_1", "directory": "/p", "tool": "edit",
                "args": {"filePath": "/p/a", "oldString": "x", "newString": "y", "replaceAll": true}}),
            json!({"hook_event_name": "PreToolUse", "session_id": "ses_1", "tool_use_id": "call_1", "cwd": "/p", "tool_name": "Edit",
                "tool_input": {"file_path": "/p/a", "old_string": "x", "new_string": "y", "replace_all": true},
                "native": {"event": "tool.execute.before", "tool_name": "edit",
                    "tool_input": {"filePath": "/p/a", "oldString": "x", "newString": "y", "replaceAll": true}}}),
        ),
        // The command line names the event as well.
        (
            json!({"event": "chat.message", "hook_event_name": "chat.message", "sessionID": "s", "prompt": "hello"}),
            json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "hello", "native": {"event": "chat.message"}}),
        ),
        (
            json!({"event": "session.compacted", "hook_event_name": "session.created", "sessionID": "s"}),
            json!({"hook_event_name": "SessionStart", "session_id": "s", "native": {"event": "session.compacted"}, "source": "compact"}),
        ),
        (
            json!({"event": "tool.execute.before", "directory": "/p", "tool": "apply_patch",
                "args": {"patchText": "*** Begin Patch\n*** Delete File: a\n*** Delete File: b\n*** End Patch"}}),
            json!({"hook_event_name": "PreToolUse", "cwd": "/p", "tool_name": "Delete", "tool_input": {"file_path": "/p/a"},
                "native": {"event": "tool.execute.before", "tool_name": "apply_patch",
                    "tool_input": {"patchText": "*** Begin Patch\n*** Delete File: a\n*** Delete File: b\n*** End Patch"}},
                "parts": [{"tool_name": "Delete", "tool_input": {"file_path": "/p/a"}},
                    {"tool_name": "Delete", "tool_input": {"file_path": "/p/b"}}]}),
        ),
        // A command runs in the folder that it says.
        (
            json!({"event": "tool.execute.before", "directory": "/p", "tool": "bash", "args": {"command": "ls", "workdir": "sub"}}),
            json!({"hook_event_name": "PreToolUse", "cwd": "/p/sub", "tool_name": "Bash", "tool_input": {"command": "ls", "workdir": "sub"},
                "native": {"event": "tool.execute.before", "tool_name": "bash", "works_in": "/p"}}),
        ),
        // Of another tool, the field is only a field.
        (
            json!({"event": "tool.execute.before", "directory": "/p", "tool": "files_run", "args": {"workdir": "/x"}}),
            json!({"hook_event_name": "PreToolUse", "cwd": "/p", "tool_name": "mcp__files__run", "tool_input": {"workdir": "/x"},
                "native": {"event": "tool.execute.before", "tool_name": "files_run"}}),
        ),
        (
            json!({"event": "tool.execute.after", "tool": "bash", "args": {"command": "false"}, "title": "", "output": "",
                "metadata": {"exit": 1}}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "false"},
                "native": {"event": "tool.execute.after", "tool_name": "bash"},
                "tool_response": {"stdout": "", "title": "", "metadata": {"exit": 1}, "exit_code": 1}}),
        ),
        (
            json!({"event": "tool.execute.after", "tool": "task", "args": {"subagent_type": "general"}, "output": "done",
                "metadata": {"sessionId": "ses_2", "exit": null}}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "Agent", "tool_input": {"subagent_type": "general"},
                "native": {"event": "tool.execute.after", "tool_name": "task"},
                "tool_response": {"output": "done", "metadata": {"sessionId": "ses_2", "exit": null}, "agentId": "ses_2"}}),
        ),
        (
            json!({"event": "tool.execute.after", "tool": "files_read", "output": [{"type": "text", "text": "gone"}], "isError": true}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "mcp__files__read",
                "native": {"event": "tool.execute.after", "tool_name": "files_read"},
                "tool_response": {"output": [{"type": "text", "text": "gone"}], "is_error": true}}),
        ),
        (
            json!({"event": "permission.asked", "tool": "edit", "args": {"filepath": "/p/a", "diff": "x"}}),
            json!({"hook_event_name": "PermissionRequest", "tool_name": "Edit",
                "tool_input": {"filepath": "/p/a", "diff": "x", "file_path": "/p/a"},
                "native": {"event": "permission.asked", "tool_name": "edit"}}),
        ),
        (
            json!({"event": "permission.asked", "tool": "external_directory", "args": {"filepath": "/q/a"}}),
            json!({"hook_event_name": "PermissionRequest", "tool_name": "external_directory",
                "tool_input": {"filepath": "/q/a", "file_path": "/q/a"}, "native": {"event": "permission.asked"}}),
        ),
        (
            json!({"event": "session.error", "error": {"name": "APIError", "message": "full"}}),
            json!({"hook_event_name": "StopFailure", "error": "APIError", "error_details": "full", "native": {"event": "session.error"}}),
        ),
        (
            json!({"event": "session.created", "title": "New"}),
            json!({"hook_event_name": "SessionStart", "source": "startup", "session_title": "New", "native": {"event": "session.created"}}),
        ),
        (
            json!({"event": "session.created", "resumed": true}),
            json!({"hook_event_name": "SessionStart", "source": "resume", "native": {"event": "session.created"}}),
        ),
        (
            json!({"event": "session.compacted"}),
            json!({"hook_event_name": "SessionStart", "source": "compact", "native": {"event": "session.compacted"}}),
        ),
        (
            json!({"event": "dispose", "sessionID": "s"}),
            json!({"hook_event_name": "SessionEnd", "session_id": "s", "reason": "exit", "native": {"event": "dispose"}}),
        ),
    ] {
        let decoded = (PROTOCOL.decode)(said.clone());
        assert_eq!(decoded, expected, "{said}");
    }
}

#[test]
fn a_sub_agent_belongs_to_the_session_that_a_person_began() {
    for (said, expected) in [
        (
            json!({"event": "session.created", "sessionID": "ses_2", "parentID": "ses_1", "agent": "general", "title": "Help"}),
            json!({"hook_event_name": "SubagentStart", "session_id": "ses_1", "native": {"event": "session.created"},
                "session_title": "Help", "agent_id": "ses_2", "agent_type": "general"}),
        ),
        (
            json!({"event": "session.idle", "sessionID": "ses_2", "parentID": "ses_1", "agent": "general", "text": "Done."}),
            json!({"hook_event_name": "SubagentStop", "session_id": "ses_1", "last_assistant_message": "Done.",
                "native": {"event": "session.idle"}, "agent_id": "ses_2", "agent_type": "general"}),
        ),
        (
            json!({"event": "tool.execute.before", "sessionID": "ses_2", "parentID": "ses_1", "tool": "bash", "args": {}}),
            json!({"hook_event_name": "PreToolUse", "session_id": "ses_1", "tool_name": "Bash", "tool_input": {},
                "native": {"event": "tool.execute.before", "tool_name": "bash"}, "agent_id": "ses_2"}),
        ),
    ] {
        let mut decoded = (PROTOCOL.decode)(said.clone());
        // The order of the rest does not matter.
        if let Some(description) = decoded.as_object_mut().unwrap().shift_remove("description") {
            decoded["session_title"] = description;
        }
        assert_eq!(decoded, expected, "{said}");
    }
}

#[test]
fn tools_of_servers_are_told_from_its_own() {
    for (own, expected) in [
        ("files_read", "mcp__files__read"),
        ("my_files_read", "mcp__my__files_read"),
        ("my-files_read", "mcp__my-files__read"),
        ("mcp__files__read", "mcp__files__read"),
        ("plan_exit", "ExitPlanMode"),
        ("apply_patch", "Unread"),
        ("read_mcp_resource", "ReadMcpResourceTool"),
        ("lsp", "lsp"),
        ("_", "_"),
        ("a_", "a_"),
        ("", ""),
    ] {
        let payload = json!({"event": "tool.execute.before", "tool": own, "args": {}});
        let decoded = (PROTOCOL.decode)(payload);
        assert_eq!(decoded["tool_name"], expected, "{own}");
        let kept = decoded[NATIVE].get("tool_name").and_then(Value::as_str);
        assert_eq!(kept.unwrap_or(own), own);
    }
}

/// A plugin sees whatever a model writes.
#[test]
fn odd_payloads_are_decoded_as_far_as_they_go() {
    let odd = [json!(null), json!(3), json!([]), json!({}), json!("x")];
    for value in &odd {
        for event in AGENT.events.iter().map(|(name, _)| *name) {
            let payload = json!({
                "event": event, "sessionID": value, "parentID": value, "agent": value, "callID": value, "tool": value, "args": value,
                "output": value, "title": value, "metadata": value, "error": value, "text": value, "directory": value, "resumed": value,
            });
            let decoded = (PROTOCOL.decode)(payload);
            assert!(decoded["hook_event_name"].is_string(), "{event} {value}");
        }
    }
}

fn reported(event: HookEvent) -> Reported<'static> {
    let mut reported = Reported::of(event);
    let mut names = AGENT.events.iter();
    if let Some((name, _)) = names.find(|(_, it)| *it == event) {
        reported.name = name;
    }
    reported
}

#[test]
fn opinions_are_written_as_the_plugin_reads_them() {
    use HookEvent as E;
    let with = |name: &str, value: Value| {
        let mut opinion = Opinion::allow();
        opinion.event_fields.insert(name.to_owned(), value);
        opinion
    };
    let rewritten = |input: Value| Opinion::allow().updated_input(input);
    for (event, opinion, expected) in [
        (E::PreToolUse, Opinion::allow(), json!(null)),
        (E::PreToolUse, Opinion::grant(), json!(null)),
        (E::PreToolUse, Opinion::block("no"), json!({"deny": "no"})),
        (
            E::PreToolUse,
            Opinion::block(" "),
            json!({"deny": "a hook gave no reason"}),
        ),
        (
            E::PreToolUse,
            Opinion::block("no").context("try b").system_message("look"),
            json!({"deny": "no\ntry b", "message": "look"}),
        ),
        (
            E::PreToolUse,
            rewritten(json!({"file_path": "/b", "old_string": "x"})),
            json!({"args": {"filePath": "/b", "oldString": "x"}}),
        ),
        (
            E::PreToolUse,
            rewritten(json!(["ls"])),
            json!({"deny": "A hook rewrote the tool's input to something that is not an object."}),
        ),
        (
            E::PreToolUse,
            Opinion::allow().context("know"),
            json!({"context": "know"}),
        ),
        (
            E::UserPromptSubmit,
            Opinion::allow().context("know"),
            json!({"context": "know"}),
        ),
        (
            E::UserPromptSubmit,
            Opinion::block("no"),
            json!({"deny": "no"}),
        ),
        (
            E::PostToolUse,
            Opinion::block("wrong").context("know"),
            json!({"deny": "wrong", "context": "know"}),
        ),
        (
            E::PostToolUse,
            with("updatedToolOutput", json!("less")),
            json!({"output": "less"}),
        ),
        (
            E::PostToolUse,
            with("updatedToolOutput", json!({"a": 1})),
            json!({"output": "{\"a\":1}"}),
        ),
        (
            E::SessionStart,
            Opinion::allow().context("know"),
            json!({"context": "know"}),
        ),
        (E::Stop, Opinion::allow().context("know"), json!(null)),
        (
            E::Stop,
            Opinion::block("go on"),
            json!({"message": "A hook blocked session.idle, which OpenCode cannot enforce: go on"}),
        ),
        (E::PermissionRequest, Opinion::ask("why"), json!(null)),
        (E::PermissionRequest, Opinion::grant(), json!(null)),
    ] {
        let mut reported = reported(event);
        reported.tool = Some("edit");
        let answer = encode(&reported, &opinion);
        let said = match answer.stdout.as_str() {
            "" => Value::Null,
            text => serde_json::from_str(text).unwrap(),
        };
        assert_eq!((said, answer.exit), (expected, 0), "{event} {opinion:?}");
    }
}

#[test]
fn answers_mean_what_the_plugin_makes_of_them() {
    use HookEvent as E;
    let read = |event, exit, stdout: &str, stderr: &str| {
        let answer = Answer {
            exit,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
        };
        reads(&reported(event), &answer)
    };
    let denied = |reason: &str| Reading::decided(Decision::Deny, Some(reason.to_owned()));
    for (event, exit, stdout, stderr, expected) in [
        (E::PreToolUse, 0, "", "", Some(Reading::silence())),
        (E::PreToolUse, 0, "{}", "", Some(Reading::silence())),
        (E::PreToolUse, 2, "", "why\n", Some(denied("why"))),
        (E::PreToolUse, 2, "{", "", Some(denied(""))),
        (E::PreToolUse, 1, "", "why", None),
        (E::PreToolUse, 0, "hello", "", None),
        (E::PreToolUse, 0, "[]", "", None),
        (E::PreToolUse, 0, r#"{"deny": true}"#, "", None),
        (E::PreToolUse, 0, r#"{"args": "ls"}"#, "", None),
        (E::PreToolUse, 0, r#"{"deny": ""}"#, "", Some(denied(""))),
        // A denial beats what is said beside it.
        (
            E::PreToolUse,
            0,
            r#"{"deny": "no", "args": {"command": "ls"}}"#,
            "",
            Some(denied("no")),
        ),
        // The words of another agent are none of the plugin's.
        (
            E::PreToolUse,
            0,
            r#"{"permission": "allow"}"#,
            "",
            Some(Reading::silence()),
        ),
        (E::Stop, 2, "", "why", Some(Reading::silence())),
        (E::PostToolUse, 2, "", "why", Some(denied("why"))),
    ] {
        assert_eq!(
            read(event, exit, stdout, stderr),
            expected,
            "{event} {exit} {stdout}"
        );
    }
}

#[test]
fn each_call_of_a_batch_is_a_part() {
    let batch = |calls: Value| {
        let decoded = PROTOCOL.decode(json!({
            "event": "tool.execute.before", "tool": "batch", "directory": "/p", "args": {"tool_calls": calls},
        }));
        let tools = match decoded["parts"].as_array() {
            Some(parts) => parts.clone(),
            None => vec![
                json!({"tool_name": decoded["tool_name"], "tool_input": decoded["tool_input"]}),
            ],
        };
        let tool = |part: &Value| part["tool_name"].as_str().unwrap().to_owned();
        let names: Vec<String> = tools.iter().map(tool).collect();
        (names, tools)
    };
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch";
    let (names, tools) = batch(json!([
        {"tool": "bash", "parameters": {"command": "rm -rf x", "workdir": "/srv"}},
        {"tool": "read", "parameters": {"filePath": "/p/.env"}},
        {"tool": "apply_patch", "parameters": {"patchText": patch}},
        {"tool": "files_delete_file", "parameters": {"path": "/p"}},
        {"tool": "batch", "parameters": {"tool_calls": []}},
        {"tool": "bash"},
    ]));
    let expected = [
        "Bash",
        "Read",
        "Write",
        "Delete",
        "mcp__files__delete_file",
        "Unread",
        "Unread",
    ];
    assert_eq!(names, expected);
    assert_eq!(tools[0]["tool_input"]["command"], "cd /srv && rm -rf x");
    assert_eq!(tools[1]["tool_input"]["file_path"], "/p/.env");
    for calls in [json!([]), json!(3), json!(null)] {
        assert_eq!(batch(calls).0, ["Unread"]);
    }
}
