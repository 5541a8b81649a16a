//! The compatibility promise: what is written against the hooks of the crate `claude_agent` compiles and runs here, with only the
//! crate's name changed. Everything is used as the page writes it; a change that breaks this file breaks users.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bowline::hooks::{
    CancellationToken, CommandHook, DateTime, ExecutionContext, FnHook, Hook, HookAction,
    HookContext, HookEvent, HookEventData, HookInput, HookManager, HookOutput, HookRule, Regex,
    SecurityContext, ToolOutput, Utc,
};
use serde_json::{Value, json};

/// Implements only what the trait leaves open: the rest are the page's defaults.
struct LoggingHook;

#[async_trait]
impl Hook for LoggingHook {
    fn name(&self) -> &str {
        "logging-hook"
    }

    fn events(&self) -> &[HookEvent] {
        &[
            HookEvent::PreToolUse,
            HookEvent::PostToolUse,
            HookEvent::PostToolUseFailure,
        ]
    }

    async fn execute(
        &self,
        input: HookInput,
        _ctx: &HookContext,
    ) -> Result<HookOutput, bowline::Error> {
        let event = input.event_type().to_string();
        let tool = input.tool_name().unwrap_or_default();

        tracing::info!(event = %event, tool = %tool, "Hook event");

        Ok(HookOutput::allow())
    }
}

/// Implements everything.
struct SecurityHook {
    tools: Regex,
}

#[async_trait]
impl Hook for SecurityHook {
    fn name(&self) -> &str {
        "security-hook"
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PreToolUse]
    }

    fn tool_matcher(&self) -> Option<&Regex> {
        Some(&self.tools)
    }

    fn timeout_secs(&self) -> u64 {
        5
    }

    fn priority(&self) -> i32 {
        100
    }

    async fn execute(
        &self,
        input: HookInput,
        _ctx: &HookContext,
    ) -> Result<HookOutput, bowline::Error> {
        let tool_input: Option<&Value> = input.data.tool_input();
        let command = tool_input
            .and_then(|it| it.get("command"))
            .and_then(|v| v.as_str());
        Ok(match command {
            Some(cmd) if cmd.contains("rm -rf") => HookOutput::block(format!("Blocked: {cmd}")),
            _ => HookOutput::allow(),
        })
    }
}

#[test]
fn the_trait_has_the_pages_defaults() {
    let hook: Arc<dyn Hook> = Arc::new(LoggingHook);
    assert!(hook.tool_matcher().is_none());
    assert_eq!(hook.timeout_secs(), 60);
    assert_eq!(hook.priority(), 0);

    let hook: Arc<dyn Hook> = Arc::new(SecurityHook {
        tools: Regex::new("Bash").unwrap(),
    });
    assert_eq!(hook.tool_matcher().map(Regex::as_str), Some("Bash"));
    assert_eq!(hook.timeout(), Duration::from_secs(hook.timeout_secs()));
    assert_eq!(hook.priority(), 100);
}

#[test]
fn the_ten_events_can_block_as_the_page_says() {
    use bowline::hooks::EventClass;

    for (event, can_block, name) in [
        (HookEvent::PreToolUse, true, "pre_tool_use"),
        (HookEvent::PostToolUse, false, "post_tool_use"),
        (
            HookEvent::PostToolUseFailure,
            false,
            "post_tool_use_failure",
        ),
        (HookEvent::UserPromptSubmit, true, "user_prompt_submit"),
        (HookEvent::Stop, false, "stop"),
        (HookEvent::SubagentStart, true, "subagent_start"),
        (HookEvent::SubagentStop, false, "subagent_stop"),
        (HookEvent::SessionStart, true, "session_start"),
        (HookEvent::SessionEnd, false, "session_end"),
    ] {
        assert_eq!(event.class() == EventClass::Gate, can_block, "{event}");
        assert_eq!(event.to_string(), name);
    }
    // Agents have since let a hook stop a compaction; the page's "No" is not kept.
    assert_eq!(HookEvent::PreCompact.class(), EventClass::Gate);
    assert_eq!(HookEvent::PreCompact.to_string(), "pre_compact");
}

#[test]
fn every_variant_of_the_event_data_has_the_pages_fields() {
    let text = String::new;
    for (data, event) in [
        (
            HookEventData::PreToolUse {
                tool_name: text(),
                tool_input: Value::Null,
            },
            HookEvent::PreToolUse,
        ),
        (
            HookEventData::PostToolUse {
                tool_name: text(),
                tool_result: ToolOutput {
                    content: Value::Null,
                    is_error: false,
                },
            },
            HookEvent::PostToolUse,
        ),
        (
            HookEventData::PostToolUseFailure {
                tool_name: text(),
                error: text(),
            },
            HookEvent::PostToolUseFailure,
        ),
        (
            HookEventData::UserPromptSubmit { prompt: text() },
            HookEvent::UserPromptSubmit,
        ),
        (HookEventData::Stop, HookEvent::Stop),
        (
            HookEventData::SubagentStart {
                subagent_id: text(),
                subagent_type: text(),
                description: text(),
            },
            HookEvent::SubagentStart,
        ),
        (
            HookEventData::SubagentStop {
                subagent_id: text(),
                success: false,
                error: None,
            },
            HookEvent::SubagentStop,
        ),
        (HookEventData::PreCompact, HookEvent::PreCompact),
        (HookEventData::SessionStart, HookEvent::SessionStart),
        (HookEventData::SessionEnd, HookEvent::SessionEnd),
    ] {
        // Exactly the page's fields: a new one would not compile.
        let input = HookInput {
            session_id: text(),
            timestamp: Utc::now(),
            data,
            metadata: None,
        };
        assert_eq!(input.event_type(), event);
    }
}

#[test]
fn every_factory_of_the_input_fills_the_pages_fields() {
    let session_id = String::from("session-1");
    let input = HookInput::pre_tool_use(&session_id, "Bash", json!({"command": "ls"}));
    let HookInput {
        session_id: of,
        timestamp,
        data,
        metadata,
    } = input.clone();
    let _: DateTime<Utc> = timestamp;
    assert_eq!((of.as_str(), metadata), ("session-1", None::<Value>));
    assert_eq!(
        data,
        HookEventData::PreToolUse {
            tool_name: "Bash".into(),
            tool_input: json!({"command": "ls"})
        }
    );
    assert_eq!(
        (input.tool_name(), input.subagent_id()),
        (Some("Bash"), None)
    );

    let result = ToolOutput::from(json!("done"));
    let input = HookInput::post_tool_use(&session_id, "Bash", result.clone());
    assert_eq!(
        input.data,
        HookEventData::PostToolUse {
            tool_name: "Bash".into(),
            tool_result: result
        }
    );
    let input = HookInput::post_tool_use_failure(&session_id, "Bash", "exit 1");
    assert_eq!(
        input.data,
        HookEventData::PostToolUseFailure {
            tool_name: "Bash".into(),
            error: "exit 1".into()
        }
    );
    let input = HookInput::user_prompt_submit(&session_id, "hello");
    assert_eq!(
        input.data,
        HookEventData::UserPromptSubmit {
            prompt: "hello".into()
        }
    );
    assert_eq!(
        HookInput::session_start(&session_id).data,
        HookEventData::SessionStart
    );
    assert_eq!(
        HookInput::session_end(&session_id).data,
        HookEventData::SessionEnd
    );
    assert_eq!(HookInput::stop(&session_id).data, HookEventData::Stop);
    assert_eq!(
        HookInput::pre_compact(&session_id).data,
        HookEventData::PreCompact
    );

    let (id, kind, task) = (
        String::from("a1"),
        String::from("reviewer"),
        String::from("reads"),
    );
    let input = HookInput::subagent_start(&session_id, &id, &kind, &task);
    assert_eq!((input.tool_name(), input.subagent_id()), (None, Some("a1")));
    assert_eq!(
        input.data,
        HookEventData::SubagentStart {
            subagent_id: id.clone(),
            subagent_type: kind,
            description: task
        }
    );
    let input = HookInput::subagent_stop(&session_id, &id, false, Some("gave up".to_owned()));
    assert_eq!(
        input.data,
        HookEventData::SubagentStop {
            subagent_id: id,
            success: false,
            error: Some("gave up".into())
        }
    );
}

/// Answers with the page's output written out, and reads all fields of another's.
struct WrittenOut;

#[async_trait]
impl Hook for WrittenOut {
    fn name(&self) -> &str {
        "written-out"
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::SubagentStart]
    }

    async fn execute(
        &self,
        input: HookInput,
        _ctx: &HookContext,
    ) -> Result<HookOutput, bowline::Error> {
        let HookOutput {
            continue_execution,
            stop_reason,
            suppress_logging,
            system_message,
            updated_input,
            additional_context,
        } = HookOutput::allow();
        Ok(HookOutput {
            continue_execution: continue_execution && input.subagent_id() == Some("a1"),
            stop_reason: stop_reason.or(Some("only a1".to_owned())),
            suppress_logging,
            system_message,
            updated_input,
            additional_context,
        })
    }
}

#[tokio::test]
async fn the_output_may_be_written_out_by_a_hook() -> Result<(), bowline::Error> {
    let mut manager = HookManager::new();
    manager.register(WrittenOut);
    let ctx = HookContext::new("session-1");
    for (agent, goes_on) in [("a1", true), ("a2", false)] {
        let input = HookInput::subagent_start("session-1", agent, "reviewer", "reads");
        let output: HookOutput = manager
            .execute(HookEvent::SubagentStart, input, &ctx)
            .await?;
        assert_eq!(output.continue_execution, goes_on, "{agent}");
        assert_eq!(output.stop_reason.as_deref(), Some("only a1"), "{agent}");
    }
    Ok(())
}

#[test]
fn the_output_has_the_pages_fields_factories_and_builders() {
    let written_out = HookOutput {
        continue_execution: false,
        stop_reason: Some("no".to_owned()),
        suppress_logging: true,
        system_message: Some("message".to_owned()),
        updated_input: Some(json!({"command": "ls"})),
        additional_context: Some("context".to_owned()),
    };
    let built = HookOutput::block("no")
        .system_message("message")
        .context("context")
        .updated_input(json!({"command": "ls"}))
        .suppress_logging();
    assert_eq!(built, written_out);

    assert!(HookOutput::allow().continue_execution);
    assert_eq!(HookOutput::allow(), HookOutput::default());
}

#[test]
fn the_context_has_the_pages_fields() {
    let ctx = HookContext::new("session-1");
    assert_eq!((ctx.session_id.as_str(), &ctx.cwd), ("session-1", &None));

    let HookContext {
        session_id,
        cancellation_token,
        cwd,
        env,
        ..
    } = HookContext::new("session-1")
        .with_cancellation(CancellationToken::new())
        .with_cwd(".")
        .with_env(HashMap::from([("NAME".to_owned(), "value".to_owned())]));
    assert_eq!(
        (session_id.as_str(), cwd),
        ("session-1", Some(PathBuf::from(".")))
    );
    assert_eq!((cancellation_token.is_cancelled(), env.len()), (false, 1));
}

#[tokio::test]
async fn the_manager_is_used_as_on_the_page() -> Result<(), bowline::Error> {
    let mut manager = HookManager::new();
    manager.register(SecurityHook {
        tools: Regex::new("Bash").unwrap(),
    });
    manager.register_arc(Arc::new(LoggingHook));
    manager.register(FnHook::new(
        "closure",
        [HookEvent::PreToolUse],
        |_input, _ctx| async { Ok(HookOutput::allow().context("seen")) },
    ));
    manager.register(CommandHook::new(
        "command",
        "exit 0",
        [HookEvent::PreToolUse],
    ));

    let ctx = HookContext::new("session-1");
    let input = HookInput::pre_tool_use("session-1", "Bash", json!({"command": "ls"}));
    let output = manager.execute(HookEvent::PreToolUse, input, &ctx).await?;
    assert!(output.continue_execution);
    assert_eq!(output.additional_context.as_deref(), Some("seen"));

    let input = HookInput::pre_tool_use("session-1", "Bash", json!({"command": "rm -rf /"}));
    let output = manager.execute(HookEvent::PreToolUse, input, &ctx).await?;
    assert!(!output.continue_execution);
    assert_eq!(output.stop_reason.as_deref(), Some("Blocked: rm -rf /"));
    Ok(())
}

#[tokio::test]
async fn a_tool_fires_hooks_as_on_the_page() {
    let mut hook_manager = HookManager::new();
    hook_manager.register(FnHook::new(
        "no",
        [HookEvent::SubagentStart],
        |_input, _ctx| async { Ok(HookOutput::block("no sub-agents")) },
    ));
    let (security, session_id) = (SecurityContext::default(), "session-1");
    let ctx = ExecutionContext::new(security).hooks(hook_manager, session_id);

    let session_id = session_id.to_owned();
    let (agent_id, agent_type) = (String::from("a1"), String::from("reviewer"));
    let description = String::from("reads the diff");
    let output = ctx
        .fire_hook(
            HookEvent::SubagentStart,
            HookInput::subagent_start(&session_id, &agent_id, &agent_type, &description),
        )
        .await;
    assert_eq!(output.stop_reason.as_deref(), Some("no sub-agents"));
}

#[test]
fn rules_and_actions_have_exactly_the_pages_fields() {
    let rule = HookRule {
        matcher: Some("Write|Edit".to_owned()),
        hooks: vec![HookAction {
            hook_type: "command".to_owned(),
            command: Some("scripts/format.sh".to_owned()),
            timeout: Some(10),
        }],
    };
    let written = json!({
        "matcher": "Write|Edit",
        "hooks": [{ "type": "command", "command": "scripts/format.sh", "timeout": 10 }]
    });
    assert_eq!(serde_json::to_value(&rule).unwrap(), written);
    assert_eq!(serde_json::from_value::<HookRule>(written).unwrap(), rule);
}

/// Never run, because it would ask a model: that it compiles is the promise. The agent itself is tested
/// against a scripted model.
#[cfg(feature = "agent")]
#[expect(dead_code, reason = "compiled, not run")]
async fn integration_with_agent(
    security_hook: SecurityHook,
) -> Result<bowline::agent::Agent, bowline::Error> {
    use bowline::agent::Agent;

    let agent = Agent::builder()
        .from_claude_code(".")
        .await?
        .hook(security_hook)
        .hook(LoggingHook)
        .build()
        .await?;
    Ok(agent)
}
