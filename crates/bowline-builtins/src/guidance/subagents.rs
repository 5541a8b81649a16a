//! Knows the sub-agents by name when they start, and tells them about the project.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline_guidance::{framework, subagent};

use super::{Ground, recovery};
use crate::assemble::BuiltinHook;

const NAME: &str = "subagents";
const SUMMARY: &str =
    "warns of sub-agents that nobody knows, and tells the others about the project";

/// Where sub-agents keep notes, in the project and in the user's home.
const MEMORIES: [&str; 2] = [".claude/agent-memory", ".claude/agent-memory-local"];
/// A larger manifest is not read.
const MAX_MANIFEST: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Subagents {
    ground: Arc<Ground>,
}

impl Subagents {
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let ground = Arc::clone(ground);
        let config = &ground.config.subagents;
        let is_on = !config.registry.is_empty() || config.context;
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }

    fn unknown(&self, agent: &str) -> Option<String> {
        let ground = &self.ground;
        if ground.knows_agent(agent) {
            return None;
        }
        let known = ground.config.subagents.registry.join(", ");
        let values = [("agent", agent), ("known", known.as_str())];
        ground.advice.render(&subagent::UNKNOWN, &values)
    }

    fn context(&self, agent: &str, input: &HookInput, ctx: &HookContext) -> Option<String> {
        let ground = &self.ground;
        if !ground.config.subagents.context {
            return None;
        }
        let parts = [
            recovery::last(ground, input, ctx),
            self.memory(agent),
            self.frameworks(),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
    }

    fn memory(&self, agent: &str) -> Option<String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if agent.is_empty() || !agent.chars().all(is_name) {
            return None;
        }
        let home = std::env::home_dir();
        let roots = [Some(&self.ground.project), home.as_ref()];
        let mut folders = roots.into_iter().flatten().flat_map(|root| {
            let folders = MEMORIES.iter();
            folders.map(move |folder| root.join(folder).join(agent))
        });
        let folder = folders.find(|folder| folder.is_dir())?;
        let folder = folder.strip_prefix(&self.ground.project).unwrap_or(&folder);
        let values = [("folder", &*folder.to_string_lossy())];
        self.ground.advice.render(&subagent::MEMORY, &values)
    }

    fn frameworks(&self) -> Option<String> {
        let found = framework::of_project(|name| read_small(&self.ground.project.join(name)));
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        let frameworks = found.join(", ");
        let values = [("frameworks", frameworks.as_str())];
        let text = self.ground.advice.render(&subagent::FRAMEWORKS, &values);
        text.filter(|_| !found.is_empty())
    }
}

fn read_small(file: &Path) -> Option<String> {
    let metadata = std::fs::metadata(file).ok()?;
    let is_small = metadata.is_file() && metadata.len() <= MAX_MANIFEST;
    is_small
        .then(|| std::fs::read_to_string(file).ok())
        .flatten()
}

#[async_trait]
impl Hook for Subagents {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::SubagentStart]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::fail_open().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        match input.agent_type() {
            Some(agent) if !agent.is_empty() => Match::Yes,
            _ => Match::No("the sub-agent has no name".to_owned()),
        }
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let agent = input.agent_type().unwrap_or_default();
        let unknown = self.unknown(agent);
        if let Some(text) = &unknown
            && self.ground.config.subagents.strict
        {
            return Ok(Opinion::block(text).by_rule("subagents.unknown"));
        }
        let mut opinion = Opinion::allow();
        if let Some(text) = unknown {
            opinion = opinion.system_message(text.clone()).warning(text);
        }
        opinion.additional_context = self.context(agent, input, ctx);
        Ok(opinion)
    }
}
