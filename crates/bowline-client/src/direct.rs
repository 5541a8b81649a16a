//! Without the daemon: `bowline` decides in its own process.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;
use std::{env, ffi::OsStr, thread};

use bowline_wire::{Answer, Call, Environment};

use crate::{Payload, before};

/// The program beside this one.
pub(crate) fn beside() -> Option<PathBuf> {
    let beside = env::current_exe().map(|own| own.with_file_name("bowline"));
    beside.ok().filter(|program| program.is_file())
}

/// The program beside this one, else the one on the path.
pub(crate) fn bowline(stream: fn() -> Stdio, env: &Environment) -> Command {
    command(beside().unwrap_or_else(|| "bowline".into()), stream, env)
}

/// Starts this program again for work that may hang on a disk. A process that hangs there cannot exit, and agents wait for its exit.
pub(crate) fn apart(task: &str, file: &Path, env: &Environment) -> io::Result<Child> {
    let mut again = command(env::current_exe()?, Stdio::null, env);
    again.arg(task).arg(file).current_dir("/").process_group(0);
    again.spawn()
}

/// A program with this environment, except variables that would load other code into it.
fn command(program: PathBuf, stream: fn() -> Stdio, env: &Environment) -> Command {
    let mut command = Command::new(program);
    command.stdin(stream()).stdout(stream()).stderr(stream());
    let loads_code = |name: &OsStr| {
        let name = name.as_encoded_bytes();
        name.starts_with(b"LD_") || name.starts_with(b"DYLD_")
    };
    let harmless = env.iter().filter(|(name, _)| !loads_code(name));
    command.env_clear().envs(harmless);
    command
}

/// Lets `bowline` decide the call under the same id, so that it is recorded once.
pub(crate) fn run(call: &Call, payload: Payload, deadline: Instant) -> Result<Answer, String> {
    // Only the kind of an error: agents take the system's text for a missing file as a mistake in their settings.
    let failed = |error: io::Error| format!("`bowline` gave no answer ({})", error.kind());
    let child = bowline(Stdio::piped, &call.env)
        .args(call.direct_arguments())
        .spawn();
    let mut child = child.map_err(failed)?;
    let stdin = child.stdin.take();
    let write = move || stdin.map(|mut stdin| stdin.write_all(payload));
    thread::Builder::new().spawn(write).map_err(failed)?;
    // A late process is not killed: it ends its own hooks, which a kill would not.
    let output = before(deadline, move || child.wait_with_output()).map_err(failed)?;
    let answer = Answer::of_process(output.status.code(), &output.stdout, &output.stderr);
    answer.ok_or_else(|| format!("`bowline` failed ({})", output.status))
}
