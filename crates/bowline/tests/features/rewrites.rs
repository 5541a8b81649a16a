//! Calls that hooks want to run with another input: what runs, what is answered, and what is recorded of them.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bowline::hooks::{
    Decision, FnHook, Hook, HookContext, HookEvent, HookInput, HookManager, HookOutput, Opinion,
    RunPolicy,
};
use bowline_agents::{Agent, named};
use serde_json::{Value, json};

/// What hooks are told at the end is what is recorded.
struct Recorder(Arc<Mutex<Vec<(Decision, Value)>>>);

#[async_trait]
impl Hook for Recorder {
    fn name(&self) -> &str {
        "recorder"
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PreToolUse, HookEvent::PostToolUse]
    }

    fn priority(&self) -> i32 {
        -100
    }

    async fn decided(&self, input: &HookInput, decision: &Opinion, _: &HookContext) {
        let executed = input.tool_input().cloned().unwrap_or_default();
        self.0.lock().unwrap().push((decision.decision(), executed));
    }
}

fn says(name: &str, opinion: Opinion) -> FnHook {
    let events = [HookEvent::PreToolUse, HookEvent::PostToolUse];
    FnHook::new(name, events, move |_, _| {
        let opinion = opinion.clone();
        async move { Ok::<_, bowline::Error>(opinion) }
    })
}

fn together(hook: FnHook) -> FnHook {
    let mut policy = RunPolicy::default();
    policy.parallel_group = Some(1);
    hook.policy(policy)
}

/// A call as an agent reports it.
fn reported(agent: &Agent, event: &str, tool: &str, input: &Value) -> HookInput {
    let payload = json!({
        "hook_event_name": event, "session_id": "s", "cwd": "/p", "tool_use_id": "t",
        "tool_name": tool, "tool_input": input, "tool_response": "fine",
    });
    HookInput::from_owned_payload(agent.protocol().unwrap().decode(payload))
}

#[tokio::test]
async fn what_does_not_run_was_never_asked_for() {
    let ls = json!({"command": "ls"});
    let patch = json!({"command": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"});
    let two = json!({"command": "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch"});
    let long = json!({"command": "ls -l"});
    let rewrite = || Opinion::allow().updated_input(long.clone());
    let question = || Opinion::ask("sure?").updated_input(long.clone());
    let denial = || Opinion::block("no");
    let described = json!({"command": "ls", "description": "Looks"});
    for (agent, (event, tool, input), hooks, decision, is_changed) in [
        (
            "claude-code",
            ("PreToolUse", "Bash", &ls),
            vec![says("a", rewrite())],
            Decision::NoOpinion,
            true,
        ),
        (
            "claude-code",
            ("PreToolUse", "Bash", &ls),
            vec![says("a", question())],
            Decision::Ask,
            true,
        ),
        (
            "codex",
            ("PreToolUse", "Bash", &ls),
            vec![says("a", rewrite())],
            Decision::NoOpinion,
            true,
        ),
        (
            "gemini",
            ("BeforeTool", "run_shell_command", &ls),
            vec![says("a", rewrite())],
            Decision::NoOpinion,
            true,
        ),
        // The agent cannot run it, or cannot ask about it.
        (
            "codex",
            ("PreToolUse", "apply_patch", &patch),
            vec![says("a", rewrite())],
            Decision::Deny,
            false,
        ),
        (
            "codex",
            ("PreToolUse", "apply_patch", &two),
            vec![says("a", rewrite())],
            Decision::Deny,
            false,
        ),
        (
            "codex",
            ("PreToolUse", "Bash", &ls),
            vec![says("a", question())],
            Decision::Deny,
            false,
        ),
        (
            "gemini",
            ("BeforeTool", "run_shell_command", &described),
            vec![says("a", rewrite())],
            Decision::Deny,
            false,
        ),
        (
            "kimi",
            ("PreToolUse", "Bash", &ls),
            vec![says("a", rewrite())],
            Decision::Deny,
            false,
        ),
        (
            "qwen",
            ("PreToolUse", "run_shell_command", &ls),
            vec![says("a", rewrite())],
            Decision::Deny,
            false,
        ),
        // Another hook denies it, before, after or beside it.
        (
            "claude-code",
            ("PreToolUse", "Bash", &ls),
            vec![says("a", denial()), says("b", rewrite())],
            Decision::Deny,
            false,
        ),
        (
            "claude-code",
            ("PreToolUse", "Bash", &ls),
            vec![says("a", rewrite()), says("b", denial())],
            Decision::Deny,
            false,
        ),
        (
            "claude-code",
            ("PreToolUse", "Bash", &ls),
            vec![
                together(says("a", rewrite())),
                together(says("b", denial())),
            ],
            Decision::Deny,
            false,
        ),
        (
            "claude-code",
            ("PreToolUse", "Bash", &ls),
            vec![says("a", denial().updated_input(long.clone()))],
            Decision::Deny,
            false,
        ),
        // It has run.
        (
            "claude-code",
            ("PostToolUse", "Bash", &ls),
            vec![says("a", rewrite())],
            Decision::NoOpinion,
            false,
        ),
        (
            "gemini",
            ("AfterTool", "run_shell_command", &ls),
            vec![says("a", rewrite())],
            Decision::NoOpinion,
            false,
        ),
    ] {
        let agent = named(agent).unwrap();
        let call = reported(agent, event, tool, input);
        let names: Vec<_> = hooks.iter().map(|it| it.name().to_owned()).collect();
        let row = format!(
            "{} {event} {tool} {input} {names:?} {decision:?}",
            agent.name
        );
        let told = Arc::new(Mutex::new(Vec::new()));
        let mut manager = HookManager::new();
        manager.register(Recorder(Arc::clone(&told)));
        for hook in hooks {
            manager.register(hook);
        }
        let ctx = HookContext::new("s").answering(agent);
        let output = manager.trigger(&call, &ctx).await.output;

        assert_eq!(output.decision(), decision, "{row}");
        let new = is_changed.then_some(&long);
        assert_eq!(output.updated_input.as_ref(), new, "{row}");
        let runs = new.or(call.tool_input()).cloned().unwrap();
        assert_eq!(*told.lock().unwrap(), [(decision, runs)], "{row}");
        let answer = agent.protocol().unwrap().encode(&call.reported(), &output);
        let is_denied = decision == Decision::Deny;
        let names_new = answer.stdout.contains("ls -l");
        assert!(is_denied || names_new == is_changed, "{row}: {answer:?}");
        let public = HookOutput::from(output);
        assert_eq!(public.updated_input.as_ref(), new, "{row}");
    }
}
