//! Payloads, answers and how they are read.

use serde_json::{Value, json};

use super::*;

fn said(event: &str, info: &Value) -> Value {
    json!({"agent_action_name": event, "trajectory_id": "s", "execution_id": "p", "model_name": "SWE", "tool_info": info})
}

/// What every event tells.
fn told(event: &str, own: &Value) -> Value {
    let mut told =
        json!({"hook_event_name": event, "session_id": "s", "prompt_id": "p", "model": "SWE"});
    let fields = told.as_object_mut().unwrap();
    fields.extend(own.as_object().unwrap().clone());
    told
}

#[test]
fn every_kind_of_call_is_read_in_bowlines_words() {
    let edit = json!({"old_string": "a", "new_string": "b"});
    for (event, info, tool, input) in [
        (
            "run_command",
            json!({"command_line": "make", "cwd": "/p"}),
            "Bash",
            json!({"command": "make"}),
        ),
        (
            "run_command",
            json!({"command_line": "make"}),
            "Bash",
            json!({"command": "make"}),
        ),
        (
            "write_code",
            json!({"file_path": "/p/a", "edits": [edit]}),
            "Edit",
            json!({"file_path": "/p/a", "old_string": "a", "new_string": "b"}),
        ),
        (
            "write_code",
            json!({"file_path": "/p/a", "edits": [edit, edit]}),
            "MultiEdit",
            json!({"file_path": "/p/a", "edits": [edit, edit]}),
        ),
        (
            "write_code",
            json!({"file_path": "/p/a", "edits": [{"old_string": "", "new_string": "b"}]}),
            "Write",
            json!({"file_path": "/p/a", "content": "b"}),
        ),
        (
            "read_code",
            json!({"file_path": "/p/a"}),
            "Read",
            json!({"file_path": "/p/a"}),
        ),
        (
            "mcp_tool_use",
            json!({"mcp_server_name": "github", "mcp_tool_name": "create", "mcp_tool_arguments": {"x": 1}}),
            "mcp__github__create",
            json!({"x": 1}),
        ),
        (
            "mcp_tool_use",
            json!({"mcp_server_name": "github", "mcp_tool_name": "create", "mcp_tool_arguments": "{\"x\": 1}"}),
            "mcp__github__create",
            json!({"x": 1}),
        ),
        (
            "mcp_tool_use",
            json!({"mcp_server_name": "github", "mcp_tool_name": "list"}),
            "mcp__github__list",
            json!({}),
        ),
    ] {
        let own_tool = if event == "mcp_tool_use" {
            info["mcp_tool_name"].clone()
        } else {
            event.into()
        };
        for (before, is) in [("pre", "PreToolUse"), ("post", "PostToolUse")] {
            let own_event = format!("{before}_{event}");
            let decoded = PROTOCOL.decode(said(&own_event, &info));
            let mut expected = told(
                is,
                &json!({
                    "native": {"event": own_event, "tool_name": own_tool, "tool_input": info}, "tool_name": tool, "tool_input": input,
                }),
            );
            if let Some(cwd) = info.get("cwd") {
                expected["cwd"] = cwd.clone();
                expected["native"]["works_in"] = ".".into();
            }
            assert_eq!(decoded, expected);
        }
    }
}

#[test]
fn other_events_are_read_in_bowlines_words() {
    for (payload, expected) in [
        (
            said(
                "pre_user_prompt",
                &json!({"user_prompt": "hello", "more": 1}),
            ),
            told(
                "UserPromptSubmit",
                &json!({"native": {"event": "pre_user_prompt"}, "prompt": "hello", "more": 1}),
            ),
        ),
        (
            said("post_cascade_response", &json!({"response": "done"})),
            told(
                "Stop",
                &json!({"native": {"event": "post_cascade_response"}, "last_assistant_message": "done"}),
            ),
        ),
        (
            said("post_setup_worktree", &json!({"worktree_path": "/w"})),
            told("post_setup_worktree", &json!({"worktree_path": "/w"})),
        ),
        (
            said("pre_run_command", &json!("odd")),
            told(
                "PreToolUse",
                &json!({"native": {"event": "pre_run_command"}, "tool_info": "odd"}),
            ),
        ),
        (json!([1]), json!([1])),
    ] {
        assert_eq!(PROTOCOL.decode(payload), expected);
    }
    // The entry that started the hook may be for another event of the same kind.
    let mut payload = said("pre_read_code", &json!({"file_path": "/p/a"}));
    payload["hook_event_name"] = "pre_run_command".into();
    assert_eq!(PROTOCOL.decode(payload)["tool_name"], "Read");
    let result = said(
        "post_run_command",
        &json!({"command_line": "make", "exit_code": 2, "output": "no"}),
    );
    let response = json!({"exit_code": 2, "stdout": "no"});
    assert_eq!(PROTOCOL.decode(result)["tool_response"], response);
}

/// The entry says what Cascade waits for.
#[test]
fn what_can_be_stopped_counts_whatever_the_payload_calls_it() {
    let command = json!({"command_line": "rm -rf ~"});
    for (entry, own, info, event, tool) in [
        (
            "pre_run_command",
            json!("post_run_command"),
            &command,
            "PreToolUse",
            "Bash",
        ),
        (
            "pre_run_command",
            json!("bogus"),
            &command,
            "PreToolUse",
            "Bash",
        ),
        ("pre_run_command", json!(3), &command, "PreToolUse", "Bash"),
        (
            "PreToolUse",
            json!("post_run_command"),
            &command,
            "PreToolUse",
            "Bash",
        ),
        ("PreToolUse", json!("bogus"), &command, "PreToolUse", "Bash"),
        (
            "PreToolUse",
            json!(null),
            &json!({"file_path": "a", "edits": []}),
            "PreToolUse",
            "MultiEdit",
        ),
        (
            "post_run_command",
            json!("pre_run_command"),
            &command,
            "PreToolUse",
            "Bash",
        ),
        (
            "pre_user_prompt",
            json!("post_run_command"),
            &command,
            "UserPromptSubmit",
            "Bash",
        ),
        (
            "post_run_command",
            json!("pre_new_thing"),
            &command,
            "pre_new_thing",
            "Bash",
        ),
    ] {
        let mut payload = said("", info);
        payload["agent_action_name"] = own.clone();
        payload["hook_event_name"] = entry.into();
        let decoded = PROTOCOL.decode(payload);
        assert_eq!(decoded["hook_event_name"], event, "{entry} {own}");
        assert_eq!(decoded["tool_name"], tool, "{entry} {own}");
    }
}

#[test]
fn only_what_is_about_to_happen_can_be_blocked() {
    use HookEvent as E;
    let two = |stderr: &str| Answer {
        exit: 2,
        stderr: stderr.to_owned(),
        ..Answer::default()
    };
    let shown = |stdout: &str| Answer {
        stdout: stdout.to_owned(),
        ..Answer::default()
    };
    for (event, opinion, expected) in [
        (
            E::PreToolUse,
            Opinion::allow().context("more"),
            Answer::default(),
        ),
        (E::PreToolUse, Opinion::grant(), Answer::default()),
        (
            E::PreToolUse,
            Opinion::block("why").context("more"),
            two("why\nmore\n"),
        ),
        (
            E::PreToolUse,
            Opinion::block(""),
            two("a hook gave no reason\n"),
        ),
        (E::PreToolUse, Opinion::ask("why"), two("why\n")),
        (
            E::PreToolUse,
            Opinion::allow().updated_input(json!({})),
            two("a hook gave no reason\n"),
        ),
        (
            E::PreToolUse,
            Opinion::allow().system_message("hello"),
            shown("hello\n"),
        ),
        (E::UserPromptSubmit, Opinion::block("why"), two("why\n")),
        (
            E::UserPromptSubmit,
            Opinion::allow().system_message("hello"),
            Answer::default(),
        ),
        (
            E::PostToolUse,
            Opinion::block("why").system_message("hello"),
            shown("hello\n"),
        ),
        (E::Stop, Opinion::block("why"), Answer::default()),
    ] {
        let answer = PROTOCOL.encode(&Reported::of(event), &opinion);
        assert_eq!(answer, expected, "{event} {opinion:?}");
    }
    for (event, exit, stdout, stderr, expected) in [
        (
            E::PreToolUse,
            2,
            "",
            "why\n",
            Some((Decision::Deny, Some("why"), None)),
        ),
        (E::PreToolUse, 2, "", "", Some((Decision::Deny, None, None))),
        (
            E::PreToolUse,
            0,
            "{\"decision\":\"deny\"}",
            "",
            Some((Decision::NoOpinion, None, Some("{\"decision\":\"deny\"}"))),
        ),
        (E::PreToolUse, 1, "", "why", None),
        (E::PostToolUse, 2, "", "why", None),
        (
            E::UserPromptSubmit,
            0,
            "hello",
            "",
            Some((Decision::NoOpinion, None, None)),
        ),
    ] {
        let answer = Answer {
            exit,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
        };
        let read = PROTOCOL.reads(&Reported::of(event), &answer);
        let read = read
            .as_ref()
            .map(|it| (it.decision, it.reason.as_deref(), it.message.as_deref()));
        assert_eq!(read, expected, "{event} {answer:?}");
    }
}
