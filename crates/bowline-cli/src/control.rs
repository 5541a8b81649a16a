//! Starting, stopping and looking at the daemon from another process.

use std::ffi::OsStr;
use std::io::ErrorKind as Io;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use bowline_daemon::{AskError, Connection, Holder, Patience, Places, Status, VERSION, is_newer};
use serde_json::Map;

use crate::error::{Error, ErrorKind, Result};

/// How long a daemon may take to begin, or to finish what it has begun.
const PATIENCE: Duration = Duration::from_secs(15);
/// One that ends without another in its place is tried once more, in case that other one has just ended too.
const MOST_STARTS: u32 = 2;
/// One that does not answer in time is asked so often before it counts as hung: it may have much to do.
const MOST_QUESTIONS: u32 = 3;
const LOOK: Duration = Duration::from_millis(10);

/// Whether there was something to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stopped {
    /// It ran, and does no more.
    Now,
    /// It did not run.
    Before,
}

/// Where this user's daemon and data are.
pub(crate) fn places() -> Result<Places> {
    Places::from_env().map_err(|error| Error::usage(error.to_string()))
}

/// The log of a daemon in the background.
pub(crate) fn log_file(places: &Places) -> std::path::PathBuf {
    places.data.join("daemon.log")
}

/// The log before that one.
pub(crate) fn older_log_file(places: &Places) -> std::path::PathBuf {
    log_file(places).with_extension("log.1")
}

/// The status of the running daemon; `None` if there is none.
pub(crate) fn status(places: &Places) -> Result<Option<Status>> {
    told(places, ask_status(places))
}

fn ask_status(places: &Places) -> Result<Status, AskError> {
    Connection::open_with(&places.socket, Patience::Short).and_then(|mut daemon| daemon.status())
}

fn told(places: &Places, status: Result<Status, AskError>) -> Result<Option<Status>> {
    match status {
        Ok(status) => Ok(Some(status)),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(trouble(places, &error)),
    }
}

/// Asks again while the answer is late.
fn patiently<T>(mut ask: impl FnMut() -> Result<T, AskError>) -> Result<T, AskError> {
    let mut questions = 1;
    loop {
        match ask() {
            Err(error) if is_late(&error) && questions < MOST_QUESTIONS => questions += 1,
            answered => return answered,
        }
    }
}

/// Starts a daemon, unless one runs that is not older than this program; waits until it answers.
pub(crate) fn start(places: &Places) -> Result<Status> {
    let began = Instant::now();
    let mut child: Option<Child> = None;
    let mut starts = 0;
    loop {
        if let Some(status) = told(places, patiently(|| ask_status(places)))? {
            if !is_newer(VERSION, &status.version) {
                return Ok(answering(places, status));
            }
            stop(places)?;
        }
        let is_on_its_way = child
            .as_mut()
            .is_some_and(|child| matches!(child.try_wait(), Ok(None)));
        // If the lock is held, a daemon is starting or exiting. Wait until it is free.
        let holder = Holder::of(places);
        if holder.is_none() && !is_on_its_way && starts < MOST_STARTS {
            child = Some(spawn()?);
            starts += 1;
        } else if began.elapsed() > PATIENCE || (holder.is_none() && !is_on_its_way) {
            let message = format!("no daemon answers at {}", places.socket.display());
            let error = Error::new(ErrorKind::System, message)
                .hint("`bowline daemon run` shows in this terminal what keeps it from running")
                .hint(format!("its log is {}", log_file(places).display()));
            return Err(match holder {
                Some(Holder { pid: Some(pid), .. }) => error.hint(format!(
                    "process {pid} begins or ends and takes long; `kill {pid}` ends it"
                )),
                _ => error,
            });
        }
        thread::sleep(LOOK);
    }
}

fn spawn() -> Result<Child> {
    let program = std::env::current_exe()
        .map_err(|source| Error::file("find", "the running program".as_ref(), source))?;
    Command::new(&program)
        .args(["daemon", "run", "--detached"])
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| is_the_daemons(name)))
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|source| Error::file("start", &program, source))
}

/// The first agent to need a daemon starts it for all others: of that agent's environment, which may hold keys, it gets only
/// what says where things are.
fn is_the_daemons(variable: &OsStr) -> bool {
    const PLACES: [&str; 8] = [
        "HOME", "PATH", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG", "LC_ALL",
    ];
    let Some(name) = variable.to_str() else {
        return false;
    };
    PLACES.contains(&name)
        || ["XDG_", "BOWLINE_", "SSL_CERT_"]
            .iter()
            .any(|beginning| name.starts_with(beginning))
}

/// A daemon answers: clients that find none later may start another at once.
fn answering(places: &Places, status: Status) -> Status {
    let _ = std::fs::remove_file(places.starting());
    status
}

/// Stops the daemon and waits until it is gone. Agents at work may have started the next one by then.
pub(crate) fn stop(places: &Places) -> Result<Stopped> {
    let began = Instant::now();
    let mut found = Stopped::Before;
    let stopping = loop {
        let asked = patiently(|| {
            let mut daemon = Connection::open_with(&places.socket, Patience::Short)?;
            // The process that listens holds the lock until it has answered and exited.
            let holder = Holder::of(places);
            // It may end without an answer.
            found = Stopped::Now;
            daemon.ask("daemon.stop", Map::new())?;
            Ok(holder)
        });
        match asked {
            Ok(holder) => break holder,
            Err(error) if !is_absence(&error) => return Err(trouble(places, &error)),
            Err(_) if Holder::of(places).is_none() => return Ok(found),
            // One that has the lock and no socket begins, and can soon be asked, or it ends anyway.
            Err(_) => {
                found = Stopped::Now;
                patient(began)?;
            }
        }
    };
    while stopping.is_some() && Holder::of(places) == stopping {
        patient(began)?;
    }
    Ok(Stopped::Now)
}

/// How many records daemons and direct runs that have ended could not keep, as far as the store has not counted them yet.
pub(crate) fn unkept(places: &Places) -> u64 {
    let unkept = bowline_store::unkept(&places.store());
    unkept.iter().map(|gap| gap.records).sum()
}

/// Waits for a moment, unless it was long already.
fn patient(began: Instant) -> Result<()> {
    if began.elapsed() > PATIENCE {
        let message = "the daemon was asked to stop and has not";
        return Err(Error::new(ErrorKind::System, message)
            .hint("a hook that takes long may be running: wait for it, or end its process"));
    }
    thread::sleep(LOOK);
    Ok(())
}

/// Notifies a running daemon. A daemon that starts later, or hangs now, sees the change itself.
pub(crate) fn tell(places: &Places, command: &str) {
    if let Ok(mut daemon) = Connection::open_with(&places.socket, Patience::Brief) {
        let _ = daemon.ask(command, Map::new());
    }
}

/// Whether nobody listens, or the daemon has just exited. A silent daemon still counts as running.
fn is_absence(error: &AskError) -> bool {
    let AskError::Unreachable(error) = error else {
        return false;
    };
    matches!(
        error.kind(),
        Io::NotFound
            | Io::ConnectionRefused
            | Io::UnexpectedEof
            | Io::ConnectionReset
            | Io::BrokenPipe
    )
}

/// Whether a daemon has not answered in time.
fn is_late(error: &AskError) -> bool {
    matches!(error, AskError::Unreachable(error) if matches!(error.kind(), Io::WouldBlock | Io::TimedOut))
}

/// Whether no socket can be at its place.
fn cannot_be(error: &AskError) -> bool {
    matches!(error, AskError::Unreachable(error) if matches!(error.kind(), Io::NotADirectory | Io::InvalidFilename))
}

/// What is wrong with a daemon that cannot be asked, and what to do about it.
pub(crate) fn trouble(places: &Places, error: &AskError) -> Error {
    match Holder::of(places) {
        Some(Holder { pid: Some(pid), .. }) if is_late(error) => Error::new(
            ErrorKind::System,
            format!("the daemon, process {pid}, does not answer"),
        )
        .hint(format!("`kill {pid}` ends it, `kill -9 {pid}` if it hangs; events are decided without it meanwhile")),
        _ if cannot_be(error) => Error::new(ErrorKind::System, error.to_string()).hint(format!(
            "there is no place for {}; make room for it, or set BOWLINE_SOCKET",
            places.socket.display()
        )),
        _ => Error::new(ErrorKind::System, error.to_string())
            .hint("whatever listens there is no daemon that this version knows; end it, or set BOWLINE_SOCKET"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_gets_no_keys() {
        for (name, handed_on) in [
            ("HOME", true),
            ("XDG_DATA_HOME", true),
            ("BOWLINE_SOCKET", true),
            ("ANTHROPIC_API_KEY", false),
            ("GITHUB_TOKEN", false),
            ("BOWLINE", false),
            ("CLAUDE_PROJECT_DIR", false),
        ] {
            assert_eq!(is_the_daemons(OsStr::new(name)), handed_on, "{name}");
        }
    }
}
