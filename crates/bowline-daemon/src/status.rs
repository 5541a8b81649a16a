//! What the daemon's threads share: its status, and whether it is to stop.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bowline_store::{Store, Waiting};
use bowline_wire::{Request, RequestError};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::agents::Agents;
use crate::approvals;
use crate::board::{self, Kept};
use crate::engine::{Engine, ProjectState};
use crate::feed::Feed;
use crate::page::Page;
use crate::pause::Pause;
use crate::peer::Peer;
use crate::places::Places;
use crate::rpc::{self, Question as _};

/// Why the daemon stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Somebody asked it to.
    Asked,
    /// A client is newer: the next one starts a daemon of its own version.
    Outdated,
    /// It has been idle for long.
    Idle,
    /// Its socket was replaced.
    SocketLost,
    /// Its program was replaced or removed.
    Replaced,
}

/// The status of a daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Status {
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// How long ago that is, in milliseconds.
    #[serde(default)]
    pub uptime_ms: u64,
    /// Its socket.
    pub socket: PathBuf,
    /// Where it keeps things.
    pub data: PathBuf,
    /// How many are connected.
    pub connections: usize,
    /// How many events it was asked about.
    pub events: u64,
    /// How many of them are not answered yet.
    pub in_flight: usize,
    /// The projects that it has loaded.
    pub projects: Vec<ProjectState>,
    /// Whether it decides nothing now.
    pub paused: Option<Pause>,
    /// The memory that it uses, where the system provides it.
    pub memory_bytes: Option<u64>,
    /// What the store could not take yet.
    #[serde(default)]
    pub waiting: Waiting,
    /// How many answers went out whose records are not safe yet, because the store takes too long.
    #[serde(default)]
    pub unkept: usize,
}

/// What the daemon's threads share.
pub(crate) struct Shared {
    places: Places,
    started_at: DateTime<Utc>,
    started: Instant,
    /// When it was last used, in milliseconds since it started.
    needed: AtomicU64,
    connections: AtomicUsize,
    events: AtomicU64,
    in_flight: AtomicUsize,
    requests: AtomicUsize,
    unkept: AtomicUsize,
    stop: Mutex<Option<Stop>>,
    wake: OnceLock<Box<dyn Fn() + Send + Sync>>,
    program: Option<Program>,
    /// Who reports.
    pub(crate) agents: Agents,
    /// What happens now.
    pub(crate) feed: Arc<Feed>,
    page: OnceLock<Arc<dyn Page>>,
    board: Kept<Value>,
}

/// The file that this process was started from.
#[derive(Debug)]
struct Program {
    path: PathBuf,
    identity: Option<(u64, u64, i64)>,
}

impl Program {
    fn own() -> Option<Self> {
        let path = std::env::current_exe().ok()?;
        let identity = Self::identity(&path);
        Some(Self { path, identity })
    }

    fn identity(path: &std::path::Path) -> Option<(u64, u64, i64)> {
        let found = path.metadata().ok()?;
        Some((found.dev(), found.ino(), found.mtime()))
    }
}

impl Shared {
    pub(crate) fn new(places: Places) -> Self {
        Self {
            places,
            started_at: Utc::now(),
            started: Instant::now(),
            needed: AtomicU64::new(0),
            connections: AtomicUsize::new(0),
            events: AtomicU64::new(0),
            in_flight: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
            unkept: AtomicUsize::new(0),
            stop: Mutex::default(),
            wake: OnceLock::new(),
            program: Program::own(),
            agents: Agents::default(),
            feed: Arc::default(),
            page: OnceLock::new(),
            board: Kept::default(),
        }
    }

    /// The page that people can open.
    pub(crate) fn set_page(&self, page: Arc<dyn Page>) {
        let _ = self.page.set(page);
    }

    /// The page, if this daemon has one.
    pub(crate) fn page(&self) -> Option<&Arc<dyn Page>> {
        self.page.get()
    }

    /// Wakes the polling thread when it is to stop.
    pub(crate) fn on_stop(&self, wake: impl Fn() + Send + Sync + 'static) {
        let _ = self.wake.set(Box::new(wake));
    }

    pub(crate) fn request_stop(&self, why: Stop) {
        self.stop
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(why);
        if let Some(wake) = self.wake.get() {
            wake();
        }
    }

    pub(crate) fn stop(&self) -> Option<Stop> {
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn touch(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.needed.store(now, Ordering::Relaxed);
    }

    pub(crate) fn idle_for(&self) -> Duration {
        let needed = Duration::from_millis(self.needed.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(needed)
    }

    pub(crate) fn program_was_replaced(&self) -> bool {
        self.program
            .as_ref()
            .is_some_and(|program| Program::identity(&program.path) != program.identity)
    }

    pub(crate) fn count_connections(&self, connections: usize) {
        self.connections.store(connections, Ordering::Relaxed);
    }

    pub(crate) fn begin_event(&self, client: &str) {
        self.touch();
        self.events.fetch_add(1, Ordering::Relaxed);
        self.in_flight.fetch_add(1, Ordering::AcqRel);
        if client != crate::VERSION && is_newer(client, crate::VERSION) {
            self.request_stop(Stop::Outdated);
        }
    }

    pub(crate) fn end_event(&self) {
        self.in_flight.fetch_sub(1, Ordering::AcqRel);
    }

    /// How many answers went out whose records are not safe yet.
    pub(crate) fn unkept(&self) -> usize {
        self.unkept.load(Ordering::Acquire)
    }

    /// An answer goes out although its record is not safe.
    pub(crate) fn count_unkept(&self) {
        self.unkept.fetch_add(1, Ordering::AcqRel);
    }

    /// The record of such an answer is safe now.
    pub(crate) fn count_kept_late(&self) {
        self.unkept.fetch_sub(1, Ordering::AcqRel);
    }

    pub(crate) fn begin_request(&self) {
        self.touch();
        self.requests.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn end_request(&self) {
        self.requests.fetch_sub(1, Ordering::AcqRel);
    }

    /// Whether a client waits for an answer.
    pub(crate) fn has_begun(&self) -> bool {
        self.in_flight() > 0 || self.requests.load(Ordering::Acquire) > 0
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Acquire)
    }

    /// Answers a request about the daemon itself; `None` if it is about something else.
    pub(crate) fn answer(
        &self,
        engine: &Engine,
        store: &dyn Store,
        (peer, request): (Peer, &Request),
    ) -> Option<Result<Value, RequestError>> {
        let command: fn(&Self, &Engine, &dyn Store) -> Result<Value, RequestError> =
            match request.command.as_str() {
                "daemon.status" => {
                    |shared, engine, store| Ok(json!(shared.status(engine, store.waiting())))
                }
                "daemon.stop" => |shared, _, _| {
                    shared.request_stop(Stop::Asked);
                    Ok(json!({"stopping": true, "in_flight": shared.in_flight()}))
                },
                "daemon.reload" => |shared, engine, _| shared.reload(engine),
                "page.open" => match approvals::no_agent(peer) {
                    Ok(()) => |shared, _, _| shared.open_page(),
                    Err(refusal) => return Some(Err(refusal)),
                },
                approvals::LIST => |_, engine, _| Ok(json!(approvals::list(engine))),
                approvals::PREVIEW => return Some(approvals::preview_for(engine, &request.args)),
                approvals::ANSWER => return Some(approvals::answer(engine, peer, &request.args)),
                rpc::board::Now::COMMAND => Self::board,
                rpc::fleet::List::COMMAND => return Some(fleet(engine, store, &request.args)),
                _ => return None,
            };
        let unknown: Vec<String> = request
            .args
            .keys()
            .map(|name| {
                format!(
                    "unknown argument `{name}`; `{}` takes none",
                    request.command
                )
            })
            .collect();
        Some(if unknown.is_empty() {
            command(self, engine, store)
        } else {
            Err(RequestError::InvalidArguments(unknown))
        })
    }

    /// What all sessions do. It is made anew when an event, another process or the inbox has changed something.
    fn board(&self, engine: &Engine, store: &dyn Store) -> Result<Value, RequestError> {
        let inbox = engine.inbox().map(Arc::as_ref);
        let changes = inbox.map_or(0, |inbox| *inbox.changes().borrow());
        let sign = [
            self.feed.count(),
            changes,
            store.continuity().foreign_writes(),
        ];
        self.board.or_make(sign, || {
            store.catch_up();
            let board = board::now(store, approvals::list(engine));
            rpc::fit(board.map_err(rpc::board::Now::failure)?)
        })
    }

    fn open_page(&self) -> Result<Value, RequestError> {
        let page = self.page.get();
        let page = page.ok_or_else(|| RequestError::handler("this daemon has no page"))?;
        let address = page.open().map_err(RequestError::handler)?;
        Ok(json!({"address": address}))
    }

    /// Rereads the pause and changed settings.
    fn reload(&self, engine: &Engine) -> Result<Value, RequestError> {
        engine.reload_changed();
        let pause = Pause::read(&self.places.pause())
            .map_err(|error| RequestError::handler(error.to_string()))?;
        engine.set_pause(pause);
        Ok(json!({"paused": engine.pause(), "projects": engine.projects()}))
    }

    pub(crate) fn status(&self, engine: &Engine, waiting: Waiting) -> Status {
        Status {
            pid: std::process::id(),
            version: crate::VERSION.to_owned(),
            started_at: self.started_at,
            uptime_ms: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            socket: self.places.socket.clone(),
            data: self.places.data.clone(),
            connections: self.connections.load(Ordering::Relaxed),
            events: self.events.load(Ordering::Relaxed),
            in_flight: self.in_flight(),
            projects: engine.projects(),
            paused: engine.pause(),
            memory_bytes: memory(),
            waiting,
            unkept: self.unkept(),
        }
    }
}

/// The agents that run, with those that wait in the inbox.
fn fleet(
    engine: &Engine,
    store: &dyn Store,
    arguments: &Map<String, Value>,
) -> Result<Value, RequestError> {
    let list: rpc::fleet::List = rpc::read(arguments)?;
    store.catch_up();
    let agents = list.answer(store).map_err(rpc::fleet::List::failure)?;
    rpc::fit(list.with_questions(agents, approvals::list(engine)))
}

/// The memory that this process uses, where the system provides it.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Whether a version such as `1.10.0` is newer than another. An invalid version is not.
pub fn is_newer(version: &str, than: &str) -> bool {
    let numbers = |version: &str| -> Option<Vec<u64>> {
        let plain = version.split(['-', '+']).next()?;
        plain.split('.').map(|part| part.parse().ok()).collect()
    };
    matches!((numbers(version), numbers(than)), (Some(a), Some(b)) if a > b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        for (version, than, newer) in [
            ("0.2.0", "0.1.0", true),
            ("0.10.0", "0.9.9", true),
            ("0.1.0", "0.1.0", false),
            ("0.1.0", "0.2.0", false),
            ("1.0.0-beta", "0.9.0", true),
            ("", "0.1.0", false),
            ("new", "0.1.0", false),
        ] {
            assert_eq!(is_newer(version, than), newer, "{version} > {than}");
        }
    }
}
