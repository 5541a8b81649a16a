//! Reading what hooks answer, by the generic rules.

use super::*;

#[test]
fn f16_a_blank_output_allows() {
    for stdout in ["", " \n\t", "{}", "\u{feff}"] {
        assert_eq!(generic(HookEvent::PreToolUse, stdout), Opinion::allow());
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
        assert_eq!(output, Opinion::allow(), "{answer}");
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
        assert_eq!(output, Opinion::ask("sure?"), "{answer}");
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
        assert_eq!(output, Opinion::allow().context("careful"), "{answer}");
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
            json!({"action": "delegate"}),
            "`action: delegate` is not a decision; expected allow, ask, deny or block",
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

/// An answer that is not valid blocks and is reported; one that cannot even be parsed goes on.
#[test]
fn f16_c_a_decision_that_is_none_blocks_a_gate_and_is_reported() {
    for (answer, what) in [
        (
            json!({"decision": "maybe"}),
            "`decision: maybe` is not a decision; expected allow, ask, deny or block",
        ),
        (
            json!({"decision": 5, "reason": "why"}),
            "`decision` is a number; expected a word",
        ),
        (
            json!({"continue": "no"}),
            "`continue` is a string; expected true or false",
        ),
        (
            json!({"continue_execution": 0}),
            "`continue_execution` is a number; expected true or false",
        ),
        (
            json!({"hookSpecificOutput": {"permissionDecision": "dney"}}),
            "`permissionDecision: dney` is not a decision; expected allow, ask, deny or block",
        ),
        (
            json!({"decision": "ask", "permissionDecision": "perhaps", "reason": "sure?"}),
            "`permissionDecision: perhaps` is not a decision; expected allow, ask, deny or block",
        ),
    ] {
        let blocked = generic(HookEvent::PreToolUse, &answer);
        assert_eq!(blocked.decision(), Decision::Deny, "{answer}");
        assert_eq!(
            blocked.stop_reason,
            Some(format!(
                "hook `the-hook` gave a decision that is none, so that it blocks: {what}"
            )),
        );
        let warned = |output: &Opinion| output.warnings.iter().any(|text| text == what);
        assert!(warned(&blocked), "{answer}: {:?}", blocked.warnings);
        let after = generic(HookEvent::PostToolUse, &answer);
        assert!(after.decision() < Decision::Deny, "{answer}");
        assert!(warned(&after), "{answer}: {:?}", after.warnings);
    }
    let clear = json!({"decision": "block", "action": 3, "continue": "no", "reason": "said"});
    let output = generic(HookEvent::PreToolUse, clear);
    assert_eq!(output.stop_reason.as_deref(), Some("said"));
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
            Opinion::allow().updated_input(input.clone()),
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
            Opinion::allow()
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
            assert_eq!(output.decision(), Decision::Deny, "{event} {stdout}");
            assert_eq!(output.stop_reason.as_deref(), Some(reason), "{event}");
            // What cannot be blocked is not, and a person learns why nothing happened.
            let warned = (output.warnings.iter()).any(|text| text.contains("only recorded"));
            assert_eq!(warned, event.class() == EventClass::Observe, "{event}");
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
    assert_eq!(only_two(&raw(2, "", "err")).unwrap(), Opinion::block("err"));
    assert_eq!(
        only_two(&raw(1, &deny, "")).unwrap(),
        Opinion::block("json")
    );
    assert_eq!(only_two(&raw(1, "{}", "")).unwrap(), Opinion::allow());
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
    assert_eq!(any(&raw(1, "", "err")).unwrap(), Opinion::block("err"));
    assert_eq!(any(&raw(1, &deny, "")).unwrap(), Opinion::block("json"));
    assert_eq!(any(&raw(1, allow, "err")).unwrap(), Opinion::block("err"));
    assert_eq!(any(&raw(1, ask, "err")).unwrap(), Opinion::ask("sure?"));
    assert!(any(&raw(127, "", "err")).is_err());
}
