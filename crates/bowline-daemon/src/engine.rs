//! Decides one hook call: payload → input → manager → answer and record. The daemon and the direct run share it.

mod cost;
mod duplicates;
mod env_file;
mod incoming;
mod modes;
pub(crate) mod patience;
mod projects;
mod read_call;
mod skills;
mod stand_ins;
mod timely;
mod unverified;
mod void;
mod voids;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bowline::hooks::{
    Background, CancellationToken, EventClass, HookEvent, HookInput, event_named, parse_payload,
};
use bowline_agents::{Agent, DEFAULT, supported_names};
use bowline_builtins::guard::Strikes;
use bowline_builtins::machine::Machine;
use bowline_builtins::recorder::noting_failures;
use bowline_builtins::{Ledger, SharedState};
use bowline_store::{Record, SessionRef, Store};
use bowline_wire::Answer;
use chrono::{Local, Utc};
use serde_json::Value;
use tokio::sync::watch;

use crate::bounded::FILES_WITHIN;
use crate::pause::Pause;
use duplicates::{Duplicates, Met};
use incoming::Switch;
pub use incoming::{Incoming, name_the_agent};
use modes::Modes;
use patience::{Hanging, Looking, Patience};
pub use projects::ProjectState;
use projects::{Project, ProjectKey, Projects};
use read_call::ReadCall;
use stand_ins::StandIns;
use voids::Voids;

/// At most this many sessions are remembered with the folder that they began in.
const SESSIONS: usize = 4_096;

/// A call that is being decided.
pub(crate) type Deciding = Pin<Box<dyn Future<Output = Decided> + Send>>;

/// The result of a call.
#[derive(Debug)]
#[non_exhaustive]
pub struct Decided {
    /// What the agent gets.
    pub answer: Answer,
    /// What is kept of it; nothing if recording is switched off.
    pub record: Option<Record>,
    /// How much of the second that files may take is left for keeping the record.
    pub(crate) files_left: Duration,
}

/// Decides hook calls.
pub struct Engine {
    projects: Projects,
    stand_ins: StandIns,
    shared: SharedState,
    /// Where sessions began, for agents that do not name their project.
    beginnings: Folders,
    /// The projects that agents name, by session, once we know that no file of a project set that name.
    named: Folders,
    modes: Modes,
    voids: Voids,
    pause: RwLock<Option<Pause>>,
    duplicates: Duplicates,
    store: Option<Arc<dyn Store>>,
    /// The look-ups that hang.
    hanging: Arc<Hanging>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine that knows no project yet. It looks up in the store where sessions began, and writes nothing to it.
    pub fn new(store: Option<Arc<dyn Store>>) -> Self {
        Self::on(Machine::from_env(), store)
    }

    /// The same, on this machine.
    pub fn on(machine: Machine, store: Option<Arc<dyn Store>>) -> Self {
        let ledger = Ledger::new(store.clone());
        Self::with_ledger(machine, store, ledger)
    }

    /// The same, for a process that outlives its answers.
    pub fn watching(store: Option<Arc<dyn Store>>) -> Self {
        let ledger = Ledger::new(store.clone()).watching();
        Self::with_ledger(Machine::from_env(), store, ledger)
    }

    fn with_ledger(machine: Machine, store: Option<Arc<dyn Store>>, ledger: Ledger) -> Self {
        let mut shared = SharedState::new(machine);
        shared.ledger = Arc::new(ledger);
        if let Some(store) = &store {
            shared.background = noting_failures(Arc::clone(store));
            let strikes = Strikes::kept(Arc::clone(store));
            shared.strikes = Arc::new(strikes);
        }
        Self {
            projects: Projects::default(),
            stand_ins: StandIns::default(),
            shared,
            beginnings: Mutex::default(),
            named: Mutex::default(),
            modes: Modes::default(),
            voids: Voids::default(),
            pause: RwLock::default(),
            duplicates: Duplicates::default(),
            store,
            hanging: Arc::default(),
        }
    }

    /// Sets the pause. While it is on, nothing is decided.
    pub fn set_pause(&self, pause: Option<Pause>) {
        *self.pause.write().unwrap_or_else(PoisonError::into_inner) = pause;
    }

    /// The pause that is on now.
    pub fn pause(&self) -> Option<Pause> {
        let pause = self.pause.read().unwrap_or_else(PoisonError::into_inner);
        pause.clone().filter(|pause| pause.is_on(Utc::now()))
    }

    /// The hooks that run in the background.
    pub(crate) fn background(&self) -> &Background {
        &self.shared.background
    }

    /// Reloads the settings of every project whose files have changed.
    pub fn reload_changed(&self) {
        self.projects.reload_changed(&self.shared);
    }

    /// The projects that are loaded.
    pub fn projects(&self) -> Vec<ProjectState> {
        self.projects.states()
    }

    /// The files whose change requires a reload.
    pub fn watched_files(&self) -> HashSet<PathBuf> {
        self.projects.watched_files()
    }

    /// How often projects were loaded. A new number means that other files may have to be watched.
    pub fn loads(&self) -> u64 {
        self.projects.loads()
    }

    /// Reads a call with its payload, without touching files.
    pub fn prepare(self: &Arc<Self>, incoming: &Arc<Incoming>, payload: &[u8]) -> Prepared {
        let began = Instant::now();
        let call = &incoming.call;
        let settled = |decided| Prepared {
            stage: Stage::Settled(Box::new(decided)),
        };
        if call.agent.is_empty() {
            let problem = format!(
                "no agent is named, and the event is not {}'s",
                DEFAULT.title
            );
            if self.idle_because(incoming.switch_unread()).is_some() {
                return settled(incoming.unanswered(&problem));
            }
            let unverified = unverified::answer(call, payload, &problem);
            return settled(incoming.decided(unverified, began.elapsed()));
        }
        let agent = bowline_agents::named(&call.agent);
        let Some(protocol) = agent.and_then(Agent::protocol) else {
            let reason = format!(
                "there is no dialect for the agent `{}`; known are {}",
                call.agent,
                supported_names("and")
            );
            return settled(incoming.failure(&reason));
        };
        let raw = payload;
        let payload = match parse_payload(payload) {
            Ok(payload) => protocol.decode(with_event(payload, call.event.as_deref())),
            Err(problem) => {
                if self.idle_because(incoming.switch_unread()).is_some() {
                    return settled(incoming.unanswered(&problem.to_string()));
                }
                let unverified = unverified::answer(call, payload, &problem.to_string());
                return settled(incoming.decided(unverified, began.elapsed()));
            }
        };
        let input = self.modes.complete(HookInput::from_owned_payload(payload));
        if let Some(problem) = what_is_not_understood(&input)
            && self.idle_because(incoming.switch_unread()).is_none()
        {
            let unverified = unverified::answer(call, raw, problem);
            return settled(incoming.decided(unverified, began.elapsed()));
        }
        let cancellation = CancellationToken::new();
        let (answer_sender, first) = match self.duplicates.meet(call, raw, incoming.entry) {
            Met::First(answer_sender) => (Some(answer_sender), None),
            Met::Second(first) => (None, Some(first)),
        };
        let cwd = input.cwd().map(Path::new).filter(|cwd| cwd.is_absolute());
        let read = Arc::new(ReadCall {
            engine: Arc::clone(self),
            answer_sender: Mutex::new(answer_sender),
            completed: OnceLock::new(),
            incoming: Arc::clone(incoming),
            folder: cwd.unwrap_or(&call.cwd).to_owned(),
            protocol,
            began,
            input,
            cancellation,
        });
        let key = read.known_project().map(|folder| read.key(folder));
        let project = key.as_ref().and_then(|key| self.projects.get(key));
        let stage = match project {
            Some(project) => Stage::Ready(read, project),
            None => Stage::Unloaded(read, key),
        };
        let stage = match first {
            Some(first) => Stage::Second(first, Box::new(stage)),
            None => stage,
        };
        Prepared { stage }
    }

    /// Why nothing is decided, if that is so.
    fn idle_because(&self, deciding: Switch) -> Option<String> {
        if deciding == Switch::Off {
            return Some("BOWLINE=off is set where the agent runs".to_owned());
        }
        let pause = self.pause()?;
        Some(match pause.until {
            Some(until) => format!(
                "Bowline is paused until {}",
                until.with_timezone(&Local).format("%Y-%m-%d %H:%M:%S")
            ),
            None => "Bowline is paused; `bowline resume` ends that".to_owned(),
        })
    }

    /// Where a session began that is not in memory: by the store, else here.
    fn find_beginning(&self, session: &str, here: &Path) -> PathBuf {
        if session.is_empty() {
            return here.to_owned();
        }
        let stored = self.store.as_ref().and_then(|store| {
            let details = store.session(SessionRef::Chain(session)).ok()??;
            details.sessions.first()?.project.clone()
        });
        let folder = stored.map_or_else(|| here.to_owned(), PathBuf::from);
        remember(&self.beginnings, session, &folder);
        folder
    }
}

type Folders = Mutex<HashMap<String, PathBuf>>;

fn lock(folders: &Folders) -> MutexGuard<'_, HashMap<String, PathBuf>> {
    folders.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remember(folders: &Folders, session: &str, folder: &Path) {
    let mut folders = lock(folders);
    if folders.len() >= SESSIONS {
        folders.clear();
    }
    folders.insert(session.to_owned(), folder.to_owned());
}

/// The agent may name the event on the command line. If payload and command line differ, a gate wins, so that it is judged.
fn with_event(mut payload: Value, event: Option<&str>) -> Value {
    let named = event_named(&payload);
    let is_gate = |name: &str| {
        HookEvent::from_name(name).is_some_and(|event| event.class() == EventClass::Gate)
    };
    let counts = |event: &&str| named.is_none_or(|named| is_gate(event) && !is_gate(named));
    if let Some(event) = event.filter(counts)
        && let Some(fields) = payload.as_object_mut()
    {
        fields.shift_remove("hookEventName");
        fields.insert("hook_event_name".to_owned(), event.into());
    }
    payload
}

/// Why the event cannot be judged, if that is so. An event without a name may be a gate.
fn what_is_not_understood(input: &HookInput) -> Option<&'static str> {
    match input.event_type() {
        HookEvent::Unknown => {
            let name = input.field("hook_event_name").and_then(Value::as_str);
            match name {
                None => Some("the event is not named"),
                Some(_) => carries_tool_call(input).then_some("the event is not known"),
            }
        }
        HookEvent::PreToolUse | HookEvent::PermissionRequest => {
            let tool = input.tool_name().unwrap_or_default().trim();
            tool.is_empty().then_some("the tool is not named")
        }
        _ => None,
    }
}

/// Whether an unknown event reports a tool call that has not happened yet.
fn carries_tool_call(input: &HookInput) -> bool {
    let has = |names: &[&str]| {
        let mut fields = names.iter().filter_map(|name| input.field(name));
        fields.any(|value| !value.is_null())
    };
    let called = has(&["tool_input"])
        || (has(&["tool_name", "tool"]) && has(&["input", "arguments", "parameters"]));
    called && !has(&["tool_response"])
}

/// A call that was read and waits to be decided.
pub struct Prepared {
    stage: Stage,
}

enum Stage {
    /// There is nothing to run.
    Settled(Box<Decided>),
    /// Its project is loaded.
    Ready(Arc<ReadCall>, Arc<Project>),
    /// Its project has to be found or loaded first.
    Unloaded(Arc<ReadCall>, Option<ProjectKey>),
    /// The same event is being decided for another call. If that gives no answer, this call goes on.
    Second(watch::Receiver<Option<Answer>>, Box<Stage>),
}

impl Stage {
    fn cancellation(&self) -> Option<CancellationToken> {
        match self {
            Self::Settled(_) => None,
            Self::Ready(call, _) | Self::Unloaded(call, _) => Some(call.cancellation.clone()),
            Self::Second(_, stage) => stage.cancellation(),
        }
    }

    async fn decide(self, files_within: Duration) -> Decided {
        match self {
            Self::Settled(decided) => *decided,
            Self::Ready(call, project) => {
                let patience = Patience::apart(files_within, &call.engine.hanging);
                call.decide(&project, &patience).await
            }
            Self::Unloaded(call, key) => {
                let patience = Patience::apart(files_within, &call.engine.hanging);
                let project = call.load(key, &patience, files_within).await;
                call.recall_mode(&project, &patience).await;
                call.decide(&project, &patience).await
            }
            Self::Second(first, stage) => match duplicates::answer_of(first).await {
                Some(answer) => Decided {
                    answer,
                    record: None,
                    files_left: files_within,
                },
                None => Box::pin(stage.decide(files_within)).await,
            },
        }
    }
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared").finish_non_exhaustive()
    }
}

/// How long deciding may hold up its thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// It only computes.
    Light,
    /// It reads settings, starts processes or sends requests.
    Heavy,
}

impl Prepared {
    /// Ends deciding early, and with it the hooks that run.
    pub fn cancellation(&self) -> Option<CancellationToken> {
        self.stage.cancellation()
    }

    /// How long deciding may hold up its thread.
    pub fn weight(&self) -> Weight {
        match &self.stage {
            Stage::Settled(_) => Weight::Light,
            // Slow look-ups are done on other threads.
            Stage::Ready(call, project) if call.engine.hanging.is_slow(&project.folder) => {
                Weight::Heavy
            }
            Stage::Ready(call, project) => project.weight(call.input.event_type()),
            Stage::Unloaded(..) | Stage::Second(..) => Weight::Heavy,
        }
    }

    /// Decides. Look-ups run on other threads, for at most a second.
    pub async fn decide(self) -> Decided {
        self.decide_within(FILES_WITHIN).await
    }

    /// The same, if a part of the second has passed.
    pub async fn decide_within(self, files: Duration) -> Decided {
        self.stage.decide(files).await
    }

    /// Decides on a supervised thread, which looks at files itself.
    pub(crate) fn decide_here(self) -> Here {
        let (call, project) = match self.stage {
            Stage::Ready(call, project) => (call, project),
            stage => {
                return Here {
                    deciding: Box::pin(stage.decide(FILES_WITHIN)),
                    watched: None,
                };
            }
        };
        let hanging = &call.engine.hanging;
        let patience = if hanging.hangs(&project.folder) {
            Patience::closed(hanging)
        } else {
            Patience::here(hanging)
        };
        let watched = Watched {
            call: Arc::clone(&call),
            project: Arc::clone(&project),
            patience: Arc::clone(&patience),
        };
        let deciding = Box::pin(async move { call.decide(&project, &patience).await });
        Here {
            deciding,
            watched: Some(watched),
        }
    }

    /// Decides, and stops early if the client leaves meanwhile.
    pub async fn decide_unless(self, gone: CancellationToken) -> Decided {
        let cancellation = self.cancellation();
        let mut deciding = pin!(self.decide());
        tokio::select! {
            biased;
            decided = &mut deciding => return decided,
            () = gone.cancelled() => {}
        }
        if let Some(cancellation) = cancellation {
            cancellation.cancel();
        }
        deciding.await
    }
}

/// A call that is decided on a supervised thread.
pub(crate) struct Here {
    pub(crate) deciding: Deciding,
    pub(crate) watched: Option<Watched>,
}

/// What the supervisor needs if the thread hangs.
pub(crate) struct Watched {
    call: Arc<ReadCall>,
    project: Arc<Project>,
    patience: Arc<Patience>,
}

impl Watched {
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
        self.call.decide(&self.project, &patience).await
    }
}
