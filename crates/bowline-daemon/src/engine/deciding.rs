//! Deciding a call whose payload was read, and recording what came of it.

use std::borrow::Cow;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bowline::hooks::{Decision, HookContext, HookEvent, HookInput, Opinion, TriggerResult};
use bowline::settings::Steers;
use bowline_builtins::continuity::note_question;
use bowline_builtins::guard::add_way;
use bowline_builtins::recorder::{add_change, make_record};
use bowline_store::{Change, Enforcement, HookFired, Record};
use bowline_wire::Answer;
use serde_json::Value;
use tokio::join;
use tokio::time::timeout;

use super::context::{CallContext, Switch};
use super::duplicates::{Met, Reports, said_of};
use super::patience::{Looking, Patience, UNSEEN};
use super::projects::{Project, ProjectKey};
use super::turn::Turn;
use super::void::Void;
use super::{Decided, Deciding, Weight, env_file};

/// The name under which Bowline itself warns.
const OURSELVES: &str = "bowline";
/// The maximum length of the list of variables. A project may set very many.
const MOST_OF_ATTEMPTS: usize = 500;

/// After this part of the time, a stand-in is prepared for a project that is still being read.
const STAND_IN_AFTER: f32 = 0.5;
/// The part of the time for a person's own files. They are small and local.
const STAND_IN_WITHIN: f32 = 0.45;

/// The result of a new look at a project's files.
enum Fresh {
    /// It was not needed.
    Same,
    Found(Arc<Project>),
    /// It took too long.
    Unknown,
}

impl CallContext {
    /// How long deciding may hold up its thread.
    pub(crate) fn weight(&self) -> Weight {
        match (&self.met, &self.project) {
            // Slow look-ups are done on other threads.
            (Met::First(_), Some(project)) if !self.engine.hanging.is_slow(&project.folder) => {
                project.weight(&self.input)
            }
            _ => Weight::Heavy,
        }
    }

    /// Decides. Look-ups run on other threads, for at most this long. If another call reports the same event, its answer counts.
    pub(crate) async fn decide(self: Arc<Self>, files: Duration) -> Decided {
        if let Met::Again(first) = &self.met
            && let Some(opinion) = said_of(first.clone()).await
        {
            return Decided {
                answer: self.told(opinion),
                record: None,
                files_left: files,
            };
        }
        let patience = Patience::apart(files, &self.engine.hanging);
        if let Some(project) = &self.project {
            return self.decide_in(project, &patience).await;
        }
        let project = self.load(&patience, files).await;
        self.recall_mode(&project, &patience).await;
        self.decide_in(&project, &patience).await
    }

    /// Prepares to decide on a supervised thread, which looks at files itself; `None` if the project is not loaded.
    pub(crate) fn watch(self: &Arc<Self>) -> Option<Watched> {
        let (call, project) = (Arc::clone(self), self.project.clone()?);
        let hanging = &self.engine.hanging;
        let patience = if hanging.hangs(&project.folder) {
            Patience::closed(hanging)
        } else {
            Patience::here(hanging)
        };
        Some(Watched {
            call,
            project,
            patience,
        })
    }

    /// Finds or reads the project of the call. If that takes too long, the defaults apply. The patience is for this time.
    async fn load(self: &Arc<Self>, patience: &Patience, within: Duration) -> Arc<Project> {
        let key = self.known_project().map(|folder| self.key(folder));
        let here = || self.key(self.works_in().into_owned());
        let default = key.clone().unwrap_or_else(here);
        let call = Arc::clone(self);
        let load = move || {
            let engine = &call.engine;
            let key = key.unwrap_or_else(|| call.key(call.find_project()));
            engine.projects.load(key, &engine.shared)
        };
        let [after, within] = [STAND_IN_AFTER, STAND_IN_WITHIN].map(|part| within.mul_f32(part));
        let mut looking = pin!(patience.look(&default.folder, load));
        match timeout(after, &mut looking).await {
            Ok(Some(project)) => project,
            Ok(None) => self.stand_in(&default, within).await,
            Err(_) => {
                // Both at once, so that the answer is in time.
                let (found, stand_in) = join!(looking, self.stand_in(&default, within));
                found.unwrap_or(stand_in)
            }
        }
    }

    /// What applies while the project's own files are not read: a person's own settings, or else the defaults.
    async fn stand_in(&self, key: &ProjectKey, within: Duration) -> Arc<Project> {
        if let Some(project) = self.engine.stand_ins.get(key) {
            return project;
        }
        let (engine, of) = (Arc::clone(&self.engine), key.clone());
        let make = move || engine.stand_ins.make(of, &engine.shared);
        // Not the project's folder, in which a look-up already hangs.
        let place = key.folder.join(".claude");
        let patience = Patience::apart(within, &self.engine.hanging);
        match patience.look(&place, make).await {
            Some(project) => project,
            None => Arc::new(Project::unread(key, &self.engine.shared)),
        }
    }

    /// The project as its files are now, if the caller switches something off: a file with that switch may just have appeared. A
    /// file that cannot be read in time may have it.
    async fn afresh(&self, project: &Project, patience: &Patience) -> Fresh {
        let key = self.known_project();
        let (Switch::Off, Some(folder)) = (self.switches_off(), key) else {
            return Fresh::Same;
        };
        let (engine, key) = (Arc::clone(&self.engine), self.key(folder));
        let look = move || engine.projects.afresh(key, &engine.shared);
        let found = patience.look(&project.folder, look).await;
        found.map_or(Fresh::Unknown, Fresh::Found)
    }

    /// Decides the call, with this patience for files.
    async fn decide_in(&self, project: &Project, patience: &Arc<Patience>) -> Decided {
        patience.scope(self.decide_within(project, patience)).await
    }

    async fn decide_within(&self, project: &Project, patience: &Patience) -> Decided {
        let event = self.input.event_type();
        if event == HookEvent::ConfigChange {
            let engine = Arc::clone(&self.engine);
            patience
                .look(&project.folder, move || engine.reload_changed())
                .await;
        }
        let fresh = self.afresh(project, patience).await;
        let unread = Void::unread();
        let (project, void) = match &fresh {
            Fresh::Same => (project, &project.void),
            Fresh::Found(found) => (found.as_ref(), &found.void),
            Fresh::Unknown => (project, &unread),
        };
        self.recall_voids(project, patience).await;
        let session = self.input.session_id.as_str();
        let void = self.engine.voids.in_call(session, void);
        let idle = self.engine.idle_because(self.switch(&void));
        let manager = match idle {
            Some(_) => &project.observing,
            None => &project.deciding,
        };
        let ctx = self.context(project, &void);
        self.recall_skills(project, patience).await;
        if project.weight(&self.input) == Weight::Heavy {
            self.recall_mode(project, patience).await;
        }
        let mut result = manager.trigger(self.input(), &ctx).await;
        add_way(&mut result, &ctx);
        let denials = &self.engine.denials;
        denials.note(self.input(), result.output.decision());
        let asks = event == HookEvent::PreToolUse && result.output.decision() == Decision::Ask;
        // Nobody asks what the client no longer waits for.
        if asks && !self.cancellation.is_cancelled() {
            let live = &self.engine.shared.live;
            let place = (project.folder.as_path(), project.fleet());
            note_question(live, place, self.input(), &result.output, &ctx);
        }
        if let Some(why) = &idle {
            note_idleness(&mut result, event, why);
        }
        if patience.is_closed() {
            result.output.warnings.push(UNSEEN.to_owned());
        }
        let tried = self.attempts(&void);
        let attempts = attempts_shown(&tried);
        if let Some(attempts) = &attempts {
            note_attempts(&mut result, event, attempts);
        }
        let turn = self.turn(&result.output, project, patience).await;
        let said = match turn {
            Turn::Ends => Cow::Owned(end_of_turn(&result.output)),
            Turn::Goes => Cow::Borrowed(&result.output),
        };
        let answer = self.protocol.encode(&self.input.reported(), &said);
        // What hooks say that were cut short is not for another call.
        if let Met::First(others) = &self.met
            && !self.cancellation.is_cancelled()
        {
            others.tell(&said, self.changed(&said));
        }
        self.keep_skills(project, &result.output, &ctx);
        self.keep_mode(project, &ctx);
        if let Some(work) = self.engine.voids.changed_by(session, &tried) {
            self.keep(work, &ctx);
        }
        if idle.is_none() {
            self.hand_over_session(project, patience).await;
        }
        let mut record = self.record(project, &ctx, &result, idle, turn);
        let unseen = patience.is_closed().then(|| UNSEEN.to_owned());
        if let Some(record) = &mut record {
            let warnings = attempts.into_iter().chain(unseen);
            warnings.for_each(|warning| keep_warning(record, warning));
        }
        Decided {
            answer,
            record,
            files_left: patience.left(),
        }
    }

    /// What was said of the same event, in this agent's words. The model has the context from the first answer.
    fn told(&self, mut opinion: Opinion) -> Answer {
        let reported = self.input.reported();
        opinion.additional_context = None;
        if self.protocol.repeats(&reported) {
            // It is reported as it was changed.
            opinion.updated_input = None;
        }
        let title = self.agent.title;
        let said = self.protocol.express(title, &reported, &opinion);
        self.protocol.encode(&reported, &said)
    }

    /// The call as hooks have changed it. It may be reported again like that.
    fn changed(&self, opinion: &Opinion) -> Option<u64> {
        let reports = Reports {
            session: Some(&self.input.session_id),
            agent_id: self.input.agent_id(),
            event: self.input.event_type(),
            tool: self.input.tool_name(),
            input: Some(opinion.rewritten_input()?),
            folder: self.input.cwd(),
            // A part is never changed.
            parts: None,
        };
        self.engine.duplicates.call(self.agent, &reports)
    }

    /// Gives the session's id to the agent's shells, if the agent lets hooks do that.
    async fn hand_over_session(&self, project: &Project, patience: &Patience) {
        if self.input.event_type() != HookEvent::SessionStart {
            return;
        }
        if let Some(file) = self.variable(env_file::FILE_VARIABLE) {
            let session = self.input.session_id.clone();
            let write = move || env_file::hand_over(Path::new(&file), &session);
            if let Some(Err(error)) = patience.look(&project.folder, write).await {
                tracing::warn!(%error, "the session's id could not be given to the agent's shells");
            }
        }
    }

    /// Gives the manager the skills that were in use before this process knew the session.
    async fn recall_skills(&self, project: &Project, patience: &Patience) {
        let session = &self.input.session_id;
        if let (Some(skills), Some(store)) = (&project.skills, &self.engine.store)
            && project.weight(&self.input) == Weight::Heavy
        {
            let (skills, store, of) = (Arc::clone(skills), Arc::clone(store), session.clone());
            let recall = move || skills.recall(&of, store.as_ref());
            for skill in patience
                .look(&project.folder, recall)
                .await
                .into_iter()
                .flatten()
            {
                project.deciding.activate_skill(session, &skill);
            }
        }
    }

    /// Adds the mode that the session had before this process knew it, for hooks that read it.
    async fn recall_mode(&self, project: &Project, patience: &Patience) {
        if self.engine.store.is_none() || !project.starts_hooks() {
            return;
        }
        let (engine, session) = (Arc::clone(&self.engine), self.input.session_id.clone());
        let recall = move || {
            if let Some(store) = &engine.store {
                engine.modes.recall(&session, store.as_ref());
            }
        };
        patience.look(&project.folder, recall).await;
        if self.input().permission_mode().is_none() {
            let completed = self.engine.modes.complete(self.input.clone());
            let _ = self.completed.set(completed);
        }
    }

    /// The event with what was remembered of its session.
    fn input(&self) -> &HookInput {
        self.completed.get().unwrap_or(&self.input)
    }

    /// Loads which variables projects' own files have set in the session before this process knew it, if a switch depends on that.
    async fn recall_voids(&self, project: &Project, patience: &Patience) {
        let session = &self.input.session_id;
        if let Some(store) = &self.engine.store
            && self
                .engine
                .voids
                .wants_to_recall(session, self.switches_off())
        {
            let (engine, store, of) =
                (Arc::clone(&self.engine), Arc::clone(store), session.clone());
            let recall = move || engine.voids.recall(&of, store.as_ref());
            patience.look(&project.folder, recall).await;
        }
    }

    /// Records which skill the event put into use.
    fn keep_skills(&self, project: &Project, output: &Opinion, ctx: &HookContext) {
        let skills = project.skills.as_ref();
        if let Some(work) = skills.and_then(|skills| skills.changed_by(self.input(), output)) {
            self.keep(work, ctx);
        }
    }

    /// Records that the event changed the session's mode, if hooks read it.
    fn keep_mode(&self, project: &Project, ctx: &HookContext) {
        let changed = self.engine.modes.changed_by(self.input());
        if let Some(work) = changed.filter(|_| project.starts_hooks()) {
            self.keep(work, ctx);
        }
    }

    fn keep(&self, work: Value, ctx: &HookContext) {
        let event = self.call.id.as_str();
        let call = self.input.tool_use_id().unwrap_or(event).to_owned();
        add_change(ctx, Change::Worked { call, work });
    }

    fn context(&self, project: &Project, void: &Void) -> HookContext {
        let ctx = HookContext::new(&self.input.session_id)
            .with_call_id(self.call.id.as_str())
            .answering(self.agent)
            .with_recording(self.recording(void))
            .with_cwd(self.folder(project))
            .with_cancellation(self.cancellation.clone());
        self.introduce(&ctx, void);
        if project.may_start_a_process(&self.input) {
            ctx.with_env(self.variables(void))
        } else {
            ctx
        }
    }

    /// Where hooks run: where the caller is, unless that folder is gone.
    fn folder<'a>(&'a self, project: &'a Project) -> &'a Path {
        [self.call.cwd.as_path(), &self.folder]
            .into_iter()
            .find(|folder| folder.is_absolute())
            .unwrap_or(&project.folder)
    }

    fn record(
        &self,
        project: &Project,
        ctx: &HookContext,
        result: &TriggerResult,
        idle: Option<String>,
        turn: Turn,
    ) -> Option<Record> {
        let blocks = result.output.decision() >= Decision::Ask;
        let enforced =
            !blocks || self.protocol.enforces(self.input.event_type()) && turn == Turn::Goes;
        let enforcement = if enforced {
            Enforcement::Enforced
        } else {
            Enforcement::Unenforced
        };
        let took = self.began.elapsed();
        let mut record = make_record(self.time, self.input(), ctx, result, enforcement)?;
        record.decided.project = Some(project.folder.to_string_lossy().into_owned());
        record.decided.duration = took;
        for hook in &mut record.decided.hooks {
            hook.scope = project.scope_of(&hook.name);
        }
        if idle.is_some() {
            record.decided.reason = idle;
        }
        Some(record)
    }
}

/// A call on a supervised thread: what another thread needs if this one hangs.
pub(crate) struct Watched {
    call: Arc<CallContext>,
    project: Arc<Project>,
    patience: Arc<Patience>,
}

impl Watched {
    /// Decides it on this thread.
    pub(crate) fn deciding(&self) -> Deciding {
        let (call, project) = (Arc::clone(&self.call), Arc::clone(&self.project));
        let patience = Arc::clone(&self.patience);
        Box::pin(async move { call.decide_in(&project, &patience).await })
    }

    /// The call waits for something, and goes on without supervision.
    pub(crate) fn leave(&self) {
        self.patience.leave();
    }

    /// Notes how long the thread took for it.
    pub(crate) fn took(&self, time: Duration) {
        self.project.note_cost(time);
    }

    /// The look-up that it may hang in.
    pub(crate) fn looking(&self) -> Looking {
        Looking::begin(&self.call.engine.hanging, &self.project.folder)
    }

    /// Decides the same call without a look at files.
    pub(crate) async fn decide_unseen(self) -> Decided {
        let patience = Patience::closed(&self.call.engine.hanging);
        self.call.decide_in(&self.project, &patience).await
    }
}

/// The answer with which an agent that was already sent on once may end its turn. The user learns what the hook said.
fn end_of_turn(output: &Opinion) -> Opinion {
    let answer = Opinion {
        continue_execution: true,
        permission: None,
        stop_reason: None,
        additional_context: None,
        ..output.clone()
    };
    match &output.stop_reason {
        Some(reason) => answer.system_message(format!(
            "The agent was sent on once and ends its turn now, although a hook says: {reason}"
        )),
        None => answer,
    }
}

/// Says at the start of a session that nothing is decided in it.
fn note_idleness(result: &mut TriggerResult, event: HookEvent, why: &str) {
    if event == HookEvent::SessionStart {
        let output = std::mem::replace(&mut result.output, Opinion::allow());
        result.output =
            output.system_message(format!("{why}: events are recorded, nothing is decided."));
    }
}

/// The variables that the project's own files have set, if any. Variables that mean nothing to Bowline are left out.
fn attempts_shown(names: &[String]) -> Option<String> {
    let steering = names.iter().filter(|it| Steers::of(it) != Steers::Others);
    let steering: Vec<&str> = steering.map(String::as_str).collect();
    let are = match steering.as_slice() {
        [] => return None,
        [name] => format!("{name} is"),
        names => format!("{} are", names.join(", ")),
    };
    let are: String = are.chars().take(MOST_OF_ATTEMPTS).collect();
    Some(format!(
        "{are} set by the project's .claude settings, and ignored: `bowline trust` shows more"
    ))
}

/// Says at the start of a session what the project's own files have set.
fn note_attempts(result: &mut TriggerResult, event: HookEvent, attempts: &str) {
    if event == HookEvent::SessionStart {
        let output = std::mem::replace(&mut result.output, Opinion::allow());
        result.output = output.system_message(format!("Bowline: {attempts}."));
    }
}

/// Adds the warning to the event, in Bowline's own name.
fn keep_warning(record: &mut Record, warning: String) {
    match record
        .decided
        .hooks
        .iter_mut()
        .find(|it| it.name == OURSELVES)
    {
        Some(own) => own.warnings.push(warning),
        None => record.decided.hooks.push(HookFired {
            name: OURSELVES.to_owned(),
            scope: Some("built-in".to_owned()),
            warnings: vec![warning],
            ..HookFired::default()
        }),
    }
}
