//! Feature 19: the programmatic hook API.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bowline::hooks::{
    CancellationToken, Decision, FnHook, Hook, HookContext, HookEvent, HookEventData, HookInput,
    HookManager, HookOutput, Opinion, Regex, ScriptExecutor, ToolOutput, async_trait,
};
use serde_json::{Value, json};

struct Plain;

#[async_trait]
impl Hook for Plain {
    fn name(&self) -> &str {
        "plain"
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PreToolUse]
    }

    async fn execute(&self, _: HookInput, _: &HookContext) -> Result<HookOutput, bowline::Error> {
        Ok(HookOutput::allow())
    }
}

fn speaker(name: &'static str, priority: i32) -> FnHook {
    FnHook::new(name, [HookEvent::PreToolUse], move |_, _| async move {
        Ok(HookOutput::allow().context(name))
    })
    .priority(priority)
}

fn tool_call() -> HookInput {
    HookInput::pre_tool_use("s", "Bash", json!({"command": "ls"}))
}

#[tokio::test]
async fn f19_a_the_trait_has_its_defaults_and_the_manager_its_verbs() {
    let hook: Arc<dyn Hook> = Arc::new(Plain);
    assert_eq!(
        (hook.timeout_secs(), hook.timeout(), hook.priority()),
        (60, Duration::from_secs(60), 0)
    );
    assert!(hook.tool_matcher().is_none());

    let mut manager = HookManager::new();
    manager.register_arc(Arc::clone(&hook));
    manager.register(speaker("closure", 0));
    assert_eq!(manager.names(), ["plain", "closure"]);
    assert!(manager.has("plain"));

    let mut seen = Vec::new();
    let output = manager
        .execute_with_handler(
            HookEvent::PreToolUse,
            tool_call(),
            &HookContext::new("s"),
            |run| {
                seen.push(run.id.clone());
            },
        )
        .await
        .unwrap();
    assert_eq!(seen, ["plain", "closure"]);
    assert_eq!(output.additional_context.as_deref(), Some("closure"));

    assert!(manager.unregister("plain"));
    assert!(!manager.unregister("plain"));
    assert!(!manager.has("plain"));
    let result = manager.trigger(tool_call(), &HookContext::new("s")).await;
    assert_eq!(result.results.len(), 1);
}

#[tokio::test]
async fn f19_b_higher_priorities_run_first_and_equal_ones_in_order_of_registration() {
    let mut manager = HookManager::new();
    for (name, priority) in [("a", 0), ("b", 10), ("c", 0), ("d", 10), ("e", -1)] {
        manager.register(speaker(name, priority));
    }
    let output = manager
        .execute(HookEvent::PreToolUse, tool_call(), &HookContext::new("s"))
        .await
        .unwrap();
    assert_eq!(output.additional_context.as_deref(), Some("b\nd\na\nc\ne"));
}

#[test]
fn f19_c_accessors_answer_only_where_they_apply() {
    let input = json!({"command": "ls"});
    let result = ToolOutput::from(json!({"stdout": ""}));
    for (event, tool, tool_input, subagent) in [
        (
            HookInput::pre_tool_use("s", "Bash", input.clone()),
            Some("Bash"),
            Some(&input),
            None,
        ),
        (
            HookInput::post_tool_use("s", "Bash", result),
            Some("Bash"),
            None,
            None,
        ),
        (
            HookInput::post_tool_use_failure("s", "Bash", "no"),
            Some("Bash"),
            None,
            None,
        ),
        (
            HookInput::subagent_start("s", "a1", "explorer", "look"),
            None,
            None,
            Some("a1"),
        ),
        (
            HookInput::subagent_stop("s", "a1", true, None),
            None,
            None,
            Some("a1"),
        ),
        (
            HookInput::user_prompt_submit("s", "hello"),
            None,
            None,
            None,
        ),
        (HookInput::session_start("s"), None, None, None),
        (HookInput::session_end("s"), None, None, None),
        (HookInput::stop("s"), None, None, None),
        (HookInput::pre_compact("s"), None, None, None),
    ] {
        assert_eq!(event.tool_name(), tool, "{event:?}");
        assert_eq!(event.tool_input(), tool_input, "{event:?}");
        assert_eq!(event.data.tool_input(), tool_input, "{event:?}");
        assert_eq!(event.subagent_id(), subagent, "{event:?}");
        assert_eq!(
            event.event_type().to_string(),
            event.event_type().snake_name()
        );
    }
    let HookEventData::PreToolUse {
        tool_name,
        tool_input,
    } = tool_call().data
    else {
        panic!("not a tool call")
    };
    assert_eq!(
        (tool_name.as_str(), tool_input),
        ("Bash", json!({"command": "ls"}))
    );
}

#[tokio::test]
async fn f19_d_cancelling_the_context_stops_the_running_hook_and_counts_as_a_failure() {
    struct DropFlag(Arc<Mutex<bool>>);
    impl Drop for DropFlag {
        fn drop(&mut self) {
            *self.0.lock().unwrap() = true;
        }
    }
    let token = CancellationToken::new();
    let stopped = Arc::new(Mutex::new(false));
    let (inner_token, flag) = (token.clone(), Arc::clone(&stopped));
    let mut manager = HookManager::new();
    manager.register(FnHook::new(
        "endless",
        [HookEvent::PreToolUse],
        move |_, _| {
            let (token, guard) = (inner_token.clone(), DropFlag(Arc::clone(&flag)));
            async move {
                let _guard = guard;
                token.cancel();
                std::future::pending::<Result<HookOutput, bowline::Error>>().await
            }
        },
    ));
    let ctx = HookContext::new("s").with_cancellation(token);
    let result = manager.trigger(tool_call(), &ctx).await;
    assert!(*stopped.lock().unwrap(), "the hook's future was dropped");
    assert_eq!(result.output.decision(), Decision::Deny);
    assert!(
        result
            .output
            .stop_reason
            .unwrap_or_default()
            .contains("endless")
    );
}

#[tokio::test]
async fn f19_the_input_must_be_of_the_event() {
    let error = HookManager::new()
        .execute(HookEvent::Stop, tool_call(), &HookContext::new("s"))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "asked to execute Stop with the input of PreToolUse"
    );
}

/// Told what was decided, also when a gate was blocked before its turn, with the input that will run.
#[tokio::test]
async fn f19_decided_is_told_the_outcome() {
    struct Recorder(Arc<Mutex<Vec<(Decision, Value)>>>);
    #[async_trait]
    impl Hook for Recorder {
        fn name(&self) -> &str {
            "recorder"
        }
        fn events(&self) -> &[HookEvent] {
            &[HookEvent::PreToolUse]
        }
        fn priority(&self) -> i32 {
            -100
        }
        async fn decided(&self, input: &HookInput, decision: &Opinion, _: &HookContext) {
            let executed = input.tool_input().cloned().unwrap_or_default();
            self.0.lock().unwrap().push((decision.decision(), executed));
        }
    }
    let told = Arc::new(Mutex::new(Vec::new()));
    let mut manager = HookManager::new();
    manager.register(Recorder(Arc::clone(&told)));
    manager.register(
        FnHook::new("rewrite", [HookEvent::PreToolUse], |_, _| async {
            Ok(HookOutput::allow().updated_input(json!({"command": "ls -l"})))
        })
        .tool_matcher(Regex::new("Bash").unwrap()),
    );
    manager.trigger(tool_call(), &HookContext::new("s")).await;
    // An agent that cannot run the other call is told to deny, and nothing of that call is true.
    let ctx = HookContext::new("s").answering(&bowline_agents::qwen::AGENT);
    manager.trigger(tool_call(), &ctx).await;
    manager.register(
        FnHook::new("deny", [HookEvent::PreToolUse], |_, _| async {
            Ok(HookOutput::block("no"))
        })
        .priority(10),
    );
    manager.trigger(tool_call(), &HookContext::new("s")).await;
    assert_eq!(
        *told.lock().unwrap(),
        [
            (Decision::NoOpinion, json!({"command": "ls -l"})),
            (Decision::Deny, json!({"command": "ls"})),
            (Decision::Deny, json!({"command": "ls"})),
        ]
    );
}

#[tokio::test]
async fn f19_a_a_hook_is_taken_back_for_one_event_alone() {
    let mut manager = HookManager::new();
    manager.register(FnHook::new(
        "both",
        [HookEvent::PreToolUse, HookEvent::Stop],
        |_, _| async { Ok(HookOutput::allow().context("here")) },
    ));
    assert!(!manager.unregister_for(HookEvent::SessionEnd, "both"));
    assert!(!manager.unregister_for(HookEvent::Stop, "other"));
    assert!(manager.unregister_for(HookEvent::Stop, "both"));
    let ctx = HookContext::new("s");
    let stop = manager.trigger(HookInput::stop("s"), &ctx).await;
    assert!(stop.results.is_empty());
    let call = HookInput::pre_tool_use("s", "Bash", json!({}));
    let call = manager.trigger(call, &ctx).await;
    assert_eq!(call.output.additional_context.as_deref(), Some("here"));
    assert!(manager.unregister_for(HookEvent::PreToolUse, "both"));
    assert!(!manager.has("both"));
}

#[tokio::test]
async fn f19_scripts_are_run_with_their_variables_and_within_their_time() {
    let folder = tempfile::tempdir().unwrap();
    let executor = ScriptExecutor::new().cwd(folder.path());
    let none: [(&str, &str); 0] = [];
    let result = executor
        .execute("echo \"$A\"; pwd -P; echo no >&2; exit 3", [("A", "x y")])
        .await
        .unwrap();
    let here = folder.path().canonicalize().unwrap();
    assert_eq!(result.exit_code, 3);
    assert_eq!(result.stdout, format!("x y\n{}\n", here.display()));
    assert_eq!(result.stderr, "no\n");
    assert!(!result.timed_out);
    let killed = executor.execute("kill -9 $$", none).await.unwrap();
    assert_eq!(killed.exit_code, 137);
    let slow = executor
        .timeout(Duration::from_millis(50))
        .execute("sleep 300", none)
        .await
        .unwrap();
    assert!(slow.timed_out);
}
