//! Tells a session that writes a file that another session is writing it.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline::settings::LeaseMode;
use bowline_agents::Tool;
use bowline_continuity::lease::{ADVICE, LeaseAnswer, LeaseRequest};
use bowline_guard::secrets::redact;
use bowline_store::Store;
use chrono::{TimeDelta, Utc};

use super::Ground;
use super::caller::who;
use crate::analyst::Analyst;
use crate::assemble::BuiltinHook;
use crate::work::acts;

const NAME: &str = "lease";
const SUMMARY: &str = "tells a session that writes a file that another session is writing it";
const TOOLS: &str = "shell and file tools";

/// The rule under which the second writer is stopped.
const HELD_RULE: &str = "lease.held";

/// At most this many files of one call are leased.
const MAX_FILES: usize = 64;
/// At most this many held files are named.
const MAX_NAMED: usize = 3;

#[derive(Debug)]
pub(super) struct Lease {
    ground: Arc<Ground>,
    analyst: Arc<Analyst>,
}

impl Lease {
    /// None where leases are off.
    pub(super) fn builtin(ground: &Arc<Ground>, analyst: &Arc<Analyst>) -> Option<BuiltinHook> {
        if ground.config.leases.mode == LeaseMode::Off {
            return None;
        }
        let hook = Self {
            ground: Arc::clone(ground),
            analyst: Arc::clone(analyst),
        };
        Some(BuiltinHook::new(hook, TOOLS, SUMMARY))
    }

    /// The files that a call is about to write, as far as that can be told before, with all links resolved.
    fn files(&self, input: &HookInput, ctx: &HookContext) -> Vec<String> {
        let world = self.analyst.world_of(input, ctx);
        let acts = acts(&self.analyst, input, ctx, &world);
        let touched = world.losses().touches(&acts).list;
        let mut files: Vec<String> = touched.into_iter().map(|it| it.path).collect();
        files.sort_unstable();
        files.dedup();
        files.retain(|file| is_file_or_missing(Path::new(file)));
        files.truncate(MAX_FILES);
        files
    }

    fn take(
        &self,
        store: &dyn Store,
        files: &[String],
        input: &HookInput,
        ctx: &HookContext,
    ) -> Vec<LeaseAnswer> {
        let who = who(input, ctx, &self.ground.project);
        let expiry = TimeDelta::from_std(self.ground.config.leases.expires);
        let request = LeaseRequest {
            paths: files.to_vec(),
            session: input.session_id.clone(),
            agent_id: who.agent_id,
            folder: who.folder,
            doing: doing(input),
            at: Utc::now(),
            expiry: expiry.unwrap_or(TimeDelta::MAX),
        };
        let answers = store.continuity().lease(&request);
        answers.unwrap_or_else(|error| {
            tracing::debug!("the lease of {files:?} cannot be asked for: {error}");
            Vec::new()
        })
    }

    fn say(&self, files: &[String], answers: &[LeaseAnswer]) -> Opinion {
        let told = |wanted: fn(&LeaseAnswer) -> bool| {
            let texts = files.iter().zip(answers);
            let texts = texts.filter(|(_, answer)| wanted(answer));
            let texts = texts.filter_map(|(file, answer)| answer.text(file));
            texts.take(MAX_NAMED).collect::<Vec<_>>().join(" ")
        };
        let held = told(|answer| matches!(answer, LeaseAnswer::Held { .. }));
        if !held.is_empty() {
            let opinion = match self.ground.config.leases.mode {
                LeaseMode::Ask => Opinion::ask(held),
                _ => Opinion::block(format!("{held} {ADVICE}")),
            };
            return opinion.by_rule(HELD_RULE);
        }
        match told(|_| true) {
            text if text.is_empty() => Opinion::allow(),
            text => Opinion::allow().context(text),
        }
    }
}

/// A terminal or `/dev/null` is nobody's work.
fn is_file_or_missing(path: &Path) -> bool {
    path.symlink_metadata().map_or(true, |it| it.is_file())
}

/// The call in a few words.
fn doing(input: &HookInput) -> String {
    let tool = input.tool_name().unwrap_or_default();
    match input.command().or_else(|| input.file_path()) {
        Some(what) => format!("{tool}: {}", redact(what)),
        None => tool.to_owned(),
    }
}

#[async_trait]
impl Hook for Lease {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PreToolUse]
    }

    /// With the guards, and after them: a call that they deny takes no file.
    fn priority(&self) -> i32 {
        crate::guard::PRIORITY
    }

    fn policy(&self) -> RunPolicy {
        // All files of a call are asked for at once.
        RunPolicy::fail_open().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        let writes = |part: &HookInput| {
            let tool = Tool::named(part.tool_name().unwrap_or_default());
            tool.changes_a_file() || tool.runs_a_shell()
        };
        if input.session_id.is_empty() || !input.parts().any(|part| writes(&part)) {
            return Match::No("it writes no file".to_owned());
        }
        Match::Yes
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let files = self.files(input, ctx);
        let Some(store) = self.ground.store().filter(|_| !files.is_empty()) else {
            return Ok(Opinion::allow());
        };
        let answers = self.take(store.as_ref(), &files, input, ctx);
        Ok(self.say(&files, &answers))
    }
}
