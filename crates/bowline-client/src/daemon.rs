//! Asks the daemon, and starts one.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::{net::UnixStream, process::CommandExt};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use bowline_wire::starting_marker;
use bowline_wire::{ACKNOWLEDGE_WITHIN, Acknowledgement, Answer, Call, Environment, Heard, Lines};
use bowline_wire::{MAX_REPLY, SILENT_AFTER, Signs};

use crate::direct::apart;

/// How long other clients do not start a daemon after one was started.
const START_GRACE: Duration = Duration::from_secs(10);

/// Modes of this program in a process that nobody waits for: check whether a socket can be reached, and start a daemon.
pub(crate) const LOOK: &str = "--look";
pub(crate) const START: &str = "--start";

/// Finds the path of the daemon's socket and connects, which wakes the daemon. Environments are sent through the socket, so no
/// other user may have put it there.
pub(crate) fn find(env: &Environment) -> io::Result<(PathBuf, io::Result<UnixStream>)> {
    let uid = rustix::process::geteuid().as_raw();
    let socket = bowline_wire::socket_path(|name| env.get(name).map(Into::into), uid, Path::is_dir);
    let socket = socket.map_err(io::Error::other)?;
    if !is_at_hand(&socket) {
        let mut look = apart(LOOK, &socket, env)?;
        crate::before(Instant::now() + ACKNOWLEDGE_WITHIN, move || look.wait())?;
    }
    let owner = |path: &Path| fs::symlink_metadata(path).map_or(uid, |file| file.uid());
    let folder = socket.parent().unwrap_or(&socket);
    if owner(&socket) != uid || ![0, uid].contains(&owner(folder)) {
        return Err(ErrorKind::PermissionDenied.into());
    }
    let path = socket.clone();
    let connect = || UnixStream::connect(path);
    // A daemon that hangs accepts nothing, and once its queue is full connecting hangs as well.
    let stream = if starting_marker(&socket).exists() {
        crate::before(Instant::now() + ACKNOWLEDGE_WITHIN, connect)
    } else {
        connect()
    };
    let stream = stream.and_then(|stream| {
        let ours = runs_our_program(&stream);
        ours.then_some(stream)
            .ok_or_else(|| ErrorKind::PermissionDenied.into())
    });
    Ok((socket, stream))
}

/// Whether the system knows without a disk that the file exists or is missing. If it cannot say, yes.
#[cfg(target_os = "linux")]
fn is_at_hand(file: &Path) -> bool {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let only_name = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = openat2(CWD, file, only_name, Mode::empty(), ResolveFlags::CACHED);
    !matches!(found, Err(rustix::io::Errno::AGAIN))
}

#[cfg(not(target_os = "linux"))]
fn is_at_hand(_: &Path) -> bool {
    true
}

/// What this process was started for by `apart`, because it may hang on a disk.
pub(crate) fn look_or_start(task: &str, socket: &Path) -> ExitCode {
    match task {
        START => start(socket, &std::env::vars_os().collect()),
        _ => drop(fs::symlink_metadata(socket)),
    }
    ExitCode::SUCCESS
}

/// Whether the daemon runs the program beside this one, not some other program and not the one before an upgrade. Without that
/// program, or without `/proc`, this is unknown.
#[cfg(target_os = "linux")]
fn runs_our_program(stream: &UnixStream) -> bool {
    let identity = |path: &Path| fs::metadata(path).map(|file| (file.dev(), file.ino()));
    let Some(Ok(beside)) = crate::direct::beside().map(|program| identity(&program)) else {
        return true;
    };
    let peer = rustix::net::sockopt::socket_peercred(stream);
    let program = peer.map(|peer| format!("/proc/{}/exe", peer.pid));
    let runs = program.is_ok_and(|program| identity(program.as_ref()).is_ok_and(|it| it == beside));
    runs || !Path::new("/proc/self/exe").exists()
}

#[cfg(not(target_os = "linux"))]
fn runs_our_program(_: &UnixStream) -> bool {
    true
}

/// Sends the call, and waits for the answer. An error is `TimedOut` only if the daemon has acknowledged the call and there is no time left.
/// The connection ends with this: a daemon that recovers later must not decide the call a second time.
pub(crate) fn ask(
    stream: io::Result<UnixStream>,
    call: &Call,
    payload: &[u8],
    deadline: Instant,
) -> io::Result<Answer> {
    let stream = stream?;
    stream.set_write_timeout(Some(ACKNOWLEDGE_WITHIN))?;
    (&stream).write_all(&[&call.encode(), payload].concat())?;
    let mut lines = Lines::new(MAX_REPLY);
    let line = read_line(&stream, &mut lines, Instant::now() + ACKNOWLEDGE_WITHIN)?;
    let signs = Acknowledgement::check(&line).map_err(io::Error::other)?;
    loop {
        let patience = match signs {
            Signs::Known => deadline.min(Instant::now() + SILENT_AFTER),
            Signs::Unknown => deadline,
        };
        let line =
            read_line(&stream, &mut lines, patience).map_err(|error| match error.kind() {
                ErrorKind::WouldBlock if patience == deadline => {
                    io::Error::new(ErrorKind::TimedOut, "the daemon is too slow")
                }
                _ => error,
            })?;
        match Heard::decode_for(&line, &call.id).map_err(io::Error::other)? {
            Heard::Sign => {}
            Heard::Answer(answer) => return Ok(answer),
        }
    }
}

fn read_line(mut stream: &UnixStream, lines: &mut Lines, deadline: Instant) -> io::Result<Vec<u8>> {
    let mut buffer = [0; 4096];
    loop {
        if let Some(line) = lines.next_line().map_err(io::Error::other)? {
            return Ok(line);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        stream.set_read_timeout(Some(left.max(Duration::from_micros(1))))?;
        match stream.read(&mut buffer) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            // A process that was stopped and goes on is told so here, with nothing read.
            Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error),
            read => lines.push(buffer.get(..read.unwrap_or(0)).unwrap_or_default()),
        }
    }
}

/// Starts a daemon for the next event, unless another client just did. If the marker cannot be created, a daemon could not create
/// its socket either. The daemons' lock leaves only one of them running.
fn start(socket: &Path, env: &Environment) {
    let marker = starting_marker(socket);
    let _ = fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(socket.parent().unwrap_or(socket));
    if let Ok(made) = fs::symlink_metadata(&marker).and_then(|file| file.modified()) {
        if made.elapsed().is_ok_and(|age| age < START_GRACE) {
            return;
        }
        let _ = fs::remove_file(&marker);
    }
    if fs::File::create_new(&marker).is_ok() {
        let mut bowline = crate::direct::bowline(Stdio::null, env);
        let _ = bowline.args(bowline_wire::START_DAEMON).exec();
    }
}
