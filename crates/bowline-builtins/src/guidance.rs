//! Guides agents: advice, and limits on what leads nowhere. Every hook here is off unless the settings switch it on.
//!
//! `bowline-guidance` has the rules. The hooks here apply them, one file each. What they remember is in [`Memory`], what they say goes
//! through [`Advice`].

mod active_work;
mod advice;
mod debugging;
mod drift;
mod errors;
mod intent;
mod loops;
mod memory;
mod reflection;
mod tool_patterns;

use std::path::PathBuf;
use std::sync::Arc;

use bowline::settings::{Config, Settings};

use advice::Advice;
pub use memory::Memory;

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
}

/// The hooks of guidance that a project has switched on.
pub(crate) fn hooks(settings: &Settings, shared: &SharedState) -> Vec<BuiltinHook> {
    let ground = Arc::new(Ground {
        project: settings.project.clone(),
        config: settings.config.clone(),
        memory: Arc::clone(&shared.memory),
        live: Arc::clone(&shared.live),
        advice: Advice::new(settings.config.advice.clone(), Arc::clone(&shared.memory)),
    });
    [
        reflection::Reflection::builtin(&ground),
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
