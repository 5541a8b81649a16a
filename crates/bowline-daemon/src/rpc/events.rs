//! Questions about decided events and about the hooks that took part.

use bowline_store::{DecisionFilter, EventFilter, RecordedEvent, Result, Store};
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::Question;
use super::arguments::{Arguments, SessionKey};

/// How many events are listed by default.
pub const DEFAULT_LIMIT: usize = 50;

/// `triggers.last`: the last decided events, newest first; 50 by default.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Last {
    /// Decided like one of these; all if there are none.
    pub decisions: Vec<DecisionFilter>,
    /// Reported at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Reported before this time.
    pub before: Option<DateTime<Utc>>,
    /// Of this project's folder.
    pub project: Option<String>,
    /// Of these sessions.
    pub session: Option<SessionKey>,
    /// Reported by this agent.
    pub agent: Option<String>,
    /// Of this name.
    pub event: Option<String>,
    /// About this tool.
    pub tool: Option<String>,
    /// Decided by this rule; `*` stands for anything.
    pub rule: Option<String>,
    /// At most this many.
    pub limit: Option<usize>,
}

impl Question for Last {
    const COMMAND: &'static str = "triggers.last";
    type Answer = Vec<RecordedEvent>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        Some(Self {
            decisions: arguments.decisions("decisions"),
            since: arguments.time("since"),
            before: arguments.time("before"),
            project: arguments.text("project"),
            session: arguments.session("session"),
            agent: arguments.text("agent"),
            event: arguments.text("event"),
            tool: arguments.text("tool"),
            rule: arguments.text("rule"),
            limit: arguments.limit("limit"),
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let filter = EventFilter {
            decisions: &self.decisions,
            since: self.since,
            before: self.before,
            older_than: None,
            project: self.project.as_deref(),
            session: self.session.as_ref().map(SessionKey::as_filter),
            agent: self.agent.as_deref(),
            event: self.event.as_deref(),
            tool: self.tool.as_deref(),
            rule: self.rule.as_deref(),
            limit: self.limit.unwrap_or(DEFAULT_LIMIT),
        };
        store.find_events(&filter)
    }
}

/// `triggers.of`: the decided events of one call by its id, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Of {
    /// The agent's id of the call.
    pub id: String,
}

impl Question for Of {
    const COMMAND: &'static str = "triggers.of";
    type Answer = Vec<RecordedEvent>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let id = arguments.needed_text("id")?;
        Some(Self { id })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let call = store.get_trace(&self.id)?;
        call.map_or(Ok(Vec::new()), |call| store.events_of(&call))
    }
}

/// `hooks.figures`: when each hook last fired, what it said, how long it takes; by name.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HookFigures {}

impl Question for HookFigures {
    const COMMAND: &'static str = "hooks.figures";
    type Answer = Vec<bowline_store::HookFigures>;

    fn read(_: &mut Arguments) -> Option<Self> {
        Some(Self {})
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.hook_figures()
    }
}
