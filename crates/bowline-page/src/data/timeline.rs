//! What happened, newest first, and how the calls of one prompt followed each other.

use bowline_daemon::rpc::traces::{Tree, WholeTree};
use bowline_daemon::rpc::{Question as _, SessionKey, events, parse_decision};
use bowline_store::{DecisionFilter, RecordedEvent, Result, SessionRef, Store, Trace};
use chrono::{DateTime, TimeDelta, Utc};

use crate::query::Query;

/// Events on one page.
pub(crate) const PAGE: usize = 100;
/// Calls in one waterfall.
pub(crate) const MOST_CALLS: usize = 300;

/// Which events are wanted.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Filter {
    pub(crate) project: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) decision: Option<DecisionFilter>,
    pub(crate) before: Option<DateTime<Utc>>,
}

impl Filter {
    /// What cannot be understood does not filter.
    pub(crate) fn of(query: &Query) -> Self {
        let before = query.get("before").and_then(|it| it.parse().ok());
        Self {
            project: query.owned("project"),
            session: query.owned("session"),
            tool: query.owned("tool"),
            decision: query.get("decision").and_then(parse_decision),
            before: before.and_then(DateTime::from_timestamp_millis),
        }
    }

    /// As an address has it.
    pub(crate) fn parts(&self) -> Vec<(&'static str, &str)> {
        vec![
            ("project", self.project.as_deref().unwrap_or_default()),
            ("session", self.session.as_deref().unwrap_or_default()),
            ("tool", self.tool.as_deref().unwrap_or_default()),
            ("decision", self.decision.map_or("", DecisionFilter::word)),
        ]
    }
}

/// A page of events.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Timeline {
    pub(crate) filter: Filter,
    pub(crate) events: Vec<RecordedEvent>,
    /// Where the next page begins.
    pub(crate) older: Option<DateTime<Utc>>,
}

pub(crate) fn read(store: &dyn Store, filter: Filter) -> Result<Timeline> {
    let last = events::Last {
        decisions: filter.decision.into_iter().collect(),
        before: filter.before,
        project: filter.project.clone(),
        session: filter.session.clone().map(SessionKey::Name),
        tool: filter.tool.clone(),
        limit: Some(PAGE),
        ..events::Last::default()
    };
    let events = last.answer(store)?;
    let oldest = events.last().filter(|_| events.len() == PAGE);
    // Events of the same millisecond may be on both pages. None is on neither.
    let older = oldest.map(|event| event.decided.time + TimeDelta::milliseconds(1));
    Ok(Timeline {
        filter,
        events,
        older,
    })
}

/// The calls of a prompt or of a session, as they followed each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Waterfall {
    /// What was asked for.
    pub(crate) prompt: Option<String>,
    /// The oldest first.
    pub(crate) calls: Vec<Trace>,
    pub(crate) truncated: bool,
}

/// The calls of a group, or of the call of this id.
pub(crate) fn of_group(store: &dyn Store, id: &str) -> Result<Option<Waterfall>> {
    let tree = Tree { id: id.to_owned() }.answer(store)?;
    Ok(tree.map(|tree: WholeTree| {
        let more = tree.calls.len() > MOST_CALLS;
        let mut calls: Vec<Trace> = tree.calls.into_iter().map(|it| it.trace).collect();
        calls.sort_by_key(|call| call.started_at);
        calls.truncate(MOST_CALLS);
        Waterfall {
            prompt: tree.prompt.and_then(|prompt| prompt.text),
            calls,
            truncated: tree.truncated || more,
        }
    }))
}

/// The last calls of a session.
pub(crate) fn of_session(store: &dyn Store, session: &str) -> Result<Option<Waterfall>> {
    let mut calls = store.get_traces(SessionRef::Chain(session), MOST_CALLS, None)?;
    if calls.is_empty() {
        return Ok(None);
    }
    calls.reverse();
    Ok(Some(Waterfall {
        prompt: None,
        truncated: calls.len() == MOST_CALLS,
        calls,
    }))
}
