//! A hook that logs every tool event, run through a manager.
#![expect(
    clippy::unnecessary_literal_bound,
    reason = "the code of the documentation, word for word"
)]

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, HookManager, HookOutput};
use serde_json::json;

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

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), bowline::Error> {
    tracing_subscriber::fmt().without_time().init();
    let mut manager = HookManager::new();
    manager.register_arc(Arc::new(LoggingHook));

    let ctx = HookContext::new("session-1");
    for input in [
        HookInput::pre_tool_use("session-1", "Bash", json!({"command": "ls"})),
        HookInput::post_tool_use("session-1", "Bash", json!("Cargo.toml")),
        HookInput::pre_tool_use("session-1", "Read", json!({"file_path": "missing"})),
        HookInput::post_tool_use_failure("session-1", "Read", "missing does not exist"),
    ] {
        manager.execute(input.event_type(), input, &ctx).await?;
    }
    Ok(())
}
