//! `bowline run`: runs a program that has no hooks, and judges what it starts.

mod folder;
mod form;
mod link;
mod permission;
mod report;
mod search;
pub(crate) mod stand_in;
mod start;

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use bowline::hooks::HookEvent;
use bowline_agents::run::RUN_VARIABLE;
use bowline_builtins::machine::process;
use bowline_daemon::rpc::efforts::SESSION_VARIABLE;
use bowline_guard::{families, programs};
use bowline_wire::{CallId, FailMode};
use serde_json::json;

use crate::attended::{AGENT_ID, Asked, Attendant, Ended, agent_id, new_agent_id};
use crate::error::{Error, ErrorKind, Result};
use crate::ui::reveal;
use crate::{Outcome, control};
use folder::{Description, Folder};
use permission::{Passed, passes};
use start::Start;

/// The shells that a program starts its commands with.
const SHELLS: [&str; 4] = ["bash", "dash", "sh", "zsh"];
/// What this program is called. By this name it is Bowline in a run, too.
const OWN_NAME: &str = "bowline";
/// An agent that has hooks starts this by itself.
const CLIENT: &str = "bowline-hook";

/// Run a program that has no hooks, and judge what it starts
///
/// The program finds Bowline where it looks for its shell (SHELL, and `sh`, `bash`, `zsh` and `dash` on the PATH) and for what can do harm, such as
/// `rm` and `git`. Each of these commands is judged before it runs, and recorded with its exit code. A command that is denied says
/// why, and ends with exit code 126
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline run -- aider --model sonnet
  bowline run -- python3 my_agent.py
  bowline run --on-failure closed -- ./agent.sh

A question waits in the inbox where [approvals] says so; else it is asked at
the terminal, and without a terminal the command is denied.
The exit code is that of the program, or 128 and the number of its signal.

It guards what the program starts by name: neither what it starts by an
absolute path (/bin/sh), nor what it does by itself. docs/run.md has the limits")]
pub(crate) struct RunArgs {
    /// What happens to a command when nothing can be decided: open, ask or closed
    #[arg(long, value_name = "MODE", default_value = "ask")]
    on_failure: FailMode,

    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) fn run(args: &RunArgs) -> Result<Outcome> {
    let [program, arguments @ ..] = args.command.as_slice() else {
        return Err(Error::usage("no program is named").hint("bowline run -- aider"));
    };
    let found = search::program(program).ok_or_else(|| not_found(program))?;
    process::be_called(process::RUN);
    let places = control::places()?;
    let agent_id = name_of_agent(program);
    let description = Description::new(&found, args.on_failure, &agent_id);
    let mut wanted = programs::known();
    wanted.extend(SHELLS.map(ToOwned::to_owned));
    wanted.remove(CLIENT);
    // A signal that comes now is for the program.
    let mut attendant = Attendant::start()?;
    let folder = Folder::make(&places.runtime(), &description, &search::among(&wanted))?;

    let start = Start::of(judged(&found, &folder).unwrap_or(found), arguments);
    let mut command = start.below().map_err(|source| start.failed(source))?;
    surround(&mut command, &folder, &description, &agent_id)?;
    let begins = json!({"source": "startup"});
    let begun = report::report(&description, HookEvent::SessionStart, begins);
    let ended = match passes(&begun, "this session", None) {
        Passed::Yes => attendant
            .run(command)
            .map_err(|source| start.failed(source)),
        Passed::No => Ok(Ended {
            code: stand_in::DENIED,
            asked: Asked::ToEnd,
        }),
    };
    folder.close();
    // What a program left running has an end that nobody knows, unless it was told to end.
    let reason = match &ended {
        Ok(ended) if ended.asked == Asked::ToEnd => "exit",
        _ => "other",
    };
    let ends = json!({"reason": reason});
    report::report(&description, HookEvent::SessionEnd, ends);
    Ok(Outcome::Answered(ended?.code))
}

/// The name of the program among agents. One that another agent starts is not that one.
fn name_of_agent(program: &OsStr) -> String {
    let mut marks = bowline_agents::marks().chain([SESSION_VARIABLE]);
    let program = program.to_string_lossy();
    if marks.any(|name| env::var_os(name).is_some()) {
        new_agent_id(&program)
    } else {
        agent_id(&program)
    }
}

fn named(program: &OsStr) -> String {
    reveal::name(&program.to_string_lossy())
}

fn not_found(program: &OsStr) -> Error {
    let named = named(program);
    let guards = "`bowline run -- PROGRAM ARGUMENT…` starts a program and guards it";
    let (message, hint) = if !is_path(program) {
        let message = format!("there is no program `{named}` on the PATH");
        (message, guards.to_owned())
    } else if Path::new(program).is_dir() {
        let message = format!("{named} is a folder, and no program");
        (message, guards.to_owned())
    } else if Path::new(program).exists() {
        let hint = format!(
            "`chmod +x {}` makes it executable; or name what runs it, as in `bowline run -- python3 my_agent.py`",
            bowline_agents::shell_word(&named)
        );
        (format!("{named} is not executable"), hint)
    } else {
        (format!("there is no program {named}"), guards.to_owned())
    };
    Error::usage(message).hint(hint)
}

fn is_path(program: &OsStr) -> bool {
    program.as_encoded_bytes().contains(&b'/')
}

/// A program that is itself worth a look is judged like one that it would start, by the name of its file. An agent, and what runs code of
/// its own language, is what the person wants to run.
fn judged(program: &Path, folder: &Folder) -> Option<PathBuf> {
    let name = program.file_name()?.to_str()?;
    let is_agent = families::is_agent_program(name) || programs::is_interpreter(name);
    let link = folder.path().join(name);
    // Where the system does not tell who started it, a stand-in knows its program by the PATH alone.
    let finds_it =
        cfg!(target_os = "linux") || search::program(name.as_ref()).as_deref() == Some(program);
    (!is_agent && finds_it && link.is_symlink()).then_some(link)
}

/// Gives the program an environment in which it finds what is judged first.
fn surround(
    command: &mut Command,
    folder: &Folder,
    description: &Description,
    agent_id: &str,
) -> Result<()> {
    let own = env::var_os("PATH").unwrap_or_else(|| search::USUAL_PATH.into());
    let folders = [folder.path().to_owned()]
        .into_iter()
        .chain(env::split_paths(&own));
    let path = env::join_paths(folders).map_err(|source| {
        let message = format!("cannot put {} on the PATH", folder.path().display());
        Error::new(ErrorKind::System, message)
            .caused_by(source)
            .hint("set XDG_RUNTIME_DIR to a folder without a colon in its name")
    })?;
    command
        .env("PATH", path)
        .env(RUN_VARIABLE, folder.path())
        .env(SESSION_VARIABLE, &description.session)
        .env(AGENT_ID, agent_id);
    let shell = env::var_os("SHELL").unwrap_or_default();
    let own = Path::new(&shell).file_name().unwrap_or_default();
    let shells = [own].into_iter().chain(SHELLS.map(OsStr::new));
    let links = shells
        .filter(|it| it.to_str().is_some_and(programs::is_shell))
        .map(|it| folder.path().join(it));
    if let Some(link) = links.into_iter().find(|it| it.is_symlink()) {
        command.env("SHELL", link);
    }
    Ok(())
}

/// A new name of a session or of a call.
fn fresh() -> String {
    CallId::generate().as_str().to_owned()
}
