//! Feature 14: execution modes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bowline::hooks::{
    FnHook, HookContext, HookEvent, HookInput, HookManager, HookOutput, HookRun, Match, Repeat,
    RunPolicy, RunStatus,
};
use serde_json::json;
use tokio::sync::Barrier;
use tokio::time::Instant;

use super::place::{Place, USER_FILE, fire};

fn sleeper(name: &str, policy: RunPolicy) -> FnHook {
    let said = name.to_owned();
    FnHook::new(name, [HookEvent::PreToolUse], move |_, _| {
        let said = said.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok(HookOutput::allow().context(said))
        }
    })
    .policy(policy)
}

fn tool_call() -> HookInput {
    HookInput::pre_tool_use("s", "Bash", json!({"command": "ls"}))
}

fn parallel() -> RunPolicy {
    let mut policy = RunPolicy::default();
    policy.parallel_group = Some(1);
    policy
}

#[tokio::test(start_paused = true)]
async fn f14_a_hooks_run_one_after_another() {
    let mut manager = HookManager::new();
    for name in ["a", "b", "c"] {
        manager.register(sleeper(name, RunPolicy::default()));
    }
    let started = Instant::now();
    let output = manager
        .trigger(tool_call(), &HookContext::new("s"))
        .await
        .output;
    assert_eq!(started.elapsed(), Duration::from_millis(300));
    assert_eq!(output.additional_context.as_deref(), Some("a\nb\nc"));
}

#[tokio::test(start_paused = true)]
async fn f14_b_observers_of_one_event_run_concurrently() {
    let mut manager = HookManager::new();
    for name in ["a", "b", "c", "d", "e", "f"] {
        manager.register(sleeper(name, RunPolicy::observer()));
    }
    let started = Instant::now();
    let result = manager.trigger(tool_call(), &HookContext::new("s")).await;
    assert_eq!(started.elapsed(), Duration::from_millis(100));
    assert_eq!(
        result.output.additional_context.as_deref(),
        Some("a\nb\nc\nd\ne\nf")
    );
}

#[tokio::test(start_paused = true)]
async fn f14_c_a_parallel_group_runs_together_and_reports_in_order() {
    let mut manager = HookManager::new();
    // Each waits for the other: one after another they would never finish.
    let meeting = Arc::new(Barrier::new(2));
    for (name, pause) in [("slow", 200), ("quick", 50)] {
        let meeting = Arc::clone(&meeting);
        manager.register(
            FnHook::new(name, [HookEvent::PreToolUse], move |_, _| {
                let meeting = Arc::clone(&meeting);
                async move {
                    meeting.wait().await;
                    tokio::time::sleep(Duration::from_millis(pause)).await;
                    Ok(HookOutput::allow().context(name))
                }
            })
            .policy(parallel()),
        );
    }
    manager.register(sleeper("after", RunPolicy::default()));
    let started = Instant::now();
    let result = manager.trigger(tool_call(), &HookContext::new("s")).await;
    assert_eq!(started.elapsed(), Duration::from_millis(300));
    assert_eq!(
        result.output.additional_context.as_deref(),
        Some("slow\nquick\nafter")
    );
}

#[tokio::test]
async fn f14_d_an_observer_cannot_decide() {
    let mut manager = HookManager::new();
    manager.register(
        FnHook::new("opinionated", [HookEvent::PreToolUse], |_, _| async {
            Ok(HookOutput::block("no")
                .updated_input(json!({}))
                .context("seen"))
        })
        .policy(RunPolicy::observer()),
    );
    let result = manager.trigger(tool_call(), &HookContext::new("s")).await;
    assert!(result.allowed);
    assert_eq!(result.output.updated_input, None);
    assert_eq!(result.output.additional_context.as_deref(), Some("seen"));
    assert_eq!(result.output.warnings.len(), 1);
}

#[tokio::test]
async fn f14_d_once_runs_once_per_session_and_again_after_a_failure() {
    let runs = Arc::new(AtomicUsize::new(0));
    let mut policy = RunPolicy::default();
    policy.repeat = Repeat::OncePerSession;
    policy.on_failure = bowline::hooks::OnFailure::Allow;
    let mut manager = HookManager::new();
    let counter = Arc::clone(&runs);
    manager.register(
        FnHook::new("greeting", [HookEvent::PreToolUse], move |_, _| {
            let run = counter.fetch_add(1, Ordering::SeqCst);
            async move {
                if run == 0 {
                    Err(bowline::Error::other("not yet"))
                } else {
                    Ok(HookOutput::allow())
                }
            }
        })
        .policy(policy),
    );
    let fire = async |session: &str| {
        let input = HookInput {
            session_id: session.to_owned(),
            ..tool_call()
        };
        manager.trigger(input, &HookContext::new(session)).await
    };
    for (session, total) in [("one", 1), ("one", 2), ("one", 2), ("two", 3), ("two", 3)] {
        fire(session).await;
        assert_eq!(runs.load(Ordering::SeqCst), total, "session {session}");
    }
    assert!(
        matches!(&manager.preview(&HookInput { session_id: "one".into(), ..tool_call() })[..],
        [(_, Match::No(why))] if why.contains("once"))
    );
    manager
        .trigger(HookInput::session_end("one"), &HookContext::new("one"))
        .await;
    fire("one").await;
    assert_eq!(runs.load(Ordering::SeqCst), 4, "a session that begins anew");
}

#[tokio::test(start_paused = true)]
async fn f14_d_a_background_hook_is_not_awaited() {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let sender = Arc::new(std::sync::Mutex::new(Some(sender)));
    let mut manager = HookManager::new();
    manager.register(
        FnHook::new("report", [HookEvent::PreToolUse], move |_, _| {
            let sender = sender.lock().unwrap().take();
            async move {
                tokio::time::sleep(Duration::from_secs(30)).await;
                sender.unwrap().send(()).unwrap();
                Ok(HookOutput::block("too late to say"))
            }
        })
        .policy(RunPolicy::background()),
    );
    let started = Instant::now();
    let result = manager.trigger(tool_call(), &HookContext::new("s")).await;
    assert_eq!(started.elapsed(), Duration::ZERO);
    assert!(result.allowed);
    assert_eq!(result.results[0].status, RunStatus::Started);
    receiver.await.unwrap();
}

#[tokio::test]
async fn f14_c_a_parallel_group_of_settings_runs_together() {
    let place = Place::new();
    // Each waits for the other: one after another the first would never finish.
    place.write(
        USER_FILE,
        r#"
        [[hooks.PreToolUse]]
        parallel = true
        hooks = [
            { type = "command", command = "touch a; until [ -e b ]; do sleep 0.01; done; echo a", timeout_secs = 30 },
            { type = "command", command = "touch b; until [ -e a ]; do sleep 0.01; done; echo b", timeout_secs = 30 },
        ]
        "#,
    );
    let result = fire(&place, &place.manager(), tool_call()).await;
    assert!(result.results.iter().all(HookRun::success), "{result:?}");
    assert_eq!(result.output.message.as_deref(), Some("a\nb"));
}

#[tokio::test]
async fn f14_d_settings_choose_the_mode() {
    for (mode, command, allowed, status, ran_twice) in [
        (
            "observer = false",
            "exit 1",
            false,
            Some(RunStatus::Ran),
            true,
        ),
        (
            "observer = true",
            "exit 1",
            true,
            Some(RunStatus::Ran),
            true,
        ),
        (
            "async = true",
            "exit 1",
            true,
            Some(RunStatus::Started),
            true,
        ),
        ("once = true", "exit 0", true, Some(RunStatus::Ran), false),
        (
            "if = 'Bash(ls *)'",
            "exit 1",
            false,
            Some(RunStatus::Ran),
            true,
        ),
        ("if = 'Bash(git *)'", "exit 1", true, None, false),
    ] {
        let place = Place::new();
        place.write(
            USER_FILE,
            format!("[[hooks.PreToolUse]]\nmatcher = 'Bash'\n{mode}\ncommand = '{command}'\n"),
        );
        let manager = place.manager();
        let result = fire(&place, &manager, tool_call()).await;
        assert_eq!(result.allowed, allowed, "{mode}");
        let ran = result.results.first().map(|run| run.status.clone());
        assert_eq!(ran, status, "{mode}");
        let again = fire(&place, &manager, tool_call()).await;
        assert_eq!(!again.results.is_empty(), ran_twice, "{mode}");
    }
}
