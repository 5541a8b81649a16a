//! A hook that blocks dangerous shell commands, run through a manager.
#![expect(clippy::print_stdout, reason = "an example shows what happened")]
#![expect(
    clippy::collapsible_if,
    clippy::if_not_else,
    clippy::uninlined_format_args,
    clippy::unnecessary_literal_bound,
    reason = "the code of the documentation, word for word"
)]

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, HookManager, HookOutput};
use serde_json::json;

struct SecurityHook {
    blocked_patterns: Vec<String>,
}

impl SecurityHook {
    fn new() -> Self {
        Self {
            blocked_patterns: vec!["rm -rf".into(), "sudo".into()],
        }
    }
}

#[async_trait]
impl Hook for SecurityHook {
    fn name(&self) -> &str {
        "security-hook"
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PreToolUse]
    }

    fn priority(&self) -> i32 {
        100
    } // Run early

    async fn execute(
        &self,
        input: HookInput,
        _ctx: &HookContext,
    ) -> Result<HookOutput, bowline::Error> {
        if let Some(tool_name) = input.tool_name() {
            if tool_name == "Bash" {
                if let Some(tool_input) = input.data.tool_input() {
                    if let Some(cmd) = tool_input.get("command").and_then(|v| v.as_str()) {
                        for pattern in &self.blocked_patterns {
                            if cmd.contains(pattern) {
                                return Ok(HookOutput::block(format!(
                                    "Blocked: contains '{}'",
                                    pattern
                                )));
                            }
                        }
                    }
                }
            }
        }
        Ok(HookOutput::allow())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), bowline::Error> {
    let mut manager = HookManager::new();
    manager.register(SecurityHook::new());

    for command in ["ls", "sudo ls", "rm -rf build"] {
        let input = HookInput::pre_tool_use("session-1", "Bash", json!({ "command": command }));
        let ctx = HookContext::new("session-1");
        let output = manager.execute(HookEvent::PreToolUse, input, &ctx).await?;

        if !output.continue_execution {
            println!("{command}: {:?}", output.stop_reason);
        } else {
            println!("{command}: allowed");
        }
    }
    Ok(())
}
