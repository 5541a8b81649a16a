//! Guides agents: advice, and limits on what leads nowhere. Every hook here is off unless the settings switch it on.
//!
//! `bowline-guidance` has the rules. The hooks here apply them, one file each. What they remember is in [`Memory`], what they say goes
//! through [`Advice`].

mod advice;
pub mod cost;
mod memory;
mod reflection;

use std::path::PathBuf;
use std::sync::Arc;

use bowline::settings::{Config, Settings};

use advice::Advice;
pub use memory::Memory;

use crate::assemble::{BuiltinHook, SharedState};

/// What the hooks of one project share.
#[derive(Debug)]
struct Ground {
    project: PathBuf,
    config: Config,
    memory: Arc<Memory>,
    advice: Advice,
    spending: cost::Spending,
}

/// The hooks of guidance that a project has switched on.
pub(crate) fn hooks(settings: &Settings, shared: &SharedState) -> Vec<BuiltinHook> {
    let ground = Arc::new(Ground {
        project: settings.project.clone(),
        config: settings.config.clone(),
        memory: Arc::clone(&shared.memory),
        advice: Advice::new(settings.config.advice.clone(), Arc::clone(&shared.memory)),
        spending: cost::Spending::new(settings.config.cost.clone(), shared.memory.store()),
    });
    [
        reflection::Reflection::builtin(&ground),
        cost::Track::builtin(&ground),
        cost::Budget::builtin(&ground),
        cost::Delegation::builtin(&ground),
    ]
    .into_iter()
    .flatten()
    .collect()
}
