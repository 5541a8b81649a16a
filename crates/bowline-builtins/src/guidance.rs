//! Guides agents: advice, and limits on what leads nowhere. Every hook here is off unless the settings switch it on.
//!
//! `bowline-guidance` has the rules. The hooks here apply them, one file each. What they remember is in [`Memory`], what they say goes
//! through [`Advice`].

mod active_work;
mod advice;
mod delegation;
mod debugging;
mod drift;
mod errors;
mod intent;
mod loops;
mod memory;
mod orchestrator;
mod reflection;
mod tracker;
mod work_items;
mod tool_patterns;

use std::path::PathBuf;
use std::sync::Arc;

use bowline::hooks::{HookContext, HookInput};
use bowline::settings::{Config, Settings};
use bowline_agents::Tool;
use bowline_guidance::call::{self, CallKind};

use advice::Advice;
pub use memory::Memory;

use crate::analyst::Analyst;
use crate::assemble::{BuiltinHook, SharedState};
use crate::continuity::Live;

/// What the hooks of one project share.
#[derive(Debug)]
struct Ground {
    project: PathBuf,
    config: Config,
    memory: Arc<Memory>,
    live: Arc<Live>,
    advice: Advice,
    analyst: Arc<Analyst>,
}

impl Ground {
    /// What a tool call is. `harmless` are programs that a person has named as such.
    fn kind_of(&self, input: &HookInput, ctx: &HookContext, harmless: &[String]) -> CallKind {
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

/// The hooks of guidance that a project has switched on.
pub(crate) fn hooks(
    settings: &Settings,
    shared: &SharedState,
    analyst: &Arc<Analyst>,
) -> Vec<BuiltinHook> {
    let ground = Arc::new(Ground {
        project: settings.project.clone(),
        config: settings.config.clone(),
        memory: Arc::clone(&shared.memory),
        live: Arc::clone(&shared.live),
        advice: Advice::new(settings.config.advice.clone(), Arc::clone(&shared.memory)),
        analyst: Arc::clone(analyst),
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
    ]
    .into_iter()
    .flatten()
    .collect()
}
