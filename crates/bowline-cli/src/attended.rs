//! A program that this one runs to its end, in its place: the program has the terminal and gets the signals.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;

use bowline_wire::CallId;
use rustix::process::{Pid, Signal as Sent, kill_process};
use tokio::process::{Child, Command};
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::{Error, ErrorKind, Result};
use crate::ui::terminal::Terminal;

/// The variable that names an agent in its fleet.
pub(crate) const AGENT_ID: &str = "AGENT_ID";

/// The name by which all sessions of the agent are one: the one that it has, else a new one.
pub(crate) fn agent_id(program: &str) -> String {
    let own = std::env::var(AGENT_ID).ok();
    own.filter(|id| !matches!(id.as_str(), "" | "default"))
        .unwrap_or_else(|| new_agent_id(program))
}

/// A name that no other agent has.
pub(crate) fn new_agent_id(program: &str) -> String {
    let name = Path::new(program).file_name().unwrap_or_default();
    let call = CallId::generate();
    let distinction: String = call.as_str().chars().rev().take(8).collect();
    format!("{}-{distinction}", name.to_string_lossy())
}

/// How a run came out.
pub(crate) struct Ended {
    /// As a shell reports it.
    pub(crate) code: u8,
    pub(crate) asked: Asked,
}

/// Whether somebody asked this process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    ToEnd,
    Nothing,
}

/// Runs programs, one after another.
pub(crate) struct Attendant {
    runtime: Runtime,
    signals: Signals,
}

impl Attendant {
    /// From now on, signals are for the programs.
    pub(crate) fn start() -> Result<Self> {
        let cannot = |what: &str, source: io::Error| {
            Error::new(ErrorKind::System, format!("cannot {what}")).caused_by(source)
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .map_err(|source| cannot("watch over the program", source))?;
        let signals = {
            let _context = runtime.enter();
            Signals::listen().map_err(|source| cannot("listen for signals", source))?
        };
        Ok(Self { runtime, signals })
    }

    /// Runs a program to its end, and passes on to it what this process is told.
    pub(crate) fn run(&mut self, command: std::process::Command) -> io::Result<Ended> {
        let signals = &mut self.signals;
        self.runtime.block_on(async {
            let mut child = Command::from(command).spawn()?;
            let mut asked = Asked::Nothing;
            loop {
                tokio::select! {
                    status = child.wait() => {
                        let code = exit_code(status?);
                        return Ok(Ended { code, asked });
                    }
                    (sent, means) = signals.next() => {
                        pass_on(&child, sent);
                        if means == Asked::ToEnd {
                            asked = means;
                        }
                    }
                }
            }
        })
    }
}

fn pass_on(child: &Child, sent: Sent) {
    let process = child.id().and_then(|id| i32::try_from(id).ok());
    if let Some(process) = process.and_then(Pid::from_raw) {
        // It may have ended in this moment.
        let _ = kill_process(process, sent);
    }
}

/// The signals that are for the agent.
struct Signals {
    terminate: Signal,
    hang_up: Signal,
    interrupt: Signal,
    quit: Signal,
    first: Signal,
    second: Signal,
    /// A terminal sends what is typed there to both processes, where they are in front.
    typed: Typed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Typed {
    ReachesTheAgent,
    Nobody,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            first: signal(SignalKind::user_defined1())?,
            second: signal(SignalKind::user_defined2())?,
            typed: if Terminal::own().is_some() {
                Typed::ReachesTheAgent
            } else {
                Typed::Nobody
            },
        })
    }

    /// The next signal to be passed on, and what it means here.
    async fn next(&mut self) -> (Sent, Asked) {
        loop {
            let (sent, is_typed) = tokio::select! {
                Some(()) = self.terminate.recv() => return (Sent::TERM, Asked::ToEnd),
                Some(()) = self.hang_up.recv() => return (Sent::HUP, Asked::ToEnd),
                Some(()) = self.first.recv() => return (Sent::USR1, Asked::Nothing),
                Some(()) = self.second.recv() => return (Sent::USR2, Asked::Nothing),
                Some(()) = self.interrupt.recv() => (Sent::INT, self.typed),
                Some(()) = self.quit.recv() => (Sent::QUIT, self.typed),
                else => return std::future::pending().await,
            };
            if is_typed == Typed::Nobody {
                return (sent, Asked::ToEnd);
            }
        }
    }
}

/// As a shell reports it.
fn exit_code(status: ExitStatus) -> u8 {
    let by_signal = || status.signal().map_or(1, |signal| 128 + signal);
    u8::try_from(status.code().unwrap_or_else(by_signal)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_shells() {
        for (raw, expected) in [(0, 0), (3 << 8, 3), (15, 143), (9, 137)] {
            assert_eq!(exit_code(ExitStatus::from_raw(raw)), expected, "{raw}");
        }
    }
}
