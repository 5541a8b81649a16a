//! Decides one hook call: payload → input → manager → answer and record. The daemon and the direct run share it.

mod context;
mod cost;
mod deciding;
mod denials;
mod duplicates;
mod env_file;
mod modes;
pub(crate) mod patience;
mod projects;
mod skills;
mod stand_ins;
mod subagents;
mod timely;
mod turn;
mod unverified;
mod void;
mod voids;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bowline::hooks::{
    Background, CancellationToken, EventClass, HookEvent, HookInput, event_named, parse_payload,
};
use bowline::settings::Settings;
use bowline_agents::{Agent, DEFAULT, ENTRY_OF, NATIVE, Protocol, borrower, supported_names};
use bowline_builtins::continuity::Live;
use bowline_builtins::guard::Strikes;
use bowline_builtins::guidance::Memory;
use bowline_builtins::inbox::Inbox;
use bowline_builtins::machine::Machine;
use bowline_builtins::recorder::noting_failures;
use bowline_builtins::{Builtins, Ledger, SharedState, own_places};
use bowline_store::{Record, SessionRef, Store};
use bowline_wire::{Answer, Call};
use chrono::{Local, Utc};
use serde_json::{Map, Value};

use crate::pause::Pause;
pub(crate) use context::CallContext;
pub use context::name_the_agent;
use context::{Switch, switch_unread};
pub(crate) use deciding::Watched;
use denials::Denials;
use duplicates::{Duplicates, Identity};
use modes::Modes;
use patience::Hanging;
pub use projects::ProjectState;
use projects::Projects;
use stand_ins::StandIns;
use subagents::Subagents;
use unverified::Unverified;
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
    denials: Denials,
    subagents: Subagents,
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
        let mut engine = Self::with_ledger(Machine::from_env(), store, ledger);
        engine.shared.inbox = Some(Arc::default());
        engine
    }

    /// Where questions wait for a person; only a process that outlives its answers has it.
    pub fn inbox(&self) -> Option<&Arc<Inbox>> {
        self.shared.inbox.as_ref()
    }

    /// Our hooks for a project with these settings, as a person's own environment has them.
    pub(crate) fn builtins_of(&self, settings: &Settings) -> Builtins {
        let own_places = own_places(|name| std::env::var_os(name));
        Builtins::of_caller(settings, &self.shared, own_places)
    }

    fn with_ledger(machine: Machine, store: Option<Arc<dyn Store>>, ledger: Ledger) -> Self {
        let mut shared = SharedState::new(machine);
        shared.ledger = Arc::new(ledger);
        shared.live = Arc::new(Live::new(store.clone()));
        shared.memory = Arc::new(Memory::new(store.clone()));
        shared.data_folder = bowline::settings::Locations::from_env().data_dir;
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
            denials: Denials::default(),
            subagents: Subagents::default(),
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

    /// Decides a call. Look-ups run on other threads, for at most this long. The token ends deciding early, and with it the hooks that
    /// run.
    pub async fn decide(
        self: &Arc<Self>,
        call: &Arc<Call>,
        payload: &[u8],
        cancellation: CancellationToken,
        files: Duration,
    ) -> Decided {
        match self.prepare(call, payload, cancellation) {
            Ok(call) => call.decide(files).await,
            Err(decided) => *decided,
        }
    }

    /// Reads a call with its payload, without touching files. The error is the result of a call that cannot be read.
    pub(crate) fn prepare(
        self: &Arc<Self>,
        call: &Arc<Call>,
        payload: &[u8],
        cancellation: CancellationToken,
    ) -> Result<Arc<CallContext>, Box<Decided>> {
        CallContext::read(self, call, payload, cancellation).map(Arc::new)
    }

    /// The event of a call, and how its agent speaks. The error is the result of a call that cannot be read.
    fn understand(
        &self,
        call: &Call,
        payload: &[u8],
        began: Instant,
    ) -> Result<Understood, Box<Decided>> {
        let is_idle = || self.idle_because(switch_unread(call)).is_some();
        let unverified = |problem: &str| {
            let unverified = unverified::answer(call, payload, problem);
            Box::new(unverified.decided(call, began.elapsed()))
        };
        let unreadable = |problem: &str| {
            if is_idle() {
                Box::new(Unverified::silence(problem).decided(call, Duration::ZERO))
            } else {
                unverified(problem)
            }
        };
        if call.agent.is_empty() {
            let default = DEFAULT.title;
            let problem = format!("no agent is named, and the event is not {default}'s");
            return Err(unreadable(&problem));
        }
        let agent = bowline_agents::named(&call.agent);
        let Some((agent, protocol)) = agent.and_then(|it| Some((it, it.protocol()?))) else {
            let reason = format!(
                "there is no dialect for the agent `{}`; known are {}",
                call.agent,
                supported_names("and")
            );
            return Err(Box::new(Decided::failure(call, &reason)));
        };
        let said = parse_payload(payload).map_err(|problem| unreadable(&problem.to_string()))?;
        let named = agent;
        let (agent, protocol) = sender(named, call, &said).unwrap_or((agent, protocol));
        let mut said = protocol.decode(with_event(said, call.event.as_deref()));
        self.note_entry(named, (agent, protocol), &mut said);
        let entry = (named.name, call.event.as_deref());
        let identity = self.duplicates.identity(agent, entry, &said);
        let input = self.subagents.place(HookInput::from_owned_payload(said));
        let input = self.modes.complete(self.denials.settle(input));
        match what_is_not_understood(&input) {
            Some(problem) if !is_idle() => Err(unverified(problem)),
            _ => Ok(Understood {
                agent,
                protocol,
                input,
                identity,
            }),
        }
    }

    /// Says in a payload that its entry is in another agent's settings. It is as good as an own one where those report, too.
    fn note_entry(&self, named: &Agent, (agent, protocol): (&Agent, &Protocol), said: &mut Value) {
        if protocol.borrows.is_none() {
            return;
        }
        let session = said.get("session_id").and_then(Value::as_str);
        let session = session.unwrap_or_default();
        if named.name == agent.name {
            self.duplicates.note_own(agent, session);
        } else if !self.duplicates.has_own(agent, session)
            && let Some(fields) = said.as_object_mut()
            && let Some(native) = fields
                .entry(NATIVE)
                .or_insert_with(|| Value::Object(Map::new()))
                .as_object_mut()
        {
            native.insert(ENTRY_OF.to_owned(), named.name.into());
        }
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

/// Who reports an event, and what.
struct Understood {
    agent: &'static Agent,
    protocol: &'static Protocol,
    input: HookInput,
    identity: Identity,
}

/// The agent that sent a payload, if it is another one than its entry names: agents run hooks of each other's settings.
fn sender(
    named: &Agent,
    call: &Call,
    payload: &Value,
) -> Option<(&'static Agent, &'static Protocol)> {
    let variable = |name: &str| call.env.get(name).map(ToOwned::to_owned);
    let agent = borrower(named.name, payload, &variable)?;
    Some((agent, agent.protocol()?))
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
        HookEvent::from_any_spelling(name).is_some_and(|event| event.class() == EventClass::Gate)
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

/// How long deciding may hold up its thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    /// It only computes.
    Light,
    /// It reads settings, starts processes or sends requests.
    Heavy,
}
