//! The generic dialect: a superset of the answers that hooks of all kinds give.

mod read;

use bowline_agents::Object;

use super::answer::{HookAnswer, failed};
use super::{Exit, RawOutput};
use crate::error::Result;
use crate::event::{EventClass, HookEvent};
use crate::opinion::Opinion;
use crate::settings::ExitPolicy;

/// Reads what a command hook printed. `Err` is a failure of the hook, not a block.
pub(super) fn read_output(
    hook: &str,
    event: HookEvent,
    raw: &RawOutput,
    policy: ExitPolicy,
) -> Result<Opinion> {
    let mut output = match (meaning(raw.exit, policy), raw.answer()) {
        (Meaning::Failure, _)
        | (
            Meaning::JsonDecides,
            HookAnswer::Blank | HookAnswer::Text(_) | HookAnswer::Broken { .. },
        ) => Err(raw.failure(hook)),
        (Meaning::Block, answer) => Ok(blocked(hook, event, raw, &answer)),
        (Meaning::Success, HookAnswer::Blank) => Ok(Opinion::allow()),
        (Meaning::Success, HookAnswer::Text(text)) => Ok(text_output(event, text)),
        (Meaning::Success, HookAnswer::Broken { reason, .. }) if raw.stdout_cut => Err(failed(
            hook,
            format!("its stdout begins like JSON but cannot be read: {reason}"),
        )),
        (Meaning::Success, HookAnswer::Broken { text, reason }) => {
            Ok(text_output(event, text).warning(broken_warning(&reason)))
        }
        (Meaning::Success | Meaning::JsonDecides, HookAnswer::Json(object)) => {
            Ok(read_answer(hook, event, &object))
        }
    }?;
    output.warnings.extend(raw.cut_warnings());
    Ok(output)
}

/// Reads a JSON answer.
pub(super) fn read_answer(hook: &str, event: HookEvent, object: &Object) -> Opinion {
    read::read(hook, event, object).output
}

/// The meaning of a process's exit.
enum Meaning {
    Success,
    Block,
    JsonDecides,
    Failure,
}

fn meaning(exit: Exit, policy: ExitPolicy) -> Meaning {
    match (exit, policy) {
        (Exit::Code(0), _) => Meaning::Success,
        (Exit::Signal(_), _)
        | (Exit::Code(126 | 127), ExitPolicy::AnyNonZero | ExitPolicy::AnyFailure) => {
            Meaning::Failure
        }
        (Exit::Code(2), ExitPolicy::OnlyTwo)
        | (Exit::Code(_), ExitPolicy::AnyNonZero | ExitPolicy::AnyFailure) => Meaning::Block,
        (Exit::Code(_), ExitPolicy::OnlyTwo) => Meaning::JsonDecides,
    }
}

fn text_output(event: HookEvent, text: &str) -> Opinion {
    match event {
        HookEvent::SessionStart
        | HookEvent::SubagentStart
        | HookEvent::UserPromptSubmit
        | HookEvent::PreCompact => Opinion::allow().context(text),
        _ => Opinion {
            message: Some(text.to_owned()),
            ..Opinion::allow()
        },
    }
}

fn broken_warning(reason: &str) -> String {
    format!("stdout begins like JSON but cannot be read ({reason}); it was taken as text")
}

/// A blocking exit code: it blocks whatever the JSON says, but the JSON's reason is the best one.
fn blocked(hook: &str, event: HookEvent, raw: &RawOutput, answer: &HookAnswer<'_>) -> Opinion {
    let (mut output, told, printed) = match answer {
        HookAnswer::Blank => (Opinion::allow(), None, None),
        HookAnswer::Text(text) => (Opinion::allow(), None, Some(*text)),
        HookAnswer::Broken { text, reason } => (
            Opinion::allow().warning(broken_warning(reason)),
            None,
            Some(*text),
        ),
        HookAnswer::Json(object) => {
            let answer = read::read(hook, event, object);
            (answer.output, answer.reason, None)
        }
    };
    let reason = told
        .or_else(|| raw.complaint().map(str::to_owned))
        .or_else(|| printed.map(str::to_owned))
        .unwrap_or_else(|| match raw.exit {
            Exit::Code(code) => {
                format!("hook `{hook}` ended with exit code {code} and gave no reason")
            }
            Exit::Signal(signal) => format!("hook `{hook}` was ended by signal {signal}"),
        });
    output.continue_execution = false;
    output.permission = None;
    output.stop_reason = Some(reason);
    if event.class() == EventClass::Observe {
        output.warnings.push(format!(
            "{} cannot be blocked: what hook `{hook}` said is only recorded",
            event.name()
        ));
    }
    output
}
