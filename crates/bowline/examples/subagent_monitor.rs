//! A hook that watches sub-agents, and a tool that fires their events.
#![expect(
    clippy::unnecessary_literal_bound,
    reason = "the code of the documentation, word for word"
)]

use async_trait::async_trait;
use bowline::hooks::{
    ExecutionContext, Hook, HookContext, HookEvent, HookEventData, HookInput, HookManager,
    HookOutput, SecurityContext,
};

struct SubagentMonitorHook;

#[async_trait]
impl Hook for SubagentMonitorHook {
    fn name(&self) -> &str {
        "subagent-monitor"
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::SubagentStart, HookEvent::SubagentStop]
    }

    async fn execute(
        &self,
        input: HookInput,
        _ctx: &HookContext,
    ) -> Result<HookOutput, bowline::Error> {
        match &input.data {
            HookEventData::SubagentStart {
                subagent_id,
                subagent_type,
                description,
            } => {
                tracing::info!(
                    id = %subagent_id,
                    type_ = %subagent_type,
                    desc = %description,
                    "Subagent started"
                );
            }
            HookEventData::SubagentStop {
                subagent_id,
                success,
                error,
            } => {
                if *success {
                    tracing::info!(id = %subagent_id, "Subagent completed successfully");
                } else {
                    tracing::warn!(
                        id = %subagent_id,
                        error = ?error,
                        "Subagent failed"
                    );
                }
            }
            _ => {}
        }
        Ok(HookOutput::allow())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    tracing_subscriber::fmt().without_time().init();
    let mut hook_manager = HookManager::new();
    hook_manager.register(SubagentMonitorHook);

    let security = SecurityContext::default();
    let session_id = "session-1".to_string();
    let agent_type = "reviewer".to_string();

    // ExecutionContext with hooks support
    let ctx = ExecutionContext::new(security).hooks(hook_manager, &session_id);

    for (agent_id, description, error) in [
        ("agent-1", "reads the diff", None),
        (
            "agent-2",
            "runs the tests",
            Some("3 of 12 failed".to_string()),
        ),
    ] {
        // Fire hook from within a tool
        ctx.fire_hook(
            HookEvent::SubagentStart,
            HookInput::subagent_start(&session_id, agent_id, &agent_type, description),
        )
        .await;
        ctx.fire_hook(
            HookEvent::SubagentStop,
            HookInput::subagent_stop(&session_id, agent_id, error.is_none(), error),
        )
        .await;
    }
}
