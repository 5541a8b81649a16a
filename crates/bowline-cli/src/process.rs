//! Runs another program, and gives up on one that hangs.

use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The maximum size of an answer.
const MOST_OUTPUT: u64 = 1024 * 1024;
const BETWEEN_LOOKS: Duration = Duration::from_micros(200);

/// What a command said.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

/// Runs it with this on standard input, no longer than the limit.
pub(crate) fn run(mut command: Command, stdin: &[u8], limit: Duration) -> io::Result<Ran> {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    if let Some(mut pipe) = child.stdin.take() {
        // A payload of this size fits into the pipe; one who does not read it does no harm.
        let _ = pipe.write_all(stdin);
    }
    let status = wait(&mut child, started, limit)?;
    let took = started.elapsed();
    Ok(Ran {
        code: status.code(),
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
        took,
    })
}

/// A program that is talked to, line by line, no longer than a limit. It is ended with this.
#[derive(Debug)]
pub(crate) struct Talk {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    until: Instant,
}

impl Talk {
    pub(crate) fn start(mut command: Command, limit: Duration) -> io::Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let (heard, lines) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || {
                let said = BufReader::new(stdout.take(MOST_OUTPUT)).lines();
                for line in said.map_while(Result::ok) {
                    if heard.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Self {
            stdin: child.stdin.take(),
            child,
            lines,
            until: Instant::now() + limit,
        })
    }

    pub(crate) fn say(&mut self, line: &str) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(line.as_bytes())?;
        stdin.write_all(b"\n")?;
        stdin.flush()
    }

    /// The next line; an error when the program has ended, or the time is over.
    pub(crate) fn hear(&mut self) -> io::Result<String> {
        let left = self.until.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| {
            io::Error::from(match error {
                RecvTimeoutError::Timeout => io::ErrorKind::TimedOut,
                RecvTimeoutError::Disconnected => io::ErrorKind::UnexpectedEof,
            })
        })
    }
}

impl Drop for Talk {
    /// It ends by itself when nobody talks to it any more. One that does not is ended.
    fn drop(&mut self) {
        const GRACE: Duration = Duration::from_secs(2);
        self.stdin = None;
        let _ = wait(&mut self.child, Instant::now(), GRACE);
    }
}

fn wait(child: &mut Child, started: Instant, limit: Duration) -> io::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if started.elapsed() > limit {
            // Its children hold the pipes open.
            if let Some(group) = i32::try_from(child.id())
                .ok()
                .and_then(rustix::process::Pid::from_raw)
            {
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
            child.wait()?;
            return Err(io::Error::from(io::ErrorKind::TimedOut));
        }
        thread::sleep(BETWEEN_LOOKS);
    }
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            let _ = pipe.take(MOST_OUTPUT).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
