//! Tells a session that begins where its work was left: its effort, what the session before left, notes, to-dos. A sub-agent is told which
//! effort it works for.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline::settings::HandoverDetail;
use bowline_continuity::action::{HandOver, Who};
use bowline_continuity::briefing::{self, Beginning, Briefing, Detail, Material};
use bowline_continuity::effort::Effort;
use bowline_continuity::skill::Skill;
use bowline_store::Change;
use serde_json::{Value, json};

use super::Ground;
use super::caller::who;
use super::files;
use crate::assemble::BuiltinHook;
use crate::guidance::recovery;
use crate::recorder::add_change;

const NAME: &str = "handover";
const SUMMARY: &str = "tells a new session where the work was left: effort, summary, notes, to-dos";

/// A token has about this many characters.
const CHARACTERS_OF_A_TOKEN: usize = 4;
/// Agents take at most this many characters from a hook; Claude Code puts more into a file.
const AGENT_LIMIT: usize = 10_000;
/// A larger file that every session is told is skipped.
const MAX_STANDING: u64 = 256 * 1024;
/// Room for what other hooks say at the same time.
const MARGIN: usize = 500;

/// What an agent calls the beginning of the context window after a compaction.
const COMPACT: &str = "compact";

#[derive(Debug)]
pub(super) struct Start {
    ground: Arc<Ground>,
}

impl Start {
    pub(super) fn builtin(ground: &Arc<Ground>) -> BuiltinHook {
        let ground = Arc::clone(ground);
        BuiltinHook::of_all_tools(Self { ground }, SUMMARY)
    }

    fn session(&self, input: &HookInput, ctx: &HookContext, who: &Who) -> Opinion {
        let (Some(store), Some(call)) = (self.ground.store(), ctx.call_id()) else {
            return Opinion::allow();
        };
        // What was known belongs to the context window before.
        self.ground.live.forget(who);
        let given = store
            .continuity()
            .hand_over(who, call)
            .unwrap_or_else(|error| {
                tracing::warn!("nothing could be handed over: {error}");
                HandOver::default()
            });
        let ground = &self.ground;
        let recovered = recovery::claim(&ground.memory, &ground.config, &ground.folder, input, ctx);
        let recovered = recovered.unwrap_or_default();
        let Some(effort) = given.effort.clone() else {
            let mut opinion = self.told(input, &given, &recovered, &[], &[]);
            opinion.facts = super::as_map(json!({"found": false}));
            return opinion;
        };
        let skill = self.ground.skill(&effort);
        let preload = self.preload(&effort, skill.as_ref());
        let artifacts = match given.dehydrated {
            Some(_) => Vec::new(),
            None => files::artifacts(&effort),
        };
        self.ground.live.with(who, ctx, |known| {
            known.joined = None;
            known.join(&effort, input, ctx);
        });
        if !preload.is_empty() {
            add_change(
                ctx,
                Change::FilesPreloaded {
                    files: preload.clone(),
                    directives: Vec::new(),
                    directories: Vec::new(),
                },
            );
        }
        let mut opinion = self.told(input, &given, &recovered, &preload, &artifacts);
        let text = opinion.additional_context.clone();
        opinion.facts = super::as_map(json!({
            "found": true,
            "effortId": effort.id,
            "sessionId": input.session_id,
            "taskDir": effort.task,
            "skill": effort.skill,
            "phase": effort.phase,
            "filesToPreload": preload,
            "dehydratedContext": given.dehydrated,
            "skillConfig": skill,
            "sessionContext": text,
        }));
        opinion
    }

    /// Templates of the skill, then directives that the effort has found.
    fn preload(&self, effort: &Effort, skill: Option<&Skill>) -> Vec<String> {
        let root = &self.ground.project;
        let templates = skill.into_iter().flat_map(|skill| skill.templates.paths());
        let templates: Vec<String> = templates
            .map(|path| root.join(path).to_string_lossy().into_owned())
            .collect();
        let exists = |path: &str| Path::new(path).is_file();
        briefing::files_to_preload(&templates, &effort.directives, exists, &[])
    }

    /// The files that every session is told, with their texts.
    fn standing(&self) -> Vec<String> {
        let files = self.ground.config.behaviour.files.iter();
        let texts = files.filter_map(|file| {
            let text = files::read_small(&self.ground.folder.join(file), MAX_STANDING)?;
            let text = text.trim();
            (!text.is_empty()).then(|| format!("### {file}\n{text}"))
        });
        texts.collect()
    }

    fn told(
        &self,
        input: &HookInput,
        given: &HandOver,
        recovered: &str,
        preload: &[String],
        artifacts: &[String],
    ) -> Opinion {
        let config = &self.ground.config.handover;
        let tokens = usize::try_from(config.max_tokens).unwrap_or(usize::MAX);
        let budget = tokens
            .saturating_mul(CHARACTERS_OF_A_TOKEN)
            .min(AGENT_LIMIT - MARGIN);
        let material = Material {
            beginning: match input.source() {
                Some(COMPACT) => Beginning::Compacted,
                _ => Beginning::Session,
            },
            hand_over: given,
            artifacts,
            preload,
            skill: "",
            recovered,
            standing: &self.standing(),
        };
        let detail = match config.detail {
            HandoverDetail::Off => Detail::Off,
            HandoverDetail::Full => Detail::Full,
            _ => Detail::Summary,
        };
        match Briefing::new(material, detail).assemble(budget) {
            Some(text) => Opinion::allow().context(text),
            None => Opinion::allow(),
        }
    }

    /// A sub-agent works for the effort of its agent, in a session of its own.
    fn subagent(&self, input: &HookInput, ctx: &HookContext, who: &Who) -> Opinion {
        let told = self.ground.live.in_effort(who, ctx, |effort, _, known| {
            known.join(effort, input, ctx);
            let mut opinion = Opinion::allow().context(briefing::for_subagent(effort));
            opinion.facts = super::as_map(json!({
                "effortId": effort.id,
                "taskDir": effort.task,
                "skill": effort.skill,
                "phase": effort.phase,
                "logFile": Value::from(effort.log_file()),
                "directives": effort.directives,
            }));
            opinion
        });
        told.unwrap_or_default()
    }
}

#[async_trait]
impl Hook for Start {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::SessionStart, HookEvent::SubagentStart]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::observer().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        match input.event_type() {
            HookEvent::SubagentStart => self.ground.matches_in_effort(input),
            _ => Match::Yes,
        }
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let who = who(input, ctx, &self.ground.project);
        Ok(match input.event_type() {
            HookEvent::SubagentStart => self.subagent(input, ctx, &who),
            _ => self.session(input, ctx, &who),
        })
    }
}
