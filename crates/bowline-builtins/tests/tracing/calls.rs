//! Item 20: one call, one row.

use bowline::hooks::{HookContext, HookEvent, HookInput, Opinion, Recording};
use bowline_builtins::recorder::disables;
use bowline_guard::secrets::expand;
use bowline_store::{Enforcement, SessionRef, SkippedChange, Store, TraceFilter, TraceStatus};
use serde_json::{Value, json};

use crate::bench::{Bench, context, event, payload};

fn pre(id: Option<&str>, tool: &str, input: Value) -> HookInput {
    event(
        json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": id}),
    )
}

fn post(id: Option<&str>, tool: &str, input: Value, response: Value) -> HookInput {
    event(
        json!({"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": input,
        "tool_response": response, "tool_use_id": id}),
    )
}

#[tokio::test]
async fn f20_a_a_recorded_session_is_one_row_with_both_times_and_the_clients_duration() {
    let mut bench = Bench::new();
    for (ms, name) in [
        (0, "SessionStart-1"),
        (10, "UserPromptSubmit-1"),
        (1_000, "PreToolUse-1"),
        (2_234, "PostToolUse-1"),
        (2_300, "PostToolBatch-1"),
        (2_400, "Stop-1"),
        (2_500, "SessionEnd-1"),
    ] {
        bench.recorded(ms, name).await;
    }
    let session = payload("PreToolUse-1").session_id;
    let traces = bench
        .store
        .get_traces(SessionRef::Chain(&session), 100, None)
        .unwrap();
    let [trace] = &traces[..] else {
        panic!("{traces:?}")
    };
    assert_eq!(trace.tool_use_id, "toolu_0128JDm1ImRunK1LfwymKZbn");
    assert_eq!((trace.tool.as_str(), trace.status.shown()), ("Bash", "ok"));
    assert_eq!(
        (trace.started_at, trace.ended_at),
        (bench.at(1_000), Some(bench.at(2_234)))
    );
    // What the client says it took, without prompts and hooks.
    assert_eq!(trace.duration_ms, Some(36));
    assert_eq!(
        trace.input,
        Some(json!({"command": "ls", "description": "List files"}))
    );
    assert_eq!(trace.output.as_ref().unwrap()["stdout"], "hello.txt");
    let details = bench
        .store
        .session(SessionRef::Chain(&session))
        .unwrap()
        .unwrap();
    assert_eq!(details.prompts[0].text.as_deref(), Some("List the files."));
    assert_eq!(details.sessions[0].source.as_deref(), Some("startup"));
    assert_eq!(details.sessions[0].end_reason.as_deref(), Some("other"));
    assert_eq!(trace.group, details.prompts[0].group);
}

#[tokio::test]
async fn what_an_agent_calls_otherwise_is_kept_beside_bowlines_words() {
    let mut bench = Bench::new();
    let token = expand("ghp_{a36}");
    let said = event(json!({
        "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_use_id": "x",
        "tool_input": {"file_path": "/p/a", "note": token},
        "native": {"event": "BeforeTool", "tool_name": "read_file", "tool_input": {"absolute_path": "/p/a", "note": token}},
    }));
    bench.report(0, &said).await;
    let trace = bench.trace("x");
    assert_eq!(trace.tool, "Read");
    assert_eq!(trace.input.as_ref().unwrap()["file_path"], "/p/a");
    assert_eq!(trace.native_tool(), Some("read_file"));
    let own = trace.native_input().unwrap();
    assert_eq!(own["absolute_path"], "/p/a");
    assert!(!own.to_string().contains(&token), "{own}");

    bench
        .report(10, &pre(Some("y"), "Bash", json!({"command": "ls"})))
        .await;
    assert_eq!(bench.trace("y").native, None);
}

#[tokio::test]
async fn f20_a_without_the_clients_duration_it_is_the_time_between_the_events() {
    let mut bench = Bench::new();
    let input = json!({"command": "sleep 1"});
    bench
        .report(0, &pre(Some("x"), "Bash", input.clone()))
        .await;
    bench
        .report(1_234, &post(Some("x"), "Bash", input, json!("done")))
        .await;
    assert_eq!(bench.trace("x").duration_ms, Some(1_234));
}

#[tokio::test]
async fn f20_a_parallel_calls_end_in_any_order() {
    let mut bench = Bench::new();
    for (ms, id) in [(0, "a"), (1, "b"), (2, "c")] {
        bench
            .report(ms, &pre(Some(id), "Read", json!({"file_path": "same"})))
            .await;
    }
    for (ms, id) in [(100, "c"), (200, "a"), (300, "b")] {
        let end = post(
            Some(id),
            "Read",
            json!({"file_path": "same"}),
            json!({"text": id}),
        );
        assert_eq!(bench.report(ms, &end).await.skipped(), []);
    }
    for (id, duration) in [("a", 200), ("b", 299), ("c", 98)] {
        let trace = bench.trace(id);
        assert_eq!(trace.duration_ms, Some(duration));
        assert_eq!(trace.output, Some(json!({"text": id})));
    }
}

#[tokio::test]
async fn f20_b_calls_without_ids_are_found_again_by_session_tool_and_input() {
    let mut bench = Bench::new();
    let (first, second) = (json!({"a": 1, "b": "x"}), json!({"a": 2, "b": "x"}));
    bench.report(0, &pre(None, "Bash", first)).await;
    bench.report(10, &pre(None, "Bash", second.clone())).await;
    bench.report(20, &pre(Some(""), "Read", json!({}))).await;
    // The second ends first, and its fields come in another order.
    bench
        .report(
            100,
            &post(None, "Bash", json!({"b": "x", "a": 2}), json!("second")),
        )
        .await;
    // Some agents do not repeat the input.
    bench
        .report(200, &post(None, "Bash", Value::Null, json!("first")))
        .await;
    bench
        .report(300, &post(None, "Read", json!({}), json!("third")))
        .await;
    let traces = bench
        .store
        .get_traces(SessionRef::Chain("s"), 100, None)
        .unwrap();
    let found: Vec<_> = traces
        .iter()
        .map(|trace| (trace.tool.as_str(), trace.duration_ms, trace.output.clone()))
        .collect();
    assert_eq!(
        found,
        [
            ("Read", Some(280), Some(json!("third"))),
            ("Bash", Some(90), Some(json!("second"))),
            ("Bash", Some(200), Some(json!("first"))),
        ]
    );
    assert!(traces.iter().all(|trace| !trace.tool_use_id.is_empty()));
}

/// Its end reports the input that the model asked for, or the one that ran.
#[tokio::test]
async fn f20_b_a_rewritten_call_without_an_id_is_found_again() {
    let (asked, ran) = (json!({"command": "rm a"}), json!({"command": "trash a"}));
    for reported in [&asked, &ran] {
        let rewritten = Opinion::allow().updated_input(ran.clone());
        let mut bench = Bench::new().answering(HookEvent::PreToolUse, rewritten);
        bench.report(0, &pre(None, "Bash", asked.clone())).await;
        let end = post(None, "Bash", reported.clone(), json!("done"));
        assert_eq!(bench.report(100, &end).await.skipped(), [], "{reported}");
        let all = bench.store.get_traces(SessionRef::Chain("s"), 10, None);
        let [trace] = &all.unwrap()[..] else {
            panic!("there is one call")
        };
        assert_eq!(trace.duration_ms, Some(100), "{reported}");
        assert_eq!(trace.input.as_ref(), Some(&ran));
    }
}

#[tokio::test]
async fn f20_c_failures_are_errors_with_a_message() {
    let mut bench = Bench::new();
    let failure = payload("PostToolUseFailure-1");
    let id = failure.tool_use_id().unwrap().to_owned();
    let mut start = pre(
        Some(&id),
        "Bash",
        json!({"command": "echo oops >&2; exit 3"}),
    );
    start.session_id.clone_from(&failure.session_id);
    bench.report(0, &start).await;
    bench.recorded(100, "PostToolUseFailure-1").await;
    let trace = bench.trace(&id);
    assert_eq!(trace.status.shown(), "error");
    assert_eq!(trace.error.as_deref(), Some("Exit code 3\noops"));
    assert_eq!(trace.duration_ms, Some(65));

    let secret = expand("ghp_{a36}");
    for (id, response, message) in [
        ("stderr", json!({"stderr": "boom"}), "stderr: boom"),
        (
            "error",
            json!({"error": format!("no {secret}")}),
            "no [REDACTED:github-token]",
        ),
        (
            "success",
            json!({"success": false, "reason": "full"}),
            "full",
        ),
        ("status", json!({"status": "error", "message": "m"}), "m"),
    ] {
        bench.report(200, &pre(Some(id), "Bash", json!({}))).await;
        bench
            .report(300, &post(Some(id), "Bash", json!({}), response))
            .await;
        let trace = bench.trace(id);
        assert_eq!(
            (trace.status.shown(), trace.error.as_deref()),
            ("error", Some(message))
        );
    }

    bench
        .report(400, &pre(Some("long"), "Bash", json!({})))
        .await;
    let long = json!({"stderr": "x".repeat(10_000)});
    bench
        .report(500, &post(Some("long"), "Bash", json!({}), long))
        .await;
    assert_eq!(bench.trace("long").error.unwrap().chars().count(), 500);

    bench
        .report(600, &pre(Some("esc"), "Bash", json!({})))
        .await;
    let interrupted = event(
        json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_use_id": "esc", "error": "interrupted by the user", "is_interrupt": true}),
    );
    bench.report(700, &interrupted).await;
    assert_eq!(bench.trace("esc").status, TraceStatus::Cancelled);
}

#[tokio::test]
async fn f20_d_an_end_without_a_start_is_noted_and_changes_nothing() {
    let mut bench = Bench::new();
    bench.report(0, &pre(Some("a"), "Bash", json!({}))).await;
    let outcome = bench
        .report(1, &post(Some("b"), "Bash", json!({}), json!("x")))
        .await;
    let note = SkippedChange::NoStart {
        tool_use_id: Some("b".to_owned()),
        tool: "Bash".to_owned(),
    };
    assert_eq!(outcome.skipped(), [note]);
    assert_eq!(bench.store.get_trace("b").unwrap(), None);
    assert_eq!(bench.trace("a").status, TraceStatus::Started);
}

#[tokio::test]
async fn f20_e_a_start_after_the_end_gives_no_duration() {
    let mut bench = Bench::new();
    bench.report(500, &pre(Some("a"), "Bash", json!({}))).await;
    bench
        .report(0, &post(Some("a"), "Bash", json!({}), json!("x")))
        .await;
    let trace = bench.trace("a");
    assert_eq!(
        (trace.status, trace.duration_ms),
        (TraceStatus::Completed, None)
    );
}

#[tokio::test]
async fn f20_f_g_secrets_are_kept_nowhere_and_the_executed_input_is_untouched() {
    let token = expand("ghp_{a36}");
    let reason = format!("not with {token}");
    let rewritten = json!({"command": format!("curl -H 'Authorization: Bearer {token}' https://api.test"),
        "nested": [{"api_key": "s", "author": "Ada", "keyboard": "de", "max_tokens": 5}],
        "content": "x".repeat(20_000)});
    let mut bench = Bench::new().answering(
        HookEvent::PreToolUse,
        Opinion::ask(reason).updated_input(rewritten.clone()),
    );
    let input = pre(Some("a"), "Bash", json!({"command": "curl"}));
    let ctx = HookContext::new("s");
    let result = bench.manager.trigger(input.clone(), &ctx).await;
    assert_eq!(result.output.rewritten_input(), Some(&rewritten));

    let record = bench.decide(0, &input).await.unwrap();
    assert_eq!(
        record.decided.reason.as_deref(),
        Some("not with [REDACTED:github-token]")
    );
    bench.commit(record);
    let response = json!({"stdout": format!("export TOKEN={token}"), "headers": {"Cookie": "a=b"}});
    bench
        .report(1, &post(Some("a"), "Bash", rewritten, response))
        .await;
    let prompt =
        event(json!({"hook_event_name": "UserPromptSubmit", "prompt": format!("use {token}")}));
    bench.report(2, &prompt).await;

    let trace = bench.trace("a");
    // The input that will be executed is what is kept.
    let kept = trace.input.clone().unwrap();
    assert_eq!(
        kept["nested"],
        json!([{"api_key": "[REDACTED]", "author": "Ada", "keyboard": "de", "max_tokens": 5}])
    );
    assert!(kept["content"].as_str().unwrap().chars().count() < 10_100);
    let details = bench
        .store
        .session(SessionRef::Chain("s"))
        .unwrap()
        .unwrap();
    let triggers = bench.store.last_events(10).unwrap();
    let everything = format!("{trace:?} {details:?} {triggers:?}");
    assert!(everything.contains("https://api.test"));
    assert!(!everything.contains(&token), "{everything}");
}

#[tokio::test]
async fn f20_f_names_and_ids_lose_their_secrets_and_calls_are_found_again() {
    let mut bench = Bench::new();
    let tokens = [expand("ghp_{a36}"), expand("ghp_{h36}")];
    assert_ne!(tokens[0], tokens[1]);
    let tool = format!("deploy {}", tokens[0]);
    for (ms, token) in (0..).zip(&tokens) {
        bench.report(ms, &pre(Some(token), &tool, json!({}))).await;
    }
    // A batch that is over closes what never ended; the first one did.
    bench
        .report(5, &post(Some(&tokens[0]), &tool, json!({}), json!("done")))
        .await;
    let batch = event(json!({"hook_event_name": "PostToolBatch", "tool_calls": [
        {"tool_use_id": tokens[0], "tool_response": "done"},
        {"tool_use_id": tokens[1], "tool_response": "refused"},
    ]}));
    bench.report(6, &batch).await;

    let traces = bench.store.find_traces(&TraceFilter::default()).unwrap();
    let mut statuses: Vec<_> = traces.iter().map(|trace| trace.status).collect();
    statuses.sort_by_key(|status| format!("{status:?}"));
    assert_eq!(statuses, [TraceStatus::Completed, TraceStatus::Refused]);
    assert!(
        traces
            .iter()
            .all(|trace| trace.tool == "deploy [REDACTED:github-token]")
    );
    // What an agent calls its model and its sub-agents is free text.
    let token = &tokens[0];
    let start = event(
        json!({"hook_event_name": "SessionStart", "source": "startup", "model": format!("opus {token}")}),
    );
    bench.report(7, &start).await;
    let kind = format!("explorer {token}");
    let mut delegated = pre(
        Some("agent"),
        "Agent",
        json!({"subagent_type": kind, "prompt": "look"}),
    );
    bench.report(8, &delegated).await;
    delegated =
        event(json!({"hook_event_name": "SubagentStart", "agent_id": token, "agent_type": kind}));
    bench.report(9, &delegated).await;
    let triggers = bench.store.last_events(10).unwrap();
    let session = bench.store.session(SessionRef::Chain("s")).unwrap();
    let everything = format!("{traces:?} {triggers:?} {session:?}");
    for kept in ["opus [REDACTED", "explorer [REDACTED"] {
        assert!(everything.contains(kept), "{everything}");
    }
    for token in &tokens {
        assert!(!everything.contains(token.as_str()), "{everything}");
    }
}

#[tokio::test]
async fn f20_h_switched_off_nothing_is_kept_and_the_event_proceeds() {
    for (recording, kept) in [(Recording::Off, false), (Recording::On, true)] {
        let mut bench = Bench::new().answering(HookEvent::PreToolUse, Opinion::grant());
        bench.recording = recording;
        let input = pre(Some("a"), "Bash", json!({}));
        let record = bench.decide(0, &input).await;
        assert_eq!(record.is_some(), kept, "{recording:?}");
        let ctx = context("s", "another").with_recording(recording);
        assert!(bench.manager.trigger(input, &ctx).await.allowed);
    }
    for (value, off) in [("1", true), ("yes", true), ("0", false), ("", false)] {
        assert_eq!(disables(value), off, "{value}");
    }
}

#[tokio::test]
async fn a_denied_call_is_closed_unless_the_agent_goes_on_all_the_same() {
    let denied = || Bench::new().answering(HookEvent::PreToolUse, Opinion::block("too wide"));
    let mut bench = denied();
    bench.report(0, &pre(Some("a"), "Bash", json!({}))).await;
    let trace = bench.trace("a");
    assert_eq!(
        (trace.status, trace.error.as_deref()),
        (TraceStatus::Denied, Some("too wide"))
    );

    let mut bench = denied();
    bench.enforcement = Enforcement::Unenforced;
    bench.report(0, &pre(Some("a"), "Bash", json!({}))).await;
    assert_eq!(bench.trace("a").status, TraceStatus::Started);
    bench
        .report(5, &post(Some("a"), "Bash", json!({}), json!("x")))
        .await;
    assert_eq!(bench.trace("a").status, TraceStatus::Completed);

    let mut bench = Bench::new().answering(HookEvent::PreToolUse, Opinion::ask("sure?"));
    bench.report(0, &pre(Some("a"), "Bash", json!({}))).await;
    assert_eq!(bench.trace("a").status, TraceStatus::Started);
}

#[tokio::test]
async fn a_call_that_the_agent_or_a_person_refuses_is_refused() {
    let mut bench = Bench::new();
    let refused = payload("PermissionDenied-1");
    let id = refused.tool_use_id().unwrap().to_owned();
    let mut start = pre(Some(&id), "Bash", refused.tool_input().unwrap().clone());
    start.session_id.clone_from(&refused.session_id);
    bench.report(0, &start).await;
    bench.recorded(1, "PermissionDenied-1").await;
    let trace = bench.trace(&id);
    assert_eq!(trace.status, TraceStatus::Refused);
    assert!(
        trace
            .error
            .unwrap()
            .starts_with("Auto mode could not evaluate")
    );

    // A person says no, and the client only tells by the end of the batch.
    for id in ["done", "refused"] {
        bench.report(2, &pre(Some(id), "Bash", json!({}))).await;
    }
    bench
        .report(3, &post(Some("done"), "Bash", json!({}), json!("x")))
        .await;
    let batch = event(json!({"hook_event_name": "PostToolBatch", "tool_calls": [
        {"tool_use_id": "done", "tool_name": "Bash", "tool_response": "x"},
        {"tool_use_id": "refused", "tool_name": "Bash", "tool_response": "The user said no"},
        {"tool_use_id": "invalid", "tool_name": "Bash", "tool_response": "no such field"},
    ]}));
    assert_eq!(bench.report(4, &batch).await.skipped(), []);
    assert_eq!(bench.trace("done").status, TraceStatus::Completed);
    let trace = bench.trace("refused");
    assert_eq!(
        (trace.status, trace.error.as_deref()),
        (TraceStatus::Refused, Some("The user said no"))
    );
    assert_eq!(bench.store.get_trace("invalid").unwrap(), None);
}

#[tokio::test]
async fn a_refused_question_keeps_its_reason() {
    let batch = json!({"hook_event_name": "PostToolBatch", "tool_calls": [
        {"tool_use_id": "a", "tool_name": "Bash", "tool_response": "The user said no"},
    ]});
    for (sign, expected) in [
        (
            json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"}),
            "refused",
        ),
        (
            json!({"hook_event_name": "SessionEnd", "reason": "prompt_input_exit"}),
            "refused",
        ),
        (batch, "refused"),
        (
            json!({"hook_event_name": "Notification", "message": "waiting"}),
            "started",
        ),
    ] {
        let mut bench = Bench::new().answering(HookEvent::PreToolUse, Opinion::ask("sure?"));
        bench.report(0, &pre(Some("a"), "Bash", json!({}))).await;
        let open = bench.trace("a");
        assert_eq!((open.asked.as_deref(), open.error), (Some("sure?"), None));
        bench.report(1, &event(sign.clone())).await;
        let trace = bench.trace("a");
        assert_eq!(trace.status.shown(), expected, "{sign}");
        let kept = if expected == "refused" {
            trace.error
        } else {
            trace.asked
        };
        assert_eq!(kept.as_deref(), Some("sure?"), "{sign}");
    }
    // Somebody agreed, and gave a prompt while it ran.
    let mut bench = Bench::new().answering(HookEvent::PreToolUse, Opinion::ask("sure?"));
    bench.report(0, &pre(Some("a"), "Bash", json!({}))).await;
    let prompt = event(json!({"hook_event_name": "UserPromptSubmit", "prompt": "and then"}));
    bench.report(1, &prompt).await;
    let ended = post(Some("a"), "Bash", json!({}), json!("x"));
    assert_eq!(bench.report(2, &ended).await.skipped(), []);
    let trace = bench.trace("a");
    assert_eq!((trace.status, trace.error), (TraceStatus::Completed, None));
    // One that was agreed to has run, and nothing is left of the question.
    let mut bench = Bench::new().answering(HookEvent::PreToolUse, Opinion::ask("sure?"));
    bench.report(0, &pre(Some("a"), "Bash", json!({}))).await;
    bench
        .report(1, &post(Some("a"), "Bash", json!({}), json!("x")))
        .await;
    let prompt = event(json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"}));
    bench.report(2, &prompt).await;
    let trace = bench.trace("a");
    assert_eq!(trace.status, TraceStatus::Completed);
    assert_eq!((trace.asked, trace.error), (None, None));
}

#[tokio::test]
async fn calls_that_never_finish_are_closed_with_their_session() {
    for (reason, expected) in [
        (json!("prompt_input_exit"), TraceStatus::Cancelled),
        (json!("clear"), TraceStatus::Cancelled),
        (json!("other"), TraceStatus::Timeout),
        (Value::Null, TraceStatus::Timeout),
    ] {
        let mut bench = Bench::new();
        bench.report(0, &pre(Some("a"), "Bash", json!({}))).await;
        let end = event(json!({"hook_event_name": "SessionEnd", "reason": reason}));
        bench.report(1, &end).await;
        assert_eq!(bench.trace("a").status, expected, "{reason}");
    }
}
