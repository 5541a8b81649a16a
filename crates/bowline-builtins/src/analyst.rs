//! What several hooks need to know of one command is found out once.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bowline::hooks::{HookContext, HookInput};
use bowline_guard::judge::Judgement;
use bowline_guard::paths::OwnPlaces;
use bowline_guard::sensitive::SensitivePolicy;
use bowline_guard::tool_call::judge_shell;
use chrono::{DateTime, Utc};

use crate::guard::Checkout;
use crate::machine::{Machine, MachineWorld};
use crate::work::Ledger;

/// Judgements that are remembered: those of the events that are being decided at the same time.
const MAX_REMEMBERED: usize = 32;

/// Judges commands for all hooks of a project.
#[derive(Debug)]
pub struct Analyst {
    machine: Arc<Machine>,
    project: PathBuf,
    sensitive: SensitivePolicy,
    ledger: Arc<Ledger>,
    own_places: OwnPlaces,
    recent: Mutex<VecDeque<Remembered>>,
}

#[derive(Debug)]
struct Remembered {
    session: String,
    when: DateTime<Utc>,
    tool: String,
    command: String,
    cwd: String,
    judgement: Arc<Judgement>,
}

impl Analyst {
    /// For the hooks of one project, with what it says about files that hold secrets.
    pub fn new(machine: Arc<Machine>, project: PathBuf, sensitive: SensitivePolicy) -> Self {
        Self {
            machine,
            project,
            sensitive,
            ledger: Arc::default(),
            own_places: OwnPlaces::default(),
            recent: Mutex::default(),
        }
    }

    /// The same, which knows what sessions made.
    pub fn with_ledger(mut self, ledger: Arc<Ledger>) -> Self {
        self.ledger = ledger;
        self
    }

    /// The machine that it judges on.
    pub(crate) fn machine(&self) -> &Arc<Machine> {
        &self.machine
    }

    /// The same, for callers whose environment puts our own files there.
    pub fn with_own_places(mut self, places: OwnPlaces) -> Self {
        self.own_places = places;
        self
    }

    /// The project's folder.
    pub fn project(&self) -> Cow<'_, str> {
        self.project.to_string_lossy()
    }

    /// The project's folder, as a path.
    pub(crate) fn project_folder(&self) -> &Path {
        &self.project
    }

    /// Where the agent is: by the event, by the context, or in the project.
    pub fn cwd_of(&self, input: &HookInput, ctx: &HookContext) -> String {
        input
            .cwd()
            .filter(|cwd| cwd.starts_with('/'))
            .map(ToOwned::to_owned)
            .or_else(|| ctx.cwd.as_ref()?.to_str().map(ToOwned::to_owned))
            .unwrap_or_else(|| self.project.to_string_lossy().into_owned())
    }

    /// The machine as one judgement sees it from a folder.
    pub fn world(&self, cwd: &str) -> MachineWorld<'_> {
        self.machine
            .world(cwd, &self.project.to_string_lossy())
            .with_sensitive(&self.sensitive)
            .with_own_places(&self.own_places)
    }

    /// The same, with what a session made.
    pub fn world_for<'a>(&'a self, cwd: &str, session: &'a str) -> MachineWorld<'a> {
        self.world(cwd).with_work(self.ledger.view(session))
    }

    /// The machine as the judgement of an event sees it.
    pub fn world_of<'a>(&'a self, input: &'a HookInput, ctx: &HookContext) -> MachineWorld<'a> {
        self.world_for(&self.cwd_of(input, ctx), &input.session_id)
    }

    /// Whether the project is a linked git worktree.
    pub fn checkout(&self) -> Checkout {
        match self.machine.linked_worktree(&self.project) {
            Some(_) => Checkout::Linked,
            None => Checkout::Main,
        }
    }

    /// What a command of an event would do. The hooks of one event ask one after another; the next event with the
    /// same command is judged anew, because the machine may have changed.
    pub fn judge(&self, command: &str, input: &HookInput, ctx: &HookContext) -> Arc<Judgement> {
        let cwd = self.cwd_of(input, ctx);
        let tool = input.tool_name().unwrap_or_default();
        let known = self.recent().iter().find_map(|it| {
            let same = it.when == input.timestamp
                && it.session == input.session_id
                && it.tool == tool
                && it.command == command
                && it.cwd == cwd;
            same.then(|| Arc::clone(&it.judgement))
        });
        if let Some(judgement) = known {
            return judgement;
        }
        let judgement = Arc::new(judge_shell(tool, command, &self.world_of(input, ctx)));
        let mut recent = self.recent();
        if recent.len() >= MAX_REMEMBERED {
            recent.pop_back();
        }
        recent.push_front(Remembered {
            session: input.session_id.clone(),
            when: input.timestamp,
            tool: tool.to_owned(),
            command: command.to_owned(),
            cwd,
            judgement: Arc::clone(&judgement),
        });
        judgement
    }

    fn recent(&self) -> MutexGuard<'_, VecDeque<Remembered>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
