//! Reading what hooks answer, by Claude Code's rules.

use super::*;

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
            Opinion::block("no")
        );
        assert_eq!(
            claude_raw(event, &raw(code, &allow, "err")).unwrap(),
            Opinion::grant().updated_input(json!({"command": "ls"}))
        );
    }
    let killed = RawOutput {
        exit: Exit::Signal(15),
        ..raw(0, &deny, "")
    };
    assert_eq!(claude_raw(event, &killed).unwrap(), Opinion::block("no"));

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
        Opinion::ask("sure?").updated_input(json!({"a": 1}))
    );
    assert_eq!(
        read(json!({"updatedInput": {"a": 1}})),
        Opinion::allow().updated_input(json!({"a": 1}))
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
    assert_eq!(claude(event, legacy_reason).unwrap(), Opinion::block("no"));

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
        Opinion::block("no")
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
    assert_eq!(output, Opinion::block("no"));
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
            assert_eq!(
                sent(&CLAUDE_CODE.encode(&Reported::of(event), &output)),
                answer
            );
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
    let mut expected = Opinion::allow()
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
        assert_eq!(output, Opinion::allow(), "{stdout}");
    }
    let stdout = "{\"async\":true}\nlog\n{\"systemMessage\":\"m\",\"hookSpecificOutput\":{\"additionalContext\":\"c\"}}";
    assert_eq!(
        claude(HookEvent::PostToolUse, stdout).unwrap(),
        Opinion::allow().system_message("m").context("c")
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
            assert_eq!(read(empty, Completeness::Whole).unwrap(), Opinion::allow());
        }
        assert_eq!(
            read(&deny, Completeness::Whole).unwrap(),
            Opinion::block("no")
        );
        for body in ["OK", "[]", "{oops", "{oops}"] {
            assert!(read(body, Completeness::Whole).is_err(), "{body}");
        }
        assert!(read(&deny, Completeness::Cut).is_err());
    }
}

/// At the end of a turn context makes the agent go on, and `continue: false` beats a block.
#[test]
fn f16_claude_the_end_of_a_turn_has_rules_of_its_own() {
    for event in [HookEvent::Stop, HookEvent::SubagentStop] {
        let output = claude(
            event,
            specific(event, json!({"additionalContext": "one more test"})),
        );
        assert_eq!(output.unwrap(), Opinion::block("one more test"), "{event}");

        let both = json!({"decision": "block", "reason": "go on", "continue": false, "stopReason": "enough"});
        let output = claude(event, both).unwrap();
        assert_eq!(output.decision(), Decision::NoOpinion, "{event}");
        assert_eq!(output.end_turn.as_deref(), Some("enough"), "{event}");
    }
}

#[test]
fn f16_claude_on_failure_block_makes_every_failing_exit_a_failure_unless_the_json_restricts() {
    let event = HookEvent::PreToolUse;
    let read =
        |raw: &RawOutput| Dialect::ClaudeCode.read_output(HOOK, event, raw, ExitPolicy::AnyFailure);
    let allow = specific(event, json!({"permissionDecision": "allow"}));
    for code in [1, 3, 126, 127] {
        let reason = failure(read(&raw(code, &allow, "err")));
        assert!(reason.ends_with("err"), "{reason}");
    }
    let killed = RawOutput {
        exit: Exit::Signal(9),
        ..raw(0, &allow, "")
    };
    assert!(failure(read(&killed)).contains("signal 9"));
    let ask = specific(
        event,
        json!({"permissionDecision": "ask", "permissionDecisionReason": "sure?"}),
    );
    assert_eq!(read(&raw(1, &ask, "err")).unwrap(), Opinion::ask("sure?"));
    assert_eq!(
        read(&raw(0, &allow, "err")).unwrap().decision(),
        Decision::Grant
    );
    let background = read(&raw(1, json!({"async": true}), "err")).unwrap();
    assert_eq!(background, Opinion::allow());
}

#[test]
fn f16_claude_fields_of_other_events_are_ignored_with_a_warning() {
    for (event, fields) in [
        (
            HookEvent::UserPromptSubmit,
            json!({"permissionDecision": "deny"}),
        ),
        (HookEvent::Stop, json!({"permissionDecision": "deny"})),
        (HookEvent::PostToolUse, json!({"permissionDecision": "ask"})),
        (
            HookEvent::PermissionRequest,
            json!({"permissionDecision": "allow"}),
        ),
        (
            HookEvent::PreToolUse,
            json!({"decision": {"behavior": "allow"}}),
        ),
        (HookEvent::PostToolUse, json!({"action": "decline"})),
        (HookEvent::PostToolUse, json!({"updatedInput": {"a": 1}})),
    ] {
        let field = fields
            .as_object()
            .unwrap()
            .keys()
            .next()
            .unwrap()
            .to_owned();
        let output = claude(event, specific(event, fields)).unwrap();
        assert_eq!(output.decision(), Decision::NoOpinion, "{event} {field}");
        assert_eq!(output.updated_input, None, "{event} {field}");
        let [warning] = output.warnings.try_into().unwrap();
        assert!(warning.contains(&format!("`{field}`")), "{warning}");
    }
}

#[test]
fn f16_claude_context_and_messages_are_cut_as_the_client_does() {
    let long = "é".repeat(10_500);
    for event in [HookEvent::SessionStart, HookEvent::UserPromptSubmit] {
        let by_json = specific(event, json!({"additionalContext": long}));
        for stdout in [by_json.to_string(), long.clone()] {
            let output = claude(event, stdout).unwrap();
            let context = output.additional_context.unwrap();
            assert!(context.starts_with(&"é".repeat(10_000)));
            assert!(context.ends_with("[500 more characters of this hook's output were left out]"));
            assert_eq!(output.warnings.len(), 1);
        }
        let exact = specific(event, json!({"additionalContext": "é".repeat(10_000)}));
        assert!(claude(event, exact).unwrap().warnings.is_empty());
    }
}
