//! A server whose rounds a test takes itself, its clients, and a store that sees which thread brings what and can hold it up.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::ops::{Deref, DerefMut};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use bowline_store::{
    Continuity, Costs, Digest, DigestFilter, EventFilter, Failures, Forget, Forgotten, Gap,
    HookFigures, Integrity, MemoryOf, Options, PastCall, RecordedEvent, RememberedSession, Result,
    RuleDigest, SessionDetails, SessionFilter, SessionRef, SessionSummary, Size, SqliteStore,
    Store, Submission, Trace, TraceFilter, TraceStatistics, TraceTree, Waiting, Work,
};
use bowline_wire::{Acknowledgement, Answer, Call, CallId, Heard, Lines, MAX_REPLY};
use chrono::{DateTime, Utc};
use mio::{Events, Token};
use serde_json::json;
use tokio::runtime::{Builder, EnterGuard, Handle};

use super::super::{FIRST_CLIENT, Parts, Server, WAKER};
use crate::daemon::Idle;
use crate::engine::Engine;
use crate::instance::Instance;
use crate::places::Places;
use crate::server::AnswerWhen;
use crate::status::Shared;

/// Nothing here takes so long, however busy the machine is.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Everything around a server, below one temporary folder.
pub(super) struct Stand {
    folder: tempfile::TempDir,
    pub(super) store: Arc<Watched>,
    pub(super) shared: Arc<Shared>,
    runtime: Handle,
}

impl Stand {
    /// With these settings of the user.
    pub(super) fn new(settings: &str) -> (Self, Server) {
        Self::with_engine(settings, |_| Engine::new(None))
    }

    /// With an engine that looks things up in the store.
    pub(super) fn that_looks_up(settings: &str) -> (Self, Server) {
        let look_up = |store: &Arc<Watched>| Engine::new(Some(Arc::clone(store) as _));
        Self::with_engine(settings, look_up)
    }

    fn with_engine(settings: &str, engine: impl FnOnce(&Arc<Watched>) -> Engine) -> (Self, Server) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home/.config/bowline", "project"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        fs::write(
            folder.path().join("home/.config/bowline/config.toml"),
            settings,
        )
        .unwrap();
        let places = Places {
            data: folder.path().join("data"),
            socket: folder.path().join("run/daemon.sock"),
        };
        let store = Arc::new(Watched::new(&places));
        let shared = Arc::new(Shared::new(places.clone()));
        let server = Server::new(Parts {
            instance: Instance::claim(&places).unwrap(),
            engine: Arc::new(engine(&store)),
            store: Arc::clone(&store) as Arc<dyn Store>,
            shared: Arc::clone(&shared),
            runtime: Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .unwrap(),
            answer_when: AnswerWhen::Committed,
            idle: Idle::Never,
        });
        let server = server.unwrap();
        let stand = Self {
            folder,
            store,
            shared,
            runtime: server.runtime.handle().clone(),
        };
        (stand, server)
    }

    /// As the polling thread does, for hooks that set timers or start processes.
    pub(super) fn enter(&self) -> EnterGuard<'_> {
        self.runtime.enter()
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.path("run/daemon.sock")
    }

    pub(super) fn client(&self) -> Client {
        Client::new(UnixStream::connect(self.socket()).unwrap())
    }

    /// A call about a command, from the project.
    pub(super) fn call(&self, command: &str) -> (Call, String) {
        let env = [
            ("HOME", self.path("home").into_os_string()),
            ("CLAUDE_PROJECT_DIR", self.path("project").into_os_string()),
        ];
        let mut call = Call::new(self.path("project"), env.into_iter().collect());
        "claude-code".clone_into(&mut call.agent);
        let payload = json!({
            "session_id": "s1", "transcript_path": "/t", "cwd": self.path("project"),
            "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command},
        });
        (call, payload.to_string())
    }
}

/// The server, on the thread of the test.
pub(super) struct Driven(Option<Box<Server>>);

impl Deref for Driven {
    type Target = Server;

    fn deref(&self) -> &Server {
        self.0.as_ref().expect("another thread took its place")
    }
}

impl DerefMut for Driven {
    fn deref_mut(&mut self) -> &mut Server {
        self.0.as_mut().expect("another thread took its place")
    }
}

impl Driven {
    pub(super) fn new(server: Server) -> Self {
        Self(Some(Box::new(server)))
    }

    /// Takes clients that connect now, one after another.
    pub(super) fn welcome(&mut self, stand: &Stand, count: usize) -> Vec<(Token, Client)> {
        let welcomed = (0..count).map(|_| {
            let token = Token(self.next_token);
            let client = stand.client();
            self.accept();
            assert!(self.clients.contains_key(&token));
            (token, client)
        });
        welcomed.collect()
    }

    /// Takes what a client has sent.
    pub(super) fn take_from(&mut self, token: Token) {
        let client = self.clients.get_mut(&token).unwrap();
        client.note_arrival();
        self.serve(token);
    }

    /// Decides what was taken, and hands it over.
    pub(super) fn decide(&mut self) {
        self.0 = self.0.take().and_then(Server::work);
    }

    /// Waits until another thread wakes the polling one.
    pub(super) fn await_wake(&mut self) {
        let began = Instant::now();
        let mut events = Events::with_capacity(64);
        while !events.iter().any(|event| event.token() == WAKER) {
            let left = PATIENCE.saturating_sub(began.elapsed());
            assert!(!left.is_zero(), "nobody wakes the polling thread");
            match self.poll.poll(&mut events, Some(left)) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                polled => polled.unwrap(),
            }
        }
    }

    /// Has the project loaded, so that events which only compute are light.
    pub(super) fn load_project(&mut self, stand: &Stand) {
        assert_eq!(self.next_token, FIRST_CLIENT, "nobody came before");
        let (token, mut client) = self.welcome(stand, 1).remove(0);
        let call = client.call(stand, "ls");
        self.take_from(token);
        assert_eq!(client.answer_to(&call), Answer::default());
        self.remove(token);
    }
}

/// A client, spoken for by hand.
pub(super) struct Client {
    pub(super) stream: UnixStream,
    lines: Lines,
}

impl Client {
    fn new(stream: UnixStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self {
            stream,
            lines: Lines::new(MAX_REPLY),
        }
    }

    /// Sends a call about a command.
    pub(super) fn call(&mut self, stand: &Stand, command: &str) -> CallId {
        self.send(stand.call(command))
    }

    /// The same, of an agent that does not say where its project is.
    pub(super) fn call_from_nowhere(&mut self, stand: &Stand, command: &str) -> CallId {
        let (mut call, payload) = stand.call(command);
        call.env.remove("CLAUDE_PROJECT_DIR");
        self.send((call, payload))
    }

    fn send(&mut self, (mut call, payload): (Call, String)) -> CallId {
        call.payload_bytes = payload.len();
        let frame = [&call.encode(), payload.as_bytes()].concat();
        self.stream.write_all(&frame).unwrap();
        call.id
    }

    pub(super) fn answer_to(&mut self, call: &CallId) -> Answer {
        let line = self.line().expect("an acknowledgement");
        Acknowledgement::decode(&line).unwrap();
        loop {
            let line = self.line().expect("a reply");
            if let Heard::Answer(answer) = Heard::decode_for(&line, call).unwrap() {
                return answer;
            }
        }
    }

    /// The next line; `None` when the daemon has closed the connection.
    pub(super) fn line(&mut self) -> Option<Vec<u8>> {
        let mut buffer = [0; 4096];
        loop {
            if let Some(line) = self.lines.next_line().unwrap() {
                return Some(line);
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return None,
                Ok(length) => self.lines.push(&buffer[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Asks until something is so.
pub(super) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "it never happens that {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A store that sees which thread brings what, and holds one thread up for as long as a test wants.
pub(super) struct Watched {
    kept: SqliteStore,
    brought: Mutex<Vec<(String, String)>>,
    hold: Mutex<Hold>,
    changed: Condvar,
}

#[derive(Default)]
struct Hold {
    /// The thread that may not pass.
    thread: Option<&'static str>,
    /// Whether nobody may look anything up.
    look_ups: bool,
    /// Whether it stands before the door.
    is_here: bool,
}

impl Watched {
    fn new(places: &Places) -> Self {
        Self {
            kept: SqliteStore::open(Options::new(&places.data)).unwrap(),
            brought: Mutex::default(),
            hold: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// The calls whose records this thread has brought, in order.
    pub(super) fn brought_by(&self, thread: &str) -> Vec<String> {
        let brought = self.brought.lock().unwrap();
        let theirs = brought.iter().filter(|(name, _)| name == thread);
        theirs.map(|(_, id)| id.clone()).collect()
    }

    /// Lets nothing in that this thread brings, until it is let go.
    pub(super) fn hold(&self, thread: &'static str) {
        self.hold.lock().unwrap().thread = Some(thread);
    }

    /// Waits until the thread has brought something.
    pub(super) fn await_held(&self) {
        let hold = self.hold.lock().unwrap();
        let (hold, _) = self
            .changed
            .wait_timeout_while(hold, PATIENCE, |hold| !hold.is_here)
            .unwrap();
        assert!(hold.is_here, "{:?} never brings anything", hold.thread);
    }

    pub(super) fn let_go(&self) {
        *self.hold.lock().unwrap() = Hold::default();
        self.changed.notify_all();
    }

    /// Answers nobody who looks something up, until it is let go.
    pub(super) fn hold_look_ups(&self) {
        self.hold.lock().unwrap().look_ups = true;
    }

    fn look_up(&self) {
        let mut hold = self.hold.lock().unwrap();
        while hold.look_ups {
            hold.is_here = true;
            self.changed.notify_all();
            hold = self.changed.wait(hold).unwrap();
        }
    }

    fn note(&self, submissions: &[Submission]) {
        let current = thread::current();
        let name = current.name().unwrap_or_default();
        let ids = submissions.iter().map(|it| it.record().decided.id.clone());
        let brought = ids.map(|id| (name.to_owned(), id));
        self.brought.lock().unwrap().extend(brought);
        let mut hold = self.hold.lock().unwrap();
        while hold.thread == Some(name) {
            hold.is_here = true;
            self.changed.notify_all();
            hold = self.changed.wait(hold).unwrap();
        }
    }
}

impl Store for Watched {
    fn submit_all(&self, submissions: Vec<Submission>) {
        self.note(&submissions);
        self.kept.submit_all(submissions);
    }

    fn submit_noted(&self, submissions: Vec<Submission>) {
        self.note(&submissions);
        self.kept.submit_noted(submissions);
    }

    fn note_failure(&self, hook: &str, time: DateTime<Utc>, failure: &str) {
        self.kept.note_failure(hook, time, failure);
    }

    fn flush(&self) -> Result<()> {
        self.kept.flush()
    }

    fn get_trace(&self, tool_use_id: &str) -> Result<Option<Trace>> {
        self.kept.get_trace(tool_use_id)
    }

    fn get_slow_traces(&self, threshold_ms: i64, limit: usize) -> Result<Vec<Trace>> {
        self.kept.get_slow_traces(threshold_ms, limit)
    }

    fn get_trace_tree(&self, group: &str) -> Result<Option<TraceTree>> {
        self.kept.get_trace_tree(group)
    }

    fn find_traces(&self, filter: &TraceFilter<'_>) -> Result<Vec<Trace>> {
        self.kept.find_traces(filter)
    }

    fn trace_statistics(&self, filter: &TraceFilter<'_>) -> Result<TraceStatistics> {
        self.kept.trace_statistics(filter)
    }

    fn sessions(&self, filter: &SessionFilter<'_>) -> Result<Vec<SessionSummary>> {
        self.kept.sessions(filter)
    }

    fn session(&self, session: SessionRef<'_>) -> Result<Option<SessionDetails>> {
        self.look_up();
        self.kept.session(session)
    }

    fn past_calls(&self, session: &str) -> Result<Vec<PastCall>> {
        self.kept.past_calls(session)
    }

    fn past_work(&self, session: &str) -> Result<Vec<serde_json::Value>> {
        self.look_up();
        self.kept.past_work(session)
    }

    fn find_events(&self, filter: &EventFilter<'_>) -> Result<Vec<RecordedEvent>> {
        self.kept.find_events(filter)
    }

    fn events_of(&self, call: &Trace) -> Result<Vec<RecordedEvent>> {
        self.kept.events_of(call)
    }

    fn decided(&self, filter: &DigestFilter<'_>) -> Result<Vec<RuleDigest>> {
        self.kept.decided(filter)
    }

    fn digest(&self, filter: &DigestFilter<'_>) -> Result<Digest> {
        self.kept.digest(filter)
    }

    fn hook_figures(&self) -> Result<Vec<HookFigures>> {
        self.kept.hook_figures()
    }

    fn gaps(&self) -> Result<Vec<Gap>> {
        self.kept.gaps()
    }

    fn integrity_check(&self) -> Result<Integrity> {
        self.kept.integrity_check()
    }

    fn backup(&self, to: &std::path::Path) -> Result<()> {
        self.kept.backup(to)
    }

    fn compact(&self) -> Result<()> {
        self.kept.compact()
    }

    fn forget(&self, what: Forget<'_>) -> Result<Forgotten> {
        self.kept.forget(what)
    }

    fn size(&self) -> Result<Size> {
        self.kept.size()
    }

    fn happened(
        &self,
        from: chrono::DateTime<chrono::Utc>,
        to: chrono::DateTime<chrono::Utc>,
    ) -> Result<bowline_guidance::metrics::Facts> {
        self.kept.happened(from, to)
    }

    fn remembered(
        &self,
        of: MemoryOf,
        name: &str,
        hook: &str,
    ) -> Result<Option<serde_json::Value>> {
        self.kept.remembered(of, name, hook)
    }

    fn remembered_of_sessions(&self, project: &str, hook: &str) -> Result<Vec<RememberedSession>> {
        self.kept.remembered_of_sessions(project, hook)
    }

    fn remember(
        &self,
        of: MemoryOf,
        name: &str,
        hook: &str,
        state: &serde_json::Value,
    ) -> Result<()> {
        self.kept.remember(of, name, hook, state)
    }

    fn work(&self) -> &dyn Work {
        self.kept.work()
    }

    fn failures(&self) -> &dyn Failures {
        self.kept.failures()
    }

    fn costs(&self) -> &dyn Costs {
        self.kept.costs()
    }

    fn continuity(&self) -> &dyn Continuity {
        self.kept.continuity()
    }

    fn waiting(&self) -> Waiting {
        self.kept.waiting()
    }
}
