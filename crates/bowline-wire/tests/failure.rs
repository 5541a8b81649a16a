//! The last resort, agent by agent.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on must fail"
)]

use bowline_wire::{Answer, Call, FailMode, Failure};
use serde_json::{Value, json};

/// An answer in a word.
#[derive(Debug, PartialEq)]
enum Form {
    Silent,
    /// The reason on stderr, nothing blocked.
    Shown,
    /// Exit code 2 and the reason on stderr.
    ExitTwo,
    Json(Value),
}
use Form::{ExitTwo, Json, Shown, Silent};

/// Every agent, and some that Bowline has no file for.
fn agents() -> impl Iterator<Item = &'static str> {
    let known = bowline_agents::AGENTS.iter().map(|agent| agent.name);
    known.chain(["opencode", "somebody-new"])
}

fn form(answer: &Answer) -> Form {
    let text = answer.stderr.trim_end();
    match (answer.exit, answer.stdout.as_str(), text) {
        (0, "", "") => Silent,
        (0, "", _) => Shown,
        (2, "", text) if text.contains("nothing answered") => ExitTwo,
        (0, json, "") => Json(serde_json::from_str(json).expect("exactly one JSON value")),
        _ => panic!("{answer:?}"),
    }
}

fn failure<'a>(agent: &'a str, event: &'a str, on_failure: FailMode) -> Failure<'a> {
    let event = Some(event).filter(|event| !event.is_empty());
    Failure {
        agent,
        event,
        on_failure,
        reason: "nothing answered",
    }
}

fn told(agent: &str, event: &str, on_failure: FailMode) -> Form {
    form(&failure(agent, event, on_failure).answer())
}

const TEXT: &str =
    "Bowline could not judge this: nothing answered. `bowline doctor` tells what is wrong";

fn nested(event: &str) -> Form {
    Json(json!({"hookSpecificOutput": {
        "hookEventName": event, "permissionDecision": "ask", "permissionDecisionReason": TEXT,
    }}))
}

fn generic() -> Form {
    Json(json!({"continue_execution": false, "decision": "ask", "stop_reason": TEXT}))
}

/// What ends a run of Cline's.
fn cancelled() -> Form {
    Json(json!({"cancel": true, "errorMessage": TEXT}))
}

#[test]
fn open_is_silent_everywhere() {
    for agent in agents() {
        for event in [
            "PreToolUse",
            "UserPromptSubmit",
            "Stop",
            "PostToolUse",
            "SessionEnd",
            "",
            "New",
        ] {
            assert_eq!(
                told(agent, event, FailMode::Open),
                Silent,
                "{agent} {event}"
            );
        }
    }
}

#[test]
fn ask_is_in_the_agents_own_form() {
    let table = [
        ("claude-code", "PreToolUse", nested("PreToolUse")),
        ("claude-code", "PreModelSwitch", nested("PreModelSwitch")),
        // The dialog comes anyway.
        ("claude-code", "PermissionRequest", Silent),
        ("claude-code", "Elicitation", Silent),
        ("claude-code", "UserPromptSubmit", Shown),
        ("claude-code", "ConfigChange", Shown),
        ("claude-code", "", ExitTwo),
        ("generic", "PreToolUse", generic()),
        ("generic", "pre_tool_use", generic()),
        ("generic", "UserPromptSubmit", generic()),
        ("generic", "", ExitTwo),
        // It has nothing to ask with, and no exit code has a meaning.
        ("cline", "PreToolUse", cancelled()),
        ("cline", "UserPromptSubmit", Shown),
        ("cline", "", ExitTwo),
        // It runs the call on any "ask".
        ("codex", "PreToolUse", ExitTwo),
        ("codex", "PermissionRequest", Silent),
        ("codex", "UserPromptSubmit", Shown),
        ("copilot", "PreToolUse", nested("PreToolUse")),
        (
            "copilot",
            "preToolUse",
            Json(json!({"permissionDecision": "ask", "permissionDecisionReason": TEXT})),
        ),
        ("copilot", "permissionRequest", Silent),
        ("copilot", "agentStop", Shown),
        ("copilot", "userPromptSubmitted", Shown),
        ("copilot", "", ExitTwo),
        // On preToolUse it takes an "ask" and does not act upon it.
        ("cursor", "preToolUse", ExitTwo),
        ("cursor", "beforeReadFile", ExitTwo),
        (
            "cursor",
            "beforeShellExecution",
            Json(json!({"permission": "ask", "user_message": TEXT, "agent_message": TEXT})),
        ),
        (
            "cursor",
            "beforeMCPExecution",
            Json(json!({"permission": "ask", "user_message": TEXT, "agent_message": TEXT})),
        ),
        ("cursor", "beforeSubmitPrompt", Shown),
        // It goes on where it is told to ask.
        ("droid", "PreToolUse", ExitTwo),
        ("droid", "UserPromptSubmit", Shown),
        ("opencode", "tool.execute.before", ExitTwo),
        ("opencode", "chat.message", Shown),
        // Gemini would wait for ever where nobody is at the terminal.
        ("gemini", "BeforeTool", ExitTwo),
        ("gemini", "BeforeAgent", Shown),
        (
            "qwen",
            "PreToolUse",
            Json(
                json!({"continue": false, "stopReason": TEXT, "hookSpecificOutput": {
                    "hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": TEXT,
                }}),
            ),
        ),
        ("qwen", "PermissionRequest", Silent),
        ("qwen", "UserPromptSubmit", Shown),
        (
            "run",
            "PreToolUse",
            Json(json!({"run": "ask", "reason": TEXT})),
        ),
        ("run", "SessionStart", Shown),
        ("run", "", ExitTwo),
        ("vscode", "PreToolUse", nested("PreToolUse")),
        ("vscode", "UserPromptSubmit", Shown),
        ("grok", "PreToolUse", ExitTwo),
        ("grok", "UserPromptSubmit", Shown),
        ("kimi", "PreToolUse", ExitTwo),
        ("kimi", "UserPromptSubmit", Shown),
        ("windsurf", "pre_run_command", ExitTwo),
        ("somebody-new", "PreToolUse", ExitTwo),
        ("somebody-new", "", ExitTwo),
        ("somebody-new", "New", Shown),
    ];
    for agent in agents() {
        assert!(table.iter().any(|row| row.0 == agent), "no row for {agent}");
    }
    for (agent, event, expected) in table {
        assert_eq!(
            told(agent, event, FailMode::Ask),
            expected,
            "{agent} {event}"
        );
    }
    for agent in agents() {
        for event in ["Stop", "agentStop", "PostToolUse", "SessionEnd"] {
            assert_eq!(told(agent, event, FailMode::Ask), Shown, "{agent} {event}");
        }
    }
}

/// A client that ignores arguments starts the program bare.
#[test]
fn without_an_agent_no_prompt_is_blocked() {
    for (payload, ask, unverified) in [
        ("", Shown, ExitTwo),
        (r#"{"hook_event_name":"UserPromptSubmit"}"#, Shown, ExitTwo),
        (r#"{"hook_event_name":"Stop"}"#, Shown, Shown),
        (
            r#"{"hook_event_name":"PreToolUse"}"#,
            nested("PreToolUse"),
            nested("PreToolUse"),
        ),
    ] {
        let mut call = Call::new("/".into(), bowline_wire::Environment::new());
        let of = |call: &Call| {
            let failure = Failure::of(call, payload.as_bytes(), "nothing answered");
            (form(&failure.answer()), form(&failure.unverified()))
        };
        assert_eq!(of(&call), (ask, unverified), "{payload}");
        call.on_failure = FailMode::Open;
        assert_eq!(of(&call).0, Silent, "{payload}");
    }
}

#[test]
fn closed_denies() {
    for agent in agents() {
        for event in [
            "PreToolUse",
            "preToolUse",
            "tool.execute.before",
            "SessionStart",
            "PostToolUse",
            "SessionEnd",
            "New",
            "",
        ] {
            // Copilot would deny too, and lose the reason. Cline would run the call.
            let is_other = matches!(agent, "cline" | "copilot");
            if !is_other || !event.eq_ignore_ascii_case("PreToolUse") {
                assert_eq!(
                    told(agent, event, FailMode::Closed),
                    ExitTwo,
                    "{agent} {event}"
                );
            }
        }
        // There a block would keep the agent going.
        for event in [
            "Stop",
            "SubagentStop",
            "TeammateIdle",
            "agentStop",
            "session.idle",
        ] {
            assert_eq!(
                told(agent, event, FailMode::Closed),
                Shown,
                "{agent} {event}"
            );
        }
        if !matches!(agent, "cline" | "copilot") {
            assert_eq!(
                told(agent, "UserPromptSubmit", FailMode::Closed),
                ExitTwo,
                "{agent}"
            );
        }
    }
    // Events on which these agents do not follow exit code 2.
    for event in ["PreToolUse", "UserPromptSubmit"] {
        assert_eq!(told("cline", event, FailMode::Closed), cancelled());
    }
    let denied = json!({"hookSpecificOutput": {
        "hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "message": TEXT},
    }});
    assert_eq!(
        told("claude-code", "PermissionRequest", FailMode::Closed),
        Json(denied)
    );
    let denied = json!({"permissionDecision": "deny", "permissionDecisionReason": TEXT});
    assert_eq!(
        told("copilot", "preToolUse", FailMode::Closed),
        Json(denied)
    );
    let denied = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": TEXT,
    }});
    assert_eq!(
        told("copilot", "PreToolUse", FailMode::Closed),
        Json(denied)
    );
    let denied = json!({"reason": TEXT, "hookSpecificOutput": {
        "hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "message": TEXT},
    }});
    assert_eq!(
        told("qwen", "PermissionRequest", FailMode::Closed),
        Json(denied)
    );
    let denied = json!({"behavior": "deny", "message": TEXT});
    assert_eq!(
        told("copilot", "permissionRequest", FailMode::Closed),
        Json(denied)
    );
    let blocked = json!({"decision": "block", "reason": TEXT});
    assert_eq!(
        told("copilot", "userPromptSubmitted", FailMode::Closed),
        Json(blocked)
    );
}

#[test]
fn what_is_too_long_never_passes_a_gate_unseen() {
    for mode in [FailMode::Open, FailMode::Ask, FailMode::Closed] {
        for (agent, event, expected) in [
            ("claude-code", "PreToolUse", nested("PreToolUse")),
            ("claude-code", "PermissionRequest", Silent),
            ("claude-code", "UserPromptSubmit", ExitTwo),
            ("claude-code", "PostToolUse", Shown),
            ("claude-code", "Stop", Shown),
            ("claude-code", "", ExitTwo),
            ("generic", "UserPromptSubmit", generic()),
            ("cline", "PreToolUse", cancelled()),
            ("codex", "PreToolUse", ExitTwo),
            ("cursor", "preToolUse", ExitTwo),
            ("opencode", "tool.execute.before", ExitTwo),
            ("somebody-new", "PreToolUse", ExitTwo),
        ] {
            let answer = failure(agent, event, mode).unverified();
            assert_eq!(form(&answer), expected, "{agent} {event} {mode}");
        }
    }
}

#[test]
fn no_agent_gets_the_json_of_another() {
    for mode in [FailMode::Open, FailMode::Ask, FailMode::Closed] {
        for agent in [
            "codex",
            "opencode",
            "droid",
            "gemini",
            "somebody-new",
            "Claude-Code",
            "",
        ] {
            for event in [
                "PreToolUse",
                "preToolUse",
                "PermissionRequest",
                "beforeShellExecution",
                "UserPromptSubmit",
            ] {
                assert_eq!(
                    failure(agent, event, mode).answer().stdout,
                    "",
                    "{agent} {event} {mode}"
                );
                assert_eq!(
                    failure(agent, event, mode).unverified().stdout,
                    "",
                    "{agent} {event} {mode}"
                );
            }
        }
    }
}

#[test]
fn an_event_that_the_command_line_does_not_name_is_looked_for() {
    let mut call = Call::new("/".into(), bowline_wire::Environment::new());
    call.agent = "claude-code".to_owned();
    call.on_failure = FailMode::Closed;
    let ask = |payload: &[u8]| form(&Failure::of(&call, payload, "nothing answered").answer());
    for (payload, expected) in [
        (r#"{"hook_event_name":"Stop"}"#, Shown),
        ("{\n  \"hook_event_name\" : \"Stop\" ,", Shown),
        (
            r#"{"prompt":"\"hook_event_name\":\"Stop\"","hook_event_name":"PreToolUse"}"#,
            ExitTwo,
        ),
        // An input may hold the key as well: then nobody knows.
        (
            r#"{"hook_event_name":"PreToolUse","tool_input":{"hook_event_name":"Stop"}}"#,
            ExitTwo,
        ),
        (
            r#"{"tool_input":{"hook_event_name":"Stop"},"hook_event_name":"PreToolUse"}"#,
            ExitTwo,
        ),
        (
            r#"{"hook_event_name":"Stop","tool_input":{"hook_event_name":"Stop"}}"#,
            Shown,
        ),
        (r#"{"hook_event_name":5}"#, ExitTwo),
        (r#"{"hook_event_name""#, ExitTwo),
        (r#"{"hook_event_name":"St"#, ExitTwo),
        ("", ExitTwo),
        ("\u{0}\u{ff}", ExitTwo),
    ] {
        assert_eq!(ask(payload.as_bytes()), expected, "{payload}");
    }
    call.event = Some("PreToolUse".to_owned());
    let failure = Failure::of(&call, br#"{"hook_event_name":"Stop"}"#, "nothing answered");
    assert_eq!(form(&failure.answer()), ExitTwo);
}
