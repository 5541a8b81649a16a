//! The programs that entries and a status line start.

use std::path::Path;

use crate::agent_settings::{InstallScope, Installable, program};
use crate::error::{Error, ErrorKind, Result};
use crate::project;

/// What agents start.
pub(super) fn program_path() -> Result<String> {
    let program = program::find()?;
    program.to_str().map(str::to_owned).ok_or_else(|| {
        Error::new(
            ErrorKind::File,
            format!("{} is not UTF-8", project::shown(&program)),
        )
        .hint("settings files are UTF-8; install Bowline in another folder")
    })
}

/// The `bowline` beside the program that agents start. A project's settings are for everybody, and a status line is everybody's own.
pub(super) fn status_line_program(
    agent: &Installable,
    scope: InstallScope,
    hook_program: &str,
) -> Result<String> {
    if scope == InstallScope::Project {
        return Err(
            Error::usage("--with-statusline is not for a project's settings")
                .hint("a status line is your own: use --scope user or --scope local"),
        );
    }
    if agent.form.status_line.is_none() {
        let title = agent.title();
        return Err(Error::usage(format!(
            "{title} has no status line that Bowline can be put into"
        ))
        .hint("leave --with-statusline out, or name other agents with --agent"));
    }
    let program = Path::new(hook_program).with_file_name("bowline");
    match program.to_str() {
        Some(path) if program::is_executable(&program) => Ok(path.to_owned()),
        _ => Err(Error::new(
            ErrorKind::File,
            format!("cannot find {}", project::shown(&program)),
        )
        .hint("install both programs in one folder")),
    }
}
