//! Keeps what else happens in a session's life: dialogues with the user, to-dos, failures, teammates, tasks, worktrees.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{
    Hook, HookContext, HookEvent, HookEventData, HookInput, Match, Opinion, RunPolicy,
};
use bowline_agents::Tool;
use bowline_continuity::dialogue::{self, Dialogue};
use bowline_continuity::fleet::AgentStatus;
use bowline_continuity::todo;
use bowline_guard::secrets::redact;
use bowline_store::{AgentSignal, Change};
use serde_json::{Value, json};

use super::Ground;
use super::caller::{host, who};
use super::messages::{note, say};
use crate::assemble::BuiltinHook;
use crate::recorder::add_change;

const NAME: &str = "life";
const SUMMARY: &str =
    "keeps dialogues, to-dos, failures and what teammates do, for the next session";

const EVENTS: &[HookEvent] = &[
    HookEvent::PostToolUse,
    HookEvent::PostToolUseFailure,
    HookEvent::TaskCreated,
    HookEvent::TaskCompleted,
    HookEvent::TeammateIdle,
    HookEvent::ConfigChange,
    HookEvent::WorktreeCreate,
    HookEvent::WorktreeRemove,
];

/// A message keeps at most this much of an error.
const MAX_ERROR: usize = 2_000;

#[derive(Debug)]
pub(super) struct Life {
    ground: Arc<Ground>,
}

impl Life {
    pub(super) fn builtin(ground: &Arc<Ground>) -> BuiltinHook {
        let ground = Arc::clone(ground);
        BuiltinHook::of_all_tools(Self { ground }, SUMMARY)
    }

    fn todos(&self, input: &HookInput, ctx: &HookContext) {
        let who = host(who(input, ctx, &self.ground.project));
        let (Some(store), Some(session)) = (self.ground.store(), who.session.as_deref()) else {
            return;
        };
        let before = store.continuity().todos(session).unwrap_or_default();
        let payload = input.metadata.clone().unwrap_or_default();
        let after = match (&input.data, input.tool_input()) {
            (
                HookEventData::PostToolUse {
                    tool_name,
                    tool_result,
                },
                Some(arguments),
            ) => todo::after_tool(&before, tool_name, arguments, &tool_result.content),
            (HookEventData::PostToolUse { .. }, None) => None,
            _ => todo::after_event(&before, input.event_name(), &payload),
        };
        if let Some(mut todos) = after {
            for todo in &mut todos {
                todo.text = redact(&todo.text).into_owned();
            }
            add_change(ctx, Change::Todos { todos });
        }
    }
}

/// Whether a finished call of this tool says something that is kept.
fn speaks(tool: &str) -> bool {
    tool == dialogue::TOOL || todo::is_about_todos(tool) || Tool::named(tool).changes_a_file()
}

/// The files that a call changed.
fn edited(input: &HookInput) -> Vec<String> {
    let mut files = Vec::new();
    for part in input.parts() {
        let tool = Tool::named(part.tool_name().unwrap_or_default());
        let file = part.file_path().filter(|_| tool.changes_a_file());
        if let Some(file) = file.filter(|file| !files.iter().any(|it| it == file)) {
            files.push(file.to_owned());
        }
    }
    files
}

#[async_trait]
impl Hook for Life {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        EVENTS
    }

    fn priority(&self) -> i32 {
        crate::guard::PRIORITY
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::told()
    }

    fn matches(&self, input: &HookInput) -> Match {
        if input.event_type() == HookEvent::PostToolUse && !input.tool_name().is_some_and(speaks) {
            return Match::No("the tool says nothing that is kept".to_owned());
        }
        Match::Yes
    }

    async fn decided(&self, input: &HookInput, _: &Opinion, ctx: &HookContext) {
        match &input.data {
            HookEventData::PostToolUse {
                tool_name,
                tool_result,
            } => {
                if tool_name == dialogue::TOOL
                    && let Some(asked) = input.tool_input()
                    && let Some(dialogue) = Dialogue::read("", asked, &tool_result.content)
                {
                    say(ctx, dialogue.to_message());
                }
                if todo::is_about_todos(tool_name) {
                    self.todos(input, ctx);
                }
                let files = edited(input);
                if !files.is_empty() {
                    add_change(ctx, Change::FilesEdited { files });
                }
            }
            HookEventData::PostToolUseFailure { tool_name, error } => {
                let error: String = error.chars().take(MAX_ERROR).collect();
                let failure =
                    json!({"event": "tool_use_failure", "tool": tool_name, "error": error});
                note(ctx, Some(tool_name), &failure);
            }
            _ => self.other(input, ctx),
        }
    }
}

impl Life {
    /// A skill's file may have changed; it is read anew when it is next needed.
    fn forget_skills(&self) {
        let project = self.ground.project.to_string_lossy();
        if let Some(store) = self.ground.store()
            && let Err(error) = store.continuity().forget_skills(&project)
        {
            tracing::debug!("the skills of {project} were not forgotten: {error}");
        }
    }

    fn other(&self, input: &HookInput, ctx: &HookContext) {
        let event = input.event_type();
        match event {
            HookEvent::TaskCreated | HookEvent::TaskCompleted => {
                self.todos(input, ctx);
                let task = json!({
                    "event": event.snake_name(),
                    "task": input.task_id(),
                    "subject": input.task_subject(),
                    "teammate": input.teammate_name(),
                });
                note(ctx, None, &task);
            }
            HookEvent::TeammateIdle => {
                let idle = json!({
                    "event": event.snake_name(),
                    "teammate": input.teammate_name(),
                    "team": input.team_name(),
                });
                note(ctx, None, &idle);
                if let Some(teammate) = input.teammate_name() {
                    add_change(ctx, Change::AgentStatus(teammate_done(teammate, input)));
                }
            }
            HookEvent::ConfigChange => self.forget_skills(),
            HookEvent::WorktreeCreate | HookEvent::WorktreeRemove => {
                let worktree = input.worktree_path().or_else(|| {
                    let name = input.field("name");
                    name.and_then(Value::as_str)
                });
                let about = json!({"event": event.snake_name(), "worktree": worktree});
                note(ctx, None, &about);
            }
            _ => {}
        }
    }
}

/// A teammate is an agent of its own in the fleet, named by its team.
fn teammate_done(teammate: &str, input: &HookInput) -> AgentSignal {
    let team = input.team_name().unwrap_or(&input.session_id);
    AgentSignal {
        id: Some(format!("{team}:{teammate}")),
        label: Some(teammate.to_owned()),
        ..AgentSignal::new(AgentStatus::Done)
    }
}
