//! `bowline hook --direct`: decides one event in this process, without the daemon. `bowline-hook` comes here when there is
//! none.

mod relay;

use std::io::{self, Read, Write};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use bowline::hooks::CancellationToken;
use bowline_builtins::machine::Machine;
use bowline_daemon::{
    Decided, Engine, FILES_WITHIN, Pause, PauseError, Places, Slow, name_the_agent,
    raise_file_limit, survive_file_size_limit, within,
};
use bowline_store::{Record, SqliteStore, Store, count_unkept, keep_beside};
use bowline_wire::{
    ACKNOWLEDGE_WITHIN, Answer, Call, CallId, FailMode, Failure, MAX_PAYLOAD, Reply,
};
use tokio::runtime::Runtime;

use crate::Outcome;
use crate::error::{Error, ErrorKind, Result};
use crate::steered::{is_steered, start_unsteered};

/// How long an answered event waits for a disk that hangs, if it is not kept yet. Each one keeps a process.
const KEPT_WITHIN: Duration = Duration::from_mins(5);
/// How long two processes take to start, one after the other, before this one decides.
const STARTING: Duration = Duration::from_millis(150);
/// The part of the second for files that is left when this process starts. The client may have waited for the daemon first.
const DECIDED_WITHIN: Duration = FILES_WITHIN
    .saturating_sub(ACKNOWLEDGE_WITHIN)
    .saturating_sub(STARTING);
/// Until then the store, whether Bowline is paused, and where the home folder is may take; before that, what the project's files set.
const READY_WITHIN: Duration = Duration::from_millis(350);
/// How long a working store or folder may take for a record, even if nothing else is left.
const AT_LEAST: Duration = Duration::from_millis(100);
/// Until then the store may take the record. What is left is for the runtime folder.
const STORED_WITHIN: Duration = DECIDED_WITHIN.saturating_sub(AT_LEAST);
/// How long a database that another process uses is waited for. Nobody but this event waits, and what is committed is found at once.
const COMMITTED_WITHIN: Duration = Duration::from_millis(200);
/// How long the direct run may delay its exit for background hooks.
const BRIEFLY: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(10);

/// Decide one event in this process, as `bowline-hook` does when there is no daemon
///
/// Reads the event as JSON from standard input and answers as the agent expects it: exit code, standard output and standard
/// error. The event is recorded.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline hook --direct claude-code < event.json
  bowline hook --direct claude-code PreToolUse --on-failure closed < event.json")]
pub(crate) struct HookArgs {
    /// Decide in this process
    #[arg(long, required = true)]
    direct: bool,
    /// The agent that reports the event: claude-code or generic [default: known by the event]
    agent: Option<String>,
    /// The event, if the payload does not name it
    event: Option<String>,
    /// What the agent is told when nothing can be decided: open, ask or closed
    #[arg(long, value_name = "MODE", default_value = "ask")]
    on_failure: FailMode,
    /// The call's name, by which it is recorded once
    #[arg(long, value_name = "ID")]
    call_id: Option<CallId>,
    /// Answer another `bowline hook --direct`, which does not wait for background hooks
    #[arg(long, hide = true)]
    relayed: bool,
}

/// Who started this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asker {
    /// One who takes the output and the exit code for the answer, and waits for the end.
    Agent,
    /// Another of these processes, which waits for one line only.
    Relay,
}

pub(crate) fn run(args: &HookArgs) -> Result<Outcome> {
    let began = Instant::now();
    // It looks at the project's files: on a disk that hangs only a process that nobody waits for may do that.
    if args.relayed {
        start_unsteered()?;
    }
    let mut call = Call::new(
        std::env::current_dir().unwrap_or_default(),
        std::env::vars_os().collect(),
    );
    if let Some(agent) = &args.agent {
        call.agent.clone_from(agent);
    }
    call.event.clone_from(&args.event);
    call.on_failure = args.on_failure;
    call.reporter = Some(std::process::id());
    if let Some(id) = &args.call_id {
        call.id = id.clone();
    }
    let Some(payload) = payload()? else {
        let answer = Failure::of(&call, &[], "the event is longer than 64 MB").unverified();
        print(&answer)?;
        return Ok(Outcome::Answered(answer.exit));
    };
    name_the_agent(&mut call, &payload);
    if args.relayed {
        return decide(call, &payload, Asker::Relay, began);
    }
    // Hooks that nobody waits for need a process that nobody waits for; and one that hangs on a disk cannot even end.
    if let Some(answer) = relay::ask(&call, &payload) {
        print(&answer)?;
        return Ok(Outcome::Answered(answer.exit));
    }
    if is_steered() {
        let why = "no other process could be started without what the project's files set";
        let answer = Failure::of(&call, &payload, why).unverified();
        print(&answer)?;
        return Ok(Outcome::Answered(answer.exit));
    }
    decide(call, &payload, Asker::Agent, began)
}

/// The payload; `None` if it is too long.
fn payload() -> Result<Option<Vec<u8>>> {
    let mut payload = Vec::new();
    io::stdin()
        .lock()
        .take(MAX_PAYLOAD as u64 + 1)
        .read_to_end(&mut payload)
        .map_err(|source| Error::terminal("cannot read the event from standard input", source))?;
    Ok((payload.len() <= MAX_PAYLOAD).then_some(payload))
}

/// Decides, records and answers, in this order; what takes time and concerns nobody comes afterwards.
fn decide(call: Call, payload: &[u8], asker: Asker, began: Instant) -> Result<Outcome> {
    raise_file_limit();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| {
            Error::new(ErrorKind::System, "cannot start running hooks").caused_by(source)
        })?;
    if let Err(error) = survive_file_size_limit(runtime.handle()) {
        tracing::debug!("a limit of files' sizes may end this process: {error}");
    }
    let decided = decide_on(&runtime, call, payload, asker, began);
    // A look-up that hangs is not waited for.
    runtime.shutdown_background();
    let (exit, store) = decided?;
    // Now that the runtime's descriptors are free: a record that found none waits in memory.
    if let Some(store) = store {
        within(FILES_WITHIN, move || store.close());
    }
    Ok(Outcome::Answered(exit))
}

/// The exit code, and the store, which is to be closed.
fn decide_on(
    runtime: &Runtime,
    call: Call,
    payload: &[u8],
    asker: Asker,
    began: Instant,
) -> Result<(u8, Option<Arc<SqliteStore>>)> {
    let left = |limit: Duration| limit.saturating_sub(began.elapsed());
    let places = Places::from_env().ok();
    let start = |places: &Places| Beginning::start(places.clone());
    let beginning = places.as_ref().map(start);
    let machine = Slow::start(Machine::from_env);
    let opened = beginning
        .as_ref()
        .and_then(|it| it.store.wait(left(READY_WITHIN)));
    // One that may not be used keeps nothing; one that cannot be opened yet may do so later.
    let is_opening = opened.is_none();
    let store = opened.flatten();
    let pause = beginning
        .as_ref()
        .and_then(|it| it.pause.wait(left(READY_WITHIN)));
    let machine = machine.wait(left(READY_WITHIN));
    let machine = machine.unwrap_or_else(Machine::unseen_from_env);
    let engine = Arc::new(Engine::on(
        machine,
        store.clone().map(|it| it as Arc<dyn Store>),
    ));
    if let Some(Ok(pause)) = pause {
        engine.set_pause(pause);
    }
    let (call, never) = (Arc::new(call), CancellationToken::new());
    let deciding = engine.decide(&call, payload, never, left(DECIDED_WITHIN));
    let Decided { answer, record, .. } = runtime.block_on(deciding);
    // It may have recovered meanwhile.
    let opened = match (&beginning, is_opening) {
        (Some(beginning), true) => beginning.store.wait(left(STORED_WITHIN)),
        _ => None,
    };
    let is_opening = is_opening && opened.is_none();
    let store = store.or(opened.flatten());
    let kept = match (&store, &record) {
        (Some(store), Some(record)) => keep(&**store, record.clone(), left(STORED_WITHIN)),
        (None, Some(_)) if is_opening => Kept::NotYet,
        (None, Some(_)) => Kept::Nowhere,
        (_, None) => Kept::Safe,
    };
    // A store that is slow for want of processors is no reason to answer before the record is safe.
    let kept = match (kept, &record, &beginning) {
        (Kept::NotYet, Some(record), Some(beginning)) => {
            beginning.keep_beside(record, left(DECIDED_WITHIN).max(AT_LEAST))
        }
        (kept, ..) => kept,
    };
    let exit = answer.exit;
    match asker {
        Asker::Agent => print(&answer)?,
        Asker::Relay => {
            let call = call.id.clone();
            write(&Reply { call, answer }.encode())?;
        }
    }
    // Nobody waits any more, and a disk that hung may recover.
    if let (Kept::NotYet, Some(record), Some(beginning)) = (kept, record, &beginning) {
        beginning.keep_late(record, store.as_ref());
    }
    wait_for_background(runtime, asker);
    Ok((exit, store))
}

/// Hooks that nobody waits for would end with this process.
fn wait_for_background(runtime: &Runtime, asker: Asker) {
    let background = async {
        while runtime.metrics().num_alive_tasks() > 0 {
            tokio::time::sleep(LOOK).await;
        }
    };
    runtime.block_on(async {
        match asker {
            Asker::Relay => background.await,
            Asker::Agent => drop(tokio::time::timeout(BRIEFLY, background).await),
        }
    });
}

/// What every direct run needs of files, on threads that may hang.
struct Beginning {
    places: Places,
    store: Slow<Option<Arc<SqliteStore>>>,
    pause: Slow<std::result::Result<Option<Pause>, PauseError>>,
}

impl Beginning {
    fn start(places: Places) -> Self {
        let (of_store, of_pause) = (places.clone(), places.pause());
        Self {
            places,
            store: Slow::start(move || open_store(&of_store)),
            pause: Slow::start(move || Pause::read(&of_pause)),
        }
    }

    /// Keeps a record that the store did not take in time, in the runtime folder.
    fn keep_beside(&self, record: &Record, limit: Duration) -> Kept {
        let (folder, copy) = (self.places.runtime(), record.clone());
        match within(limit, move || keep_beside(&folder, &copy)) {
            Some(Ok(())) => Kept::Safe,
            _ => Kept::NotYet,
        }
    }

    /// Keeps a record that neither the store nor the runtime folder took in time, when the store recovers. A record that cannot be
    /// kept is counted.
    fn keep_late(&self, record: Record, store: Option<&Arc<SqliteStore>>) {
        let began = Instant::now();
        let left = || KEPT_WITHIN.saturating_sub(began.elapsed());
        let opened = store.cloned();
        let opened = opened.or_else(|| self.store.wait(left()).flatten());
        let kept = opened.map(|store| keep(&*store, record, left()));
        if kept != Some(Kept::Safe) {
            let folder = self.places.runtime();
            within(left().max(FILES_WITHIN), move || count_unkept(&folder));
        }
    }
}

/// An event is answered also where nothing can be kept.
fn open_store(places: &Places) -> Option<Arc<SqliteStore>> {
    let mut options = places.store();
    options.deadline = COMMITTED_WITHIN;
    match SqliteStore::open(options) {
        Ok(store) => Some(Arc::new(store)),
        Err(error) => {
            tracing::warn!("the event is not recorded: {error}");
            None
        }
    }
}

/// Whether a record is safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Safe,
    NotYet,
    /// The store may not be used.
    Nowhere,
}

/// Waits until the record is safe, or waits where it will be found, but not for a disk that hangs.
fn keep(store: &dyn Store, record: Record, limit: Duration) -> Kept {
    let (done, kept) = mpsc::channel();
    let tell = move |_| {
        let _ = done.send(());
    };
    store.submit(record, Box::new(tell));
    match kept.recv_timeout(limit.max(AT_LEAST)) {
        Ok(()) => Kept::Safe,
        Err(_) => Kept::NotYet,
    }
}

/// The answer goes to another program exactly as that expects it.
fn print(answer: &Answer) -> Result<()> {
    write(answer.stdout.as_bytes())?;
    io::stderr()
        .write_all(answer.stderr.as_bytes())
        .map_err(cannot_answer)
}

fn write(bytes: &[u8]) -> Result<()> {
    let mut stdout = io::stdout();
    stdout
        .write_all(bytes)
        .and_then(|()| stdout.flush())
        .map_err(cannot_answer)
}

fn cannot_answer(source: io::Error) -> Error {
    Error::new(ErrorKind::System, "cannot answer").caused_by(source)
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;

    #[test]
    fn a_record_that_the_store_does_not_take_is_found_by_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places {
            data: folder.path().join("data"),
            socket: folder.path().join("run/daemon.sock"),
        };
        let (_hanging, never) = mpsc::channel::<()>();
        let beginning = Beginning {
            places: places.clone(),
            store: Slow::start(move || {
                let _ = never.recv();
                None
            }),
            pause: Slow::start(|| Ok(None)),
        };
        let record = Record::new("call", Utc::now(), "claude-code", "PreToolUse", "s");
        let kept = beginning.keep_beside(&record, Duration::from_mins(1));
        assert_eq!(kept, Kept::Safe);
        let store = SqliteStore::open(places.store()).unwrap();
        store.flush().unwrap();
        let kept = store.last_events(10).unwrap();
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].decided.id, "call");
    }
}
