//! Tells an agent whose call failed what helps with failures of that kind.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Opinion, RunPolicy};
use bowline_guidance::debugging;

use super::Ground;
use crate::assemble::BuiltinHook;
use crate::recorder::{Ended, ended};

const NAME: &str = "debugging";
const SUMMARY: &str = "tells an agent whose call failed what helps";

#[derive(Debug)]
pub(super) struct Debugging {
    ground: Arc<Ground>,
}

impl Debugging {
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let is_on = ground.config.advice.debugging;
        let ground = Arc::clone(ground);
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }
}

#[async_trait]
impl Hook for Debugging {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PostToolUse, HookEvent::PostToolUseFailure]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::observer().whole()
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let Ended::Failed(message) = ended(input) else {
            return Ok(Opinion::allow());
        };
        let text = debugging::suggestion(&message);
        let said = self.ground.advice.once(input, ctx, text, "", &[]);
        Ok(said.map_or_else(Opinion::allow, |text| Opinion::allow().context(text)))
    }
}
