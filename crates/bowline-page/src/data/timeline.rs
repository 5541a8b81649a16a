//! What happened, newest first, and how the calls of one prompt followed each other.

use bowline_agents::named;
use bowline_daemon::rpc::traces::{Tree, WholeTree};
use bowline_daemon::rpc::{Question as _, parse_decision};
use bowline_store::{DecisionFilter, EventFilter, RecordedEvent, Result, SessionRef, Store, Trace};
use chrono::{DateTime, Utc};

use super::known::{self, Names, Unmet};
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
    /// The name of an agent that is known.
    pub(crate) agent: Option<&'static str>,
    pub(crate) tool: Option<String>,
    pub(crate) decision: Option<DecisionFilter>,
    /// Links of earlier versions name a time.
    pub(crate) before: Option<DateTime<Utc>>,
    /// After the event of this number, so that each event is on one page.
    pub(crate) older_than: Option<i64>,
}

/// Where the next page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Older {
    /// The number of the last event on this page.
    pub(crate) than: i64,
    /// Its time.
    pub(crate) time: DateTime<Utc>,
}

impl Filter {
    /// What cannot be understood does not filter.
    pub(crate) fn of(query: &Query) -> Self {
        let before = query.get("before").and_then(|it| it.parse().ok());
        Self {
            project: query.owned("project"),
            session: query.owned("session"),
            agent: query.get("agent").and_then(named).map(|it| it.name),
            tool: query.owned("tool"),
            decision: query.get("decision").and_then(parse_decision),
            before: before.and_then(DateTime::from_timestamp_millis),
            older_than: query.get("older").and_then(|it| it.parse().ok()),
        }
    }

    fn names(&self) -> Names<'_> {
        Names {
            project: self.project.as_deref(),
            session: self.session.as_deref(),
            tool: self.tool.as_deref(),
        }
    }

    /// The same with another name in the place of one.
    pub(crate) fn with(&self, noun: &str, name: &str) -> Self {
        let mut other = self.clone();
        let place = match noun {
            "project" => &mut other.project,
            "session" => &mut other.session,
            _ => &mut other.tool,
        };
        *place = Some(name.to_owned());
        other
    }

    /// As an address has it.
    pub(crate) fn parts(&self) -> Vec<(&'static str, &str)> {
        vec![
            ("project", self.project.as_deref().unwrap_or_default()),
            ("session", self.session.as_deref().unwrap_or_default()),
            ("agent", self.agent.unwrap_or_default()),
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
    pub(crate) older: Option<Older>,
    /// Why there are none, if that is because of a name.
    pub(crate) unmet: Vec<Unmet>,
}

pub(crate) fn read(store: &dyn Store, filter: Filter) -> Result<Timeline> {
    let decisions: Vec<DecisionFilter> = filter.decision.into_iter().collect();
    let project = known::folder(store, filter.project.as_deref())?;
    let events = store.find_events(&EventFilter {
        decisions: &decisions,
        before: filter.before,
        older_than: filter.older_than,
        project: project.as_deref(),
        session: filter.session.as_deref().map(SessionRef::Beginning),
        agent: filter.agent,
        tool: filter.tool.as_deref(),
        limit: PAGE,
        ..EventFilter::default()
    })?;
    let oldest = events.last().filter(|_| events.len() == PAGE);
    let older = oldest.map(|event| Older {
        than: event.number,
        time: event.decided.time,
    });
    let unmet = if events.is_empty() {
        known::unmet(store, filter.names())?
    } else {
        Vec::new()
    };
    Ok(Timeline {
        filter,
        events,
        older,
        unmet,
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

/// The last calls of a session; none if there is no such session.
pub(crate) fn of_session(store: &dyn Store, session: &str) -> Result<Option<Waterfall>> {
    let mut calls = store.get_traces(SessionRef::Chain(session), MOST_CALLS, None)?;
    if calls.is_empty() && store.session(SessionRef::Chain(session))?.is_none() {
        return Ok(None);
    }
    calls.reverse();
    Ok(Some(Waterfall {
        prompt: None,
        truncated: calls.len() == MOST_CALLS,
        calls,
    }))
}
