//! Asks for a work item before files are changed.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline::settings::{Locations, WorkItems as Mode};
use bowline_agents::Tool;
use bowline_guidance::call::CallKind;
use bowline_guidance::work::{
    ADVISED, ADVISED_ELSEWHERE, ActiveItem, REQUIRED, REQUIRED_ELSEWHERE,
};

use super::Ground;
use super::tracker::{Asked, ByCommand, by_file};
use crate::assemble::BuiltinHook;
use crate::continuity::project_of;

const NAME: &str = "work-items";
const SUMMARY: &str = "asks for a work item before files are changed";

/// The rule under which a change without a work item is denied.
const RULE: &str = "work.item-required";

/// Before the guards, as the orchestrator is.
const PRIORITY: i32 = crate::guard::PRIORITY + 1;

/// So many sessions are remembered.
const MAX_SESSIONS: usize = 1_024;

#[derive(Debug)]
pub(super) struct WorkItems {
    ground: Arc<Ground>,
    tracker: Tracker,
}

/// Who knows what is being worked on.
#[derive(Debug)]
enum Tracker {
    /// `bowline work`.
    Own(OwnTracker),
    /// A file of another tracker.
    File(PathBuf),
    /// A command of another tracker.
    Command(ByCommand),
}

/// What the store said about sessions, until it changes.
#[derive(Debug)]
struct OwnTracker {
    /// Worktrees share the items of their main checkout.
    project: String,
    known: Mutex<HashMap<String, (u64, Option<ActiveItem>)>>,
}

impl OwnTracker {
    fn ask(&self, ground: &Ground, session: &str) -> Asked {
        let Some(store) = ground.memory.store() else {
            return Asked::Unknown("there is no store".to_owned());
        };
        let now = store.continuity().foreign_writes();
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, item)) = lock().get(session)
            && *at == now
        {
            return Asked::Known(item.clone());
        }
        store.catch_up();
        let item = match store.work().active_item(&self.project, Some(session)) {
            Ok(item) => item.as_ref().map(ActiveItem::from),
            Err(error) => return Asked::Unknown(error.to_string()),
        };
        let mut known = lock();
        if known.len() >= MAX_SESSIONS {
            known.clear();
        }
        known.insert(session.to_owned(), (now, item.clone()));
        Asked::Known(item)
    }
}

impl WorkItems {
    /// None where nobody asks for work items.
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let config = &ground.config.work;
        if config.items == Mode::Off {
            return None;
        }
        let tracker = match (&config.active_command, &config.active_file) {
            (Some(command), _) => Tracker::Command(ByCommand::new(command, &ground.project)),
            (None, Some(file)) => Tracker::File(ground.project.join(file)),
            (None, None) => {
                let project = project_of(&ground.project, &Locations::from_env());
                Tracker::Own(OwnTracker {
                    project: project.to_string_lossy().into_owned(),
                    known: Mutex::default(),
                })
            }
        };
        let ground = Arc::clone(ground);
        let runs_a_command = matches!(tracker, Tracker::Command(_));
        let builtin = BuiltinHook::of_all_tools(Self { ground, tracker }, SUMMARY);
        Some(if runs_a_command {
            builtin.with_programs()
        } else {
            builtin
        })
    }

    async fn ask(&self, input: &HookInput, ctx: &HookContext) -> Asked {
        match &self.tracker {
            Tracker::Own(own) => own.ask(&self.ground, &input.session_id),
            Tracker::File(file) => by_file(file),
            Tracker::Command(command) => command.ask(ctx).await,
        }
    }

    /// What another tracker is called.
    fn elsewhere(&self) -> Option<String> {
        match &self.tracker {
            Tracker::Own(_) => None,
            Tracker::File(file) => Some(format!("`{}`", file.display())),
            Tracker::Command(command) => Some(format!("`{}`", command.text())),
        }
    }

    fn without_item(&self, input: &HookInput, ctx: &HookContext) -> Opinion {
        let advice = &self.ground.advice;
        let tracker = self.elsewhere();
        let values = tracker.iter().map(|it| ("tracker", it.as_str()));
        let values: Vec<_> = values.collect();
        if self.ground.config.work.items == Mode::Require {
            let text = tracker.as_ref().map_or(&REQUIRED, |_| &REQUIRED_ELSEWHERE);
            // A reason that a person has switched off is still a reason.
            let reason = advice.render(text, &values);
            let reason = reason.unwrap_or_else(|| "CREATE_WORK_ITEM".to_owned());
            return Opinion::block(reason).by_rule(RULE);
        }
        let text = tracker.as_ref().map_or(&ADVISED, |_| &ADVISED_ELSEWHERE);
        let said = advice.once(input, ctx, text, "", &values);
        said.map_or_else(Opinion::allow, |text| Opinion::allow().context(text))
    }
}

#[async_trait]
impl Hook for WorkItems {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PreToolUse]
    }

    fn priority(&self) -> i32 {
        PRIORITY
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::fail_open()
    }

    fn matches(&self, input: &HookInput) -> Match {
        let tool = Tool::named(input.tool_name().unwrap_or_default());
        if tool.changes_a_file() || tool.runs_a_shell() {
            return Match::Yes;
        }
        Match::No("it changes no file".to_owned())
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        if self.ground.kind_of(input, ctx, &[]) != CallKind::Edits {
            return Ok(Opinion::allow());
        }
        Ok(match self.ask(input, ctx).await {
            Asked::Known(Some(_)) => Opinion::allow(),
            Asked::Known(None) => self.without_item(input, ctx),
            Asked::Unknown(why) => {
                let warning = format!("nobody knows the active work item: {why}");
                Opinion::allow().warning(warning)
            }
        })
    }
}
