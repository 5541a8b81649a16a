//! An agent that can only look: what a hook of type `agent` runs on.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::Agent;
use super::engine::Engine;
use super::tools::Toolbox;
use crate::execution::{Secrets, SecurityContext};
use crate::lifecycle::SessionOptions;
use crate::manager::HookManager;
use crate::model_api::ModelConfig;

/// As often as Claude Code asks the model of such a hook.
const MAX_TURNS: usize = 50;
/// Above this size, in tokens, the conversation is compacted.
const COMPACT_ABOVE: u64 = 150_000;

/// Where an agent may look.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) project: PathBuf,
    pub(crate) secrets: Secrets,
}

impl Agent {
    /// An agent that reads, lists and searches below a folder, but for what holds secrets. No hook sees its calls: a hook's own agent
    /// would call itself.
    pub(crate) fn looker(
        model: ModelConfig,
        system_prompt: String,
        view: View,
        cancellation: CancellationToken,
    ) -> Self {
        let security = SecurityContext::new(&view.project).without_secrets(view.secrets);
        let options = SessionOptions::new()
            .model(model.model.as_str())
            .security(security)
            .cwd(view.project)
            .cancellation(cancellation);
        let engine = Engine {
            model,
            system_prompt: Some(system_prompt),
            tools: Toolbox::looking(),
            max_turns: MAX_TURNS,
            compact_above: Some(COMPACT_ABOVE),
            ledger: Arc::default(),
        };
        Self::new(engine, HookManager::new(), options)
    }
}
