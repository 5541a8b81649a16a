//! Where the hook's notes wait until whoever triggered the event takes them out.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bowline::hooks::{
    DateTime, Decision, HookContext, HookEvent, HookInput, HookRun, Observed, RunStatus,
    TriggerResult, Utc,
};
use bowline_store::{Change, Enforcement, HookFired, Record, Subagent};

use super::{NAME, detail, is_switched_off};

/// Notes of so many events are kept; those of the oldest are dropped, which nobody took out.
const MAX_CALLS: usize = 4_096;

/// So many warnings of one hook are kept.
const MAX_WARNINGS: usize = 8;

/// What is kept of a reason that its hook wants out of the logs.
const WITHHELD: &str = "the hook asked that its reason is not logged";

/// What waits to be recorded of events that are being decided. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Journal {
    waiting: Arc<Mutex<Waiting>>,
}

#[derive(Debug, Default)]
struct Waiting {
    notes: HashMap<String, Noted>,
    /// What other hooks want to be kept with an event.
    added: HashMap<String, Vec<Change>>,
    /// The calls as they came, also those that were taken out since.
    order: VecDeque<String>,
}

impl Waiting {
    /// Makes room for what is noted of a call.
    fn expect(&mut self, call: &str) {
        if self.notes.contains_key(call) || self.added.contains_key(call) {
            return;
        }
        if self.order.len() >= MAX_CALLS
            && let Some(oldest) = self.order.pop_front()
        {
            self.notes.remove(&oldest);
            self.added.remove(&oldest);
        }
        self.order.push_back(call.to_owned());
    }
}

/// What the hook says of one event.
#[derive(Debug)]
pub(super) struct Noted {
    pub(super) notes: Notes,
    /// How long it took to find out.
    pub(super) took: Duration,
}

#[derive(Debug)]
pub(super) enum Notes {
    /// What the event means, whatever the agent makes of the answer.
    Settled(Vec<Change>),
    /// It was denied, and means different things.
    Denied {
        /// If the agent obeys.
        obeyed: Vec<Change>,
        /// If it goes on all the same.
        ignored: Vec<Change>,
    },
}

/// An event that was decided, and everything that is kept of it.
#[derive(Clone, Copy)]
pub struct DecidedEvent<'a> {
    /// The event's own id, the same as in [`CALL_VARIABLE`](super::CALL_VARIABLE).
    pub call: &'a str,
    /// When it was reported.
    pub time: DateTime<Utc>,
    /// The agent that reported it.
    pub agent: &'a str,
    /// The project's folder.
    pub project: Option<&'a Path>,
    /// What the agent reported.
    pub input: &'a HookInput,
    /// The context that the hooks were given.
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

impl fmt::Debug for DecidedEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecidedEvent")
            .field("call", &self.call)
            .field("event", &self.input.event_name())
            .finish_non_exhaustive()
    }
}

impl Journal {
    /// With nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes out what was noted for this event and makes its record, without secrets. `None` if tracking is switched
    /// off.
    pub fn record(&self, event: DecidedEvent<'_>) -> Option<Record> {
        let (noted, added) = self.take(event.call);
        if is_switched_off(event.ctx) {
            return None;
        }
        let input = event.input;
        let session = Some(&input.session_id)
            .filter(|session| !session.is_empty())
            .unwrap_or(&event.ctx.session_id);
        let mut record = Record::new(
            event.call,
            event.time,
            event.agent,
            input.event_name(),
            session,
        );
        record.project = event
            .project
            .map(|path| path.to_string_lossy().into_owned());
        record.subagent = subagent(input);
        record.tool = input.tool_name().map(detail::name);
        record.tool_use_id = input.tool_use_id().map(detail::id);
        record.decision = event.result.output.decision();
        let withheld = withholds_its_reason(event.result);
        record.reason = match record.decision {
            Decision::Ask | Decision::Deny if withheld => Some(WITHHELD.to_owned()),
            Decision::Ask | Decision::Deny => event
                .result
                .output
                .stop_reason
                .as_deref()
                .map(detail::reason),
            Decision::NoOpinion | Decision::Grant => None,
        };
        record.enforcement = event.enforcement;
        record.rule = (event.result.output.rule.as_deref())
            .filter(|_| record.decision >= Decision::Ask)
            .map(detail::name);
        if let Some(observed) = &event.result.output.observed
            && record.decision < Decision::Ask
        {
            observe(&mut record, observed);
        }
        record.duration = event.duration;
        let took = noted.as_ref().map(|noted| noted.took);
        record.hooks = (event.result.results.iter())
            .filter(|run| !matches!(run.status, RunStatus::Skipped(_)))
            .map(|run| fired(run, (event.scope_of)(&run.id), took))
            .collect();
        record.changes = match (noted.map(|noted| noted.notes), event.enforcement) {
            (None, _) => Vec::new(),
            (Some(Notes::Settled(changes)), _) => changes,
            (Some(Notes::Denied { obeyed, .. }), Enforcement::Enforced) => obeyed,
            (Some(Notes::Denied { ignored, .. }), _) => ignored,
        };
        if withheld {
            withhold(&mut record.changes);
        }
        record.changes.extend(added);
        Some(record)
    }

    pub(super) fn note(&self, call: &str, noted: Noted) {
        let mut waiting = self.waiting();
        waiting.expect(call);
        waiting.notes.insert(call.to_owned(), noted);
    }

    /// Adds a change to the record of an event that is being decided.
    pub fn add(&self, call: &str, change: Change) {
        let mut waiting = self.waiting();
        waiting.expect(call);
        waiting
            .added
            .entry(call.to_owned())
            .or_default()
            .push(change);
    }

    fn take(&self, call: &str) -> (Option<Noted>, Vec<Change>) {
        let mut waiting = self.waiting();
        let noted = waiting.notes.remove(call);
        let added = waiting.added.remove(call).unwrap_or_default();
        if waiting.notes.is_empty() && waiting.added.is_empty() {
            waiting.order.clear();
        }
        (noted, added)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What would have been decided, where nothing was.
fn observe(record: &mut Record, observed: &Observed) {
    record.enforcement = Enforcement::Observed;
    record.decision = observed.decision;
    record.reason = Some(detail::reason(&observed.reason));
    record.rule = observed.rule.as_deref().map(detail::name);
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
fn subagent(input: &HookInput) -> Option<Subagent> {
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
    // What went wrong is told as the failure, and must not be told twice.
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
