//! Feature 16: what hooks answer, and how we answer an agent (18g).

use bowline::hooks::{
    Completeness, Decision, Dialect, EventClass, Exit, HookEvent, HookOutput, RawOutput, Reply,
    dialect::claude_code::enforceable, settings::ExitPolicy,
};
use bowline::{Error, Result};
use proptest::prelude::*;
use serde_json::{Value, json};

const HOOK: &str = "the-hook";

fn raw(code: i32, stdout: impl ToString, stderr: &str) -> RawOutput {
    RawOutput {
        exit: Exit::Code(code),
        stdout: stdout.to_string(),
        stderr: stderr.to_owned(),
        ..RawOutput::default()
    }
}

fn generic_raw(event: HookEvent, raw: &RawOutput) -> Result<HookOutput> {
    Dialect::Generic.read_output(HOOK, event, raw, ExitPolicy::AnyNonZero)
}

fn generic(event: HookEvent, stdout: impl ToString) -> HookOutput {
    generic_raw(event, &raw(0, stdout, "")).unwrap()
}

fn claude_raw(event: HookEvent, raw: &RawOutput) -> Result<HookOutput> {
    Dialect::ClaudeCode.read_output(HOOK, event, raw, ExitPolicy::OnlyTwo)
}

fn claude(event: HookEvent, stdout: impl ToString) -> Result<HookOutput> {
    claude_raw(event, &raw(0, stdout, ""))
}

fn specific(event: HookEvent, mut fields: Value) -> Value {
    fields["hookEventName"] = event.name().into();
    json!({ "hookSpecificOutput": fields })
}

fn failure(result: Result<HookOutput>) -> String {
    match result.unwrap_err() {
        Error::HookFailed { hook, reason } => {
            assert_eq!(hook, HOOK);
            reason
        }
        other => panic!("{other}"),
    }
}

// --- The generic dialect ---------------------------------------------------------------------------------

#[test]
fn f16_a_blank_output_allows() {
    for stdout in ["", " \n\t", "{}", "\u{feff}"] {
        assert_eq!(generic(HookEvent::PreToolUse, stdout), HookOutput::allow());
    }
}

#[test]
fn f16_b_every_way_to_block() {
    for answer in [
        json!({"continue_execution": false, "stop_reason": "no"}),
        json!({"continueExecution": false, "stopReason": "no"}),
        json!({"continue": false, "stopReason": "no"}),
        json!({"decision": "block", "reason": "no"}),
        json!({"decision": "deny", "reason": "no"}),
        json!({"decision": "DENY", "reason": "no"}),
        json!({"action": "block", "message": "no"}),
        json!({"decision": "fail", "error": "no"}),
        json!({"permissionDecision": "deny", "reason": "no"}),
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}}),
        json!({"hook_specific_output": {"permission_decision": "deny", "permission_decision_reason": "no"}}),
        json!({"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "no"}}}),
        // The strictest of several wins.
        json!({"decision": "allow", "action": "ask", "continue": false, "reason": "no"}),
        json!({"decision": "block", "reason": "no", "hookSpecificOutput": {"permissionDecision": "allow"}}),
    ] {
        let output = generic(HookEvent::PreToolUse, &answer);
        assert_eq!(output.decision(), Decision::Deny, "{answer}");
        assert_eq!(output.stop_reason.as_deref(), Some("no"), "{answer}");
        assert_eq!(output.message, None, "{answer}");
    }
    let output = generic(HookEvent::PreToolUse, json!({"decision": "block"}));
    assert_eq!(
        output.stop_reason.as_deref(),
        Some("hook `the-hook` gave no reason")
    );
}

#[test]
fn f16_c_allow_is_no_opinion_and_only_the_agents_own_word_grants() {
    for answer in [
        json!({"decision": "allow"}),
        json!({"decision": "approve"}),
        json!({"action": "allow"}),
        json!({"action": "Approve"}),
        json!({"continue": true}),
        json!({"continue_execution": true}),
        json!({"permissionDecision": "allow"}),
    ] {
        let output = generic(HookEvent::PreToolUse, &answer);
        assert_eq!(output, HookOutput::allow(), "{answer}");
    }
    for answer in [
        json!({"hookSpecificOutput": {"permissionDecision": "allow"}}),
        json!({"hookSpecificOutput": {"decision": {"behavior": "allow"}}}),
        json!({"decision": "grant"}),
    ] {
        let output = generic(HookEvent::PreToolUse, &answer);
        assert_eq!(output.decision(), Decision::Grant, "{answer}");
    }
    for answer in [
        json!({"decision": "ask", "reason": "sure?"}),
        json!({"action": "ask", "message": "sure?"}),
        json!({"continue_execution": false, "decision": "ask", "stop_reason": "sure?"}),
        json!({"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "sure?"}}),
    ] {
        let output = generic(HookEvent::PreToolUse, &answer);
        assert_eq!(output, HookOutput::ask("sure?"), "{answer}");
    }
}

#[test]
fn f16_c_warnings_and_remarks_are_context() {
    for answer in [
        json!({"decision": "warn", "message": "careful"}),
        json!({"action": "continue", "message": "careful"}),
        json!({"decision": "continue", "reason": "careful"}),
    ] {
        let output = generic(HookEvent::PreToolUse, &answer);
        assert_eq!(output, HookOutput::allow().context("careful"), "{answer}");
    }
    let both = json!({"decision": "warn", "message": "careful", "additional_context": "first"});
    assert_eq!(
        generic(HookEvent::PreToolUse, both).additional_context,
        Some("first\ncareful".to_owned())
    );
}

#[test]
fn f16_c_unknown_words_and_wrong_types_are_warnings() {
    for (answer, warning) in [
        (
            json!({"decision": "maybe"}),
            "`decision: maybe` is not a decision; expected allow, ask, deny or block",
        ),
        (
            json!({"decision": 5}),
            "`decision` is a number; expected a word",
        ),
        (
            json!({"continue": "no"}),
            "`continue` is a string; expected true or false",
        ),
        (
            json!({"systemMessage": []}),
            "`systemMessage` is a list; expected a string",
        ),
        (
            json!({"descision": "block"}),
            "no field of the answer is known: `descision`",
        ),
        (
            json!({"decision": "allow", "colour": 1}),
            "unknown fields of the answer were ignored: `colour`",
        ),
        (
            json!({"action": "error", "error": "no disk"}),
            "hook `the-hook` reported an error: no disk",
        ),
        (
            json!({"hookSpecificOutput": {"hookEventName": "Stop"}}),
            "the answer is for `Stop`, but the event is PreToolUse",
        ),
        (
            json!({"hookSpecificOutput": {"permissionDecision": "defer"}}),
            "`defer` has no opinion here; only Claude Code can honour it",
        ),
    ] {
        let output = generic(HookEvent::PreToolUse, &answer);
        assert_eq!(output.decision(), Decision::NoOpinion, "{answer}");
        assert!(
            output.warnings.iter().any(|text| text == warning),
            "{answer}: {:?}",
            output.warnings
        );
    }
}

#[test]
fn f16_d_every_way_to_rewrite_the_input() {
    let input = json!({"command": "ls -l"});
    for answer in [
        json!({"updated_input": input}),
        json!({"updatedInput": input}),
        json!({"modifiedInput": input}),
        json!({"modifiedInput": "{\"command\": \"ls -l\"}"}),
        json!({"modified_input": "{\"command\": \"ls -l\"}"}),
        json!({"hookSpecificOutput": {"updatedInput": input}}),
        json!({"hookSpecificOutput": {"updated_input": input}}),
    ] {
        let output = generic(HookEvent::PreToolUse, &answer);
        assert_eq!(
            output,
            HookOutput::allow().updated_input(input.clone()),
            "{answer}"
        );
    }
    for bad in [json!("{oops"), json!("[1]"), json!(5)] {
        let output = generic(HookEvent::PreToolUse, json!({"modifiedInput": bad}));
        assert_eq!(output.updated_input, None);
        assert_eq!(output.warnings.len(), 1, "{:?}", output.warnings);
        assert!(output.warnings[0].contains("expected an object, or the JSON text of one"));
    }
}

#[test]
fn f16_e_messages_contexts_and_flags_in_both_spellings() {
    for answer in [
        json!({"system_message": "m", "additional_context": "c", "suppress_logging": true}),
        json!({"systemMessage": "m", "additionalContext": "c", "suppressOutput": true}),
        json!({"systemMessage": "m", "suppressLogging": true, "hookSpecificOutput": {"additionalContext": "c"}}),
        json!({"hookSpecificOutput": {"system_message": "m", "additional_context": "c", "suppress_output": true}}),
    ] {
        assert_eq!(
            generic(HookEvent::PostToolUse, &answer),
            HookOutput::allow()
                .system_message("m")
                .context("c")
                .suppress_logging(),
            "{answer}"
        );
    }
}

#[test]
fn f16_e_fields_that_only_one_event_has_are_kept() {
    let output = generic(
        HookEvent::SessionStart,
        json!({"terminalSequence": "\u{7}", "hookSpecificOutput": {"sessionTitle": "t", "watchPaths": ["/x"]}}),
    );
    assert_eq!(
        Value::Object(output.event_fields),
        json!({"sessionTitle": "t", "watchPaths": ["/x"], "terminalSequence": "\u{7}"})
    );
    assert_eq!(output.warnings, Vec::<String>::new());
}

#[test]
fn f16_f_text_is_a_message_or_context() {
    for event in HookEvent::ALL {
        let output = generic(*event, "  hello\nyou \n");
        let is_context = matches!(
            event,
            HookEvent::SessionStart
                | HookEvent::SubagentStart
                | HookEvent::UserPromptSubmit
                | HookEvent::PreCompact
        );
        assert_eq!(output.decision(), Decision::NoOpinion);
        let (kept, other) = if is_context {
            (output.additional_context, output.message)
        } else {
            (output.message, output.additional_context)
        };
        assert_eq!(kept.as_deref(), Some("hello\nyou"), "{event}");
        assert_eq!(other, None, "{event}");
    }
    let output = generic(HookEvent::PreToolUse, "{\"decision\": \"block\"");
    assert_eq!(output.message.as_deref(), Some("{\"decision\": \"block\""));
    assert!(output.warnings[0].starts_with("stdout begins like JSON but cannot be read"));
    assert_eq!(
        generic(HookEvent::PreToolUse, "[1]").message.as_deref(),
        Some("[1]")
    );
}

#[test]
fn f16_g_a_non_zero_exit_blocks_a_gate() {
    for (stdout, stderr, reason) in [
        ("{\"reason\": \"json\"}", "err", "json"),
        ("{\"decision\": \"allow\"}", "err", "err"),
        (
            "{\"decision\": \"ask\", \"reason\": \"json\"}",
            "err",
            "json",
        ),
        ("out", "err\n", "err"),
        ("{broken", "", "{broken"),
        ("out", "", "out"),
        (
            "",
            "",
            "hook `the-hook` ended with exit code 1 and gave no reason",
        ),
    ] {
        for event in HookEvent::ALL {
            let output = generic_raw(*event, &raw(1, stdout, stderr)).unwrap();
            match event.class() {
                EventClass::Gate | EventClass::Redirect => {
                    assert_eq!(output.decision(), Decision::Deny, "{event} {stdout}");
                    assert_eq!(output.stop_reason.as_deref(), Some(reason), "{event}");
                }
                _ => {
                    let expected = if stdout.contains("ask") {
                        Decision::Ask
                    } else {
                        Decision::NoOpinion
                    };
                    assert_eq!(output.decision(), expected, "{event}");
                    assert!(output.warnings.iter().any(|text| text.ends_with(reason)));
                }
            }
        }
    }
}

#[test]
fn f16_g_what_could_not_run_is_a_failure() {
    for (exit, text) in [
        (
            Exit::Code(126),
            "it could not be executed (exit code 126): oops",
        ),
        (Exit::Code(127), "it was not found (exit code 127): oops"),
        (Exit::Signal(9), "it was ended by signal 9: oops"),
    ] {
        let raw = RawOutput {
            exit,
            stderr: "oops\nmore".to_owned(),
            ..RawOutput::default()
        };
        assert_eq!(failure(generic_raw(HookEvent::PreToolUse, &raw)), text);
        assert_eq!(failure(claude_raw(HookEvent::PreToolUse, &raw)), text);
    }
}

#[test]
fn f16_g_cut_output_is_noted_and_cut_json_is_a_failure() {
    let cut = |code, stdout: &str| RawOutput {
        stdout_cut: true,
        stderr_cut: true,
        ..raw(code, stdout, "err")
    };
    let json = " {\"decision\": \"allow\"}";
    for dialect in [Dialect::Generic, Dialect::ClaudeCode] {
        let read = |raw: &RawOutput| {
            dialect.read_output(HOOK, HookEvent::PreToolUse, raw, ExitPolicy::OnlyTwo)
        };
        assert!(failure(read(&cut(0, json))).contains("cut"));
        assert!(failure(read(&cut(0, "{\"a"))).contains("cut"));
        let output = read(&cut(2, json)).unwrap();
        assert_eq!(output.stop_reason.as_deref(), Some("err"));
        let output = read(&cut(0, "text")).unwrap();
        assert_eq!(
            output.warnings,
            [
                "stdout was longer than the cap and was cut",
                "stderr was longer than the cap and was cut"
            ]
        );
    }
}

#[test]
fn f16_g_the_exit_policy_overrides() {
    let read = |dialect: Dialect, raw: &RawOutput, policy| {
        dialect.read_output(HOOK, HookEvent::PreToolUse, raw, policy)
    };
    let deny = json!({"decision": "block", "reason": "json"}).to_string();

    // Only 2 blocks in the generic dialect.
    let only_two = |raw: &RawOutput| read(Dialect::Generic, raw, ExitPolicy::OnlyTwo);
    assert_eq!(
        only_two(&raw(2, "", "err")).unwrap(),
        HookOutput::block("err")
    );
    assert_eq!(
        only_two(&raw(1, &deny, "")).unwrap(),
        HookOutput::block("json")
    );
    assert_eq!(only_two(&raw(1, "{}", "")).unwrap(), HookOutput::allow());
    assert_eq!(
        failure(only_two(&raw(1, "text", "err"))),
        "it ended with exit code 1: err"
    );

    // Every code blocks in Claude Code's, unless the JSON itself restricts.
    let any = |raw: &RawOutput| read(Dialect::ClaudeCode, raw, ExitPolicy::AnyNonZero);
    let allow = specific(
        HookEvent::PreToolUse,
        json!({"permissionDecision": "allow"}),
    );
    let ask = specific(
        HookEvent::PreToolUse,
        json!({"permissionDecision": "ask", "permissionDecisionReason": "sure?"}),
    );
    assert_eq!(any(&raw(1, "", "err")).unwrap(), HookOutput::block("err"));
    assert_eq!(any(&raw(1, &deny, "")).unwrap(), HookOutput::block("json"));
    assert_eq!(
        any(&raw(1, allow, "err")).unwrap(),
        HookOutput::block("err")
    );
    assert_eq!(any(&raw(1, ask, "err")).unwrap(), HookOutput::ask("sure?"));
    assert!(any(&raw(127, "", "err")).is_err());
}

// --- Claude Code's dialect -------------------------------------------------------------------------------

#[test]
fn f16_claude_json_decides_at_any_exit_code_but_two() {
    let event = HookEvent::PreToolUse;
    let deny = specific(
        event,
        json!({"permissionDecision": "deny", "permissionDecisionReason": "no"}),
    );
    let allow = specific(
        event,
        json!({"permissionDecision": "allow", "updatedInput": {"command": "ls"}}),
    );
    for code in [0, 1, 3, 126, 127] {
        assert_eq!(
            claude_raw(event, &raw(code, &deny, "err")).unwrap(),
            HookOutput::block("no")
        );
        assert_eq!(
            claude_raw(event, &raw(code, &allow, "err")).unwrap(),
            HookOutput::grant().updated_input(json!({"command": "ls"}))
        );
    }
    let killed = RawOutput {
        exit: Exit::Signal(15),
        ..raw(0, &deny, "")
    };
    assert_eq!(claude_raw(event, &killed).unwrap(), HookOutput::block("no"));

    let output = claude_raw(event, &raw(2, &allow, "err")).unwrap();
    assert_eq!(output.decision(), Decision::Deny);
    assert_eq!(output.stop_reason.as_deref(), Some("err"));
    let output = claude_raw(event, &raw(2, &deny, "err")).unwrap();
    assert_eq!(output.stop_reason.as_deref(), Some("no"));
    for stdout in ["", "text", "{\"decision\": \"deny\"}", "{oops}"] {
        let output = claude_raw(event, &raw(2, stdout, "err")).unwrap();
        assert_eq!(output.decision(), Decision::Deny, "{stdout}");
        assert_eq!(output.stop_reason.as_deref(), Some("err"), "{stdout}");
    }
    let output = claude_raw(event, &raw(2, "", "")).unwrap();
    assert!(output.stop_reason.unwrap().contains("printed no reason"));

    for stdout in ["", "text"] {
        assert_eq!(
            failure(claude_raw(event, &raw(1, stdout, "first\nsecond"))),
            "it ended with exit code 1: first"
        );
    }
}

#[test]
fn f16_claude_text_around_json_makes_it_text() {
    let deny = specific(HookEvent::PreToolUse, json!({"permissionDecision": "deny"}));
    for stdout in [
        format!("log\n{deny}"),
        format!("{deny}\nlog"),
        format!("[{deny}]"),
        format!("\"{deny}\""),
        "{\"a\":1}\n{\"b\":2}".to_owned(),
    ] {
        let output = claude(HookEvent::PreToolUse, &stdout).unwrap();
        assert_eq!(output.decision(), Decision::NoOpinion, "{stdout}");
        assert_eq!(output.message, Some(stdout));
    }
    for stdout in [
        "{\"decision\": \"block\",}".to_owned(),
        format!("{deny}\n{deny}"),
        format!("{deny} {{}}"),
    ] {
        let reason = failure(claude(HookEvent::PreToolUse, &stdout));
        assert!(reason.starts_with("its stdout looks like JSON"), "{reason}");
    }
    let pretty = format!("\u{feff}{deny:#}\n");
    let output = claude(HookEvent::PreToolUse, pretty).unwrap();
    assert_eq!(output.decision(), Decision::Deny);
}

#[test]
fn f16_claude_one_wrong_field_voids_the_answer() {
    for (event, answer, reason) in [
        (
            HookEvent::PreToolUse,
            json!({"decision": "deny"}),
            "`decision` is `deny`; expected approve or block",
        ),
        (
            HookEvent::PreToolUse,
            json!({"decision": "block", "reason": 5}),
            "`reason` is a number; expected a string",
        ),
        (
            HookEvent::PreToolUse,
            json!({"continue": null}),
            "`continue` is null; expected true or false",
        ),
        (
            HookEvent::PreToolUse,
            json!({"hookSpecificOutput": {"permissionDecision": "deny"}}),
            "`hookSpecificOutput` must have `hookEventName`: `PreToolUse`",
        ),
        (
            HookEvent::PreToolUse,
            json!({"hookSpecificOutput": {"hookEventName": "preToolUse", "permissionDecision": "deny"}}),
            "`hookEventName` is `preToolUse`; expected `PreToolUse`",
        ),
        (
            HookEvent::PreToolUse,
            specific(
                HookEvent::PreToolUse,
                json!({"permissionDecision": "block"}),
            ),
            "`permissionDecision` is `block`; expected allow or deny or ask or defer",
        ),
        (
            HookEvent::PreToolUse,
            specific(HookEvent::PreToolUse, json!({"updatedInput": "x"})),
            "`updatedInput` is a string; expected an object",
        ),
        (HookEvent::PreModelSwitch, json!({"stopReason": 1}), ""),
        (
            HookEvent::SessionEnd,
            specific(HookEvent::SessionEnd, json!({"additionalContext": "x"})),
            "SessionEnd takes no `hookSpecificOutput`",
        ),
        (
            HookEvent::SessionStart,
            specific(HookEvent::SessionStart, json!({"watchPaths": ["/x", 1]})),
            "`watchPaths` is a list; expected a list of strings",
        ),
        (
            HookEvent::PermissionRequest,
            specific(
                HookEvent::PermissionRequest,
                json!({"decision": {"behavior": "ask"}}),
            ),
            "`decision` must have `behavior`: allow or deny",
        ),
        (
            HookEvent::PermissionRequest,
            specific(
                HookEvent::PermissionRequest,
                json!({"decision": {"behavior": "deny", "message": 1}}),
            ),
            "`decision` `message` is a number; expected a string",
        ),
    ] {
        let result = claude(event, &answer);
        if event == HookEvent::PreModelSwitch {
            // The one event on which the client does not go on when a hook fails.
            assert_eq!(result.unwrap().decision(), Decision::Deny);
        } else {
            assert_eq!(failure(result), format!("its answer is void: {reason}"));
        }
    }
    let answer = json!({"colour": 1, "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no", "size": 2}});
    let output = claude(HookEvent::PreToolUse, answer).unwrap();
    assert_eq!(output.stop_reason.as_deref(), Some("no"));
    assert!(output.warnings[0].ends_with("they were ignored: `colour`, `size`"));
}

#[test]
fn f16_claude_top_level_decision_by_event() {
    let block = json!({"decision": "block", "reason": "no"});
    for event in HookEvent::ALL {
        let by_json = claude(*event, &block).unwrap();
        let by_exit = claude_raw(*event, &raw(2, "", "no")).unwrap();
        let expected = match event {
            HookEvent::PermissionRequest
            | HookEvent::PermissionDenied
            | HookEvent::StopFailure
            | HookEvent::Notification
            | HookEvent::InstructionsLoaded
            | HookEvent::WorktreeRemove
            | HookEvent::MessageDisplay
            | HookEvent::DirectoryAdded => (Decision::NoOpinion, None),
            HookEvent::SessionStart
            | HookEvent::Setup
            | HookEvent::SessionEnd
            | HookEvent::SubagentStart
            | HookEvent::PostCompact
            | HookEvent::CwdChanged
            | HookEvent::FileChanged
            | HookEvent::PostModelSwitch => (Decision::NoOpinion, Some("no")),
            _ => (Decision::Deny, None),
        };
        for output in [by_json, by_exit] {
            assert_eq!(
                (output.decision(), output.system_message.as_deref()),
                expected,
                "{event}"
            );
            let told = output.decision() == Decision::Deny || !output.warnings.is_empty();
            assert!(told, "{event}: a block without effect is a warning");
        }
        let approved = claude(*event, json!({"decision": "approve"})).unwrap();
        let expected = if *event == HookEvent::PreToolUse {
            Decision::Grant
        } else {
            Decision::NoOpinion
        };
        assert_eq!(approved.decision(), expected, "{event}");
    }
}

#[test]
fn f16_claude_decisions_of_single_events() {
    let event = HookEvent::PreToolUse;
    let read = |fields| claude(event, specific(event, fields)).unwrap();
    assert_eq!(
        read(
            json!({"permissionDecision": "ask", "permissionDecisionReason": "sure?", "updatedInput": {"a": 1}})
        ),
        HookOutput::ask("sure?").updated_input(json!({"a": 1}))
    );
    assert_eq!(
        read(json!({"updatedInput": {"a": 1}})),
        HookOutput::allow().updated_input(json!({"a": 1}))
    );
    let deferred = read(json!({"permissionDecision": "defer", "updatedInput": {"a": 1}}));
    assert_eq!(deferred.decision(), Decision::NoOpinion);
    assert_eq!(deferred.updated_input, None);
    assert_eq!(deferred.event_fields["permissionDecision"], "defer");
    let mut mixed = specific(event, json!({"permissionDecision": "allow"}));
    mixed["decision"] = "block".into();
    assert_eq!(claude(event, mixed).unwrap().decision(), Decision::Deny);
    let mut legacy_reason = specific(event, json!({"permissionDecision": "deny"}));
    legacy_reason["reason"] = "no".into();
    assert_eq!(
        claude(event, legacy_reason).unwrap(),
        HookOutput::block("no")
    );

    let event = HookEvent::PermissionRequest;
    let read =
        |decision: Value| claude(event, specific(event, json!({"decision": decision}))).unwrap();
    let granted = read(
        json!({"behavior": "allow", "updatedInput": {"a": 1}, "updatedPermissions": [{"type": "setMode"}]}),
    );
    assert_eq!(granted.decision(), Decision::Grant);
    assert_eq!(granted.updated_input, Some(json!({"a": 1})));
    assert_eq!(
        granted.event_fields["updatedPermissions"],
        json!([{"type": "setMode"}])
    );
    assert_eq!(
        read(json!({"behavior": "deny", "message": "no"})),
        HookOutput::block("no")
    );
    let interrupted = read(json!({"behavior": "deny", "message": "no", "interrupt": true}));
    assert_eq!(interrupted.end_turn.as_deref(), Some("no"));
    let granted_but_failed = raw(
        2,
        specific(event, json!({"decision": {"behavior": "allow"}})),
        "",
    );
    assert_eq!(
        claude_raw(event, &granted_but_failed).unwrap().decision(),
        Decision::NoOpinion
    );

    let event = HookEvent::Elicitation;
    for (fields, expected) in [
        (
            json!({"action": "accept", "content": {"a": 1}}),
            Decision::Grant,
        ),
        (json!({"action": "decline"}), Decision::Deny),
        (json!({"action": "cancel"}), Decision::Deny),
    ] {
        let output = claude(event, specific(event, fields.clone())).unwrap();
        assert_eq!(output.decision(), expected);
        assert_eq!(Value::Object(output.event_fields), fields);
    }
    let accepted = specific(event, json!({"action": "accept"}));
    let output = claude_raw(event, &raw(2, accepted, "no")).unwrap();
    assert_eq!(output, HookOutput::block("no"));
}

#[test]
fn f16_claude_fields_of_single_events_are_kept() {
    for (event, fields) in [
        (
            HookEvent::SessionStart,
            json!({"initialUserMessage": "hi", "sessionTitle": "t", "watchPaths": ["/x"], "reloadSkills": true}),
        ),
        (
            HookEvent::UserPromptSubmit,
            json!({"sessionTitle": "t", "suppressOriginalPrompt": true}),
        ),
        (
            HookEvent::UserPromptExpansion,
            json!({"suppressOriginalPrompt": true}),
        ),
        (
            HookEvent::PostToolUse,
            json!({"updatedToolOutput": {"stdout": "x"}, "updatedMCPToolOutput": "x", "classifierContext": "x"}),
        ),
        (HookEvent::PermissionDenied, json!({"retry": true})),
        (HookEvent::MessageDisplay, json!({"displayContent": "x"})),
        (HookEvent::CwdChanged, json!({"watchPaths": []})),
        (HookEvent::FileChanged, json!({"watchPaths": ["/x"]})),
        (HookEvent::WorktreeCreate, json!({"worktreePath": "/w"})),
    ] {
        let mut answer = specific(event, fields.clone());
        let output = claude(event, &answer).unwrap();
        assert_eq!(
            Value::Object(output.event_fields.clone()),
            fields,
            "{event}"
        );
        assert_eq!(output.warnings, Vec::<String>::new());

        // … and go out again as they came.
        if event != HookEvent::WorktreeCreate {
            answer["terminalSequence"] = "\u{7}".into();
            let output = claude(event, &answer).unwrap();
            assert_eq!(sent(&Dialect::ClaudeCode.encode(event, &output)), answer);
        }
    }
}

#[test]
fn f16_claude_context_messages_and_the_end_of_the_turn() {
    let output = claude(
        HookEvent::PostToolUse,
        json!({"continue": false, "stopReason": "enough", "systemMessage": "m", "suppressOutput": true,
               "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "c"}}),
    )
    .unwrap();
    let mut expected = HookOutput::allow()
        .system_message("m")
        .context("c")
        .suppress_logging();
    expected.end_turn = Some("enough".to_owned());
    assert_eq!(output, expected);

    // The tool of a PreToolUse still runs.
    let output = claude(HookEvent::PreToolUse, json!({"continue": false})).unwrap();
    assert_eq!(output.decision(), Decision::NoOpinion);
    assert!(output.end_turn.is_some());
    for event in [
        HookEvent::SessionStart,
        HookEvent::TaskCreated,
        HookEvent::PreCompact,
        HookEvent::Notification,
    ] {
        let output = claude(event, json!({"continue": false})).unwrap();
        assert_eq!(output.end_turn, None, "{event}");
    }
    let event = HookEvent::Notification;
    let output = claude(event, specific(event, json!({"additionalContext": "c"}))).unwrap();
    assert_eq!(output.additional_context, None);
}

#[test]
fn f16_claude_text_reaches_the_model_on_few_events() {
    for event in HookEvent::ALL {
        let output = claude(*event, "one\n\u{1b}[32m/the/path\u{1b}[0m\n").unwrap();
        match event {
            HookEvent::SessionStart
            | HookEvent::UserPromptSubmit
            | HookEvent::UserPromptExpansion
            | HookEvent::PostModelSwitch
            | HookEvent::PreCompact => assert!(output.additional_context.is_some(), "{event}"),
            HookEvent::WorktreeCreate => {
                assert_eq!(output.event_fields["worktreePath"], "/the/path");
            }
            _ => {
                assert_eq!(output.additional_context, None, "{event}");
                assert!(output.message.is_some(), "{event}");
            }
        }
    }
}

#[test]
fn f16_claude_a_missing_script_does_not_trap_the_session() {
    for stderr in [
        "python3: can't open file '/x.py': [Errno 2]",
        "sh: 0: cannot open /x.sh: No such file",
    ] {
        for event in HookEvent::ALL {
            let result = claude_raw(*event, &raw(2, "", stderr));
            let forgiven = matches!(
                event,
                HookEvent::Stop
                    | HookEvent::SubagentStop
                    | HookEvent::TaskCompleted
                    | HookEvent::TeammateIdle
            );
            assert_eq!(result.is_err(), forgiven, "{event}");
        }
    }
    let output = claude_raw(HookEvent::Stop, &raw(2, "out", "no such file")).unwrap();
    assert_eq!(output.decision(), Decision::Deny);
}

#[test]
fn f16_claude_events_that_fail_closed() {
    for code in [1, 126, 127] {
        let output = claude_raw(HookEvent::WorktreeCreate, &raw(code, "/w", "err")).unwrap();
        assert_eq!(output.decision(), Decision::Deny);
        let output = claude_raw(HookEvent::PreModelSwitch, &raw(code, "", "err")).unwrap();
        assert_eq!(output.decision(), Decision::Deny);
    }
}

#[test]
fn f16_claude_a_hook_in_the_background_decides_nothing() {
    for (code, stdout) in [
        (0, "{\"async\": true}"),
        (2, "{\"async\": true, \"decision\": \"block\"}"),
        (0, "{\"async\":true}\n{\"decision\":\"block\"}"),
    ] {
        let output = claude_raw(HookEvent::PreToolUse, &raw(code, stdout, "err")).unwrap();
        assert_eq!(output, HookOutput::allow(), "{stdout}");
    }
    let stdout = "{\"async\":true}\nlog\n{\"systemMessage\":\"m\",\"hookSpecificOutput\":{\"additionalContext\":\"c\"}}";
    assert_eq!(
        claude(HookEvent::PostToolUse, stdout).unwrap(),
        HookOutput::allow().system_message("m").context("c")
    );
}

#[test]
fn f16_http_bodies_are_json_or_nothing() {
    let deny = specific(
        HookEvent::PreToolUse,
        json!({"permissionDecision": "deny", "permissionDecisionReason": "no"}),
    )
    .to_string();
    for dialect in [Dialect::Generic, Dialect::ClaudeCode] {
        let read = |body: &str, completeness| {
            dialect.read_body(HOOK, HookEvent::PreToolUse, body, completeness)
        };
        for empty in ["", " \n", "{}"] {
            assert_eq!(
                read(empty, Completeness::Whole).unwrap(),
                HookOutput::allow()
            );
        }
        assert_eq!(
            read(&deny, Completeness::Whole).unwrap(),
            HookOutput::block("no")
        );
        for body in ["OK", "[]", "{oops", "{oops}"] {
            assert!(read(body, Completeness::Whole).is_err(), "{body}");
        }
        assert!(read(&deny, Completeness::Cut).is_err());
    }
}

// --- Our own answers -------------------------------------------------------------------------------------

fn sent(reply: &Reply) -> Value {
    if reply.stdout.is_empty() {
        return Value::Null;
    }
    serde_json::from_str(&reply.stdout).unwrap()
}

fn answer(event: HookEvent, output: &HookOutput) -> Value {
    let reply = Dialect::ClaudeCode.encode(event, output);
    assert_eq!((reply.exit_code, reply.stderr.as_str()), (0, ""), "{event}");
    sent(&reply)
}

/// Outputs of all kinds, bare and with everything that an output can carry.
fn outputs() -> Vec<HookOutput> {
    let fields = json!({
        "permissionDecision": "allow", "decision": {"behavior": "allow"}, "action": "accept",
        "content": {"a": 1}, "updatedPermissions": [{"type": "addRules", "behavior": "allow"}],
        "sessionTitle": 5, "watchPaths": ["/x"], "worktreePath": "/w", "retry": true,
        "terminalSequence": "\u{7}", "displayContent": "x",
    });
    let Value::Object(fields) = fields else {
        unreachable!()
    };
    let plain = [
        HookOutput::allow(),
        HookOutput::block("no"),
        HookOutput::ask("sure?"),
        HookOutput::grant(),
        HookOutput {
            continue_execution: false,
            ..HookOutput::grant()
        },
        HookOutput {
            stop_reason: None,
            ..HookOutput::block("")
        },
    ];
    let mut all = Vec::new();
    for output in plain {
        let dressed = HookOutput {
            message: Some("printed".to_owned()),
            end_turn: Some("enough".to_owned()),
            event_fields: fields.clone(),
            warnings: vec!["careful".to_owned()],
            ..output.clone()
        }
        .context("{context}")
        .system_message("message")
        .suppress_logging();
        all.extend([
            output.clone().context("c"),
            output.clone().updated_input(json!({"a": 1})),
            output.clone().updated_input(json!("text")),
            dressed.clone().updated_input(json!({"a": 1})),
            dressed,
            output,
        ]);
    }
    all
}

fn says_allow(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            matches!(text.as_str(), "allow" | "approve" | "grant" | "accept")
        }
        Value::Array(items) => items.iter().any(says_allow),
        Value::Object(fields) => {
            fields.values().any(says_allow)
                || ["continue", "continue_execution"]
                    .iter()
                    .any(|name| fields.get(*name) == Some(&Value::Bool(true)))
        }
        _ => false,
    }
}

#[test]
fn f16_never_widen_only_a_grant_is_an_allow() {
    let mut allowed = 0;
    for dialect in [Dialect::ClaudeCode, Dialect::Generic] {
        for event in HookEvent::ALL.iter().chain([&HookEvent::Unknown]) {
            for output in outputs() {
                let reply = dialect.encode(*event, &output);
                let answer = serde_json::from_str(&reply.stdout).unwrap_or_default();
                if says_allow(&answer) {
                    allowed += 1;
                    assert_eq!(
                        output.decision(),
                        Decision::Grant,
                        "{dialect} {event}: {answer}"
                    );
                }
            }
        }
    }
    assert!(allowed > 0);
    for dialect in [Dialect::ClaudeCode, Dialect::Generic] {
        for event in HookEvent::ALL {
            let silent = HookOutput {
                message: Some("printed".to_owned()),
                warnings: vec!["careful".to_owned()],
                ..HookOutput::allow()
            };
            assert_eq!(dialect.encode(*event, &silent), Reply::default(), "{event}");
        }
    }
}

/// What we send must be what the client accepts: read by its own rules it is neither void nor weaker.
#[test]
fn f16_every_answer_is_valid_for_claude_code() {
    for event in HookEvent::ALL {
        for output in outputs() {
            let reply = Dialect::ClaudeCode.encode(*event, &output);
            let back = claude_raw(
                *event,
                &raw(reply.exit_code.into(), &reply.stdout, &reply.stderr),
            )
            .unwrap_or_else(|error| panic!("{event} {output:?}: {error}"));
            assert!(
                back.warnings.iter().all(|text| text.starts_with("`defer`")),
                "{event} {:?}",
                back.warnings
            );
            assert!(
                reply.stdout.is_empty()
                    || reply.stdout.ends_with('\n') && !reply.stdout.trim().is_empty()
            );
            match output.decision() {
                Decision::Ask
                    if matches!(event, HookEvent::PreToolUse | HookEvent::PreModelSwitch) =>
                {
                    assert!(back.decision() >= Decision::Ask, "{event}");
                }
                // The user is asked anyway.
                Decision::Ask
                    if matches!(event, HookEvent::PermissionRequest | HookEvent::Elicitation) =>
                {
                    assert_eq!(back.decision(), Decision::NoOpinion, "{event}");
                }
                Decision::Deny | Decision::Ask if enforceable(*event) => {
                    assert_eq!(back.decision(), Decision::Deny, "{event}");
                }
                Decision::Deny | Decision::Ask | Decision::Grant | Decision::NoOpinion => {}
            }
        }
    }
}

#[test]
fn f16_claude_encodes_tool_decisions() {
    let event = HookEvent::PreToolUse;
    let own = |fields| specific(event, fields);
    for (output, expected) in [
        (
            HookOutput::block("no")
                .context("why")
                .updated_input(json!({"a": 1})),
            own(
                json!({"permissionDecision": "deny", "permissionDecisionReason": "no", "additionalContext": "why"}),
            ),
        ),
        (
            HookOutput::ask("sure?").updated_input(json!({"a": 1})),
            own(
                json!({"permissionDecision": "ask", "permissionDecisionReason": "sure?", "updatedInput": {"a": 1}}),
            ),
        ),
        (
            HookOutput::grant().updated_input(json!({"a": 1})),
            own(json!({"permissionDecision": "allow", "updatedInput": {"a": 1}})),
        ),
        (
            HookOutput::allow().updated_input(json!({"a": 1})),
            own(json!({"updatedInput": {"a": 1}})),
        ),
        (
            HookOutput::allow().context("c").system_message("m"),
            json!({"systemMessage": "m", "hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "c"}}),
        ),
        (
            HookOutput {
                end_turn: Some("enough".to_owned()),
                ..HookOutput::allow()
            },
            json!({"continue": false, "stopReason": "enough"}),
        ),
    ] {
        assert_eq!(answer(event, &output), expected);
    }
    let rewritten_badly = HookOutput::grant().updated_input(json!("rm"));
    assert_eq!(
        answer(event, &rewritten_badly)["hookSpecificOutput"]["permissionDecision"],
        "deny"
    );
    let mut deferred = HookOutput::allow();
    let field = "permissionDecision".to_owned();
    deferred.event_fields.insert(field, "defer".into());
    assert_eq!(
        answer(event, &deferred),
        own(json!({"permissionDecision": "defer"}))
    );

    let event = HookEvent::PermissionRequest;
    let own = |decision: Value| specific(event, json!({"decision": decision}));
    for (output, expected) in [
        (
            HookOutput::block("no"),
            own(json!({"behavior": "deny", "message": "no"})),
        ),
        (
            HookOutput {
                end_turn: Some(String::new()),
                ..HookOutput::block("no")
            },
            own(json!({"behavior": "deny", "message": "no", "interrupt": true})),
        ),
        (HookOutput::grant(), own(json!({"behavior": "allow"}))),
        (
            HookOutput::grant().updated_input(json!({"a": 1})),
            own(json!({"behavior": "allow", "updatedInput": {"a": 1}})),
        ),
        (HookOutput::ask("sure?"), Value::Null),
        (
            HookOutput::allow().updated_input(json!({"a": 1})),
            Value::Null,
        ),
    ] {
        assert_eq!(answer(event, &output), expected);
    }
}

#[test]
fn f16_claude_encodes_blocks_in_each_events_form() {
    for event in HookEvent::ALL {
        let reply = Dialect::ClaudeCode.encode(*event, &HookOutput::block("no"));
        let by_exit_code = matches!(
            event,
            HookEvent::TeammateIdle
                | HookEvent::TaskCreated
                | HookEvent::TaskCompleted
                | HookEvent::WorktreeCreate
        );
        if by_exit_code {
            assert_eq!(
                (reply.exit_code, reply.stderr.as_str()),
                (2, "no\n"),
                "{event}"
            );
            let expected = match event {
                HookEvent::WorktreeCreate => Value::Null,
                _ => json!({"decision": "block", "reason": "no"}),
            };
            assert_eq!(sent(&reply), expected, "{event}");
            continue;
        }
        let expected = match event {
            HookEvent::PreToolUse | HookEvent::PreModelSwitch => specific(
                *event,
                json!({"permissionDecision": "deny", "permissionDecisionReason": "no"}),
            ),
            HookEvent::PermissionRequest => specific(
                *event,
                json!({"decision": {"behavior": "deny", "message": "no"}}),
            ),
            HookEvent::PostToolUse
            | HookEvent::PostToolUseFailure
            | HookEvent::PostToolBatch
            | HookEvent::UserPromptSubmit
            | HookEvent::UserPromptExpansion
            | HookEvent::Stop
            | HookEvent::SubagentStop
            | HookEvent::PreCompact
            | HookEvent::ConfigChange => json!({"decision": "block", "reason": "no"}),
            HookEvent::Elicitation | HookEvent::ElicitationResult => {
                specific(*event, json!({"action": "decline"}))
            }
            _ => {
                // The client cannot enforce it: the user sees it where it can be shown at all.
                assert!(!enforceable(*event), "{event}");
                let answer = sent(&reply);
                if let Some(message) = answer.get("systemMessage") {
                    assert!(message.as_str().unwrap().ends_with("cannot enforce: no"));
                }
                assert_eq!(answer.get("decision"), None);
                continue;
            }
        };
        assert!(enforceable(*event), "{event}");
        assert_eq!(sent(&reply), expected, "{event}");
    }
}

#[test]
fn f16_claude_blocks_whatever_the_reason_says() {
    for event in HookEvent::ALL {
        let output = HookOutput::block("tests fail: no such file: x");
        let reply = Dialect::ClaudeCode.encode(*event, &output);
        let raw = raw(reply.exit_code.into(), reply.stdout, &reply.stderr);
        let back = claude_raw(*event, &raw).unwrap();
        let denied = back.decision() == Decision::Deny;
        assert_eq!(denied, enforceable(*event), "{event}");
    }
}

#[test]
fn f16_claude_shows_what_it_cannot_enforce() {
    for event in [HookEvent::SessionStart, HookEvent::SubagentStart] {
        let shown = answer(event, &HookOutput::block("no").system_message("first"));
        let message = shown["systemMessage"].as_str().unwrap();
        assert!(message.starts_with("first\n") && message.ends_with(": no"));
        let context = &shown["hookSpecificOutput"]["additionalContext"];
        assert!(context.as_str().unwrap().contains(": no"));
        assert_eq!(shown["hookSpecificOutput"]["hookEventName"], event.name());
    }
    for event in [HookEvent::SessionEnd, HookEvent::StopFailure] {
        assert_eq!(answer(event, &HookOutput::block("no")), Value::Null);
    }
}

#[test]
fn f16_claude_never_drops_a_question() {
    let ask = HookOutput::ask("sure?");
    assert_eq!(
        answer(HookEvent::UserPromptSubmit, &ask),
        json!({"decision": "block", "reason": "The user has to decide this: sure?"})
    );
    assert_eq!(
        answer(HookEvent::PreModelSwitch, &ask),
        specific(
            HookEvent::PreModelSwitch,
            json!({"permissionDecision": "ask", "permissionDecisionReason": "sure?"})
        )
    );
    let reply = Dialect::ClaudeCode.encode(HookEvent::TaskCreated, &ask.context("more"));
    assert_eq!(reply.exit_code, 2);
    assert_eq!(reply.stderr, "The user has to decide this: sure?\nmore\n");
}

#[test]
fn f16_claude_prints_text_where_json_would_be_taken_for_it() {
    let encode = |event, output| Dialect::ClaudeCode.encode(event, output).stdout;
    let keep = HookOutput::allow()
        .context("keep the names")
        .system_message("m");
    assert_eq!(encode(HookEvent::PreCompact, &keep), "keep the names\n");
    let braces = HookOutput::allow().context("{\"decision\": \"block\"}");
    let text = encode(HookEvent::PreCompact, &braces);
    assert_eq!(
        claude(HookEvent::PreCompact, text).unwrap().decision(),
        Decision::NoOpinion
    );
    let mut worktree = HookOutput::allow().context("c").system_message("m");
    let field = "worktreePath".to_owned();
    worktree.event_fields.insert(field, "/w/x".into());
    assert_eq!(encode(HookEvent::WorktreeCreate, &worktree), "/w/x\n");
}

#[test]
fn f16_generic_answers_in_document_names_and_reads_them_back() {
    for (output, expected) in [
        (
            HookOutput::block("no").updated_input(json!({"a": 1})),
            json!({"continue_execution": false, "decision": "deny", "stop_reason": "no"}),
        ),
        (
            HookOutput::ask("sure?"),
            json!({"continue_execution": false, "decision": "ask", "stop_reason": "sure?"}),
        ),
        (HookOutput::grant(), json!({"decision": "grant"})),
        (
            HookOutput::allow()
                .updated_input(json!({"a": 1}))
                .context("c")
                .system_message("m")
                .suppress_logging(),
            json!({"system_message": "m", "additional_context": "c", "updated_input": {"a": 1}, "suppress_logging": true}),
        ),
    ] {
        for event in HookEvent::ALL {
            let reply = Dialect::Generic.encode(*event, &output);
            assert_eq!(reply.exit_code, 0);
            assert_eq!(sent(&reply), expected);
            let back = generic(*event, &reply.stdout);
            let mut same = output.clone();
            same.updated_input = output.rewritten_input().cloned();
            assert_eq!(back, same);
        }
    }
}

#[test]
fn f18_g_a_denial_is_exit_0_with_json_or_exit_2_with_stderr() {
    for dialect in [Dialect::ClaudeCode, Dialect::Generic] {
        for event in HookEvent::ALL {
            for output in outputs() {
                let reply = dialect.encode(*event, &output);
                match reply.exit_code {
                    0 => assert_eq!(reply.stderr, ""),
                    2 => {
                        assert!(output.decision() >= Decision::Ask);
                        assert!(!reply.stderr.trim().is_empty());
                    }
                    code => panic!("{dialect} {event}: exit code {code}"),
                }
            }
        }
    }
    let reply = Dialect::ClaudeCode.encode(HookEvent::PreToolUse, &HookOutput::block("no"));
    assert_eq!(reply.exit_code, 0);
    assert_eq!(
        reply.stdout,
        "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no\"}}\n"
    );
}

// --- Nothing that a hook prints may break us -------------------------------------------------------------

fn any_answer() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "allow",
        "approve",
        "block",
        "deny",
        "ask",
        "defer",
        "grant",
        "fail",
        "warn",
        "accept",
        "PreToolUse",
        "Stop",
        "PermissionRequest",
    ])
    .prop_map(Value::from);
    let leaf = prop_oneof![
        word,
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "continue",
        "continue_execution",
        "decision",
        "action",
        "reason",
        "message",
        "error",
        "hookSpecificOutput",
        "hookEventName",
        "permissionDecision",
        "updatedInput",
        "behavior",
        "modifiedInput",
        "systemMessage",
        "additionalContext",
        "watchPaths",
        "async",
        "x",
    ]);
    let value = leaf.prop_recursive(3, 24, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..5).prop_map(|fields| Value::Object(
                fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
            )),
        ]
    });
    prop_oneof![
        4 => value.prop_map(|value| value.to_string()),
        1 => "[\\{\\}\\[\\]\",:a \n\u{1b}é]{0,24}",
        1 => ".{0,24}",
    ]
}

proptest! {
    #[test]
    fn any_answer_is_read_and_answered(
        stdout in any_answer(),
        stderr in ".{0,16}",
        code in prop::sample::select(vec![0, 1, 2, 126, 127, 255, -1]),
        event in prop::sample::select(HookEvent::ALL),
        cut in any::<bool>(),
    ) {
        let raw = RawOutput { stdout_cut: cut, ..raw(code, stdout, &stderr) };
        for dialect in [Dialect::ClaudeCode, Dialect::Generic] {
            for policy in [ExitPolicy::AnyNonZero, ExitPolicy::OnlyTwo] {
                let _ = dialect.read_body(HOOK, event, &raw.stdout, Completeness::Whole);
                let Ok(output) = dialect.read_output(HOOK, event, &raw, policy) else {
                    continue;
                };
                if code == 2 && event == HookEvent::PreToolUse && !raw.stdout.contains("async") {
                    prop_assert_eq!(output.decision(), Decision::Deny);
                }
                for to in [Dialect::ClaudeCode, Dialect::Generic] {
                    let reply = to.encode(event, &output);
                    let back = to.read_output(
                        HOOK,
                        event,
                        &RawOutput {
                            exit: Exit::Code(reply.exit_code.into()),
                            stdout: reply.stdout,
                            stderr: reply.stderr,
                            ..RawOutput::default()
                        },
                        ExitPolicy::OnlyTwo,
                    );
                    prop_assert!(back.is_ok(), "{} {:?}", to, output);
                }
            }
        }
    }
}
