//! Payloads, answers and how they are read.

use serde_json::{Value, json};

use super::*;
use crate::answer::Answer;
use crate::decision::Decision;
use crate::opinion::Opinion;
use crate::reading::Reading;

const APPROVED: Option<&str> = Some("default");

fn decoded(payload: Value) -> Value {
    PROTOCOL.decode(payload)
}

#[test]
fn what_is_said_twice_is_read_once() {
    let said = json!({
        "hookEventName": "pre_tool_use", "sessionId": "s", "cwd": "/p", "workspaceRoot": "/p/", "permissionMode": "default",
        "toolName": "run_terminal_command", "toolUseId": "t", "toolInput": {"command": "ls", "background": true}, "toolInputTruncated": false,
        "hook_event_name": "PreToolUse", "session_id": "s", "permission_mode": "default", "tool_name": "run_terminal_command",
        "tool_input": {"command": "ls", "background": true}, "tool_use_id": "t",
    });
    let expected = json!({
        "cwd": "/p", "workspaceRoot": "/p/", "toolInputTruncated": false,
        "hook_event_name": "PreToolUse", "session_id": "s", "permission_mode": "default", "tool_name": "Bash",
        "tool_input": {"command": "ls", "run_in_background": true}, "tool_use_id": "t",
        "native": {"tool_name": "run_terminal_command", "tool_input": {"command": "ls", "background": true}},
    });
    assert_eq!(decoded(said), expected);
    // What only one of the two names says is not lost. Of two that differ, Grok's own counts.
    let said =
        json!({"hookEventName": "stop", "sessionId": "s", "stopHookActive": true, "cwd": "/p"});
    let expected = json!({
        "hook_event_name": "Stop", "session_id": "s", "stop_hook_active": true, "cwd": "/p", "native": {"event": "stop"},
    });
    assert_eq!(decoded(said), expected);
    let said = json!({"hook_event_name": "Stop", "sessionId": "a", "session_id": "b"});
    let expected = json!({"hook_event_name": "Stop", "session_id": "a"});
    assert_eq!(decoded(said), expected);
}

#[test]
fn tools_are_called_as_bowline_calls_them() {
    for (tool, input, is, expected) in [
        (
            "read_file",
            json!({"target_file": "a", "limit": 3}),
            "Read",
            json!({"file_path": "a", "limit": 3}),
        ),
        (
            "list_dir",
            json!({"target_directory": "."}),
            "LS",
            json!({"path": "."}),
        ),
        (
            "search_replace",
            json!({"file_path": "a", "old_string": "b", "new_string": "c"}),
            "Edit",
            json!({"file_path": "a", "old_string": "b", "new_string": "c"}),
        ),
        (
            "monitor",
            json!({"command": "tail -f x"}),
            "Monitor",
            json!({"command": "tail -f x"}),
        ),
        (
            "github__create_issue",
            json!({"tool_name": "github__create_issue", "tool_input": {"title": "x"}}),
            "mcp__github__create_issue",
            json!({"title": "x"}),
        ),
        (
            "use_tool",
            json!({"tool_name": "github__create_issue", "tool_input": {"title": "x"}}),
            "mcp__github__create_issue",
            json!({"title": "x"}),
        ),
        // A model may add to its input whatever it likes.
        (
            "run_terminal_command",
            json!({"command": "make", "tool_name": "a__b", "tool_input": {}}),
            "Bash",
            json!({"command": "make", "tool_name": "a__b", "tool_input": {}}),
        ),
        (
            "a__b",
            json!({"tool_name": "c__d", "tool_input": {"x": 1}}),
            "mcp__a__b",
            json!({"tool_name": "c__d", "tool_input": {"x": 1}}),
        ),
        ("unheard_of", json!({"a": 1}), "unheard_of", json!({"a": 1})),
    ] {
        let said = json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input});
        let payload = decoded(said);
        assert_eq!(payload["tool_name"], is);
        assert_eq!(payload["tool_input"], expected);
        let own = (tool != is).then_some(tool);
        assert_eq!(payload["native"]["tool_name"].as_str(), own);
    }
}

#[test]
fn a_call_of_a_server_that_is_not_understood_is_not_read() {
    for (input, expected) in [
        (
            json!({"tool_name": "a__b", "tool_input": {"x": 1}}),
            "mcp__a__b",
        ),
        (
            json!({"tool_name": "a__b", "tool_input": "{\"x\": 1}"}),
            "mcp__a__b",
        ),
        (json!({"tool_name": "a__b", "tool_input": "x"}), "Unread"),
        (
            json!({"tool_name": "a__b", "arguments": {"x": 1}}),
            "Unread",
        ),
        (
            json!({"tool_name": "bash", "tool_input": {"command": "ls"}}),
            "Unread",
        ),
        (json!({"tool": "a__b"}), "Unread"),
        (json!("x"), "Unread"),
        (json!(null), "Unread"),
    ] {
        let said =
            json!({"hook_event_name": "PreToolUse", "tool_name": "use_tool", "tool_input": input});
        assert_eq!(decoded(said)["tool_name"], expected, "{input}");
    }
}

/// Its file or the end of its command may be in what is missing.
#[test]
fn a_call_that_is_cut_cannot_be_read() {
    let cut = r#"{"content":"xxx [truncated]"#;
    let said = json!({"hook_event_name": "PreToolUse", "tool_name": "write", "tool_input": cut, "toolInputTruncated": true});
    let payload = decoded(said);
    assert_eq!(payload["tool_name"], "Unread");
    assert_eq!(
        payload["native"],
        json!({"tool_name": "write", "tool_input": cut})
    );
    let said = json!({"hook_event_name": "PostToolUse", "tool_name": "write", "tool_input": cut, "toolInputTruncated": true});
    assert_eq!(decoded(said)["tool_name"], "Write");
}

#[test]
fn what_a_tool_gave_back_is_text() {
    for (response, expected) in [
        (
            json!({"type": "Bash", "output": [104, 105, 10], "exit_code": 3, "output_for_prompt": "exit: 3\nhi\n"}),
            json!({"type": "Bash", "stdout": "hi\n", "interrupted": false, "exit_code": 3, "output_for_prompt": "exit: 3\nhi\n"}),
        ),
        (
            json!({"type": "Bash", "output": [255, 104], "timed_out": true}),
            json!({"type": "Bash", "stdout": "\u{fffd}h", "timed_out": true, "interrupted": true}),
        ),
        (
            json!({"type": "ReadFile", "FileNotFound": "Error: no a"}),
            json!({"type": "ReadFile", "FileNotFound": "Error: no a", "is_error": true}),
        ),
        (
            json!({"type": "SubagentCompleted", "output": "done", "subagent_id": "c"}),
            json!({"type": "SubagentCompleted", "output": "done", "subagent_id": "c", "agentId": "c"}),
        ),
        (
            json!({"type": "Odd", "output": [1, "x"], "stdout": [300]}),
            json!({"type": "Odd", "output": [1, "x"], "stdout": [300]}),
        ),
        (json!({"output": [104]}), json!({"output": [104]})),
        (json!("text"), json!("text")),
    ] {
        let said = json!({"hook_event_name": "PostToolUse", "tool_response": response});
        assert_eq!(decoded(said)["tool_response"], expected);
    }
}

#[test]
fn events_are_what_bowline_takes_them_for() {
    for (said, expected) in [
        // The end of a session, and not of a turn.
        (
            json!({"hook_event_name": "Stop", "reason": "shutdown"}),
            json!({"hook_event_name": "SessionEnd", "reason": "shutdown", "native": {"event": "Stop"}}),
        ),
        (
            json!({"hook_event_name": "Stop", "reason": "end_turn"}),
            json!({"hook_event_name": "Stop", "reason": "end_turn"}),
        ),
        (
            json!({"hook_event_name": "StopCancelled", "reason": "user_interrupt"}),
            json!({"hook_event_name": "Notification", "reason": "user_interrupt", "notification_type": "turn_cancelled",
                "message": "The turn was ended: user_interrupt", "native": {"event": "StopCancelled"}}),
        ),
        (
            json!({"hook_event_name": "SessionStart", "source": "new"}),
            json!({"hook_event_name": "SessionStart", "source": "startup", "native": {"source": "new"}}),
        ),
        (
            json!({"hook_event_name": "SessionStart", "source": "resume"}),
            json!({"hook_event_name": "SessionStart", "source": "resume"}),
        ),
        (
            json!({"hook_event_name": "PreCompact", "source": "manual"}),
            json!({"hook_event_name": "PreCompact", "trigger": "manual"}),
        ),
        // Within a sub-agent.
        (
            json!({"hook_event_name": "PreToolUse", "session_id": "c", "subagentType": "explore"}),
            json!({"hook_event_name": "PreToolUse", "session_id": "c", "agent_type": "explore", "agent_id": "c"}),
        ),
        (
            json!({"hook_event_name": "SubagentStart", "session_id": "s", "subagentId": "c", "subagentType": "explore"}),
            json!({"hook_event_name": "SubagentStart", "session_id": "s", "agent_id": "c", "agent_type": "explore"}),
        ),
    ] {
        assert_eq!(decoded(said), expected);
    }
}

fn reported(event: HookEvent) -> Reported<'static> {
    Reported::of(event).in_mode(APPROVED)
}

#[test]
fn an_answer_is_written_as_grok_reads_it() {
    use HookEvent as E;
    let own = |own: Value| json!({"hookSpecificOutput": own});
    for (event, opinion, expected) in [
        (E::PreToolUse, Opinion::allow(), None),
        (E::PreToolUse, Opinion::grant(), None),
        (
            E::PreToolUse,
            Opinion::block("why").context("more"),
            Some(own(
                json!({"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "why\nmore"}),
            )),
        ),
        (
            E::PreToolUse,
            Opinion::block(" "),
            Some(own(
                json!({"hookEventName": "PreToolUse", "permissionDecision": "deny",
                "permissionDecisionReason": "a hook gave no reason"}),
            )),
        ),
        (
            E::PreToolUse,
            Opinion::ask("why").context("more"),
            Some(own(
                json!({"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "why",
                "additionalContext": "more"}),
            )),
        ),
        (
            E::PreToolUse,
            Opinion::allow()
                .updated_input(json!({"command": "ls"}))
                .context("more"),
            Some(own(
                json!({"hookEventName": "PreToolUse", "updatedInput": {"command": "ls"}, "additionalContext": "more"}),
            )),
        ),
        (
            E::PreToolUse,
            Opinion::grant().updated_input(json!("ls")),
            Some(own(
                json!({"hookEventName": "PreToolUse", "permissionDecision": "deny",
                "permissionDecisionReason": "A hook rewrote the tool's input to something that is not an object."}),
            )),
        ),
        (
            E::UserPromptSubmit,
            Opinion::block("why"),
            Some(json!({"decision": "block", "reason": "why"})),
        ),
        (E::UserPromptSubmit, Opinion::allow().context("more"), None),
        (E::SessionStart, Opinion::block("why").context("more"), None),
        (
            E::PostToolUse,
            Opinion::block("why").context("more"),
            Some(json!({"decision": "block", "reason": "why",
                "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "more"}})),
        ),
        (
            E::PostToolUseFailure,
            Opinion::block("why").context("more"),
            Some(own(
                json!({"hookEventName": "PostToolUseFailure", "additionalContext": "more"}),
            )),
        ),
        (
            E::Stop,
            Opinion::block("why").context("more"),
            Some(json!({"decision": "block", "reason": "why\nmore"})),
        ),
        // It would keep the agent going.
        (E::Stop, Opinion::allow().context("more"), None),
        (E::SessionEnd, Opinion::block("why"), None),
        (
            E::Notification,
            Opinion::allow().system_message("hello"),
            None,
        ),
    ] {
        let answer = PROTOCOL.encode(&reported(event), &opinion);
        let expected = expected.map_or_else(Answer::default, |it| Answer::line(&it));
        assert_eq!(answer, expected, "{event} {opinion:?}");
    }
}

#[test]
fn of_a_long_reason_the_beginning_and_the_end_arrive() {
    for (text, fits) in [("é".repeat(256), true), ("é".repeat(257), false)] {
        let text = format!("{}[files.delete]", text.get(28..).unwrap());
        let answer = PROTOCOL.encode(&reported(HookEvent::PreToolUse), &Opinion::block(&text));
        let read = PROTOCOL.reads(&reported(HookEvent::PreToolUse), &answer);
        let reason = read.unwrap().reason.unwrap();
        assert_eq!(reason.chars().count(), 256);
        assert!(reason.ends_with("é[files.delete]"), "{reason}");
        assert_eq!(reason.contains(" … "), !fits, "{reason}");
    }
}

#[test]
fn a_tool_gets_its_input_in_groks_words() {
    let wrapped = json!({"tool_name": "files__read", "tool_input": {"a": 1}});
    for (tool, input, rewritten, expected) in [
        (
            "read_file",
            json!({"target_file": "a"}),
            json!({"file_path": "b"}),
            json!({"target_file": "b"}),
        ),
        (
            "files__read",
            wrapped,
            json!({"a": 2}),
            json!({"tool_name": "files__read", "tool_input": {"a": 2}}),
        ),
    ] {
        let mut reported = reported(HookEvent::PreToolUse);
        reported.tool = Some(tool);
        reported.input = Some(&input);
        let opinion = Opinion::allow().updated_input(rewritten);
        let answer = PROTOCOL.encode(&reported, &opinion);
        let read = PROTOCOL.reads(&reported, &answer).unwrap();
        assert_eq!(read.input, Some(expected), "{tool}");
    }
}

#[test]
fn a_question_is_asked_where_somebody_answers_it() {
    for (mode, event, expected) in [
        (Some("default"), HookEvent::PreToolUse, true),
        (Some("auto"), HookEvent::PreToolUse, true),
        (Some("plan"), HookEvent::PreToolUse, true),
        (Some("bypassPermissions"), HookEvent::PreToolUse, false),
        (Some("new"), HookEvent::PreToolUse, false),
        (None, HookEvent::PreToolUse, false),
        (Some("default"), HookEvent::Stop, false),
    ] {
        assert_eq!(
            asks(&Reported::of(event).in_mode(mode)),
            expected,
            "{mode:?}"
        );
    }
    let bypassing = Reported::of(HookEvent::PreToolUse).in_mode(Some("bypassPermissions"));
    let question = Opinion::ask("why");
    let said = PROTOCOL.express("Grok Build", &bypassing, &question);
    assert_eq!(said.decision(), Decision::Deny);
}

/// As seen in runs of the client.
#[test]
fn answers_are_read_as_the_client_reads_them() {
    use Decision::{Ask, Deny, NoOpinion};
    use HookEvent as E;
    let nested = |word: &str| {
        format!(
            r#"{{"hookSpecificOutput":{{"permissionDecision":"{word}","permissionDecisionReason":"why"}}}}"#
        )
    };
    let context = r#"{"hookSpecificOutput":{"additionalContext":"more"}}"#.to_owned();
    let block = r#"{"decision":"block","reason":"why"}"#.to_owned();
    let flat = r#"{"decision":"deny","reason":"why"}"#.to_owned();
    let default = "default";
    for (event, mode, (exit, stdout, stderr), expected) in [
        (
            E::PreToolUse,
            default,
            (0, nested("deny"), ""),
            Some((Deny, Some("why"))),
        ),
        (
            E::PreToolUse,
            default,
            (1, nested("deny"), ""),
            Some((Deny, Some("why"))),
        ),
        (
            E::PreToolUse,
            default,
            (0, flat, ""),
            Some((Deny, Some("why"))),
        ),
        (
            E::PreToolUse,
            default,
            (0, nested("ask"), ""),
            Some((Ask, Some("why"))),
        ),
        (
            E::PreToolUse,
            "bypassPermissions",
            (0, nested("ask"), ""),
            Some((NoOpinion, None)),
        ),
        (
            E::PreToolUse,
            default,
            (0, nested("allow"), ""),
            Some((NoOpinion, None)),
        ),
        (
            E::PreToolUse,
            default,
            (0, nested("defer"), ""),
            Some((NoOpinion, None)),
        ),
        (E::PreToolUse, default, (0, nested("maybe"), ""), None),
        (
            E::PreToolUse,
            default,
            (2, nested("maybe"), "one\ntwo"),
            Some((Deny, Some("one"))),
        ),
        (
            E::PreToolUse,
            default,
            (2, "{".to_owned(), "one"),
            Some((Deny, Some("one"))),
        ),
        (E::PreToolUse, default, (0, "{".to_owned(), ""), None),
        (
            E::PreToolUse,
            default,
            (0, format!("hello {}", nested("deny")), ""),
            Some((NoOpinion, None)),
        ),
        (E::PreToolUse, default, (1, String::new(), "why"), None),
        (
            E::UserPromptSubmit,
            default,
            (1, block.clone(), ""),
            Some((Deny, Some("why"))),
        ),
        (
            E::UserPromptSubmit,
            default,
            (2, String::new(), "why"),
            Some((Deny, Some("why"))),
        ),
        (
            E::UserPromptSubmit,
            default,
            (0, nested("deny"), ""),
            Some((NoOpinion, None)),
        ),
        (
            E::Stop,
            default,
            (0, block.clone(), ""),
            Some((Deny, Some("why"))),
        ),
        (
            E::Stop,
            default,
            (2, String::new(), "one\ntwo"),
            Some((Deny, Some("one\ntwo"))),
        ),
        (
            E::Stop,
            default,
            (0, nested("deny"), ""),
            Some((NoOpinion, None)),
        ),
        (
            E::Stop,
            default,
            (0, context.clone(), ""),
            Some((Deny, None)),
        ),
        (
            E::PostToolUse,
            default,
            (1, block.clone(), ""),
            Some((Deny, Some("why"))),
        ),
        (
            E::PostToolUse,
            default,
            (2, String::new(), "why"),
            Some((Deny, Some("why"))),
        ),
        (
            E::PostToolUseFailure,
            default,
            (0, block.clone(), ""),
            Some((NoOpinion, None)),
        ),
        (
            E::SessionStart,
            default,
            (0, block, ""),
            Some((NoOpinion, None)),
        ),
        (E::SessionStart, default, (2, String::new(), "why"), None),
    ] {
        let answer = Answer {
            exit,
            stdout,
            stderr: stderr.to_owned(),
        };
        let read = PROTOCOL.reads(&Reported::of(event).in_mode(Some(mode)), &answer);
        let read = read.as_ref().map(|it| (it.decision, it.reason.as_deref()));
        assert_eq!(read, expected, "{event} {mode} {answer:?}");
    }
    for (event, expected) in [
        (E::PreToolUse, Some("more")),
        (E::PostToolUse, Some("more")),
        (E::PostToolUseFailure, Some("more")),
        (E::UserPromptSubmit, None),
        (E::SessionStart, None),
    ] {
        let answer = Answer {
            stdout: context.clone(),
            ..Answer::default()
        };
        let read: Reading = PROTOCOL.reads(&reported(event), &answer).unwrap();
        assert_eq!(read.context.as_deref(), expected, "{event}");
    }
    let odd = r#"{"hookSpecificOutput":{"updatedInput":"ls"}}"#.to_owned();
    let answer = Answer {
        stdout: odd,
        ..Answer::default()
    };
    assert_eq!(PROTOCOL.reads(&reported(E::PreToolUse), &answer), None);
}
