//! What several hooks need to know of one command is found out once.

use std::borrow::Cow;
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

/// Judges commands for all hooks of a project.
#[derive(Debug)]
pub struct Analyst {
    machine: Arc<Machine>,
    project: PathBuf,
    sensitive: SensitivePolicy,
    ledger: Arc<Ledger>,
    own_places: OwnPlaces,
    /// Tells its judgements from those of another analyst, which sees another machine.
    identity: Arc<()>,
}

/// The judgements of one event, in its context. A hook that rewrites the command makes for a second one.
#[derive(Debug, Default)]
struct Judgements(Mutex<Vec<Judged>>);

#[derive(Debug)]
struct Judged {
    by: Arc<()>,
    /// A program that embeds the hooks may use one context for several events.
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
            identity: Arc::default(),
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

    /// What the project says about files that hold secrets.
    pub(crate) fn sensitive(&self) -> &SensitivePolicy {
        &self.sensitive
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
        let judgements = ctx.extensions().get::<Judgements>();
        let is_same = |it: &&Judged| {
            Arc::ptr_eq(&it.by, &self.identity)
                && it.when == input.timestamp
                && it.tool == tool
                && it.command == command
                && it.cwd == cwd
        };
        if let Some(known) = judgements.lock().iter().find(is_same) {
            return Arc::clone(&known.judgement);
        }
        // Nobody waits for the lock meanwhile.
        let judgement = Arc::new(judge_shell(tool, command, &self.world_of(input, ctx)));
        judgements.lock().push(Judged {
            by: Arc::clone(&self.identity),
            when: input.timestamp,
            tool: tool.to_owned(),
            command: command.to_owned(),
            cwd,
            judgement: Arc::clone(&judgement),
        });
        judgement
    }
}

impl Judgements {
    fn lock(&self) -> MutexGuard<'_, Vec<Judged>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
