//! What we answer an agent.

use super::*;

fn answer(event: HookEvent, output: &Opinion) -> Value {
    let reply = CLAUDE_CODE.encode(&Reported::of(event), output);
    assert_eq!((reply.exit, reply.stderr.as_str()), (0, ""), "{event}");
    sent(&reply)
}

/// Outputs of all kinds, bare and with everything that an output can carry.
fn outputs() -> Vec<Opinion> {
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
        Opinion::allow(),
        Opinion::block("no"),
        Opinion::ask("sure?"),
        Opinion::grant(),
        Opinion {
            continue_execution: false,
            ..Opinion::grant()
        },
        Opinion {
            stop_reason: None,
            ..Opinion::block("")
        },
    ];
    let mut all = Vec::new();
    for output in plain {
        let dressed = Opinion {
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
    for (agent, protocol) in supported() {
        for event in HookEvent::ALL.iter().chain([&HookEvent::Unknown]) {
            for output in outputs() {
                let reported = Reported::of(*event);
                let reply = protocol.encode(&reported, &output);
                let answer = serde_json::from_str(&reply.stdout).unwrap_or_default();
                // To some agents an "allow" beside another input does not skip their own question.
                let read = protocol.reads(&reported, &reply).unwrap_or_default();
                if says_allow(&answer) && read.decision == Decision::Grant {
                    allowed += 1;
                    assert_eq!(
                        output.decision(),
                        Decision::Grant,
                        "{} {event}: {answer}",
                        agent.name
                    );
                }
            }
        }
    }
    assert!(allowed > 0);
    for (_, protocol) in supported() {
        for event in HookEvent::ALL {
            let silent = Opinion {
                message: Some("printed".to_owned()),
                warnings: vec!["careful".to_owned()],
                ..Opinion::allow()
            };
            let reported = Reported::of(*event);
            let reply = protocol.encode(&reported, &silent);
            // An agent that wants an object gets one that says nothing.
            assert_eq!(
                protocol.reads(&reported, &reply),
                Some(Reading::silence()),
                "{event}"
            );
        }
    }
}

/// What we send must be what the client accepts: read by its own rules it is neither void nor weaker.
#[test]
fn f16_every_answer_is_valid_for_claude_code() {
    for event in HookEvent::ALL {
        for output in outputs() {
            let reply = CLAUDE_CODE.encode(&Reported::of(*event), &output);
            let back = claude_raw(
                *event,
                &raw(reply.exit.into(), &reply.stdout, &reply.stderr),
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
                // The end of the turn beats a block.
                _ if output.end_turn.is_some()
                    && matches!(event, HookEvent::Stop | HookEvent::SubagentStop) =>
                {
                    assert!(back.end_turn.is_some(), "{event}");
                }
                // The user is asked anyway.
                Decision::Ask
                    if matches!(event, HookEvent::PermissionRequest | HookEvent::Elicitation) =>
                {
                    assert_eq!(back.decision(), Decision::NoOpinion, "{event}");
                }
                Decision::Deny | Decision::Ask if CLAUDE_CODE.enforces(*event) => {
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
            Opinion::block("no")
                .context("why")
                .updated_input(json!({"a": 1})),
            own(
                json!({"permissionDecision": "deny", "permissionDecisionReason": "no", "additionalContext": "why"}),
            ),
        ),
        (
            Opinion::ask("sure?").updated_input(json!({"a": 1})),
            own(
                json!({"permissionDecision": "ask", "permissionDecisionReason": "sure?", "updatedInput": {"a": 1}}),
            ),
        ),
        (
            Opinion::grant().updated_input(json!({"a": 1})),
            own(json!({"permissionDecision": "allow", "updatedInput": {"a": 1}})),
        ),
        (
            Opinion::allow().updated_input(json!({"a": 1})),
            own(json!({"updatedInput": {"a": 1}})),
        ),
        (
            Opinion::allow().context("c").system_message("m"),
            json!({"systemMessage": "m", "hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "c"}}),
        ),
        (
            Opinion {
                end_turn: Some("enough".to_owned()),
                ..Opinion::allow()
            },
            json!({"continue": false, "stopReason": "enough"}),
        ),
    ] {
        assert_eq!(answer(event, &output), expected);
    }
    let rewritten_badly = Opinion::grant().updated_input(json!("rm"));
    assert_eq!(
        answer(event, &rewritten_badly)["hookSpecificOutput"]["permissionDecision"],
        "deny"
    );
    let mut deferred = Opinion::allow();
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
            Opinion::block("no"),
            own(json!({"behavior": "deny", "message": "no"})),
        ),
        (
            Opinion {
                end_turn: Some(String::new()),
                ..Opinion::block("no")
            },
            own(json!({"behavior": "deny", "message": "no", "interrupt": true})),
        ),
        (Opinion::grant(), own(json!({"behavior": "allow"}))),
        (
            Opinion::grant().updated_input(json!({"a": 1})),
            own(json!({"behavior": "allow", "updatedInput": {"a": 1}})),
        ),
        (Opinion::ask("sure?"), Value::Null),
        (Opinion::allow().updated_input(json!({"a": 1})), Value::Null),
    ] {
        assert_eq!(answer(event, &output), expected);
    }
}

#[test]
fn f16_claude_encodes_blocks_in_each_events_form() {
    for event in HookEvent::ALL {
        let reply = CLAUDE_CODE.encode(&Reported::of(*event), &Opinion::block("no"));
        let by_exit_code = matches!(
            event,
            HookEvent::TeammateIdle
                | HookEvent::TaskCreated
                | HookEvent::TaskCompleted
                | HookEvent::WorktreeCreate
        );
        if by_exit_code {
            assert_eq!((reply.exit, reply.stderr.as_str()), (2, "no\n"), "{event}");
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
                assert!(!CLAUDE_CODE.enforces(*event), "{event}");
                let answer = sent(&reply);
                if let Some(message) = answer.get("systemMessage") {
                    assert!(message.as_str().unwrap().ends_with("cannot enforce: no"));
                }
                assert_eq!(answer.get("decision"), None);
                continue;
            }
        };
        assert!(CLAUDE_CODE.enforces(*event), "{event}");
        assert_eq!(sent(&reply), expected, "{event}");
    }
}

#[test]
fn f16_claude_blocks_whatever_the_reason_says() {
    for event in HookEvent::ALL {
        let output = Opinion::block("tests fail: no such file: x");
        let reply = CLAUDE_CODE.encode(&Reported::of(*event), &output);
        let raw = raw(reply.exit.into(), reply.stdout, &reply.stderr);
        let back = claude_raw(*event, &raw).unwrap();
        let denied = back.decision() == Decision::Deny;
        assert_eq!(denied, CLAUDE_CODE.enforces(*event), "{event}");
    }
}

#[test]
fn f16_claude_shows_what_it_cannot_enforce() {
    for event in [HookEvent::SessionStart, HookEvent::SubagentStart] {
        let shown = answer(event, &Opinion::block("no").system_message("first"));
        let message = shown["systemMessage"].as_str().unwrap();
        assert!(message.starts_with("first\n") && message.ends_with(": no"));
        let context = &shown["hookSpecificOutput"]["additionalContext"];
        assert!(context.as_str().unwrap().contains(": no"));
        assert_eq!(shown["hookSpecificOutput"]["hookEventName"], event.name());
    }
    for event in [HookEvent::SessionEnd, HookEvent::StopFailure] {
        assert_eq!(answer(event, &Opinion::block("no")), Value::Null);
    }
}

#[test]
fn f16_claude_never_drops_a_question() {
    let ask = Opinion::ask("sure?");
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
    let reply = CLAUDE_CODE.encode(&Reported::of(HookEvent::TaskCreated), &ask.context("more"));
    assert_eq!(reply.exit, 2);
    assert_eq!(reply.stderr, "The user has to decide this: sure?\nmore\n");
}

#[test]
fn f16_claude_prints_text_where_json_would_be_taken_for_it() {
    let encode = |event, output| CLAUDE_CODE.encode(&Reported::of(event), output).stdout;
    let keep = Opinion::allow()
        .context("keep the names")
        .system_message("m");
    assert_eq!(encode(HookEvent::PreCompact, &keep), "keep the names\n");
    let braces = Opinion::allow().context("{\"decision\": \"block\"}");
    let text = encode(HookEvent::PreCompact, &braces);
    assert_eq!(
        claude(HookEvent::PreCompact, text).unwrap().decision(),
        Decision::NoOpinion
    );
    let told = |path: &str| {
        let mut worktree = Opinion::allow().context("c").system_message("m");
        let field = "worktreePath".to_owned();
        worktree.event_fields.insert(field, path.into());
        CLAUDE_CODE.encode(&Reported::of(HookEvent::WorktreeCreate), &worktree)
    };
    assert_eq!(told("/w/x").stdout, "/w/x\n");
    assert_eq!(told("{x}").stdout, "./{x}\n");
    let refused = told("/w\n/elsewhere");
    assert_eq!((refused.exit, refused.stdout.as_str()), (2, ""));
    assert!(refused.stderr.contains("line breaks"), "{}", refused.stderr);
}

#[test]
fn f16_generic_answers_in_document_names_and_reads_them_back() {
    for (output, expected) in [
        (
            Opinion::block("no").updated_input(json!({"a": 1})),
            json!({"continue_execution": false, "decision": "deny", "stop_reason": "no"}),
        ),
        (
            Opinion::ask("sure?"),
            json!({"continue_execution": false, "decision": "ask", "stop_reason": "sure?"}),
        ),
        (Opinion::grant(), json!({"decision": "grant"})),
        (
            Opinion::allow()
                .updated_input(json!({"a": 1}))
                .context("c")
                .system_message("m")
                .suppress_logging(),
            json!({"system_message": "m", "additional_context": "c", "updated_input": {"a": 1}, "suppress_logging": true}),
        ),
    ] {
        for event in HookEvent::ALL {
            let reply = GENERIC.encode(&Reported::of(*event), &output);
            assert_eq!(reply.exit, 0);
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
    for (agent, protocol) in supported() {
        for event in HookEvent::ALL {
            for output in outputs() {
                let reply = protocol.encode(&Reported::of(*event), &output);
                match reply.exit {
                    0 => assert_eq!(reply.stderr, ""),
                    2 => {
                        // A call that cannot be changed is one that does not run.
                        let stops = output.decision() >= Decision::Ask
                            || output.rewritten_input().is_some();
                        assert!(stops, "{} {event}: {output:?}", agent.name);
                        assert!(!reply.stderr.trim().is_empty());
                    }
                    code => panic!("{} {event}: exit code {code}", agent.name),
                }
            }
        }
    }
    let reply = CLAUDE_CODE.encode(&Reported::of(HookEvent::PreToolUse), &Opinion::block("no"));
    assert_eq!(reply.exit, 0);
    assert_eq!(
        reply.stdout,
        "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no\"}}\n"
    );
}

/// In the client deferring beats asking, too; a guard's question must not get lost by it.
#[test]
fn f16_claude_defer_beats_a_grant_alone() {
    let deferred = |output: Opinion| {
        let mut output = output;
        output
            .event_fields
            .insert("permissionDecision".to_owned(), "defer".into());
        CLAUDE_CODE
            .encode(&Reported::of(HookEvent::PreToolUse), &output)
            .stdout
    };
    for output in [Opinion::allow(), Opinion::grant()] {
        let sent = deferred(output);
        assert!(sent.contains(r#""permissionDecision":"defer""#), "{sent}");
    }
    assert!(deferred(Opinion::ask("sure?")).contains(r#""permissionDecision":"ask""#));
    assert!(deferred(Opinion::block("no")).contains(r#""permissionDecision":"deny""#));
}
