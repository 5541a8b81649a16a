//! Feature 15: failure policy. What shapes of settings default to is in `f15_a_shapes…`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bowline::hooks::{
    Attempts, Decision, FnHook, HookContext, HookEvent, HookInput, HookManager, HookOutput,
    OnFailure, RunPolicy, RunStatus,
};
use serde_json::json;

use super::place::{Place, USER_FILE, fire};

fn failing(policy: RunPolicy) -> HookManager {
    let mut manager = HookManager::new();
    let events = [
        HookEvent::PreToolUse,
        HookEvent::Stop,
        HookEvent::SessionEnd,
    ];
    manager.register(
        FnHook::new("shaky", events, |_, _| async {
            Err::<HookOutput, _>(bowline::Error::other("out of paper"))
        })
        .policy(policy),
    );
    manager.register(FnHook::new("steady", events, |_, _| async {
        Ok(HookOutput::allow().context("still here"))
    }));
    manager
}

fn panics(said: &str) -> bowline::Result<HookOutput> {
    panic!("{said}")
}

fn on_failure(on_failure: OnFailure) -> RunPolicy {
    let mut policy = RunPolicy::default();
    policy.on_failure = on_failure;
    policy
}

fn tool_call() -> HookInput {
    HookInput::pre_tool_use("s", "Bash", json!({}))
}

#[tokio::test(start_paused = true)]
async fn f15_a_a_rust_hook_that_errs_panics_or_times_out_blocks_a_gate_and_names_itself() {
    let errs = FnHook::new("errs", [HookEvent::PreToolUse], |_, _| async {
        Err::<HookOutput, _>(bowline::Error::other("out of paper"))
    });
    let panicking = FnHook::new("panics", [HookEvent::PreToolUse], |_, _| async {
        panics("out of ink")
    });
    let sleeps = FnHook::new("sleeps", [HookEvent::PreToolUse], |_, _| async {
        tokio::time::sleep(Duration::from_secs(3600)).await;
        Ok(HookOutput::allow())
    });
    for (hook, name, said) in [
        (errs, "errs", "out of paper"),
        (panicking, "panics", "out of ink"),
        (sleeps, "sleeps", "60 s"),
    ] {
        let mut manager = HookManager::new();
        manager.register(hook);
        let result = manager.trigger(tool_call(), &HookContext::new("s")).await;
        assert_eq!(result.output.decision(), Decision::Deny, "{name}");
        let reason = result.output.stop_reason.unwrap_or_default();
        assert!(reason.contains(name) && reason.contains(said), "{reason}");
        assert_eq!(result.results[0].status, RunStatus::Failed);
    }
}

#[tokio::test]
async fn f15_a_the_policy_overrides() {
    for (policy, expected, warnings) in [
        (OnFailure::Block, Decision::Deny, 0),
        (OnFailure::Ask, Decision::Ask, 0),
        (OnFailure::Allow, Decision::NoOpinion, 1),
    ] {
        let result = failing(on_failure(policy))
            .trigger(tool_call(), &HookContext::new("s"))
            .await;
        assert_eq!(result.output.decision(), expected, "{policy:?}");
        assert_eq!(result.output.warnings.len(), warnings, "{policy:?}");
    }
}

#[tokio::test]
async fn f15_a_a_timeout_may_come_to_something_else_and_is_not_tried_again() {
    for (on_timeout, expected) in [
        ("on_timeout = 'allow'\n", Decision::NoOpinion),
        ("on_timeout = 'ask'\n", Decision::Ask),
        ("", Decision::Deny),
    ] {
        for (command, slow) in [("exit 127", false), ("sleep 300", true)] {
            let place = Place::new();
            place.write(
                USER_FILE,
                format!(
                    "[hooks.PreToolUse.mine]\ncommand = 'echo >> tries; {command}'\ntimeout_ms = 200\n\
                     on_failure = 'retry'\n{on_timeout}"
                ),
            );
            let result = fire(&place, &place.manager(), tool_call()).await;
            let (decision, tries) = if slow && !on_timeout.is_empty() {
                (expected, 1)
            } else {
                (Decision::Deny, 2)
            };
            assert_eq!(result.output.decision(), decision, "{on_timeout} {command}");
            assert_eq!(
                place.lines("project/tries"),
                tries,
                "{on_timeout} {command}"
            );
        }
    }
}

#[tokio::test]
async fn f15_claude_on_failure_block_also_tells_the_model_where_nothing_can_be_prevented() {
    for (event, expected) in [
        ("PreToolUse", Decision::Deny),
        ("PostToolUse", Decision::Deny),
        ("Stop", Decision::NoOpinion),
        ("TaskCompleted", Decision::NoOpinion),
    ] {
        for command in ["exit 1", "sleep 5"] {
            let place = Place::new();
            place.write(
                "project/.claude/settings.json",
                format!(
                    r#"{{"hooks": {{"{event}": [{{"hooks": [{{"type": "command", "command": "{command}",
                        "timeout": 0.2, "onFailure": "block"}}]}}]}}}}"#
                ),
            );
            let manager = place.manager();
            let input = HookInput::from_payload_lenient(&json!({
                "hook_event_name": event, "session_id": "s", "tool_name": "Bash", "tool_input": {},
            }));
            let result = manager.trigger(input, &HookContext::new("s")).await;
            assert_eq!(result.output.decision(), expected, "{event} {command}");
        }
    }
}

#[tokio::test]
async fn f15_b_retry_is_exactly_one_further_attempt() {
    for (failures, expected_attempts, expected) in [
        (0, 1, Decision::NoOpinion),
        (1, 2, Decision::NoOpinion),
        (9, 2, Decision::Deny),
    ] {
        let attempts = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&attempts);
        let mut policy = RunPolicy::default();
        policy.attempts = Attempts::RetryOnce;
        let mut manager = HookManager::new();
        manager.register(
            FnHook::new("shaky", [HookEvent::PreToolUse], move |_, _| {
                let attempt = counter.fetch_add(1, Ordering::SeqCst);
                async move {
                    if attempt < failures {
                        Err(bowline::Error::other("no"))
                    } else {
                        Ok(HookOutput::allow())
                    }
                }
            })
            .policy(policy),
        );
        let result = manager.trigger(tool_call(), &HookContext::new("s")).await;
        assert_eq!(attempts.load(Ordering::SeqCst), expected_attempts);
        assert_eq!(result.output.decision(), expected);
    }
}

#[tokio::test]
async fn f15_b_settings_may_ask_for_a_retry() {
    for (on_failure, attempts) in [("retry", 2), ("block", 1)] {
        let place = Place::new();
        place.write(
            USER_FILE,
            format!("[[hooks.PreToolUse]]\ncommand = 'echo >> tries; exit 127'\non_failure = '{on_failure}'\n"),
        );
        fire(&place, &place.manager(), tool_call()).await;
        assert_eq!(place.lines("project/tries"), attempts, "{on_failure}");
    }
}

#[tokio::test]
async fn f15_c_after_the_fact_a_failure_is_a_warning_and_the_rest_runs() {
    for input in [HookInput::stop("s"), HookInput::session_end("s")] {
        let result = failing(RunPolicy::default())
            .trigger(input, &HookContext::new("s"))
            .await;
        assert!(result.allowed);
        assert!(
            result.output.warnings[0].contains("shaky"),
            "{:?}",
            result.output.warnings
        );
        assert_eq!(
            result.output.additional_context.as_deref(),
            Some("still here")
        );
    }
}

#[tokio::test]
async fn f15_d_a_tracker_that_fails_changes_nothing() {
    let manager = failing(RunPolicy::observer());
    let result = manager.trigger(tool_call(), &HookContext::new("s")).await;
    assert!(result.allowed);
    assert_eq!(
        result.output.additional_context.as_deref(),
        Some("still here")
    );
    assert!(
        result.results[0]
            .error
            .as_deref()
            .is_some_and(|error| error.contains("out of paper"))
    );
}

/// Named maps fail closed, other shapes open; `on_failure` overrides.
#[tokio::test]
async fn f15_a_shapes_of_settings_fail_closed_or_open() {
    let missing = "./not-there.sh";
    for (settings, expected) in [
        (json!({"PreToolUse": {"security": missing}}), Decision::Deny),
        (
            json!({"PreToolUse": {"security": {"command": missing, "on_failure": "allow"}}}),
            Decision::NoOpinion,
        ),
        (json!({"PreToolUse": [missing]}), Decision::NoOpinion),
        (
            json!({"PreToolUse": [{"command": missing, "on_failure": "block"}]}),
            Decision::Deny,
        ),
        (
            json!({"PreToolUse": [{"command": missing, "on_failure": "ask"}]}),
            Decision::Ask,
        ),
        (
            json!({"PreToolUse": [{"hooks": [{"type": "command", "command": missing}]}]}),
            Decision::NoOpinion,
        ),
        (
            json!({"PreToolUse": [{"hooks": [{"type": "command", "command": missing, "onFailure": "block"}]}]}),
            Decision::Deny,
        ),
    ] {
        let place = Place::new();
        place.write(
            "project/.claude/settings.json",
            json!({"hooks": settings}).to_string(),
        );
        let result = fire(&place, &place.manager(), tool_call()).await;
        assert_eq!(result.output.decision(), expected, "{settings}");
        let run = &result.results[0];
        assert_eq!(run.status, RunStatus::Failed, "{settings}: {run:?}");
        let warned = !result.output.warnings.is_empty();
        assert_eq!(warned, expected == Decision::NoOpinion, "{settings}");
        if expected == Decision::Deny {
            assert!(
                result
                    .output
                    .stop_reason
                    .unwrap_or_default()
                    .contains(&run.id),
                "{settings}"
            );
        }
    }
}

/// Where Claude Code itself fails closed, its files do here too.
#[tokio::test]
async fn f15_a_two_events_of_claude_code_fail_closed() {
    for (event, expected) in [
        (HookEvent::PreModelSwitch, Decision::Deny),
        (HookEvent::WorktreeCreate, Decision::Deny),
        (HookEvent::PreCompact, Decision::NoOpinion),
    ] {
        let place = Place::new();
        let killed = json!({"type": "command", "command": "sleep 30", "timeout": 0.05});
        let settings = json!({"hooks": {event.name(): [{"hooks": [killed]}]}});
        place.write("project/.claude/settings.json", settings.to_string());
        let result = fire(&place, &place.manager(), HookInput::for_event("s", event)).await;
        assert_eq!(result.results[0].status, RunStatus::Failed, "{event}");
        assert_eq!(result.output.decision(), expected, "{event}");
    }
}

/// What is logged, for as long as the writer is in force.
#[derive(Clone, Default)]
struct Log(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn f15_a_failure_is_logged_without_its_secrets() {
    let token = bowline_guard::secrets::expand("ghp_{a36}");
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .finish();
    let _in_force = tracing::subscriber::set_default(subscriber);
    let mut manager = HookManager::new();
    let fails = token.clone();
    manager.register(FnHook::new("fails", [HookEvent::Stop], move |_, _| {
        let fails = fails.clone();
        async move { Err::<HookOutput, _>(bowline::Error::other(format!("refused {fails}"))) }
    }));
    let refused = token.clone();
    manager.register(FnHook::new("panics", [HookEvent::Stop], move |_, _| {
        let token = refused.clone();
        async move { panics(&format!("refused {token}")) }
    }));
    let result = manager
        .trigger(HookInput::stop("s"), &HookContext::new("s"))
        .await;
    assert_eq!(result.results.len(), 2);
    let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert_eq!(
        logged.matches("[REDACTED:github-token]").count(),
        2,
        "{logged}"
    );
    assert!(!logged.contains(&token), "{logged}");
}
