//! What is kept of an event that was decided.

use std::time::Duration;

use bowline::hooks::{
    DateTime, Decision, HookContext, HookEvent, HookInput, HookRun, Observed, Recording, RunStatus,
    TriggerResult, Utc,
};
use bowline_store::{Change, DecidedEvent, Enforcement, HookFired, INBOX, Record, Subagent};

use super::pending::{Collected, Meaning, PendingChanges};
use super::{NAME, detail};

/// The most warnings of one hook that are kept.
const MAX_WARNINGS: usize = 8;

/// What is kept of a reason that its hook wants out of the logs.
const WITHHELD: &str = "the hook asked that its reason is not logged";

/// What is kept of an event that was decided, without secrets. The context is the one that the hooks got, with the event's id and the
/// agent; what hooks added is taken out of it. The caller adds what only it knows: the project, how long deciding took, and where hooks
/// were defined. `None` if nothing is to be kept, or if the context names no event.
pub fn make_record(
    time: DateTime<Utc>,
    input: &HookInput,
    ctx: &HookContext,
    result: &TriggerResult,
    enforcement: Enforcement,
) -> Option<Record> {
    let call = ctx.call_id()?;
    if ctx.recording() == Recording::Off {
        return None;
    }
    let Collected {
        meaning,
        took,
        added,
    } = PendingChanges::of(ctx).take();
    let session = Some(&input.session_id)
        .filter(|session| !session.is_empty())
        .unwrap_or(&ctx.session_id);
    let agent = ctx.agent().unwrap_or_default();
    let mut record = Record::new(call, time, agent, input.event_name(), session);
    let (decided, output) = (&mut record.decided, &result.output);
    decided.subagent = subagent_of(input);
    decided.tool = input.tool_name().map(detail::name);
    decided.tool_use_id = input.tool_use_id().map(detail::id);
    decided.decision = output.decision();
    let withheld = withholds_its_reason(result);
    decided.reason = match decided.decision {
        Decision::Ask | Decision::Deny if withheld => Some(WITHHELD.to_owned()),
        Decision::Ask | Decision::Deny => output.stop_reason.as_deref().map(detail::reason),
        Decision::NoOpinion | Decision::Grant => None,
    };
    decided.enforcement = enforcement;
    // What a person granted was asked about by a rule.
    let is_answered = result.results.iter().any(|run| run.id == INBOX);
    decided.rule = (output.rule.as_deref())
        .filter(|_| decided.decision >= Decision::Ask || is_answered)
        .map(detail::name);
    if let Some(observed) = &output.observed
        && decided.decision < Decision::Ask
    {
        observe(decided, observed);
    }
    decided.hooks = (result.results.iter())
        .filter(|run| !matches!(run.status, RunStatus::Skipped(_)))
        .map(|run| fired(run, took))
        .collect();
    record.changes = match (meaning, enforcement) {
        (None, _) => Vec::new(),
        (Some(Meaning::Settled(changes)), _) => changes,
        (Some(Meaning::Denied { obeyed, .. }), Enforcement::Enforced) => obeyed,
        (Some(Meaning::Denied { ignored, .. }), _) => ignored,
    };
    if withheld {
        withhold(&mut record.changes);
    }
    record.changes.extend(added);
    Some(record)
}

/// What would have been decided, where nothing was.
fn observe(decided: &mut DecidedEvent, observed: &Observed) {
    decided.enforcement = Enforcement::Observed;
    decided.decision = observed.decision;
    decided.reason = Some(detail::reason(&observed.reason));
    decided.rule = observed.rule.as_deref().map(detail::name);
}

/// Whether the hook that gave the reason wants it out of the logs. Another hook's wish does not count.
fn withholds_its_reason(result: &TriggerResult) -> bool {
    let reason = result.output.stop_reason.as_ref();
    let mut givers = result.results.iter().map(|run| &run.output);
    givers
        .rfind(|output| reason.is_some() && output.stop_reason.as_ref() == reason)
        .is_some_and(|output| output.suppress_logging)
}

/// Takes the reason out of what a refused call means for the store.
fn withhold(changes: &mut [Change]) {
    for change in changes {
        match change {
            Change::TraceClosed { message, .. } => *message = Some(WITHHELD.to_owned()),
            Change::TraceStarted(start) => {
                start.asked = start.asked.take().map(|_| WITHHELD.to_owned());
            }
            _ => {}
        }
    }
}

/// The sub-agent of an event. Helpers of the agent itself, which compact its context, also stop, with an empty type and
/// without ever having started; they are not worth a session.
pub(crate) fn subagent_of(input: &HookInput) -> Option<Subagent> {
    let id = input.agent_id().filter(|id| !id.is_empty())?;
    let kind = input.agent_type();
    if is_helper(input) {
        return None;
    }
    Some(Subagent {
        id: detail::id(id),
        kind: detail::name(kind.unwrap_or_default()),
    })
}

pub(super) fn is_helper(input: &HookInput) -> bool {
    input.event_type() == HookEvent::SubagentStop && input.agent_type() == Some("")
}

/// `took` is what our own hook took after the decision, when it does its work.
fn fired(run: &HookRun, took: Option<Duration>) -> HookFired {
    let said = Some(&run.output).filter(|output| !output.suppress_logging);
    // The failure already says what went wrong.
    let warnings = said.into_iter().flat_map(|output| &output.warnings);
    let warnings = warnings.filter(|warning| run.error.as_ref() != Some(warning));
    HookFired {
        name: run.id.clone(),
        scope: None,
        decision: run.decision(),
        duration: took.filter(|_| run.id == NAME).unwrap_or(run.duration),
        failure: run.error.as_deref().map(detail::reason),
        warnings: warnings
            .take(MAX_WARNINGS)
            .map(|warning| detail::refusal(warning))
            .collect(),
        message: said
            .and_then(|output| output.message.as_deref())
            .filter(|message| !message.trim().is_empty())
            .map(detail::refusal),
    }
}
