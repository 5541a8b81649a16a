//! Carries work across context windows: efforts and their heartbeat, what a new session is told, the status of agents.
//!
//! `bowline-continuity` has the rules, the store has the state, and the hooks here apply the one to the other, one file each. All of them
//! fail open: an effort that cannot be found, or a store that does not answer, stops no agent.

mod caller;
mod delivery;
mod desk;
mod effort_skill;
mod ending;
mod files;
mod heartbeat;
mod lease;
mod life;
mod live;
mod messages;
pub(crate) mod notify;
mod prompt_line;
mod start;
mod status;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bowline::hooks::{HookInput, Match};
use bowline::settings::{Config, Locations, Settings, find_project, main_checkout};
use bowline_continuity::effort::Effort;
use bowline_continuity::skill::Skill;
use bowline_store::Store;
use chrono::Utc;
use serde_json::{Map, Value};

pub use caller::Caller;
pub use desk::{Desk, Done};
pub(crate) use files::Transcript;
pub use files::{artifacts, check_project};
pub(crate) use files::{last_lines, open_regular};
pub use live::Live;
pub use status::note_question;

use crate::analyst::Analyst;
use crate::assemble::{BuiltinHook, SharedState};
use crate::guidance::Memory;
use crate::recorder::subagent_of;

/// What the hooks of one project share.
#[derive(Debug)]
struct Ground {
    project: PathBuf,
    /// Where the settings are from. A linked worktree has its own.
    folder: PathBuf,
    config: Config,
    live: Arc<Live>,
    memory: Arc<Memory>,
}

impl Ground {
    fn store(&self) -> Option<&Arc<dyn Store>> {
        self.live.store()
    }

    /// For hooks that have nothing to do outside of efforts. Whether a session is in one is only guessed here, without asking the store.
    fn matches_in_effort(&self, input: &HookInput) -> Match {
        let subagent = subagent_of(input);
        let subagent = subagent.as_ref().map(|it| it.id.as_str());
        if self.live.is_idle(&input.session_id, subagent) {
            return Match::No("the session is in no effort".to_owned());
        }
        Match::Yes
    }

    /// The skill of an effort: as the store has it, else as its file says.
    fn skill(&self, effort: &Effort) -> Option<Skill> {
        let store = self.store()?.continuity();
        if let Ok(Some(skill)) = store.skill(&effort.project, &effort.skill) {
            return Some(skill);
        }
        let home = std::env::home_dir();
        let found = files::find_skill(&self.project, home.as_deref(), &effort.skill);
        let skill = found.unwrap_or_else(|refused| {
            tracing::warn!("the skill {} is not used: {refused}", effort.skill);
            None
        })?;
        if let Err(error) = store.keep_skill(&effort.project, &skill, Utc::now()) {
            tracing::debug!("the skill {} was not kept: {error}", skill.name);
        }
        Some(skill)
    }
}

/// Facts for programs.
fn as_map(facts: Value) -> Map<String, Value> {
    match facts {
        Value::Object(facts) => facts,
        _ => Map::new(),
    }
}

/// The project that work in a folder belongs to, whether an agent was started there or somebody runs a command there. A linked worktree
/// belongs to the project of its main checkout.
pub fn project_of(folder: &Path, locations: &Locations) -> PathBuf {
    let project = find_project(folder, locations);
    main_checkout(&project).unwrap_or(project)
}

/// Without a store nothing would outlive anything.
const NO_STORE: &str = "it needs a store, and there is none here";

/// The hooks of continuity for a project. Without a store they are idle.
pub(crate) fn hooks(
    settings: &Settings,
    shared: &SharedState,
    analyst: &Arc<Analyst>,
) -> Vec<BuiltinHook> {
    let ground = Arc::new(Ground {
        project: project_of(&settings.project, &Locations::from_env()),
        folder: settings.project.clone(),
        config: settings.config.clone(),
        live: Arc::clone(&shared.live),
        memory: Arc::clone(&shared.memory),
    });
    let mut hooks = vec![
        start::Start::builtin(&ground),
        effort_skill::EffortSkill::builtin(&ground),
        heartbeat::Heartbeat::builtin(&ground),
        delivery::Delivery::builtin(&ground),
        prompt_line::PromptContext::builtin(&ground),
        ending::Ending::builtin(&ground),
        life::Life::builtin(&ground),
        status::Status::builtin(&ground),
    ];
    hooks.extend(lease::Lease::builtin(&ground, analyst));
    if shared.live.store().is_none() {
        for builtin in &mut hooks {
            builtin.idle = Some(NO_STORE);
        }
    }
    hooks
}
