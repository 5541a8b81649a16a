//! Who runs this program: a person at a terminal, or an agent.
//!
//! This is a second line. The first one is the guard, which asks a person before an agent runs such a command at all.

use std::fs::OpenOptions;
use std::process;

use bowline_builtins::machine::standing::agent_above;
use bowline_daemon::rpc::efforts::SESSION_VARIABLE;

use crate::error::{Error, ErrorKind, Result};

/// Refuses unless a person at a terminal runs this, and no agent does.
pub(crate) fn person() -> Result<()> {
    no_agent()?;
    under_its_own_name()?;
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty");
    terminal.map(drop).map_err(|source| {
        refusal("this needs a person at a terminal")
            .caused_by(source)
            .hint("run it yourself, in a terminal of your own")
    })
}

/// Refuses what runs below an agent.
pub(crate) fn no_agent() -> Result<()> {
    let mut marks = bowline_agents::marks().chain([SESSION_VARIABLE]);
    let mark = marks.find(|name| std::env::var_os(name).is_some());
    let above = || agent_above(process::id());
    let who = mark.map(|name| format!("{name} is set"));
    match who.or_else(|| above().map(|name| format!("`{name}` started it"))) {
        Some(sign) => Err(
            refusal(&format!("an agent must not run this itself: {sign}"))
                .hint("run it in a terminal of your own, not through the agent"),
        ),
        None => Ok(()),
    }
}

/// Refuses a copy under another name: the guard would not know what an agent runs there.
fn under_its_own_name() -> Result<()> {
    let program = std::env::current_exe().unwrap_or_default();
    if program.file_name().is_some_and(|name| name == "bowline") {
        return Ok(());
    }
    let message = format!("this program is called {}", program.display());
    Err(refusal(&message).hint("run it as `bowline`"))
}

fn refusal(message: &str) -> Error {
    Error::new(ErrorKind::Usage, message)
}
