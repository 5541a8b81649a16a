//! `bowline-hook`, which an agent starts for every event. It passes the unread payload to the daemon, and the daemon's
//! answer to the agent. The README of this crate says what happens without a daemon.

mod daemon;
mod direct;

use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::time::{Duration, Instant};
use std::{env, num::NonZeroU32, process::ExitCode, sync::mpsc, thread};

use bowline_wire::{Answer, Call, Environment, FailMode, Failure, MAX_PAYLOAD};
use daemon::{LOOK, START};
use lexopt::{Arg, Parser, ValueExt};

const USAGE: &str = "bowline-hook [AGENT [EVENT]] [--on-failure open|ask|closed] [--timeout SECS] [--home DIR] [--env NAME=VALUE]… [--call-id ID]";
const VERSION: &str = concat!("bowline-hook ", env!("BOWLINE_VERSION"));
const EXAMPLE: &str = "bowline-hook claude-code PreToolUse < event.json";
/// The payload, shared with threads until the process exits.
type Payload = &'static [u8];

fn main() -> ExitCode {
    let started = Instant::now();
    let [first, second] = [1, 2].map(|at| env::args_os().nth(at).unwrap_or_default());
    let told = match first.to_str() {
        Some("--help" | "-h") => Some(format!("Usage: {USAGE}\nExample: {EXAMPLE}")),
        Some("--version" | "-V") => Some(VERSION.to_owned()),
        Some(task @ (LOOK | START)) => return daemon::look_or_start(task, second.as_ref()),
        _ => None,
    };
    if let Some(told) = told {
        let _ = writeln!(io::stdout(), "{told}");
        return ExitCode::SUCCESS;
    }
    let cwd = env::current_dir().unwrap_or_default();
    let mut call = Call::new(cwd, env::vars_os().collect());
    let answer = match read_arguments(&mut call, Parser::from_env()) {
        Ok(timeout) => answer(&mut call, started, timeout),
        Err(error) => Failure::of(&call, &[], &format!("{error}; expected {USAGE}")).answer(),
    };
    print(&answer, call.on_failure)
}

/// Reads every valid argument, also after a mistake, so that a wrong command line is answered in its own fail mode.
fn read_arguments(call: &mut Call, mut arguments: Parser) -> Result<Duration, lexopt::Error> {
    let mut seconds = bowline_wire::USUAL_TIMEOUT;
    let mut next = || {
        match arguments.next()? {
            None => return Ok(false),
            Some(Arg::Long("on-failure")) => call.on_failure = arguments.value()?.parse()?,
            Some(Arg::Long("call-id")) => call.id = arguments.value()?.parse()?,
            Some(Arg::Long("env")) => set(&mut call.env, &arguments.value()?.string()?)?,
            Some(Arg::Long("home")) => call.env.set_home(&arguments.value()?.string()?),
            Some(Arg::Long("timeout")) => seconds = arguments.value()?.parse::<NonZeroU32>()?.get(),
            Some(Arg::Value(word)) if call.agent.is_empty() => call.agent = word.string()?,
            Some(Arg::Value(word)) if call.event.is_none() => call.event = Some(word.string()?),
            Some(unexpected) => return Err(unexpected.unexpected()),
        }
        Ok(true)
    };
    let mut first = Ok(());
    while let read @ (Ok(true) | Err(_)) = next() {
        first = first.and(read.map(drop));
    }
    first.map(|()| Duration::from_secs(seconds.into()))
}

/// A variable as `init` found it overrides the agent's settings, because a project may have written those.
fn set(env: &mut Environment, variable: &str) -> Result<(), lexopt::Error> {
    let (name, value) = variable.split_once('=').ok_or("--env takes NAME=VALUE")?;
    env.set(name, value);
    Ok(())
}

fn answer(call: &mut Call, started: Instant, timeout: Duration) -> Answer {
    let limit = bowline_wire::waits_within(timeout);
    let deadline = started + limit;
    call.waits_secs = limit.as_secs().try_into().unwrap_or(u32::MAX);
    let direct_only = call
        .env
        .get("BOWLINE_DAEMON")
        .is_some_and(|value| value == "off");
    // Before the event is read, so that both happen at once.
    let find = || daemon::find(&call.env).ok();
    let daemon = (!direct_only).then(find).flatten();
    let is_bare = call.agent.is_empty();
    let mut payload = Vec::new();
    if is_bare && io::stdin().is_terminal() {
        return nothing_to_do();
    }
    let mut stdin = io::stdin().lock().take(MAX_PAYLOAD as u64 + 1);
    if let Err(error) = stdin.read_to_end(&mut payload) {
        let reason = format!("stdin cannot be read ({})", error.kind());
        return Failure::of(call, &payload, &reason).answer();
    }
    if payload.len() > MAX_PAYLOAD {
        // Drain stdin so that the agent does not get EPIPE, up to a limit.
        stdin.set_limit(1 << 30);
        let _ = io::copy(&mut stdin, &mut io::sink());
        return Failure::of(call, &payload, "the event is longer than 64 MB").unverified();
    }
    if is_bare && payload.trim_ascii().is_empty() {
        return nothing_to_do();
    }
    call.payload_bytes = payload.len();
    let payload: Payload = payload.leak();
    let failure = |reason: String| Failure::of(call, payload, &reason).answer();
    if let Some((socket, stream)) = daemon {
        match daemon::ask(stream, call, payload, deadline) {
            Ok(answer) => return answer,
            Err(late) if late.kind() == ErrorKind::TimedOut => return failure(late.to_string()),
            Err(_) => drop(direct::apart(START, &socket, &call.env)),
        }
    }
    direct::run(call, payload, deadline).unwrap_or_else(failure)
}

/// A person tries the program, or an agent sends nothing: no reason to block anything.
fn nothing_to_do() -> Answer {
    Answer {
        stderr: format!(
            "bowline-hook: no event on standard input; agents start this program\nUsage: {USAGE}\n"
        ),
        ..Answer::default()
    }
}

/// An answer that cannot be delivered is a failure, and the exit code still arrives.
fn print(answer: &Answer, on_failure: FailMode) -> ExitCode {
    let mut stdout = io::stdout();
    let printed = stdout.write_all(answer.stdout.as_bytes());
    let printed = printed.and_then(|()| stdout.flush());
    let _ = io::stderr().write_all(answer.stderr.as_bytes());
    match printed {
        Err(_) if on_failure != FailMode::Open => ExitCode::from(2),
        _ => ExitCode::from(answer.exit),
    }
}

/// Waits for a piece of work until the deadline; then the error is `WouldBlock`, as with sockets.
fn before<T: Send + 'static>(
    deadline: Instant,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (done, ended) = mpsc::channel();
    thread::Builder::new().spawn(move || done.send(work()))?;
    let result = ended.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    result.map_err(|_| ErrorKind::WouldBlock)?
}
