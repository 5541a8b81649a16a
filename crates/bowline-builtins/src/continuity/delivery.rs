//! After a tool call in an effort: delivers what waits for the agent, finds directives for folders that it comes to, and reads on in its
//! transcript.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline_agents::Tool;
use bowline_continuity::action::Who;
use bowline_continuity::directive;
use bowline_continuity::effort::{Effort, Injection};
use bowline_continuity::session::SessionState;
use bowline_continuity::transcript::Chain;
use bowline_guard::secrets::redact;
use bowline_store::{Change, Store};
use serde_json::json;

use super::Ground;
use super::caller::who;
use super::files::{Disk, Transcript};
use super::live::Known;
use crate::assemble::BuiltinHook;
use crate::recorder::add_change;

const NAME: &str = "effort-delivery";
const SUMMARY: &str =
    "after a tool call in an effort: delivers what waits for the agent, and finds directives";

/// A record takes at most this many messages.
const MAX_MESSAGES: usize = 256;

#[derive(Debug)]
pub(super) struct Delivery {
    ground: Arc<Ground>,
}

impl Delivery {
    pub(super) fn builtin(ground: &Arc<Ground>) -> BuiltinHook {
        let ground = Arc::clone(ground);
        BuiltinHook::of_all_tools(Self { ground }, SUMMARY)
    }

    /// What waits for the agent, once and in order.
    fn injections(&self, effort: &mut Effort) -> Vec<Injection> {
        if effort.metadata.pending_injections.is_empty() {
            return Vec::new();
        }
        effort.metadata.pending_injections.clear();
        let taken = self.ground.store().map(|store| {
            let store = store.continuity();
            store.take_injections(effort.id).unwrap_or_default()
        });
        taken.unwrap_or_default()
    }

    /// The directives of a folder that the agent comes to for the first time.
    fn directives(
        &self,
        effort: &mut Effort,
        state: &mut SessionState,
        input: &HookInput,
        ctx: &HookContext,
    ) -> Vec<String> {
        let project = self.ground.project.to_string_lossy();
        let tool = Tool::named(input.tool_name().unwrap_or_default());
        let paths = input.file_path().filter(|_| tool.is_for_files());
        let cwd = input.cwd().unwrap_or(&project);
        let folders = directive::folders_touched(paths, cwd, &project);
        let new = |folder: &String| !effort.directories.contains(folder);
        let Some(folder) = folders.into_iter().find(new) else {
            return Vec::new();
        };
        let wanted = self.ground.skill(effort).map(|skill| skill.directives);
        let found = directive::applying(&Disk, &project, &folder, &wanted.unwrap_or_default());
        effort.directories.push(folder.clone());
        let fresh: Vec<String> = found
            .into_iter()
            .filter(|file| !effort.directives.contains(file))
            .collect();
        effort.directives.extend(fresh.iter().cloned());
        let unread: Vec<String> = fresh
            .iter()
            .filter(|file| !state.loaded_files.contains(file))
            .filter(|file| !state.preloaded_files.contains(file))
            .cloned()
            .collect();
        state.preloaded_files.extend(unread.iter().cloned());
        add_change(
            ctx,
            Change::FilesPreloaded {
                files: unread.clone(),
                directives: fresh,
                directories: vec![folder],
            },
        );
        unread
    }
}

/// Reads on in the transcript of a session: what it says, and how full the context window is.
pub(super) fn read_on(
    store: &dyn Store,
    who: &Who,
    state: &mut SessionState,
    known: &mut Known,
    input: &HookInput,
    ctx: &HookContext,
) {
    let (path, chain) = match (&who.subagent, input.agent_transcript_path()) {
        (Some(_), Some(path)) => (path, Chain::Side),
        // Until it stops, a sub-agent's transcript is not named.
        (Some(_), None) => return,
        (None, _) => match input.transcript_path() {
            Some(path) => (path, Chain::Main),
            None => return,
        },
    };
    let Some(transcript) = Transcript::open(path) else {
        return;
    };
    let name = transcript.name.clone();
    let from = match &known.transcript {
        Some(position) if position.path == name => position.offset,
        _ => store.continuity().transcript_position(&name).unwrap_or(0),
    };
    let Some((news, position)) = transcript.read_on(from, chain) else {
        return;
    };
    if let Some(reading) = &news.usage {
        let used = reading.used(None);
        state.context_usage = Some(used);
        add_change(ctx, Change::ContextUsed { used });
    }
    // Of a transcript that was long before the effort began, the end is enough.
    let skipped = news.messages.len().saturating_sub(MAX_MESSAGES);
    let messages = news.messages.into_iter().skip(skipped).map(|mut message| {
        message.content = redact(&message.content).into_owned();
        message
    });
    add_change(
        ctx,
        Change::TranscriptRead {
            path: name,
            from,
            offset: position.offset,
            messages: messages.collect(),
        },
    );
    known.transcript = Some(position);
}

#[async_trait]
impl Hook for Delivery {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PostToolUse]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::observer().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        self.ground.matches_in_effort(input)
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let who = who(input, ctx, &self.ground.project);
        let told = self
            .ground
            .live
            .in_effort(&who, ctx, |effort, state, known| {
                known.join(effort, input, ctx);
                let injections = self.injections(effort);
                if let Some(path) = read_file(input)
                    && !state.loaded_files.iter().any(|it| it == path)
                {
                    state.loaded_files.push(path.to_owned());
                    let files = vec![path.to_owned()];
                    add_change(ctx, Change::FilesLoaded { files });
                }
                let directives = self.directives(effort, state, input, ctx);
                if let Some(store) = self.ground.store() {
                    read_on(store.as_ref(), &who, state, known, input, ctx);
                }
                let texts = injections
                    .iter()
                    .map(|it| format!("{}: {}", it.rule_id, it.content));
                let mut texts: Vec<String> = texts.collect();
                if !directives.is_empty() {
                    texts.push(format!(
                        "Rules for this folder are in {}. Read them before you go on.",
                        directives.join(", ")
                    ));
                }
                let mut opinion = Opinion::allow();
                if !texts.is_empty() {
                    opinion = opinion.context(texts.join("\n\n"));
                }
                opinion.facts = super::as_map(json!({
                    "heartbeatCount": state.heartbeat,
                    "pendingInjections": injections,
                    "pendingPreloads": directives,
                }));
                opinion
            });
        Ok(told.unwrap_or_default())
    }
}

/// The file that a call has read.
fn read_file(input: &HookInput) -> Option<&str> {
    let tool = Tool::named(input.tool_name()?);
    input.file_path().filter(|_| tool == Tool::Read)
}
