//! Guides agents: advice, and limits on what leads nowhere. Every hook here is off unless the settings switch it on.
//!
//! `bowline-guidance` has the rules. The hooks here apply them, one file each. What they remember is in [`Memory`], what they say goes
//! through `Advice`.

mod active_work;
mod advice;
pub mod cost;
mod debugging;
mod delegation;
mod documentation;
mod drift;
mod errors;
mod gate;
mod handoff;
mod intent;
mod loops;
mod memory;
pub mod metrics;
mod orchestrator;
mod phase;
pub(crate) mod recovery;
mod reflection;
mod report;
mod subagents;
mod testing;
mod tool_patterns;
mod tracker;
mod tree;
mod work_items;

use std::path::PathBuf;
use std::sync::Arc;

use bowline::hooks::{HookContext, HookInput};
use bowline::settings::{Config, Locations, Settings};
use bowline_agents::Tool;
use bowline_guidance::call::{self, CallKind};

use advice::Advice;
pub use loops::NAME as LOOPS;
pub use memory::Memory;
pub use testing::Testing;
use tracker::Tracker;

use crate::analyst::Analyst;
use crate::assemble::{BuiltinHook, SharedState};
use crate::continuity::{Live, project_of};
use crate::machine::Machine;

/// What the hooks of one project share.
#[derive(Debug)]
struct Ground {
    project: PathBuf,
    /// The main checkout of the project. What its worktrees share is kept under its name.
    root: PathBuf,
    config: Config,
    machine: Arc<Machine>,
    /// Where files for people are kept.
    data_folder: Option<PathBuf>,
    memory: Arc<Memory>,
    live: Arc<Live>,
    advice: Advice,
    spending: cost::Spending,
    analyst: Arc<Analyst>,
    tracker: Tracker,
}

impl Ground {
    /// What a tool call is: of several things the first that does more than to look. `harmless` are programs that a person has
    /// named as such.
    fn kind_of(&self, input: &HookInput, ctx: &HookContext, harmless: &[String]) -> CallKind {
        let mut kinds = (input.parts()).map(|part| self.kind_of_part(&part, ctx, harmless));
        let kind = kinds.find(|kind| *kind != CallKind::Explores);
        kind.unwrap_or(CallKind::Explores)
    }

    fn kind_of_part(&self, input: &HookInput, ctx: &HookContext, harmless: &[String]) -> CallKind {
        let tool = input.tool_name().unwrap_or_default();
        let command = input.command();
        match command.filter(|_| Tool::named(tool).runs_a_shell()) {
            Some(command) => {
                let line = self.analyst.judge(command, input, ctx);
                call::of_line(&line, &self.analyst.project(), harmless)
            }
            None => call::of_tool(tool),
        }
    }
}

/// Agents that every client has.
const CLIENTS_OWN: [&str; 5] = [
    "general-purpose",
    "explore",
    "plan",
    "statusline-setup",
    "claude-code-guide",
];
/// The beginning of the names of agents that only play one.
const MOCK: &str = "mock-";

impl Ground {
    /// Whether there is an agent of this name, as far as anybody can tell. Without a registry any name is fine.
    fn knows_agent(&self, name: &str) -> bool {
        let registry = &self.config.subagents.registry;
        if registry.is_empty() || name.is_empty() || name.starts_with(MOCK) {
            return true;
        }
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        registry.iter().any(|known| is(known))
            || CLIENTS_OWN.into_iter().any(is)
            || self.has_file(name)
    }

    /// Whether a file defines the agent, in the project or in the user's home.
    fn has_file(&self, agent: &str) -> bool {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if !agent.chars().all(is_name) {
            return false;
        }
        let file = format!(".claude/agents/{agent}.md");
        let home = std::env::home_dir();
        let mut roots = [Some(&self.project), home.as_ref()].into_iter().flatten();
        roots.any(|root| root.join(&file).is_file())
    }
}

/// The hooks of guidance that a project has switched on.
pub(crate) fn hooks(
    settings: &Settings,
    shared: &SharedState,
    analyst: &Arc<Analyst>,
) -> Vec<BuiltinHook> {
    let root = project_of(&settings.project, &Locations::from_env());
    let tracker = Tracker::new(
        &settings.config.work,
        &settings.project,
        &root,
        &shared.memory,
    );
    let ground = Arc::new(Ground {
        project: settings.project.clone(),
        root,
        config: settings.config.clone(),
        machine: Arc::clone(&shared.machine),
        data_folder: shared.data_folder.clone(),
        memory: Arc::clone(&shared.memory),
        live: Arc::clone(&shared.live),
        advice: Advice::new(settings.config.advice.clone(), Arc::clone(&shared.memory)),
        spending: cost::Spending::new(settings.config.cost.clone(), shared.memory.store()),
        analyst: Arc::clone(analyst),
        tracker,
    });
    [
        reflection::Reflection::builtin(&ground),
        orchestrator::Orchestrator::builtin(&ground),
        work_items::WorkItems::builtin(&ground),
        delegation::Delegation::builtin(&ground),
        errors::Errors::builtin(&ground),
        loops::Loops::builtin(&ground),
        debugging::Debugging::builtin(&ground),
        intent::Intent::builtin(&ground),
        drift::Drifting::builtin(&ground),
        tool_patterns::ToolPatterns::builtin(&ground),
        gate::TestHook::builtin(&ground),
        phase::PhaseCheckpoint::builtin(&ground),
        handoff::Handoff::builtin(&ground),
        recovery::RecoveryHook::builtin(&ground),
        subagents::Subagents::builtin(&ground),
        documentation::DocsReminder::builtin(&ground),
        metrics::Metrics::builtin(&ground),
        cost::Track::builtin(&ground),
        cost::Budget::builtin(&ground),
        cost::ConductHook::builtin(&ground),
    ]
    .into_iter()
    .flatten()
    .collect()
}
