//! Questions about sessions.

use bowline_store::{Result, SessionDetails, SessionFilter, SessionSummary, Store};
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::Question;
use super::arguments::{Arguments, MAX_LIMIT, SessionKey};

/// How many sessions are listed by default.
pub const DEFAULT_LIMIT: usize = 100;

/// `sessions.list`: sessions, the last active first; those that continue each other count as one; 100 by default.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct List {
    /// Of this project's folder.
    pub project: Option<String>,
    /// Of this agent.
    pub agent: Option<String>,
    /// Active at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// At most this many.
    pub limit: Option<usize>,
}

impl Question for List {
    const COMMAND: &'static str = "sessions.list";
    type Answer = Vec<SessionSummary>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        Some(Self {
            project: arguments.text("project"),
            agent: arguments.text("agent"),
            since: arguments.time("since"),
            limit: arguments.limit("limit"),
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        let filter = SessionFilter {
            project: self.project.as_deref(),
            since: self.since,
            // Agents are filtered here, so more rows have to be read.
            limit: self.agent.as_ref().map_or(limit, |_| MAX_LIMIT),
        };
        let mut sessions = store.sessions(&filter)?;
        if let Some(agent) = &self.agent {
            sessions.retain(|session| session.newest.agent.eq_ignore_ascii_case(agent));
        }
        sessions.truncate(limit);
        Ok(sessions)
    }
}

/// `sessions.get`: everything about sessions; null if they are unknown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Get {
    /// Which ones.
    pub session: SessionKey,
}

impl Question for Get {
    const COMMAND: &'static str = "sessions.get";
    type Answer = Option<SessionDetails>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let session = arguments.needed_session("session")?;
        Some(Self { session })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.session(self.session.as_ref())
    }
}

/// `sessions.known`: whether something was recorded under an agent's name for a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Known {
    /// The agent's name for it.
    pub session: String,
}

impl Question for Known {
    const COMMAND: &'static str = "sessions.known";
    type Answer = bool;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let session = arguments.needed_text("session")?;
        Some(Self { session })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.continuity().knows_session(&self.session)
    }
}
