//! Starts a program in the place of this one, or below it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::error::Error;
use crate::ui::Ui;

use super::OWN_NAME;
use super::stand_in::DENIED;

/// The first argument of this program where it is to end together with the process that started it, and to be another program until then.
const LEASH: &str = "--end-with";

/// A program, and how it is called.
#[derive(Debug, Clone)]
pub(super) struct Start {
    pub(super) program: PathBuf,
    /// What it is told to be its own name.
    pub(super) called: OsString,
    pub(super) args: Vec<OsString>,
}

impl Start {
    /// A program that is called by its path. Bowline is called by its name: its path may be meant for any program of the run.
    pub(super) fn of(program: PathBuf, args: &[OsString]) -> Self {
        let is_own = cfg!(target_os = "linux") && program.ends_with(OWN_NAME);
        let called = if is_own {
            OWN_NAME.into()
        } else {
            program.clone().into()
        };
        Self {
            called,
            args: args.to_vec(),
            program,
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg0(&self.called).args(&self.args);
        command
    }

    /// Becomes the program. It returns only if that is not possible.
    pub(super) fn instead(&self) -> Error {
        self.failed(self.command().exec())
    }

    /// A process that becomes the program, and is killed when this one is: who kills a command means what runs for it.
    #[cfg(target_os = "linux")]
    pub(super) fn below(&self) -> io::Result<Command> {
        let mut command = Command::new(env::current_exe()?);
        command
            .arg(LEASH)
            .arg(std::process::id().to_string())
            .args([self.program.as_os_str(), &self.called])
            .args(&self.args);
        Ok(command)
    }

    /// A process that becomes the program. Where the system does not know how, it may outlive this one.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn below(&self) -> io::Result<Command> {
        Ok(self.command())
    }

    pub(super) fn failed(&self, source: io::Error) -> Error {
        Error::file("run", &self.program, source)
    }
}

/// Becomes the program that [`Start::below`] wants, if this process was started for it.
pub(super) fn leashed(args: &[OsString]) -> Option<ExitCode> {
    let [_, leash, parent, program, called, args @ ..] = args else {
        return None;
    };
    if leash != LEASH {
        return None;
    }
    let start = Start {
        program: program.into(),
        called: called.clone(),
        args: args.to_vec(),
    };
    if let Err(source) = end_with(parent) {
        Ui::for_stdout().error(&start.failed(source));
    } else {
        Ui::for_stdout().error(&start.instead());
    }
    Some(ExitCode::from(DENIED))
}

#[cfg(target_os = "linux")]
fn end_with(parent: &OsStr) -> io::Result<()> {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let above = getppid().map(|it| it.as_raw_nonzero().to_string());
    // It may have gone before.
    let is_there = above.is_some_and(|it| parent == it.as_str());
    is_there
        .then_some(())
        .ok_or(io::ErrorKind::Interrupted.into())
}

#[cfg(not(target_os = "linux"))]
fn end_with(_: &OsStr) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
