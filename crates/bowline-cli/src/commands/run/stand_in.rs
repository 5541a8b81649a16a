//! What stands for a program in a run: it asks whether the program may run, and runs it.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use bowline::hooks::HookEvent;
use bowline_agents::run::command_of;
use bowline_agents::{Decision, Reading};
use bowline_builtins::machine::{process, standing};
use bowline_guard::programs::Reads;
use bowline_guard::{families, programs};
use serde_json::{Value, json};

use super::folder::{self, Description};
use super::form::Form;
use super::link::{self, Link};
use super::permission::{Passed, passes};
use super::start::{self, Start};
use super::{OWN_NAME, report, search};
use crate::attended::Attendant;
use crate::error::{Error, ErrorKind, Result};
use crate::ui::Ui;

/// The exit code of a command that was denied: found, and not run.
pub(super) const DENIED: u8 = 126;
const NOT_FOUND: u8 = 127;
/// As a shell says that Ctrl-C ended something.
const INTERRUPTED: u8 = 130;
/// What a shell is called that is told later what to do, below a command that was judged.
const PASSING: &str = "bowline-pass";
/// Files that shells read first, which are no part of what is judged.
const STARTUP_FILES: [&str; 2] = ["BASH_ENV", "ENV"];

/// Runs the program that this one stands for, if it does.
pub(crate) fn started(args: &[OsString]) -> Option<ExitCode> {
    if let Some(ended) = start::leashed(args) {
        return Some(ended);
    }
    let passed = match link::meant(args) {
        Ok(None) => return None,
        Ok(Some(Link { folder, name })) => match Description::read(&folder) {
            Some(run) => {
                let stand_in = StandIn {
                    folder: &folder,
                    run: &run,
                    name: &name,
                    args: args.get(1..).unwrap_or_default(),
                };
                stand_in.pass(args.first()?)
            }
            None if name == OWN_NAME => return None,
            None => Err(over(&name.to_string_lossy())),
        },
        Err(unknown) => Err(unknown),
    };
    Some(passed.map_or_else(
        |error| {
            Ui::for_stdout().error(&error);
            ExitCode::from(DENIED)
        },
        ExitCode::from,
    ))
}

/// What outlives its run is not judged by it, and does not run by it.
fn over(name: &str) -> Error {
    let message = format!("cannot judge {name}: its `bowline run` is over");
    Error::new(ErrorKind::Refused, message)
}

struct StandIn<'a> {
    folder: &'a Path,
    run: &'a Description,
    /// What the program is called.
    name: &'a OsStr,
    args: &'a [OsString],
}

impl StandIn<'_> {
    fn pass(&self, called: &OsStr) -> Result<u8> {
        let Some(program) = self.program() else {
            let name = self.name.display();
            let missing = Error::usage(format!("there is no program `{name}` on the PATH"));
            Ui::for_stdout().error(&missing);
            return Ok(NOT_FOUND);
        };
        let mut start = Start::of(program, self.args);
        // A login shell is called with a hyphen. Others look for their files by this name.
        if called.as_encoded_bytes().starts_with(b"-") {
            called.clone_into(&mut start.called);
        }
        let name = self.name.to_string_lossy();
        let form = Form::of(&name, self.args);
        let line = match &form {
            Form::Later if io::stdin().is_terminal() && self.is_judged() => {
                // A person's commands were not part of what was judged.
                process::be_called(PASSING);
                return attend(&start, &[]);
            }
            Form::Later => return Err(start.instead()),
            _ if self.is_the_program() || self.is_judged() => return Err(start.instead()),
            Form::Text { text, .. } | Form::Words(text) => text,
        };
        process::be_called(process::STAND_IN);
        let call = Call::new(self, line);
        let reading = call.report(HookEvent::PreToolUse, json!({}));
        let reading = reading.ok_or_else(|| over(&name))?;
        let asks = reading.decision == Decision::Ask;
        let turn = asks.then(|| folder::turn(self.folder));
        let passed = passes(&reading, line, Some(&call.id));
        drop(turn);
        if let Passed::No = passed {
            if reading.decision == Decision::Ask {
                let reason = "nobody said yes to it";
                call.report(HookEvent::PermissionDenied, json!({"reason": reason}));
            }
            return Ok(DENIED);
        }
        if let Some(other) = reading.input.as_ref().and_then(command_of) {
            start = changed(start, &form, other)?;
        }
        let without: &[&str] = if programs::is_shell(&name) {
            &STARTUP_FILES
        } else {
            &[]
        };
        let began = Instant::now();
        let code = attend(&start, without);
        let code = code.inspect_err(|error| call.fails(&error.to_string(), began))?;
        call.ends(code, began);
        Ok(code)
    }

    /// The file that runs. A person may have named one that is not on the PATH.
    fn program(&self) -> Option<PathBuf> {
        let of_run = &self.run.program;
        if of_run.file_name() == Some(self.name) && is_started_by_run() {
            return Some(of_run.clone());
        }
        search::program(self.name)
    }

    /// Whether this is no call of the program, but the program itself: `#!/usr/bin/env python3`.
    fn is_the_program(&self) -> bool {
        let script = self
            .args
            .iter()
            .find(|it| !it.as_encoded_bytes().starts_with(b"-"));
        script.is_some_and(|it| *it == *self.run.program) && is_started_by_run()
    }

    /// Whether this is a part of a command that was judged: only shells, and programs whose words the guard follows, are between this
    /// process and the stand-in of that command.
    fn is_judged(&self) -> bool {
        for id in process::lineage(std::process::id()).into_iter().skip(1) {
            if process::is_ours(id) {
                let stands_in = process::name(id).as_deref() == Some(process::STAND_IN);
                return stands_in && self.was_foreseen_by(id);
            }
            let program = process::program(id);
            let name = program.as_deref().and_then(Path::file_name);
            if !name
                .and_then(OsStr::to_str)
                .is_some_and(|it| self.is_followed(it, id))
            {
                return false;
            }
        }
        false
    }

    /// Whether the line of a stand-in said what this one is given.
    fn was_foreseen_by(&self, stand_in: u32) -> bool {
        let words = standing::arguments(stand_in);
        let Some((program, args)) = words.split_first() else {
            return false;
        };
        let program = Path::new(program).file_name().unwrap_or_default();
        let program = program.to_string_lossy();
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let (Form::Text { text: line, .. } | Form::Words(line)) =
            Form::of(program.trim_start_matches('-'), &args)
        else {
            return false;
        };
        let args: Vec<_> = self.args.iter().map(|it| it.to_string_lossy()).collect();
        let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
        programs::foresees(&line, &self.name.to_string_lossy(), &args)
    }

    fn is_followed(&self, name: &str, process: u32) -> bool {
        if programs::is_shell(name) {
            return has_its_text(name, process);
        }
        let runs_code = programs::is_interpreter(name) || families::is_agent_program(name);
        self.folder.join(name).is_symlink() && !runs_code
    }
}

/// Whether this is what `bowline run` started itself, and nothing below it.
fn is_started_by_run() -> bool {
    let above = process::lineage(std::process::id()).into_iter().nth(1);
    above.is_some_and(|id| {
        process::is_ours(id) && process::name(id).as_deref() == Some(process::RUN)
    })
}

/// Whether a shell runs a text among its arguments, which was judged. What is in a script, or comes through a pipe, may not have been.
fn has_its_text(name: &str, process: u32) -> bool {
    let arguments = standing::arguments(process);
    let words: Vec<&str> = arguments.iter().skip(1).map(String::as_str).collect();
    matches!(programs::shell_reads(name, &words), Reads::Text(_))
}

/// What runs instead.
fn changed(mut start: Start, form: &Form, other: &str) -> Result<Start> {
    if let Form::Text { at, .. } = form
        && let Some(text) = start.args.get_mut(*at)
    {
        *text = other.into();
        return Ok(start);
    }
    let shell = search::program("sh".as_ref()).ok_or_else(|| {
        Error::new(ErrorKind::System, "there is no `sh` on the PATH")
            .hint(format!("a hook wants this to run instead: {other}"))
    })?;
    Ok(Start::of(shell, &["-c".into(), other.into()]))
}

/// A command as a call of a shell.
struct Call<'a> {
    of: &'a StandIn<'a>,
    id: String,
    line: &'a str,
}

impl<'a> Call<'a> {
    fn new(of: &'a StandIn<'a>, line: &'a str) -> Self {
        let id = super::fresh();
        Self { of, id, line }
    }

    /// What is decided; nothing where the run is over.
    fn report(&self, event: HookEvent, more: Value) -> Option<Reading> {
        let _right = folder::reports(self.of.folder)?;
        let mut fields = json!({
            "tool_name": "Bash", "tool_input": {"command": self.line}, "tool_use_id": self.id,
        });
        if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
            fields.extend(more);
        }
        Some(report::report(self.of.run, event, fields))
    }

    /// The command has run. What it printed went where it should.
    fn ends(&self, code: u8, began: Instant) {
        if code != 0 {
            return self.fails(&format!("Exit code {code}"), began);
        }
        let response = json!({"exit_code": code, "interrupted": false});
        let more = json!({"tool_response": response, "duration_ms": milliseconds(began)});
        self.report(HookEvent::PostToolUse, more);
    }

    fn fails(&self, error: &str, began: Instant) {
        let is_interrupt = error == format!("Exit code {INTERRUPTED}");
        let more = json!({"error": error, "is_interrupt": is_interrupt, "duration_ms": milliseconds(began)});
        self.report(HookEvent::PostToolUseFailure, more);
    }
}

fn milliseconds(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Runs a program to its end, without these variables.
fn attend(start: &Start, without: &[&str]) -> Result<u8> {
    let mut attendant = Attendant::start()?;
    let ended = start.below().and_then(|mut command| {
        for variable in without {
            command.env_remove(variable);
        }
        attendant.run(command)
    });
    Ok(ended.map_err(|source| start.failed(source))?.code)
}
