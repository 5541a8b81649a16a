//! What a record says beside its changes, and how much is kept.

use std::time::Duration;

use bowline::hooks::{Decision, HookContext, HookEvent, HookInput, Opinion};
use bowline::settings::{RecordConfig, RecordDetail};
use bowline_guard::secrets::expand;
use bowline_store::{Enforcement, SessionRef, Store, TraceStatus};
use serde_json::json;

use crate::bench::{Bench, context, event, payload};

fn bash(id: &str) -> HookInput {
    event(
        json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": id,
        "tool_input": {"command": "ls", "content": "all of it"}}),
    )
}

#[tokio::test]
async fn a_record_tells_who_what_and_how_it_was_decided() {
    let token = expand("ghp_{a36}");
    let mut bench = Bench::new().answering(
        HookEvent::PreToolUse,
        Opinion::block(format!("it has {token}")),
    );
    let record = bench.decide(5, &payload("PreToolUse-6")).await.unwrap();
    assert_eq!(record.decided.id, "event-1");
    assert_eq!(
        (record.decided.time, record.decided.agent.as_str()),
        (bench.at(5), "claude-code")
    );
    assert_eq!(record.decided.event, "PreToolUse");
    assert_eq!(
        record.decided.project.as_deref(),
        Some("/home/user/project")
    );
    assert_eq!(
        record.decided.session,
        "446523aa-4061-493a-bba0-40803a484e46"
    );
    let subagent = record.decided.subagent.unwrap();
    assert_eq!(
        (subagent.id.as_str(), subagent.kind.as_str()),
        ("a7b6dad79aa3b0284", "general-purpose")
    );
    assert_eq!(record.decided.tool.as_deref(), Some("Bash"));
    assert_eq!(
        record.decided.tool_use_id.as_deref(),
        Some("toolu_01SB3oNYL8byjQsM325hfEM6")
    );
    assert_eq!(record.decided.decision, Decision::Deny);
    assert_eq!(
        record.decided.reason.as_deref(),
        Some("it has [REDACTED:github-token]")
    );
    assert_eq!(record.decided.enforcement, Enforcement::Enforced);
    assert_eq!(record.decided.duration, Duration::from_micros(700));
    let hooks: Vec<_> = record
        .decided
        .hooks
        .iter()
        .map(|hook| (hook.name.as_str(), hook.scope.as_deref(), hook.decision))
        .collect();
    assert_eq!(
        hooks,
        [
            ("other", Some("scope of other"), Decision::Deny),
            ("trace", Some("scope of trace"), Decision::NoOpinion),
        ]
    );
}

#[tokio::test]
async fn what_observing_would_have_decided_is_kept() {
    let would = || Opinion::block("too wide").by_rule("files.delete");
    let asks = || Opinion::ask("sure?").by_rule("git.push");
    for (outputs, expected) in [
        (
            vec![would()],
            (
                Decision::Deny,
                "too wide",
                "files.delete",
                Enforcement::Enforced,
            ),
        ),
        (
            vec![would().only_observed()],
            (
                Decision::Deny,
                "too wide",
                "files.delete",
                Enforcement::Observed,
            ),
        ),
        (
            vec![would().only_observed(), asks().only_observed()],
            (
                Decision::Deny,
                "too wide",
                "files.delete",
                Enforcement::Observed,
            ),
        ),
        // What is really decided counts, however mild it is.
        (
            vec![would().only_observed(), asks()],
            (Decision::Ask, "sure?", "git.push", Enforcement::Enforced),
        ),
    ] {
        let mut bench = Bench::new();
        for (n, output) in outputs.into_iter().enumerate() {
            bench = bench.also_answering(&format!("hook {n}"), HookEvent::PreToolUse, output);
        }
        let record = bench.decide(0, &bash("a")).await.unwrap();
        let found = (
            record.decided.decision,
            record.decided.reason.as_deref().unwrap(),
            record.decided.rule.as_deref().unwrap(),
            record.decided.enforcement,
        );
        assert_eq!(found, expected);
        bench.commit(record);
        let kept = &bench.store.last_events(1).unwrap()[0];
        assert_eq!(
            (kept.decided.rule.as_deref(), kept.decided.enforcement),
            (Some(expected.2), expected.3)
        );
        let ran = bench.trace("a").status == TraceStatus::Started;
        assert_eq!(
            ran,
            expected.0 == Decision::Ask || expected.3 == Enforcement::Observed
        );
    }
}

#[tokio::test]
async fn events_that_mean_nothing_for_traces_are_records_all_the_same() {
    let mut bench = Bench::new();
    for name in [
        "Notification-1",
        "PreCompact-1",
        "CwdChanged-1",
        "Stop-1",
        "PermissionRequest-1",
    ] {
        let record = bench.decide(0, &payload(name)).await.unwrap();
        assert_eq!(record.decided.event, name.trim_end_matches("-1"));
        assert!(record.changes.is_empty(), "{name}");
        bench.commit(record);
    }
    let unknown = event(json!({"hook_event_name": "SomethingNew"}));
    assert_eq!(
        bench.decide(0, &unknown).await.unwrap().decided.event,
        "SomethingNew"
    );
}

#[tokio::test]
async fn notes_are_taken_once_and_never_mixed() {
    let bench = Bench::new();
    let (first, second) = (context("s", "one"), context("s", "two"));
    let (a, b) = (bash("a"), bash("b"));
    let result = bench.manager.trigger(a.clone(), &first).await;
    bench.manager.trigger(b.clone(), &second).await;
    let of_b = bench.record(0, &b, &second, &result).unwrap();
    let of_a = bench.record(0, &a, &first, &result).unwrap();
    let again = bench.record(0, &a, &first, &result).unwrap();
    assert_eq!(
        (of_a.changes.len(), of_b.changes.len(), again.changes.len()),
        (1, 1, 0)
    );
    assert!(format!("{:?}", of_a.changes).contains("Id(\"a\")"));
    assert!(format!("{:?}", of_b.changes).contains("Id(\"b\")"));
    // An event without an id has no record.
    let nameless = HookContext::new("s");
    bench.manager.trigger(a.clone(), &nameless).await;
    assert_eq!(bench.record(0, &a, &nameless, &result), None);
}

#[tokio::test]
async fn as_much_is_kept_as_the_settings_say() {
    for (detail, prompt, input, output, error) in [
        (
            RecordDetail::Full,
            Some("do it"),
            Some(json!({"command": "ls", "content": "all of it"})),
            Some(json!({"stderr": "boom"})),
            Some("stderr: boom"),
        ),
        (
            RecordDetail::Summary,
            Some("do it"),
            Some(json!({"command": "ls", "content": "[9 characters]"})),
            Some(json!({"stderr": "[4 characters]"})),
            Some("stderr: boom"),
        ),
        (RecordDetail::Off, None, None, None, None),
    ] {
        let mut keep = RecordConfig::default();
        (keep.prompts, keep.inputs, keep.outputs) = (detail, detail, detail);
        let mut bench = Bench::keeping(keep);
        bench
            .report(
                0,
                &event(json!({"hook_event_name": "UserPromptSubmit", "prompt": "do it"})),
            )
            .await;
        bench.report(1, &bash("a")).await;
        let end = event(
            json!({"hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_use_id": "a", "tool_response": {"stderr": "boom"}}),
        );
        bench.report(2, &end).await;
        let trace = bench.trace("a");
        assert_eq!(trace.status, TraceStatus::Failed);
        assert_eq!((trace.input, trace.output), (input, output));
        assert_eq!(trace.error.as_deref(), error);
        let details = bench
            .store
            .session(SessionRef::Chain("s"))
            .unwrap()
            .unwrap();
        assert_eq!(details.prompts[0].text.as_deref(), prompt);
    }
}

#[tokio::test]
async fn what_hooks_warn_of_and_print_is_kept_bounded_and_without_secrets() {
    let secret = expand("ghp_{a36}");
    let mut output = Opinion::allow().warning(format!("the token {secret} was ignored"));
    output.message = Some(format!("{secret} {}", "long ".repeat(1_000)));
    output
        .warnings
        .extend((0..100).map(|number| number.to_string()));
    let mut bench = Bench::new().answering(HookEvent::PreToolUse, output);
    let input = HookInput::pre_tool_use("s", "Bash", json!({"command": "ls"}))
        .with_field("tool_use_id", "toolu_1");
    bench.report(0, &input).await;
    let call = bench.trace("toolu_1");
    let [trigger] = bench.store.events_of(&call).unwrap().try_into().unwrap();
    let hook = trigger
        .decided
        .hooks
        .iter()
        .find(|hook| hook.name == "other")
        .unwrap();
    assert_eq!(hook.warnings.len(), 8);
    assert_eq!(
        hook.warnings[0],
        "the token [REDACTED:github-token] was ignored"
    );
    let message = hook.message.as_deref().unwrap();
    assert!(message.starts_with("[REDACTED:github-token] long"));
    assert!(message.chars().count() <= 500);
    let text = serde_json::to_string(&trigger).unwrap();
    assert!(!text.contains(&secret), "{text}");
}

#[tokio::test]
async fn f16_e_a_hook_that_asks_not_to_be_logged_is_not_and_cannot_silence_others() {
    let mut quiet = Opinion::block("the password is swordfish").suppress_logging();
    quiet.warnings.push("swordfish".to_owned());
    quiet.message = Some("swordfish".to_owned());
    let input = |id: &str| {
        HookInput::pre_tool_use("s", "Bash", json!({"command": "ls"})).with_field("tool_use_id", id)
    };
    let mut bench = Bench::new().answering(HookEvent::PreToolUse, quiet);
    let record = bench.decide(0, &input("toolu_1")).await.unwrap();
    let text = serde_json::to_string(&record).unwrap();
    assert!(!text.contains("swordfish"), "{text}");
    assert_eq!(record.decided.decision, Decision::Deny);
    assert!(
        record
            .decided
            .reason
            .as_deref()
            .unwrap()
            .contains("not logged")
    );

    // Another hook's reason stays.
    let mut silent = Opinion::allow().suppress_logging();
    silent.message = Some("swordfish".to_owned());
    let mut bench = Bench::new()
        .answering(HookEvent::PreToolUse, silent)
        .also_answering("guard", HookEvent::PreToolUse, Opinion::block("no"));
    let record = bench.decide(0, &input("toolu_1")).await.unwrap();
    assert_eq!(record.decided.reason.as_deref(), Some("no"));
    let text = serde_json::to_string(&record).unwrap();
    assert!(!text.contains("swordfish"), "{text}");
}
