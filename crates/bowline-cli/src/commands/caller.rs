//! Who runs this program, as tasks, efforts and notes know it, and what they say.

use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use bowline::settings::Locations;
use bowline_builtins::continuity::project_of;
use bowline_builtins::recorder::{DISABLING_VARIABLES, disables};
use bowline_continuity::{Code, RuleError};
use bowline_daemon::rpc::efforts::{Asker, SESSION_VARIABLE, SESSION_VARIABLES};
use bowline_daemon::rpc::sessions::Known;

use crate::ask::Records;
use crate::attended::AGENT_ID;
use crate::error::{Error, Result};
use crate::project;
use crate::stream;
use crate::ui::Ui;

/// Nobody writes more at once.
const MAX_TEXT: usize = 1024 * 1024;

/// How long the process that told an agent that its session begins may need to record that.
const RECORDING: Duration = Duration::from_secs(2);
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Refuses to change something for a session that does not exist: an effort that nobody meant would change.
pub(super) fn check_session(records: &mut Records, ui: &Ui) -> Result<()> {
    let Some(session) = variable(SESSION_VARIABLE) else {
        return Ok(());
    };
    // Where nothing is recorded, no session is known.
    let is_off = |name: &&str| variable(name).is_some_and(|value| disables(&value));
    if DISABLING_VARIABLES.iter().any(is_off) {
        return Ok(());
    }
    let question = Known { session };
    let until = Instant::now() + RECORDING;
    while !records.ask(&question, ui)? {
        if Instant::now() >= until {
            let message = format!(
                "{SESSION_VARIABLE} is {:?}, and no session of an agent has this name.",
                question.session
            );
            return Err(Error::refused(RuleError::new(Code::NotFound, message)).hint(format!(
                "Bowline sets {SESSION_VARIABLE} in the shells of an agent; anywhere else, unset it: `unset {SESSION_VARIABLE}`"
            )));
        }
        thread::sleep(BETWEEN_LOOKS);
    }
    Ok(())
}

/// Who runs this program, and where.
pub(super) fn asker() -> Result<Asker> {
    let folder = project::folder(None)?;
    let project = project_of(&folder, &Locations::from_env());
    Ok(Asker {
        project: as_text(&project)?,
        folder: Some(as_text(&folder)?),
        agent_id: variable(AGENT_ID).filter(|id| id != "default"),
        session: SESSION_VARIABLES.into_iter().find_map(variable),
    })
}

fn as_text(folder: &Path) -> Result<String> {
    let text = folder.to_str().map(str::to_owned);
    text.ok_or_else(|| {
        Error::input(format!("the name {} is no text", project::shown(folder)))
            .hint("work in a folder whose name is UTF-8")
    })
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// What somebody says: the words on the command line, else standard input, which is also what `-` means.
pub(super) fn text(words: &[String], what: &str) -> Result<String> {
    let text = match words {
        [] if io::stdin().is_terminal() => {
            return Err(Error::usage(format!("{what} is missing"))
                .hint("write it behind the command, or pipe it into the command"));
        }
        [] => of_stdin()?,
        [only] if only == "-" => of_stdin()?,
        words => words.join(" "),
    };
    if text.trim().is_empty() {
        let message =
            format!("{what} is empty. Write it behind the command, or pipe it into the command.");
        return Err(Error::refused(RuleError::new(Code::CommandError, message)));
    }
    Ok(text)
}

fn of_stdin() -> Result<String> {
    let bytes = stream::read_all(MAX_TEXT)?;
    String::from_utf8(bytes).map_err(|source| not_utf8("standard input").caused_by(source))
}

/// Text in an encoding that nobody named.
pub(super) fn not_utf8(what: &str) -> Error {
    Error::input(format!("{what} is not UTF-8 text")).hint("convert it to UTF-8 first")
}
