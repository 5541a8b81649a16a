//! What is kept of an event that was decided.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use bowline::hooks::{
    DateTime, Decision, HookContext, HookEvent, HookInput, HookRun, Observed, Recording, RunStatus,
    TriggerResult, Utc,
};
use bowline_store::{Change, Enforcement, HookFired, Record, Subagent};

use super::pending::{Collected, Meaning, PendingChanges};
use super::{NAME, detail};

/// The most warnings of one hook that are kept.
const MAX_WARNINGS: usize = 8;

/// What is kept of a reason that its hook wants out of the logs.
const WITHHELD: &str = "the hook asked that its reason is not logged";

/// An event that was decided, and everything that is kept of it.
#[derive(Clone, Copy)]
pub struct RecordSource<'a> {
    /// When it was reported.
    pub time: DateTime<Utc>,
    /// The project's folder.
    pub project: Option<&'a Path>,
    /// What the agent reported.
    pub input: &'a HookInput,
    /// The context that the hooks were given, with the event's id and the agent.
    pub ctx: &'a HookContext,
    /// What the hooks made of it.
    pub result: &'a TriggerResult,
    /// Whether the agent acts on the decision.
    pub enforcement: Enforcement,
    /// How long deciding took.
    pub duration: Duration,
    /// Where a hook was defined, by its name.
    pub scope_of: &'a dyn Fn(&str) -> Option<String>,
}

impl fmt::Debug for RecordSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordSource")
            .field("call", &self.ctx.call_id())
            .field("event", &self.input.event_name())
            .finish_non_exhaustive()
    }
}

impl RecordSource<'_> {
    /// What is kept of the event, without secrets. What hooks added is taken out of the context. `None` if nothing is to be kept, or if
    /// the context names no event.
    pub fn record(&self) -> Option<Record> {
        let event = self;
        let call = event.ctx.call_id()?;
        if event.ctx.recording() == Recording::Off {
            return None;
        }
        let Collected {
            meaning,
            took,
            added,
        } = PendingChanges::of(event.ctx).take();
        let input = event.input;
        let session = Some(&input.session_id)
            .filter(|session| !session.is_empty())
            .unwrap_or(&event.ctx.session_id);
        let mut record = Record::new(
            call,
            event.time,
            event.ctx.agent().unwrap_or_default(),
            input.event_name(),
            session,
        );
        record.decided.project = event
            .project
            .map(|path| path.to_string_lossy().into_owned());
        record.decided.subagent = subagent_of(input);
        record.decided.tool = input.tool_name().map(detail::name);
        record.decided.tool_use_id = input.tool_use_id().map(detail::id);
        record.decided.decision = event.result.output.decision();
        let withheld = withholds_its_reason(event.result);
        record.decided.reason = match record.decided.decision {
            Decision::Ask | Decision::Deny if withheld => Some(WITHHELD.to_owned()),
            Decision::Ask | Decision::Deny => event
                .result
                .output
                .stop_reason
                .as_deref()
                .map(detail::reason),
            Decision::NoOpinion | Decision::Grant => None,
        };
        record.decided.enforcement = event.enforcement;
        record.decided.rule = (event.result.output.rule.as_deref())
            .filter(|_| record.decided.decision >= Decision::Ask)
            .map(detail::name);
        if let Some(observed) = &event.result.output.observed
            && record.decided.decision < Decision::Ask
        {
            observe(&mut record, observed);
        }
        record.decided.duration = event.duration;
        record.decided.hooks = (event.result.results.iter())
            .filter(|run| !matches!(run.status, RunStatus::Skipped(_)))
            .map(|run| fired(run, (event.scope_of)(&run.id), took))
            .collect();
        record.changes = match (meaning, event.enforcement) {
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
}

/// What would have been decided, where nothing was.
fn observe(record: &mut Record, observed: &Observed) {
    record.decided.enforcement = Enforcement::Observed;
    record.decided.decision = observed.decision;
    record.decided.reason = Some(detail::reason(&observed.reason));
    record.decided.rule = observed.rule.as_deref().map(detail::name);
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
        id: id.to_owned(),
        kind: kind.unwrap_or_default().to_owned(),
    })
}

pub(super) fn is_helper(input: &HookInput) -> bool {
    input.event_type() == HookEvent::SubagentStop && input.agent_type() == Some("")
}

/// `took` is what our own hook took after the decision, when it does its work.
fn fired(run: &HookRun, scope: Option<String>, took: Option<Duration>) -> HookFired {
    let said = Some(&run.output).filter(|output| !output.suppress_logging);
    // The failure already says what went wrong.
    let warnings = said.into_iter().flat_map(|output| &output.warnings);
    let warnings = warnings.filter(|warning| run.error.as_ref() != Some(warning));
    HookFired {
        name: run.id.clone(),
        scope,
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
