use serde_json::Map;

use super::*;
use crate::decision::Decision;
use crate::opinion::Opinion;
use crate::reading::Reading;
use crate::reported::{ENTRY_OF, NATIVE};

/// What every event has.
fn payload(event: &str, own: Value) -> Value {
    let mut payload = json!({
        "conversation_id": "s", "generation_id": "g", "model": "m", "session_id": "s", "hook_event_name": event,
        "cursor_version": "3.12.17", "workspace_roots": ["/repo"], "transcript_path": null,
    });
    let Value::Object(own) = own else {
        panic!("{own}")
    };
    payload.as_object_mut().unwrap().extend(own);
    payload
}

#[test]
fn what_it_sends_is_put_into_bowlines_words() {
    for (event, own, expected) in [
        (
            "preToolUse",
            json!({"tool_name": "Shell", "tool_input": {"command": "ls", "cwd": "sub", "timeout": 5}, "tool_use_id": "t"}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls", "cwd": "sub", "timeout": 5},
                "cwd": "/repo/sub", "tool_use_id": "t", NATIVE: {"event": "preToolUse", "tool_name": "Shell", "works_in": "/repo"}}),
        ),
        (
            "beforeShellExecution",
            json!({"command": "ls", "cwd": "/repo/sub", "sandbox": false}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": "/repo/sub",
                NATIVE: {"event": "beforeShellExecution", "works_in": "/repo"}}),
        ),
        (
            "afterShellExecution",
            json!({"command": "ls", "output": "a\n", "duration": 12}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"},
                "tool_response": {"stdout": "a\n"}, "duration_ms": 12, "cwd": "/repo"}),
        ),
        (
            "beforeMCPExecution",
            json!({"tool_name": "query", "tool_input": "{\"q\":1}", "command": "npx server"}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__unnamed__query", "tool_input": {"q": 1},
                NATIVE: {"tool_name": "MCP:query", "event": "beforeMCPExecution"}}),
        ),
        (
            "preToolUse",
            json!({"tool_name": "MCP:query", "tool_input": {"q": 1}}),
            json!({"tool_name": "mcp__unnamed__query", "tool_input": {"q": 1}}),
        ),
        (
            "afterMCPExecution",
            json!({"tool_name": "query", "tool_input": "not json", "result_json": "{\"rows\":2}"}),
            json!({"hook_event_name": "PostToolUse", "tool_input": "not json", "tool_response": {"rows": 2}}),
        ),
        (
            "beforeReadFile",
            json!({"file_path": "/repo/a", "content": "x", "attachments": []}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "/repo/a"}, "content": "x"}),
        ),
        (
            "afterFileEdit",
            json!({"file_path": "/a", "edits": [{"old_string": "1", "new_string": "2"}]}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "Edit",
                "tool_input": {"old_string": "1", "new_string": "2", "file_path": "/a"}}),
        ),
        (
            "afterFileEdit",
            json!({"file_path": "/a", "edits": []}),
            json!({"tool_name": "MultiEdit", "tool_input": {"file_path": "/a", "edits": []}}),
        ),
        (
            "preToolUse",
            json!({"tool_name": "List", "tool_input": {"file_path": "/a"}}),
            json!({"tool_name": "LS", "tool_input": {"path": "/a"}}),
        ),
        (
            "postToolUse",
            json!({"tool_name": "Read", "tool_input": {}, "tool_output": "{\"content\":\"x\"}", "duration": 3}),
            json!({"tool_response": {"content": "x"}, "duration_ms": 3}),
        ),
        (
            "postToolUseFailure",
            json!({"tool_name": "Shell", "error_message": "no", "is_interrupt": false}),
            json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": "no"}),
        ),
        (
            "beforeSubmitPrompt",
            json!({"prompt": "hi", "composer_mode": "agent"}),
            json!({"hook_event_name": "UserPromptSubmit", "prompt": "hi", "cwd": "/repo"}),
        ),
        (
            "subagentStart",
            json!({"subagent_id": "a", "subagent_type": "explore", "task": "look", "parent_conversation_id": "p"}),
            json!({"hook_event_name": "SubagentStart", "agent_id": "a", "agent_type": "explore", "description": "look", "session_id": "p"}),
        ),
        (
            "subagentStop",
            json!({"status": "error", "summary": "gone", "loop_count": 1}),
            json!({"hook_event_name": "SubagentStop", "success": false, "last_assistant_message": "gone", "stop_hook_active": true}),
        ),
        (
            "stop",
            json!({"status": "completed", "loop_count": 0}),
            json!({"hook_event_name": "Stop", "stop_hook_active": false}),
        ),
        // Who ended a turn does not want it to go on.
        (
            "stop",
            json!({"status": "aborted", "loop_count": 0}),
            json!({"hook_event_name": "Stop", "stop_hook_active": true}),
        ),
        (
            "stop",
            json!({"status": "error"}),
            json!({"hook_event_name": "StopFailure", "error": "error"}),
        ),
    ] {
        let decoded = PROTOCOL.decode(payload(event, own));
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(decoded.get(name), Some(value), "{event}: {name}");
        }
    }
    let old = json!({"hook_event_name": "stop", "conversation_id": "c"});
    assert_eq!(PROTOCOL.decode(old)["session_id"], "c");
    for odd in [
        json!([]),
        json!({"hook_event_name": "beforeShellExecution"}),
        json!({"hook_event_name": 1}),
    ] {
        PROTOCOL.decode(odd);
    }
}

fn reported_of<'a>(
    name: &'static str,
    tool: Option<&'a str>,
    input: Option<&'a Value>,
) -> Reported<'a> {
    Reported {
        event: crate::spelling::find(name, words::EVENTS).unwrap(),
        name,
        tool,
        input,
        mode: None,
        entry_of: None,
    }
}

fn said(answer: &Answer) -> Value {
    assert_eq!((answer.exit, answer.stderr.as_str()), (0, ""));
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn an_answer_is_one_flat_object() {
    let word =
        |word: &str| json!({"permission": word, "user_message": "why", "agent_message": "why"});
    let shell = Some("Shell");
    let command = json!({"command": "ls", "cwd": "/repo"});
    let other = || json!({"command": "pwd", "cwd": "/repo"});
    for (name, tool, opinion, expected) in [
        ("preToolUse", shell, Opinion::allow(), json!({})),
        ("preToolUse", shell, Opinion::block("why"), word("deny")),
        ("preToolUse", shell, Opinion::ask("why"), word("ask")),
        (
            "preToolUse",
            shell,
            Opinion::grant(),
            json!({"permission": "allow"}),
        ),
        (
            "preToolUse",
            shell,
            Opinion::allow().updated_input(other()).context("c"),
            json!({"updated_input": {"command": "pwd", "cwd": "/repo"}, "additional_context": "c"}),
        ),
        (
            "beforeShellExecution",
            None,
            Opinion::allow().context("c"),
            json!({}),
        ),
        (
            "beforeShellExecution",
            None,
            Opinion::ask("why"),
            word("ask"),
        ),
        (
            "beforeMCPExecution",
            Some("MCP:query"),
            Opinion::ask("why"),
            word("ask"),
        ),
        ("beforeReadFile", None, Opinion::block("why"), word("deny")),
        ("subagentStart", None, Opinion::block("why"), word("deny")),
        ("subagentStart", None, Opinion::allow(), json!({})),
        (
            "beforeSubmitPrompt",
            None,
            Opinion::block("why").context("c"),
            json!({"continue": false, "user_message": "why\nc"}),
        ),
        (
            "beforeSubmitPrompt",
            None,
            Opinion::allow().context("c"),
            json!({"additional_context": "c"}),
        ),
        (
            "sessionStart",
            None,
            Opinion::allow().context("c"),
            json!({"additional_context": "c"}),
        ),
        (
            "postToolUse",
            shell,
            Opinion::block("why"),
            json!({"additional_context": "why"}),
        ),
        (
            "stop",
            None,
            Opinion::block("why"),
            json!({"followup_message": "why"}),
        ),
        ("stop", None, Opinion::allow().context("c"), json!({})),
        (
            "subagentStop",
            None,
            Opinion::block("why"),
            json!({"followup_message": "why"}),
        ),
        ("sessionEnd", None, Opinion::block("why"), json!({})),
    ] {
        let reported = reported_of(name, tool, Some(&command));
        let answer = PROTOCOL.encode(&reported, &opinion);
        assert_eq!(said(&answer), expected, "{name} {opinion:?}");
    }
}

#[test]
fn only_what_can_be_changed_is_changed() {
    let content = json!({"file_path": "/a", "contents": "x"});
    let read = json!({"file_path": "/a", "limit": 3});
    for (tool, own, rewritten, expected) in [
        (
            "Write",
            &content,
            json!({"file_path": "/b", "content": "x"}),
            Some(json!({"file_path": "/b", "contents": "x"})),
        ),
        (
            "Write",
            &content,
            json!({"file_path": "/a", "content": "y"}),
            None,
        ),
        (
            "Read",
            &read,
            json!({"file_path": "/b", "limit": 3}),
            Some(json!({"file_path": "/b", "limit": 3})),
        ),
        ("Read", &read, json!({"file_path": "/b"}), None),
        ("Read", &read, json!("x"), None),
    ] {
        let reported = reported_of("preToolUse", Some(tool), Some(own));
        let opinion = Opinion::allow().updated_input(rewritten.clone());
        let answer = PROTOCOL.encode(&reported, &opinion);
        let read = PROTOCOL.reads(&reported, &answer).unwrap();
        assert_eq!(read.input, expected, "{tool} {rewritten}");
        let denied = read.decision == Decision::Deny;
        assert_eq!(denied, expected.is_none(), "{tool} {rewritten}");
    }
}

/// Every answer, to every event and tool, is what the hook runtime accepts.
#[test]
fn every_answer_fits_the_schema() {
    let schema: Value = serde_json::from_str(include_str!("answers.schema.json")).unwrap();
    let definitions = &schema["$defs"];
    let input = json!({"command": "make", "file_path": "/a", "pattern": "x"});
    let tools = words::TOOLS.iter().map(|tool| tool.name);
    let tools: Vec<&str> = tools.chain(["MCP:query", "New"]).collect();
    let opinions = [
        Opinion::allow(),
        Opinion::allow().context("c").system_message("m"),
        Opinion::allow().updated_input(json!({"command": "make -n", "file_path": "/b"})),
        Opinion::grant(),
        Opinion::ask("why"),
        Opinion::ask("why").updated_input(json!({"command": "make -n"})),
        Opinion::block("why").context("c"),
        Opinion::block(""),
    ];
    for (name, _) in words::EVENTS {
        let of_event = json!({"$ref": format!("#/$defs/{name}"), "$defs": definitions});
        let validator = jsonschema::validator_for(&of_event).unwrap();
        assert!(
            !validator.is_valid(&json!({"permission": "maybe"})),
            "{name}"
        );
        for tool in &tools {
            let reported = reported_of(name, Some(tool), Some(&input));
            for opinion in &opinions {
                let opinion = PROTOCOL.express(AGENT.title, &reported, opinion);
                let answer = said(&PROTOCOL.encode(&reported, &opinion));
                let problem = validator.validate(&answer).err().map(|it| it.to_string());
                assert_eq!(problem, None, "{name} {tool}: {answer}");
            }
        }
    }
    for (name, answer) in [
        ("preToolUse", json!({"hookSpecificOutput": {}})),
        ("beforeReadFile", json!({"permission": "ask"})),
        ("beforeShellExecution", json!({"permission": "deny"})),
        ("beforeSubmitPrompt", json!({"continue": false})),
        ("stop", json!({"followup_message": ""})),
    ] {
        let of_event = json!({"$ref": format!("#/$defs/{name}"), "$defs": definitions});
        assert!(
            !jsonschema::is_valid(&of_event, &answer),
            "{name}: {answer}"
        );
    }
}

#[test]
fn an_answer_is_read_as_the_runtime_reads_it() {
    let decided = |decision| Some((decision, None));
    let denied = |reason| Some((Decision::Deny, reason));
    let ask = r#"{"permission":"ask","agent_message":"why"}"#;
    for (name, tool, exit, stdout, stderr, expected) in [
        (
            "preToolUse",
            "Read",
            0,
            ask,
            "",
            Some((Decision::NoOpinion, Some("why"))),
        ),
        (
            "preToolUse",
            "Shell",
            0,
            ask,
            "",
            Some((Decision::Ask, Some("why"))),
        ),
        (
            "beforeShellExecution",
            "Bash",
            0,
            ask,
            "",
            Some((Decision::Ask, Some("why"))),
        ),
        (
            "beforeReadFile",
            "Read",
            0,
            ask,
            "",
            Some((Decision::NoOpinion, Some("why"))),
        ),
        (
            "preToolUse",
            "Shell",
            0,
            "",
            "",
            decided(Decision::NoOpinion),
        ),
        (
            "preToolUse",
            "Shell",
            0,
            "{}",
            "",
            decided(Decision::NoOpinion),
        ),
        ("preToolUse", "Shell", 0, "hello", "", denied(None)),
        (
            "preToolUse",
            "Shell",
            0,
            r#"{"permission":"no"}"#,
            "",
            denied(None),
        ),
        ("preToolUse", "Shell", 2, "", "why\n", denied(Some("why"))),
        (
            "preToolUse",
            "Shell",
            2,
            "told",
            "why\n",
            denied(Some("told")),
        ),
        ("preToolUse", "Shell", 1, "", "why", None),
        // Claude Code's words are read under a switch only.
        (
            "preToolUse",
            "Shell",
            0,
            r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#,
            "",
            decided(Decision::NoOpinion),
        ),
        (
            "stop",
            "",
            0,
            r#"{"decision":"block","reason":"why"}"#,
            "",
            denied(Some("why")),
        ),
        (
            "stop",
            "",
            0,
            r#"{"followup_message":""}"#,
            "",
            decided(Decision::NoOpinion),
        ),
        (
            "beforeSubmitPrompt",
            "",
            0,
            r#"{"continue":false,"user_message":"why"}"#,
            "",
            denied(Some("why")),
        ),
        ("beforeSubmitPrompt", "", 0, "hello", "", None),
    ] {
        let answer = Answer {
            exit,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
        };
        let read = PROTOCOL.reads(&reported_of(name, Some(tool), None), &answer);
        let read = read.as_ref().map(|it| (it.decision, it.reason.as_deref()));
        assert_eq!(read, expected, "{name} {tool} {exit} {stdout}");
    }
}

/// By an entry in Claude Code's settings, nothing but a denial is sure to be followed.
#[test]
fn by_an_entry_of_claude_code_it_denies_what_it_would_ask() {
    let input = json!({"command": "make"});
    let mut fields = Map::new();
    fields.insert(ENTRY_OF.to_owned(), "claude-code".into());
    fields.insert("event".to_owned(), "preToolUse".into());
    fields.insert("tool_name".to_owned(), "Shell".into());
    let native = Value::Object(fields);
    let reported = Reported::decoded(
        HookEvent::PreToolUse,
        Some(&native),
        (Some("Bash"), Some(&input)),
    );
    assert_eq!(
        (reported.name, reported.tool, reported.entry_of),
        ("preToolUse", Some("Shell"), Some("claude-code"))
    );
    for opinion in [
        Opinion::block("why"),
        Opinion::ask("why"),
        Opinion::allow().updated_input(json!({"command": "make -n"})),
    ] {
        let said = PROTOCOL.express(AGENT.title, &reported, &opinion);
        let answer = PROTOCOL.encode(&reported, &said);
        assert_eq!(
            (answer.exit, answer.stdout.as_str()),
            (2, ""),
            "{opinion:?}"
        );
        let read = PROTOCOL.reads(&reported, &answer).unwrap();
        assert_eq!(read.decision, Decision::Deny, "{opinion:?}");
    }
    let silence = PROTOCOL.encode(&reported, &Opinion::allow());
    assert_eq!(
        PROTOCOL.reads(&reported, &silence),
        Some(Reading::silence())
    );
    let mut start = reported;
    start.event = HookEvent::SessionStart;
    let told = said(&PROTOCOL.encode(&start, &Opinion::allow().context("c")));
    assert_eq!(told["additional_context"], "c");
    assert_eq!(told["hookSpecificOutput"]["additionalContext"], "c");
}

#[test]
fn what_bowline_is_registered_for_reports_every_call_and_asks() {
    let registered: Vec<&str> = words::EVENTS
        .iter()
        .filter(|name| REGISTRATION.registers(**name, REGISTRATION.client.oldest))
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(
        registered,
        [
            "sessionStart",
            "sessionEnd",
            "beforeSubmitPrompt",
            "preToolUse",
            "beforeShellExecution",
            "beforeMCPExecution",
            "postToolUse",
            "postToolUseFailure",
            "subagentStart",
            "subagentStop",
            "preCompact",
            "stop",
        ]
    );
}
