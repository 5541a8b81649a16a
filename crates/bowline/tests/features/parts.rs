//! Calls that do several things: who sees which of them, and what is answered.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bowline::Error;
use bowline::hooks::{
    Background, Decision, FnHook, Hook, HookContext, HookEvent, HookInput, HookManager, HookOutput,
    Match, Opinion, Permission, Regex, RunPolicy, RunStatus, TriggerResult,
};
use serde_json::{Value, json};

const PRE: HookEvent = HookEvent::PreToolUse;

/// A patch that edits `a`, writes `.env` and deletes `c`.
fn patch(event: &str) -> HookInput {
    let edit = json!({"file_path": "/p/a", "old_string": "1", "new_string": "2"});
    HookInput::from_owned_payload(json!({
        "hook_event_name": event, "session_id": "s", "cwd": "/p", "tool_use_id": "call",
        "tool_name": "Edit", "tool_input": edit, "tool_response": "fine",
        "native": {"tool_name": "apply_patch"},
        "parts": [
            {"tool_name": "Edit", "tool_input": edit},
            {"tool_name": "Write", "tool_input": {"file_path": "/p/.env", "content": "x"}},
            {"tool_name": "Delete", "tool_input": {"file_path": "/p/c"}},
        ],
    }))
}

/// A hook that says of each call what the function says.
fn hook(
    name: &str,
    say: impl Fn(&HookInput) -> Result<Opinion, Error> + Send + Sync + 'static,
) -> FnHook {
    let events = [PRE, HookEvent::PermissionRequest, HookEvent::PostToolUse];
    FnHook::new(name, events, move |input, _| {
        let said = say(&input);
        async move { said }
    })
}

/// What a hook says of the part that is about `.env`.
fn about_env(opinion: Opinion) -> impl Fn(&HookInput) -> Result<Opinion, Error> {
    move |input| match input.file_path() {
        Some("/p/.env") => Ok(opinion.clone()),
        _ => Ok(Opinion::allow()),
    }
}

async fn trigger(event: &str, hooks: impl IntoIterator<Item = FnHook>) -> TriggerResult {
    let mut manager = HookManager::new();
    for hook in hooks {
        manager.register(hook);
    }
    manager.trigger(patch(event), &HookContext::new("s")).await
}

#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn note(&self, input: &HookInput) {
        let file = input.file_path().unwrap_or_default();
        let part = input.field("part").and_then(|part| part["number"].as_u64());
        let what = format!("{} {file} {part:?}", input.tool_name().unwrap_or_default());
        self.0.lock().unwrap().push(what);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

#[tokio::test]
async fn a_hook_runs_for_every_part_that_it_matches() {
    for event in ["PreToolUse", "PermissionRequest", "PostToolUse"] {
        for (matcher, expected) in [
            (
                "",
                &[
                    "Edit /p/a Some(1)",
                    "Write /p/.env Some(2)",
                    "Delete /p/c Some(3)",
                ][..],
            ),
            (
                "^(Write|Edit)$",
                &["Edit /p/a Some(1)", "Write /p/.env Some(2)"],
            ),
            ("^Delete$", &["Delete /p/c Some(3)"]),
            ("^Bash$", &[]),
        ] {
            let seen = Seen::default();
            let noted = seen.clone();
            let hook = hook("seen", move |input| {
                noted.note(input);
                Ok(Opinion::allow())
            });
            let result = trigger(event, [hook.tool_matcher(Regex::new(matcher).unwrap())]).await;
            assert_eq!(seen.take(), expected, "{event} {matcher}");
            assert_eq!(result.results.len(), usize::from(!expected.is_empty()));
        }
    }
}

#[tokio::test]
async fn a_hook_that_counts_calls_sees_one_and_all_parts_of_it() {
    let seen = Seen::default();
    let noted = seen.clone();
    let counts = hook("counts", move |input| {
        noted.note(input);
        input.parts().for_each(|part| noted.note(&part));
        Ok(Opinion::allow())
    });
    trigger("PreToolUse", [counts.policy(RunPolicy::default().whole())]).await;
    assert_eq!(
        seen.take(),
        [
            "Edit /p/a None",
            "Edit /p/a Some(1)",
            "Write /p/.env Some(2)",
            "Delete /p/c Some(3)"
        ]
    );
}

#[tokio::test]
async fn the_strictest_word_on_any_part_is_the_word_on_the_call() {
    for (opinion, decision) in [
        (Opinion::block("no secrets").by_rule("r"), Decision::Deny),
        (Opinion::ask("is that fine?").by_rule("r"), Decision::Ask),
        (Opinion::grant(), Decision::NoOpinion),
        (Opinion::allow().context("mind it"), Decision::NoOpinion),
    ] {
        let result = trigger("PreToolUse", [hook("one", about_env(opinion.clone()))]).await;
        let output = &result.output;
        assert_eq!(output.decision(), decision, "{opinion:?}");
        let about = "(part 2 of 3: Write of /p/.env)";
        let reason = opinion
            .stop_reason
            .map(|reason| format!("{reason} {about}"));
        assert_eq!(output.stop_reason, reason);
        assert_eq!(
            (&output.rule, &output.additional_context),
            (&opinion.rule, &opinion.additional_context)
        );
    }
}

#[tokio::test]
async fn all_that_a_person_is_asked_about_is_told_and_nothing_twice() {
    let asks = hook("asks", |input| {
        let tool = input.tool_name().unwrap_or_default();
        let asked = Opinion::ask(format!("{tool}?")).by_rule(tool);
        Ok(asked
            .context("mind it")
            .system_message("look")
            .warning("odd"))
    });
    let output = trigger("PreToolUse", [asks]).await.output;
    assert_eq!(output.decision(), Decision::Ask);
    assert_eq!(
        output.stop_reason.as_deref(),
        Some(
            "Edit? (part 1 of 3: Edit of /p/a)\nWrite? (part 2 of 3: Write of /p/.env)\nDelete? (part 3 of 3: Delete of /p/c)"
        )
    );
    assert_eq!(output.rule.as_deref(), Some("Edit"));
    assert_eq!(output.additional_context.as_deref(), Some("mind it"));
    assert_eq!(output.system_message.as_deref(), Some("look"));
    assert_eq!(output.warnings, ["odd"]);
}

#[tokio::test]
async fn a_denial_ends_a_gate_and_everything_is_seen_afterwards() {
    for (event, expected) in [("PreToolUse", 2), ("PostToolUse", 3)] {
        let seen = Seen::default();
        let noted = seen.clone();
        let deny = about_env(Opinion::block("no"));
        let denies = hook("denies", move |input| {
            noted.note(input);
            deny(input)
        });
        let result = trigger(event, [denies]).await;
        assert_eq!(result.output.decision(), Decision::Deny);
        assert_eq!(seen.take().len(), expected, "{event}");
    }
}

/// Who allows one file allows no other.
#[tokio::test]
async fn a_call_is_allowed_where_all_of_it_is() {
    let all = trigger("PermissionRequest", [hook("all", |_| Ok(Opinion::grant()))]).await;
    assert_eq!(all.output.decision(), Decision::Grant);
    let some = |matcher: &str| {
        let hook = hook("some", |_| Ok(Opinion::grant()));
        hook.tool_matcher(Regex::new(matcher).unwrap())
    };
    for hooks in [
        vec![some("Edit|Write")],
        vec![some("Edit|Write"), some("Delete")],
    ] {
        let output = trigger("PermissionRequest", hooks).await.output;
        assert_eq!(
            (output.decision(), output.permission),
            (Decision::NoOpinion, None::<Permission>)
        );
        assert!(
            output.warnings[0].contains("of the 3 parts"),
            "{:?}",
            output.warnings
        );
    }
}

#[tokio::test]
async fn a_part_that_is_to_be_changed_is_denied_and_said_to_be_so() {
    let changed = || Opinion::allow().updated_input(json!({"file_path": "/p/env.example"}));
    let whole = hook("whole", move |_| Ok(changed())).policy(RunPolicy::default().whole());
    for changes in [
        hook("each", about_env(changed())),
        hook(
            "granted",
            about_env(Opinion {
                permission: Some(Permission::Grant),
                ..changed()
            }),
        ),
        whole,
    ] {
        let output = trigger("PreToolUse", [changes]).await.output;
        assert_eq!(
            (output.decision(), &output.updated_input),
            (Decision::Deny, &None)
        );
        let reason = output.stop_reason.unwrap();
        assert!(reason.contains("a part cannot be changed"), "{reason}");
        assert!(reason.contains("/p/env.example"), "{reason}");
    }
    // Where nothing can be stopped, the call stays as it was.
    let output = trigger("PostToolUse", [hook("late", about_env(changed()))])
        .await
        .output;
    assert_eq!(
        (output.decision(), &output.updated_input),
        (Decision::NoOpinion, &None)
    );
    assert_eq!(output.warnings.len(), 1);
    // What leaves the input as it is changes nothing.
    let same = hook("same", |input| {
        let input = input.tool_input().cloned();
        Ok(Opinion {
            updated_input: input,
            ..Opinion::allow()
        })
    });
    let output = trigger("PreToolUse", [same]).await.output;
    assert_eq!(output, Opinion::allow());
}

#[tokio::test]
async fn a_failure_at_one_part_hides_nothing_of_the_others() {
    for (policy, failing, decision) in [
        (RunPolicy::fail_open(), "/p/c", Decision::Ask),
        (RunPolicy::fail_open(), "/p/a", Decision::Ask),
        (RunPolicy::default(), "/p/c", Decision::Deny),
    ] {
        let asks = about_env(Opinion::ask("is that fine?"));
        let fails = hook("fails", move |input| match input.file_path() {
            Some(file) if file == failing => Err(Error::other("broken")),
            _ => asks(input),
        });
        let result = trigger("PreToolUse", [fails.policy(policy)]).await;
        assert_eq!(result.output.decision(), decision, "{failing}");
        assert_eq!(result.results[0].status, RunStatus::Failed);
        assert!(
            result.results[0]
                .error
                .as_deref()
                .is_some_and(|it| it.contains("broken"))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn all_parts_have_one_time_limit() {
    let started = tokio::time::Instant::now();
    let slow = FnHook::new("slow", [PRE], |_, _| async {
        tokio::time::sleep(Duration::from_secs(4)).await;
        Ok(HookOutput::allow())
    });
    let result = trigger("PreToolUse", [slow.timeout(Duration::from_secs(5))]).await;
    assert_eq!(result.output.decision(), Decision::Deny);
    assert_eq!(started.elapsed(), Duration::from_secs(5));
}

/// Asks for every part whether it is wanted, and is told once.
struct Told(Seen);

#[async_trait]
impl Hook for Told {
    fn name(&self) -> &str {
        "told"
    }

    fn events(&self) -> &[HookEvent] {
        &[PRE]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::told()
    }

    fn matches(&self, input: &HookInput) -> Match {
        match input.tool_name() {
            Some("Delete") => Match::Yes,
            _ => Match::No("it deletes nothing".to_owned()),
        }
    }

    async fn decided(&self, input: &HookInput, decision: &Opinion, ctx: &HookContext) {
        assert_eq!(decision.decision(), Decision::Deny);
        assert_eq!(ctx.whole_call(input), input);
        self.0.note(input);
    }
}

#[tokio::test]
async fn what_was_decided_is_told_once_of_the_whole_call() {
    let seen = Seen::default();
    let mut manager = HookManager::new();
    manager.register(Told(seen.clone()));
    manager.register(hook("denies", about_env(Opinion::block("no"))));
    manager
        .trigger(patch("PreToolUse"), &HookContext::new("s"))
        .await;
    assert_eq!(seen.take(), ["Edit /p/a None"]);
}

#[tokio::test]
async fn who_sees_a_part_can_ask_for_the_call() {
    let asks = FnHook::new("asks", [PRE], |input, ctx| async move {
        let call = ctx.whole_call(&input);
        assert_eq!((call.part_count(), input.part_count()), (3, 1));
        Ok(HookOutput::allow())
    });
    assert!(trigger("PreToolUse", [asks]).await.allowed);
}

#[tokio::test]
async fn a_background_hook_runs_for_every_part() {
    let seen = Seen::default();
    let noted = seen.clone();
    let hook = hook("background", move |input| {
        noted.note(input);
        Ok(Opinion::allow())
    });
    let background = Background::default();
    let mut manager = HookManager::new().with_background(background.clone());
    manager.register(hook.policy(RunPolicy::background()));
    let result = manager
        .trigger(patch("PostToolUse"), &HookContext::new("s"))
        .await;
    assert_eq!(result.results[0].status, RunStatus::Started);
    while background.running() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(seen.take().len(), 3);
}

/// A command gets one part, and neither the others nor the whole.
#[test]
fn a_part_is_told_like_a_call() {
    let patch = patch("PreToolUse");
    let part = patch.parts().nth(1).unwrap().into_owned();
    let told: Value = part.to_payload(&HookContext::new("s"));
    assert_eq!(
        (&told["tool_name"], &told["tool_input"], &told["part"]),
        (
            &json!("Write"),
            &json!({"file_path": "/p/.env", "content": "x"}),
            &json!({"number": 2, "of": 3})
        )
    );
    assert_eq!(
        (&told["parts"], &told["tool_use_id"]),
        (&Value::Null, &json!("call"))
    );
}
