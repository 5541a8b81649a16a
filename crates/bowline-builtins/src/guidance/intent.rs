//! Tells an agent how to go about a prompt.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Opinion, RunPolicy};
use bowline_guidance::intent::{self, ActiveWork};

use super::Ground;
use super::active_work::active_work;
use crate::assemble::BuiltinHook;

const NAME: &str = "intent";
const SUMMARY: &str = "tells an agent how to go about a prompt";

#[derive(Debug)]
pub(super) struct Intent {
    ground: Arc<Ground>,
}

impl Intent {
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let is_on = ground.config.advice.intent;
        let ground = Arc::clone(ground);
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }
}

#[async_trait]
impl Hook for Intent {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::UserPromptSubmit]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::observer().whole()
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let prompt = input.prompt().unwrap_or_default();
        let work = match active_work(&self.ground, input, ctx) {
            Some(_) => ActiveWork::Some,
            None => ActiveWork::None,
        };
        let text = intent::advice(prompt, work);
        let said = text.and_then(|text| self.ground.advice.once(input, ctx, text, "", &[]));
        Ok(said.map_or_else(Opinion::allow, |text| Opinion::allow().context(text)))
    }
}
