//! Whether something in a run may go on, by what was decided and by what the person says.

use std::io;

use bowline_agents::{Decision, Reading};
use bowline_builtins::guard::{can_be_silenced, told_way};
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

/// Whether what was decided lets something go on; asks the person at the terminal where it is a question. A call has an id, by which it
/// can be allowed.
pub(super) fn passes(reading: &Reading, what: &str, call: Option<&str>) -> Passed {
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
    let mut way = None;
    let denied = match reading.decision {
        Decision::NoOpinion | Decision::Grant => {
            say_more();
            return Passed::Yes;
        }
        Decision::Deny => denied(format!("denied: {in_short}")),
        Decision::Ask => {
            let asked = Terminal::own().map(|terminal| {
                let said = reason.strip_prefix("Bowline: ").unwrap_or(reason);
                terminal.ask(&format!("\nbowline: {said}\n  {named}\nRun it? [y/N] "))
            });
            match asked {
                Some(Ok(YesOrNo::Yes)) => return Passed::Yes,
                Some(Ok(YesOrNo::No)) => denied(format!("denied by a person: {in_short}")),
                Some(Err(_)) | None => {
                    way = call.filter(|_| is_guards(reason)).map(told_way);
                    denied(format!("denied: nobody could be asked about {in_short}"))
                        .hint("with `[approvals] wait = \"5m\"` in your settings, a question waits for `bowline approvals`")
                }
            }
        }
    };
    ui.error(&denied);
    say_more();
    if let Some(way) = way {
        ui.note(&way);
    }
    Passed::No
}

/// Whether one of the guard's rules is what a person may let pass: a reason ends with the rule.
fn is_guards(reason: &str) -> bool {
    let rule = reason.strip_suffix(']').and_then(|it| it.rsplit_once('['));
    rule.is_some_and(|(_, rule)| can_be_silenced(rule))
}
