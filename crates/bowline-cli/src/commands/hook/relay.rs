//! Runs the decision in a child process that may outlive us. The agent waits for our exit, and must not wait for background hooks
//! or for files on a disk that hangs.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::thread;

use bowline_wire::{Answer, Call, Lines, MAX_REPLY, Reply};

/// Has another process decide the call under the same name; `None` if that gives no answer. It is not waited for.
pub(super) fn ask(call: &Call, payload: &[u8]) -> Option<Answer> {
    let mut decider = Command::new(std::env::current_exe().ok()?)
        .args(call.direct_arguments())
        .arg("--relayed")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // A caller that waits for our exit also waits until our standard error is closed.
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .ok()?;
    let (stdin, stdout) = (decider.stdin.take()?, decider.stdout.take()?);
    thread::scope(|scope| {
        // Beside the reading, because it may answer before it has read all.
        scope.spawn(move || {
            let mut stdin = stdin;
            stdin.write_all(payload)
        });
        reply(stdout, call)
    })
}

fn reply(mut stdout: impl Read, call: &Call) -> Option<Answer> {
    let mut lines = Lines::new(MAX_REPLY);
    let mut buffer = [0; 4096];
    loop {
        if let Some(line) = lines.next_line().ok()? {
            return Reply::decode_for(&line, &call.id).ok();
        }
        match stdout.read(&mut buffer) {
            Ok(0) => return None,
            Ok(length) => lines.push(buffer.get(..length)?),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}
