//! One child process: its pipes, its exit, and its end together with everything that it started.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use futures_util::future::join3;
use rustix::process::Pid;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
#[cfg(feature = "mcp")]
use tokio::process::{ChildStderr, ChildStdout};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::time::timeout;

use crate::dialect::{Exit, RawOutput};
use crate::runner::lineage::Lineage;

/// How much of each stream is kept. The rest is read, so that the process can go on, and thrown away.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caps {
    pub(crate) stdout: usize,
    pub(crate) stderr: usize,
}

/// Sees what a process prints, as it comes.
pub(crate) type Watch<'a> = dyn Fn(&[u8]) + Sync + 'a;

/// An open pipe that has been silent for so long after the exit has nothing more to say.
const SILENCE: Duration = Duration::from_millis(100);
/// And however much it says, this is the end of it.
const LONGEST_LINGER: Duration = Duration::from_secs(1);

/// A started process. Dropping it before it has exited ends it and everything that it started.
#[derive(Debug)]
pub(crate) struct Process {
    /// There until it is dropped.
    child: Option<Child>,
    lineage: Lineage,
}

impl Process {
    /// Starts the command in a process group of its own, with its three streams piped.
    pub(crate) fn spawn(mut command: Command) -> io::Result<Self> {
        command
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (child, lineage) = Lineage::start(&mut command)?;
        Ok(Self {
            child: Some(child),
            lineage,
        })
    }

    /// Its three streams, for a conversation. They are there once.
    #[cfg(feature = "mcp")]
    pub(crate) fn streams(&mut self) -> io::Result<(ChildStdin, ChildStdout, ChildStderr)> {
        let gone = || io::Error::other("its streams are gone");
        let child = self.child.as_mut().ok_or_else(gone)?;
        let stdin = child.stdin.take().ok_or_else(gone)?;
        let stdout = child.stdout.take().ok_or_else(gone)?;
        let stderr = child.stderr.take().ok_or_else(gone)?;
        Ok((stdin, stdout, stderr))
    }

    /// Gives the process its input and waits for its exit, not for those who keep its pipes open: unless the
    /// answer is not there yet, in which case they get a moment to pass it on (`exec > >(tee log)`). What it
    /// started in the background is left alone.
    pub(crate) async fn finish(
        mut self,
        input: &[u8],
        caps: Caps,
        watch: &Watch<'_>,
    ) -> io::Result<RawOutput> {
        let Some(child) = &mut self.child else {
            return Err(io::Error::other("it was dropped"));
        };
        let mut stdout = Capture::new(child.stdout.take(), caps.stdout);
        let mut stderr = Capture::new(child.stderr.take(), caps.stderr);
        let streams = join3(
            feed(child.stdin.take(), input),
            stdout.pump(watch),
            stderr.pump(watch),
        );
        let status = tokio::select! {
            biased;
            status = child.wait() => status,
            _ = streams => child.wait().await,
        }?;
        stdout.drain();
        stderr.drain();
        let _ = timeout(LONGEST_LINGER, stdout.linger()).await;
        stderr.drain();
        Ok(RawOutput {
            exit: exit(status),
            stdout_cut: stdout.cut,
            stderr_cut: stderr.cut,
            stdout: stdout.into_text(),
            stderr: stderr.into_text(),
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        // There is an id until the exit status has been fetched.
        let Some(pid) = child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?)) else {
            return;
        };
        let end = || {
            let known = self.lineage.ask_to_end(pid);
            self.lineage.end(pid, &known);
        };
        match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
            Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(end),
            _ => end(),
        }
        // Outside of a runtime, tokio's own list of orphans takes it.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move { child.wait().await });
        }
    }
}

/// Writes the input and closes the pipe. A process need not read it: any error is only its way to say so.
async fn feed(pipe: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut pipe) = pipe {
        let _ = pipe.write_all(input).await;
    }
}

fn exit(status: ExitStatus) -> Exit {
    // Without a code it was a signal: Unix knows no third way.
    match status.code() {
        Some(code) => Exit::Code(code),
        None => Exit::Signal(status.signal().unwrap_or_default()),
    }
}

/// What came out of one pipe so far.
#[derive(Debug)]
struct Capture<R> {
    /// `None` once the other side has closed it.
    pipe: Option<R>,
    bytes: Vec<u8>,
    cap: usize,
    cut: bool,
}

impl<R: AsyncRead + AsFd + Unpin> Capture<R> {
    /// The minimum buffer for one read.
    const CHUNK: usize = 8 * 1024;

    fn new(pipe: Option<R>, cap: usize) -> Self {
        Self {
            pipe,
            bytes: Vec::new(),
            cap,
            cut: false,
        }
    }

    /// Reads until the other side closes the pipe. May be dropped at any time without losing anything.
    async fn pump(&mut self, watch: &Watch<'_>) {
        while let Some(pipe) = &mut self.pipe {
            self.bytes.reserve(Self::CHUNK);
            let known = self.bytes.len();
            match pipe.read_buf(&mut self.bytes).await {
                Ok(0) | Err(_) => self.pipe = None,
                Ok(_) => {
                    watch(self.bytes.get(known..).unwrap_or_default());
                    self.keep_to_cap();
                }
            }
        }
    }

    /// Reads what is in the pipe now, without waiting, and no more than that: others may go on writing.
    ///
    /// Asks the pipe itself, because the runtime may not have heard yet that there is something to read.
    fn drain(&mut self) {
        let Some(pipe) = self.pipe.take() else { return };
        let mut left = rustix::io::ioctl_fionread(&pipe).unwrap_or(0);
        loop {
            self.bytes.reserve(Self::CHUNK);
            match rustix::io::read(&pipe, rustix::buffer::spare_capacity(&mut self.bytes)) {
                Ok(0) => return,
                Err(_) => break,
                Ok(count) => {
                    self.keep_to_cap();
                    // One more read shows whether the other side has closed the pipe.
                    if left == 0 {
                        break;
                    }
                    left = left.saturating_sub(count as u64);
                }
            }
        }
        self.pipe = Some(pipe);
    }

    /// Reads on while the pipe is open and the answer unfinished, until it falls silent.
    async fn linger(&mut self) {
        while self.pipe.is_some() && self.is_unfinished() {
            let Some(pipe) = &mut self.pipe else { return };
            self.bytes.reserve(Self::CHUNK);
            match timeout(SILENCE, pipe.read_buf(&mut self.bytes)).await {
                Err(_) => return,
                Ok(Ok(0) | Err(_)) => self.pipe = None,
                Ok(Ok(_)) => self.keep_to_cap(),
            }
        }
    }

    /// Nothing yet, or JSON that has begun and not ended.
    fn is_unfinished(&self) -> bool {
        let text = self.bytes.trim_ascii();
        text.is_empty() || (text.starts_with(b"{") && !text.ends_with(b"}"))
    }

    fn keep_to_cap(&mut self) {
        if self.bytes.len() > self.cap {
            self.bytes.truncate(self.cap);
            self.cut = true;
        }
    }

    fn into_text(self) -> String {
        String::from_utf8(self.bytes).unwrap_or_else(|error| {
            let split_by_cut = self.cut && error.utf8_error().error_len().is_none();
            let valid = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            if split_by_cut {
                bytes.truncate(valid);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn output(script: &str, cap: usize) -> RawOutput {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        let caps = Caps {
            stdout: cap,
            stderr: cap,
        };
        let process = Process::spawn(command).unwrap();
        process.finish(b"", caps, &|_| {}).await.unwrap()
    }

    #[tokio::test]
    async fn a_cut_does_not_leave_half_a_character() {
        // (octal bytes, cap, kept, cut)
        for (bytes, cap, kept, cut) in [
            (r"a\303\244b", 4, "aäb", false),
            (r"a\303\244b", 3, "aä", true),
            (r"a\303\244b", 2, "a", true),
            (r"a\303\244b", 0, "", true),
            (r"a\303", 2, "a\u{FFFD}", false),
            (r"\377\303\244", 2, "\u{FFFD}\u{FFFD}", true),
        ] {
            let output = output(&format!("printf '{bytes}'; printf '{bytes}' >&2"), cap).await;
            assert_eq!(
                (&*output.stdout, output.stdout_cut),
                (kept, cut),
                "{bytes} to {cap}"
            );
            assert_eq!(
                (&*output.stderr, output.stderr_cut),
                (kept, cut),
                "{bytes} to {cap}"
            );
        }
    }

    #[tokio::test]
    async fn the_last_words_are_not_lost_though_the_pipe_stays_open() {
        for _ in 0..20 {
            let output = output(
                "sleep 300 & kill_me=$!; head -c 60000 /dev/zero | tr '\\0' x; echo $kill_me >&2",
                1 << 20,
            )
            .await;
            let sleeper = Pid::from_raw(output.stderr.trim().parse().unwrap()).unwrap();
            rustix::process::kill_process(sleeper, rustix::process::Signal::KILL).unwrap();
            assert_eq!(output.stdout.len(), 60_000);
        }
    }
}
