//! Whether something in a run may go on, by what was decided and by what the person says.

use std::io;

use bowline_agents::{Decision, Reading};
use bowline_guard::tool_call::shortened;

use crate::error::{Error, ErrorKind};
use crate::ui::terminal::Terminal;
use crate::ui::{Ui, YesOrNo, reveal};

/// Whether something may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passed {
    Yes,
    No,
}

/// Whether what was decided lets something go on; asks the person at the terminal where it is a question.
pub(super) fn passes(reading: &Reading, what: &str) -> Passed {
    let ui = Ui::for_stdout();
    let say_more = || {
        if let Some(message) = &reading.message {
            ui.note(message);
        }
    };
    let reason = reading.reason.as_deref().unwrap_or("a hook gave no reason");
    // Whoever is asked sees all of it.
    let (named, in_short) = (reveal::name(what), shortened(what));
    let denied = |message: String| {
        Error::new(ErrorKind::Refused, message).caused_by(io::Error::other(reason.to_owned()))
    };
    let denied = match reading.decision {
        Decision::NoOpinion | Decision::Grant => {
            say_more();
            return Passed::Yes;
        }
        Decision::Deny => denied(format!("denied: {in_short}")),
        Decision::Ask => {
            let asked = Terminal::own().map(|terminal| {
                terminal.ask(&format!("\nbowline: {reason}\n  {named}\nRun it? [y/N] "))
            });
            match asked {
                Some(Ok(YesOrNo::Yes)) => return Passed::Yes,
                Some(Ok(YesOrNo::No)) => denied(format!("denied by a person: {in_short}")),
                Some(Err(_)) | None => denied(format!("denied: nobody could be asked about {in_short}"))
                    .hint("with `[approvals] wait = \"5m\"` in your settings, a question waits for `bowline approvals`"),
            }
        }
    };
    ui.error(&denied);
    say_more();
    Passed::No
}
