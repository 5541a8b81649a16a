//! Asks a running daemon. Every program except the hook client uses this.

use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use bowline_wire::{Lines, MAX_REPLY, Request, RequestError, Response};
use serde_json::{Map, Value};

use crate::peer;
use crate::rpc::Question;
use crate::rpc::store::{Backup, Compact, Forget, Integrity};
use crate::status::Status;

/// Commands that read or write the whole store. Their time depends on its size.
const LONG: [&str; 4] = [
    Backup::COMMAND,
    Compact::COMMAND,
    Forget::COMMAND,
    Integrity::COMMAND,
];

/// How long a daemon may take for one answer before it counts as hung. Commands on the whole store have no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patience {
    /// For callers that can do without the daemon: one second.
    Brief,
    /// For answers from memory: two seconds.
    Short,
    /// For everything else: thirty seconds.
    #[default]
    Usual,
}

impl Patience {
    const fn limit(self) -> Duration {
        match self {
            Self::Brief => Duration::from_secs(1),
            Self::Short => Duration::from_secs(2),
            Self::Usual => Duration::from_secs(30),
        }
    }

    fn limit_for(self, command: &str) -> Option<Duration> {
        (!LONG.contains(&command)).then_some(self.limit())
    }
}

/// A connection to the daemon.
#[derive(Debug)]
pub struct Connection {
    stream: UnixStream,
    lines: Lines,
    patience: Patience,
}

/// Why the daemon could not be asked, or did not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// There is no daemon, or it does not answer.
    #[error("the daemon does not answer: {0}")]
    Unreachable(#[from] io::Error),
    /// It sent something that is not an answer.
    #[error("the daemon's answer cannot be understood: {0}")]
    Garbled(String),
    /// It refused.
    #[error("{}", .0)]
    Refused(RequestError),
}

impl AskError {
    /// Whether there is no daemon: none was started yet, or the last one exited.
    pub fn is_absence(&self) -> bool {
        use io::ErrorKind::{ConnectionRefused, NotFound};
        matches!(self, Self::Unreachable(error) if [NotFound, ConnectionRefused].contains(&error.kind()))
    }
}

impl Connection {
    /// Connects to the daemon of this socket.
    pub fn open(socket: &Path) -> Result<Self, AskError> {
        Self::open_with(socket, Patience::default())
    }

    /// Connects to the daemon of this socket. Waits at most this long for each answer.
    pub fn open_with(socket: &Path, patience: Patience) -> Result<Self, AskError> {
        let stream = connect(socket, patience.limit())?;
        stream.set_write_timeout(Some(patience.limit()))?;
        Ok(Self {
            stream,
            lines: Lines::new(MAX_REPLY),
            patience,
        })
    }

    /// From now on, waits at most this long for each answer.
    pub fn set_patience(&mut self, patience: Patience) {
        self.patience = patience;
    }

    /// Asks the daemon how it is.
    pub fn status(&mut self) -> Result<Status, AskError> {
        let status = self.ask("daemon.status", Map::new())?;
        serde_json::from_value(status).map_err(|error| AskError::Garbled(error.to_string()))
    }

    /// Sends one request and waits for its answer.
    pub fn ask(&mut self, command: &str, args: Map<String, Value>) -> Result<Value, AskError> {
        let request = Request {
            command: command.to_owned(),
            args,
            ..Request::default()
        };
        self.stream
            .set_read_timeout(self.patience.limit_for(command))?;
        self.stream.write_all(&request.encode())?;
        let line = self.read_line()?;
        let response =
            Response::decode(&line).map_err(|error| AskError::Garbled(error.to_string()))?;
        response.result.map_err(AskError::Refused)
    }

    fn read_line(&mut self) -> Result<Vec<u8>, AskError> {
        let mut buffer = [0; 16 * 1024];
        loop {
            let line = self.lines.next_line();
            if let Some(line) = line.map_err(|error| AskError::Garbled(error.to_string()))? {
                return Ok(line);
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                Ok(length) => self.lines.push(buffer.get(..length).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Connects to our own daemon. A daemon that hangs accepts nothing, and once its queue is full, connecting hangs as well.
fn connect(socket: &Path, limit: Duration) -> io::Result<UnixStream> {
    let stranger = || {
        io::Error::new(
            io::ErrorKind::PermissionDenied,
            "somebody else listens there",
        )
    };
    let user = rustix::process::geteuid().as_raw();
    if !is_ours(socket, user) {
        return Err(stranger());
    }
    let socket = socket.to_owned();
    let (done, connected) = mpsc::channel();
    thread::Builder::new().spawn(move || done.send(UnixStream::connect(socket)))?;
    let connected = connected.recv_timeout(limit);
    let stream = connected.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    // On other systems the owner of the socket has to suffice.
    if cfg!(target_os = "linux") && !peer::is_own_user(&stream) {
        return Err(stranger());
    }
    Ok(stream)
}

/// Whether no other user can have put the socket there, by the rule of `bowline-hook`. A missing socket belongs to nobody.
fn is_ours(socket: &Path, user: u32) -> bool {
    let owner = |path: &Path| path.symlink_metadata().map_or(user, |file| file.uid());
    let folder = socket.parent().unwrap_or(socket);
    owner(socket) == user && [0, user].contains(&owner(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_who_can_do_without_waits_longer_than_a_second() {
        assert!(Patience::Brief.limit() <= Duration::from_secs(1));
    }

    #[test]
    fn what_goes_through_the_whole_store_has_no_limit() {
        for (command, limited) in [
            ("store.backup", false),
            ("store.compact", false),
            ("store.forget", false),
            ("store.integrity", false),
            ("store.size", true),
            ("daemon.status", true),
            ("traces.list", true),
        ] {
            for patience in [Patience::Brief, Patience::Short, Patience::Usual] {
                assert_eq!(patience.limit_for(command).is_some(), limited, "{command}");
            }
        }
    }
}
