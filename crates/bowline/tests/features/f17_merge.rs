//! Feature 17: decision aggregation.

use bowline::hooks::{
    Decision, FnHook, HookContext, HookEvent, HookInput, HookManager, Opinion, Permission,
    RunStatus, merge,
};
use proptest::prelude::*;
use serde_json::json;

fn manager(hooks: Vec<(&'static str, HookEvent, Opinion)>) -> HookManager {
    let mut manager = HookManager::new();
    for (name, event, output) in hooks {
        manager.register(FnHook::new(name, [event], move |_, _| {
            let output = output.clone();
            async move { Ok(output) }
        }));
    }
    manager
}

fn ctx() -> HookContext {
    HookContext::new("s")
}

#[tokio::test]
async fn f17_a_a_block_on_a_gate_keeps_the_rest_from_running() {
    let event = HookEvent::PreToolUse;
    let manager = manager(vec![
        ("first", event, Opinion::allow()),
        ("second", event, Opinion::block("no")),
        ("third", event, Opinion::allow().context("never said")),
    ]);
    let result = manager
        .trigger(HookInput::pre_tool_use("s", "Bash", json!({})), &ctx())
        .await;
    assert!(!result.allowed);
    assert_eq!(result.output.stop_reason.as_deref(), Some("no"));
    assert_eq!(result.output.additional_context, None);
    let statuses: Vec<_> = result.results.iter().map(|run| &run.status).collect();
    assert!(matches!(
        statuses[..],
        [RunStatus::Ran, RunStatus::Ran, RunStatus::Skipped(_)]
    ));
}

#[tokio::test]
async fn f17_b_fields_merge_by_the_table_and_inputs_chain() {
    let event = HookEvent::PreToolUse;
    let mut manager = manager(vec![
        (
            "first",
            event,
            Opinion::allow()
                .context("one")
                .system_message("early")
                .updated_input(json!({"command": "a"}))
                .suppress_logging(),
        ),
        (
            "second",
            event,
            Opinion::allow().context("two").system_message("late"),
        ),
    ]);
    manager.register(FnHook::new("third", [event], |input, _| async move {
        let seen = input.command().unwrap_or_default().to_owned();
        Ok(Opinion::allow().updated_input(json!({"command": format!("{seen}b")})))
    }));
    let input = HookInput::pre_tool_use("s", "Bash", json!({"command": "original"}));
    let output = manager.execute(event, input, &ctx()).await.unwrap();
    assert_eq!(output.additional_context.as_deref(), Some("one\ntwo"));
    assert_eq!(output.system_message.as_deref(), Some("late"));
    assert_eq!(output.updated_input, Some(json!({"command": "ab"})));
    assert!(output.suppress_logging);
}

#[tokio::test]
async fn f17_c_deny_beats_ask_beats_grant_beats_no_opinion() {
    let event = HookEvent::PreToolUse;
    let (silent, grant) = (Opinion::allow(), Opinion::grant());
    let (ask, deny) = (Opinion::ask("sure?"), Opinion::block("no"));
    let continued = Opinion {
        message: Some("carry on".into()),
        ..Opinion::allow()
    };
    for (outputs, expected) in [
        (vec![], Decision::NoOpinion),
        (vec![&silent, &continued], Decision::NoOpinion),
        (vec![&grant, &silent], Decision::Grant),
        (vec![&grant, &ask, &silent], Decision::Ask),
        (vec![&ask, &deny, &grant], Decision::Deny),
        (vec![&grant, &deny], Decision::Deny),
    ] {
        let hooks = outputs
            .iter()
            .map(|output| ("hook", event, (*output).clone()))
            .collect();
        let input = HookInput::pre_tool_use("s", "Bash", json!({}));
        let result = manager(hooks).trigger(input, &ctx()).await;
        assert_eq!(result.output.decision(), expected, "{outputs:?}");
        assert_eq!(result.allowed, expected < Decision::Ask);
    }
}

#[tokio::test]
async fn a_grant_speaks_only_of_the_input_that_its_hook_saw() {
    let event = HookEvent::PreToolUse;
    let original = json!({"command": "git status"});
    let grant = Opinion::grant();
    let rewrite = |to: &str| Opinion::allow().updated_input(json!({ "command": to }));
    let both = |to: &str| Opinion::grant().updated_input(json!({ "command": to }));
    for (outputs, expected) in [
        (vec![grant.clone(), rewrite("deploy")], Decision::NoOpinion),
        (vec![grant.clone(), rewrite("git status")], Decision::Grant),
        (vec![rewrite("deploy"), grant.clone()], Decision::Grant),
        (
            vec![rewrite("a"), grant.clone(), rewrite("b")],
            Decision::NoOpinion,
        ),
        (vec![grant.clone(), rewrite("b"), grant], Decision::Grant),
        (vec![both("a")], Decision::Grant),
        (vec![both("a"), rewrite("b")], Decision::NoOpinion),
        (vec![both("a"), Opinion::ask("sure?")], Decision::Ask),
    ] {
        let hooks = outputs
            .iter()
            .map(|output| ("hook", event, output.clone()))
            .collect();
        let input = HookInput::pre_tool_use("s", "Bash", original.clone());
        let result = manager(hooks).trigger(input, &ctx()).await;
        assert_eq!(result.output.decision(), expected, "{outputs:?}");
        if expected == Decision::NoOpinion {
            assert!(!result.output.warnings.is_empty(), "{outputs:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn f17_d_the_result_lists_every_hook() {
    let event = HookEvent::PreToolUse;
    let mut manager = manager(vec![("quiet", event, Opinion::allow().context("hello"))]);
    manager.register(FnHook::new("broken", [event], |_, _| async {
        tokio::time::sleep(std::time::Duration::from_millis(250)).await;
        Err::<Opinion, _>(bowline::Error::other("out of paper"))
    }));
    let result = manager
        .trigger(HookInput::pre_tool_use("s", "Bash", json!({})), &ctx())
        .await;
    let [quiet, broken] = &result.results[..] else {
        panic!("{:?}", result.results)
    };
    assert_eq!(
        (quiet.id.as_str(), quiet.success(), quiet.decision()),
        ("quiet", true, Decision::NoOpinion)
    );
    assert_eq!(quiet.output.additional_context.as_deref(), Some("hello"));
    assert_eq!(
        (broken.id.as_str(), broken.success(), broken.decision()),
        ("broken", false, Decision::Deny)
    );
    assert!(
        broken
            .error
            .as_deref()
            .is_some_and(|error| error.contains("out of paper"))
    );
    assert_eq!(
        (quiet.duration.as_millis(), broken.duration.as_millis()),
        (0, 250)
    );
}

#[tokio::test]
async fn f17_e_no_hooks_means_allow_and_an_empty_list() {
    let result = HookManager::new()
        .trigger(HookInput::stop("s"), &ctx())
        .await;
    assert!(result.allowed);
    assert_eq!(result.output, Opinion::allow());
    assert!(result.results.is_empty());
}

#[tokio::test]
async fn f17_f_after_the_fact_every_hook_runs_even_after_a_block() {
    for (event, input) in [
        (HookEvent::Stop, HookInput::stop("s")),
        (
            HookEvent::PostToolUse,
            HookInput::post_tool_use("s", "Bash", json!({})),
        ),
        (HookEvent::SessionEnd, HookInput::session_end("s")),
    ] {
        let manager = manager(vec![
            ("first", event, Opinion::block("wait")),
            ("second", event, Opinion::allow().context("said")),
        ]);
        let result = manager.trigger(input, &ctx()).await;
        assert!(
            result
                .results
                .iter()
                .all(|run| run.status == RunStatus::Ran),
            "{event}"
        );
        assert_eq!(result.output.additional_context.as_deref(), Some("said"));
    }
}

fn any_text() -> impl Strategy<Value = Option<String>> {
    proptest::option::of("[a-z]{0,4}")
}

fn any_output() -> impl Strategy<Value = Opinion> {
    let permission =
        proptest::option::of(prop_oneof![Just(Permission::Ask), Just(Permission::Grant)]);
    (
        any::<bool>(),
        any_text(),
        any::<bool>(),
        any_text(),
        proptest::option::of(0..9),
        any_text(),
        permission,
    )
        .prop_map(
            |(
                continue_execution,
                stop_reason,
                suppress_logging,
                system_message,
                number,
                context,
                permission,
            )| {
                Opinion {
                    continue_execution,
                    stop_reason,
                    suppress_logging,
                    system_message,
                    updated_input: number.map(|n| json!({"n": n})),
                    additional_context: context,
                    permission,
                    ..Opinion::default()
                }
            },
        )
}

/// An output with the six fields of `HookOutput`: continue or block, nothing in between.
fn any_plain_output() -> impl Strategy<Value = Opinion> {
    any_output().prop_map(|output| Opinion {
        permission: None,
        ..output
    })
}

proptest! {
    /// The table of the merge, field by field.
    #[test]
    fn f17_merge_equals_the_table(outputs in proptest::collection::vec(any_plain_output(), 0..8)) {
        fn last<T: Clone>(outputs: &[Opinion], field: impl Fn(&Opinion) -> &Option<T>) -> Option<T> {
            outputs.iter().rev().find_map(|output| field(output).clone())
        }
        let merged = merge(&outputs);
        prop_assert_eq!(merged.continue_execution, outputs.iter().all(|output| output.continue_execution));
        prop_assert_eq!(merged.suppress_logging, outputs.iter().any(|output| output.suppress_logging));
        prop_assert_eq!(&merged.stop_reason, &last(&outputs, |output| &output.stop_reason));
        prop_assert_eq!(&merged.system_message, &last(&outputs, |output| &output.system_message));
        prop_assert_eq!(&merged.updated_input, &last(&outputs, |output| &output.updated_input));
        let contexts: Vec<_> = outputs.iter().filter_map(|output| output.additional_context.clone()).collect();
        let joined = (!contexts.is_empty()).then(|| contexts.join("\n"));
        prop_assert_eq!(&merged.additional_context, &joined);
    }

    /// A block never turns into an allow, and an ask never into less than an ask.
    #[test]
    fn f17_merge_is_as_strict_as_its_strictest(outputs in proptest::collection::vec(any_output(), 0..8)) {
        let merged = merge(&outputs);
        let strictest = outputs.iter().map(Opinion::decision).max().unwrap_or_default();
        prop_assert_eq!(merged.decision(), strictest);
        prop_assert_eq!(merged.continue_execution, strictest < Decision::Ask);
        if strictest == Decision::Deny {
            prop_assert_eq!(merged.rewritten_input(), None);
        }
    }
}

#[test]
fn f17_the_reason_is_not_that_of_an_overruled_ask() {
    let merged = merge(&[Opinion::block("never"), Opinion::ask("sure?")]);
    assert_eq!(merged.stop_reason.as_deref(), Some("never"));
}
