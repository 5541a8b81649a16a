//! Reminds an agent that changes a module of its documentation.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline_agents::Tool;
use bowline_guidance::documentation;

use super::Ground;
use crate::assemble::BuiltinHook;

const NAME: &str = "docs-reminder";
const SUMMARY: &str = "reminds an agent that changes a module of its documentation";

#[derive(Debug)]
pub(super) struct DocsReminder {
    ground: Arc<Ground>,
}

impl DocsReminder {
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let ground = Arc::clone(ground);
        let is_on = ground.config.docs.reminder;
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }

    /// The module that the call changed.
    fn module<'i>(&self, input: &'i HookInput) -> Option<&'i str> {
        let tool = Tool::named(input.tool_name()?);
        let path = input.file_path().filter(|_| tool.changes_a_file())?;
        let project = self.ground.project.to_str()?;
        let inside = match path.strip_prefix(project) {
            Some(inside) => inside.trim_start_matches('/'),
            None if path.starts_with('/') => return None,
            None => path.trim_start_matches("./"),
        };
        documentation::module_of(inside, &self.ground.config.docs.modules)
    }
}

#[async_trait]
impl Hook for DocsReminder {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PostToolUse]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::observer()
    }

    fn matches(&self, input: &HookInput) -> Match {
        match self.module(input) {
            Some(_) => Match::Yes,
            None => Match::No("it changes no module".to_owned()),
        }
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let module = self.module(input).unwrap_or_default();
        let values = [("module", module)];
        let advice = &self.ground.advice;
        let said = advice.once(input, ctx, &documentation::REMINDER, module, &values);
        Ok(said.map_or_else(Opinion::allow, |text| Opinion::allow().context(text)))
    }
}
