//! What is known of a call before it is read, and all that is left of it when reading or deciding goes wrong.

use std::sync::Arc;
use std::time::Duration;

use bowline::hooks::{Decision, Recording, parse_payload};
use bowline_agents::DEFAULT;
use bowline_guard::secrets::redact;
use bowline_store::Record;
use bowline_wire::{Answer, Call, CallId, Failure, OnFailure};
use chrono::{DateTime, Utc};
use serde_json::Value;

use super::Decided;
use super::caller::{Known, SWITCH_VARIABLE, Switch};
use super::unverified::Unverified;
use crate::bounded::FILES_WITHIN;

/// What is needed of a call when everything else has gone wrong; its environment is not.
#[derive(Debug, Clone)]
pub struct Facts {
    id: CallId,
    agent: String,
    event: Option<String>,
    on_failure: OnFailure,
    pub(super) time: DateTime<Utc>,
    pub(super) known: Arc<Known>,
}

/// Names the agent of a call that does not: a client that knows no arguments of hooks starts the program bare. An event that
/// looks like the default agent's is its.
pub fn name_the_agent(call: &mut Call, payload: &[u8]) {
    if !call.agent.is_empty() {
        return;
    }
    let Ok(payload) = parse_payload(payload) else {
        return;
    };
    let has_text = |name: &str| payload.get(name).is_some_and(Value::is_string);
    if has_text("hook_event_name") && has_text("session_id") {
        DEFAULT.name.clone_into(&mut call.agent);
    }
}

impl Facts {
    /// The facts of a call that has just arrived.
    pub fn of(call: &Call) -> Self {
        Self {
            id: call.id.clone(),
            agent: call.agent.clone(),
            event: call.event.clone(),
            on_failure: call.on_failure,
            time: Utc::now(),
            known: Arc::new(Known::of(call)),
        }
    }

    /// The name of the call.
    pub fn id(&self) -> &CallId {
        &self.id
    }

    /// Whether a call that cannot be read wants anything decided. Of its project only the files are looked at.
    pub(super) fn switch(&self, call: &Call) -> Switch {
        match self.known.deciding {
            Switch::Off if self.known.is_void(&call.cwd, SWITCH_VARIABLE) => Switch::On,
            deciding => deciding,
        }
    }

    /// The answer when deciding failed, by the mode that the call asks for.
    pub fn failure(&self, reason: &str) -> Decided {
        let failure = Failure {
            agent: &self.agent,
            event: self.event.as_deref(),
            on_failure: self.on_failure,
            reason,
        };
        let answer = failure.answer();
        // What the agent makes of it depends on its form; the record says what was meant.
        let decision = match (answer == Answer::default(), self.on_failure) {
            (true, _) => Decision::NoOpinion,
            (false, OnFailure::Closed) => Decision::Deny,
            (false, _) => Decision::Ask,
        };
        let unverified = Unverified {
            answer,
            decision,
            reason: reason.to_owned(),
        };
        self.decided(unverified, Duration::ZERO)
    }

    /// Silence about an event that nobody could read.
    pub(super) fn unanswered(&self, problem: &str) -> Decided {
        let silence = Unverified {
            answer: Answer::default(),
            decision: Decision::NoOpinion,
            reason: format!("not verified: {problem}"),
        };
        self.decided(silence, Duration::ZERO)
    }

    pub(super) fn decided(&self, unverified: Unverified, took: Duration) -> Decided {
        let event = self.event.as_deref().unwrap_or("Unknown");
        let mut record = Record::new(self.id.as_str(), self.time, &*self.agent, event, "");
        record.decision = unverified.decision;
        record.reason = Some(redact(&unverified.reason).into_owned());
        record.duration = took;
        Decided {
            answer: unverified.answer,
            record: (self.known.recording() == Recording::On).then_some(record),
            files_left: FILES_WITHIN,
        }
    }
}
