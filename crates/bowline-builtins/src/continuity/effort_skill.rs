//! Performs what an agent asks of efforts through its `effort` skill or a slash command, and answers with what came of it.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline_continuity::effort_command::{self, EffortCommand, is_effort_skill};
use bowline_store::Error;
use serde_json::{Value, json};

use super::caller::who;
use super::{Desk, Done, Ground};
use crate::assemble::BuiltinHook;

const NAME: &str = "effort-skill";
const SUMMARY: &str = "performs `effort start|resume|log|…` and `note` when an agent uses them as a skill or a slash command";

/// The slash command that pins a note.
const NOTE: &str = "note";

#[derive(Debug)]
pub(super) struct EffortSkill {
    ground: Arc<Ground>,
}

impl EffortSkill {
    pub(super) fn builtin(ground: &Arc<Ground>) -> BuiltinHook {
        let ground = Arc::clone(ground);
        BuiltinHook::of_all_tools(Self { ground }, SUMMARY)
    }
}

/// Whether the event asks something of efforts.
pub(super) fn asks(input: &HookInput) -> bool {
    asked(input).is_some()
}

/// What is asked of efforts, as it was written, if the event asks something.
fn asked(input: &HookInput) -> Option<Asked<'_>> {
    let name = input.skill()?;
    let words = match input.event_type() {
        HookEvent::UserPromptExpansion => input.command_args(),
        _ => input
            .tool_input()
            .and_then(|it| ["args", "arguments"].iter().find_map(|key| it.get(key)))
            .and_then(Value::as_str),
    };
    // Without words nothing is asked: the agent only reads the skill.
    let words = words.filter(|words| !words.trim().is_empty())?;
    if is_effort_skill(name) {
        return Some(Asked::Effort(words));
    }
    let is_note = name.rsplit(':').next() == Some(NOTE);
    is_note.then_some(Asked::Note(words))
}

enum Asked<'a> {
    Effort(&'a str),
    Note(&'a str),
}

#[async_trait]
impl Hook for EffortSkill {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PreToolUse, HookEvent::UserPromptExpansion]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::fail_open().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        if asks(input) {
            return Match::Yes;
        }
        Match::No("nothing is asked of efforts".to_owned())
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let (Some(asked), Some(store)) = (asked(input), self.ground.store()) else {
            return Ok(Opinion::allow());
        };
        let who = who(input, ctx, &self.ground.project);
        let home = std::env::home_dir();
        let desk = Desk::new(store.as_ref(), &self.ground.project, home.as_deref());
        let done = match asked {
            Asked::Effort(words) => match effort_command::parse(words) {
                Ok(command) => desk.perform(&who, &command, input.timestamp),
                Err(refused) => Err(Error::from(refused)),
            },
            Asked::Note(text) => {
                let text = text.to_owned();
                desk.perform(&who, &EffortCommand::Note { text }, input.timestamp)
            }
        };
        Ok(match done {
            Ok(done) => {
                let mut opinion = Opinion::allow().context(done.to_markdown());
                opinion.facts = super::as_map(json!({ "effort": effort_of(&done) }));
                opinion
            }
            Err(refused) => Opinion::block(refused.to_string()).by_rule("effort.command"),
        })
    }
}

fn effort_of(done: &Done) -> Value {
    let effort = match done {
        Done::Begun(begun) => &begun.effort,
        Done::Logged { effort, .. }
        | Done::Dehydrated { effort, .. }
        | Done::Phase(effort)
        | Done::Finished(effort)
        | Done::Shown(effort) => effort,
        Done::Noted(_) => return Value::Null,
    };
    json!({ "id": effort.id, "task": effort.task, "skill": effort.skill, "phase": effort.phase })
}
