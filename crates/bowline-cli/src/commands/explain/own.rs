//! What the person's own rules say to a call.

use std::path::Path;

use bowline::hooks::{Decision, HookContext, HookInput, HookManager};
use bowline::settings::Settings;
use bowline_builtins::Builtins;
use bowline_guard::Strictness;
use serde::Serialize;

use crate::commands::test::engine;
use crate::error::Result;
use crate::project::Paths;

/// One of the person's own rules that has something to say.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct OwnRule {
    pub(in crate::commands) id: String,
    /// `deny`, `ask` or `allow`.
    pub(in crate::commands) decision: &'static str,
    pub(in crate::commands) reason: Option<String>,
    /// The file and the line that it is in.
    pub(in crate::commands) place: Option<String>,
    #[serde(skip)]
    pub(in crate::commands) strictness: Strictness,
}

/// The rules that speak of a call. Nothing is run.
pub(super) fn heard(
    settings: &Settings,
    builtins: &Builtins,
    event: &HookInput,
    folder: &Path,
) -> Result<Vec<OwnRule>> {
    let mut heard = Vec::new();
    let paths = Paths::of(&settings.project);
    for rule in &builtins.rules.hooks {
        // One by one: a rule that denies would keep the next ones from speaking.
        let mut manager = HookManager::new();
        manager.register_arc(std::sync::Arc::clone(rule) as _);
        let ctx = HookContext::new(&*event.session_id).with_cwd(folder);
        let output = engine::trigger(&manager, event.clone(), &ctx)?.output;
        let (decision, strictness) = match output.decision() {
            Decision::Deny => ("deny", Strictness::Deny),
            Decision::Ask => ("ask", Strictness::Ask),
            Decision::Grant => ("allow", Strictness::Allow),
            Decision::NoOpinion => continue,
        };
        let definition = rule.definition();
        let file = definition.origin.file.as_deref();
        heard.push(OwnRule {
            id: definition.id.clone(),
            decision,
            reason: output.stop_reason,
            place: file.map(|it| format!("{}:{}", paths.show(it), definition.origin.position.line)),
            strictness,
        });
    }
    Ok(heard)
}
