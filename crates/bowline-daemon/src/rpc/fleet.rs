//! Questions about the agents that run.

use bowline_continuity::fleet::FleetAgent;
use bowline_continuity::message::Message;
use bowline_store::{Result, Store};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use super::{Access, Question};

/// How many messages are listed by default.
const DEFAULT_MESSAGES: usize = 100;

/// `fleet.list`: the agents whose sessions are open, and those that ended since a time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct List {
    /// Of this project's folder.
    pub project: Option<String>,
    /// Also those that ended at this time or later.
    pub ended_since: Option<DateTime<Utc>>,
}

impl Question for List {
    const COMMAND: &'static str = "fleet.list";
    type Answer = Vec<FleetAgent>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        Some(Self {
            project: arguments.text("project"),
            ended_since: arguments.time("ended_since"),
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let store = store.continuity();
        store.fleet(self.project.as_deref(), self.ended_since)
    }
}

/// `fleet.seen`: a person has looked at agents. Says how many had waited for that.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// Which ones, by their ids or the beginnings of these; by default all.
    pub agents: Vec<String>,
}

impl Question for Seen {
    const COMMAND: &'static str = "fleet.seen";
    const ACCESS: Access = Access::Changes;
    type Answer = usize;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let agents = arguments.value("agents", "a list of agents' ids");
        Some(Self {
            agents: agents.unwrap_or_default(),
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.continuity().seen(&self.agents, Utc::now())
    }
}

/// `fleet.usage`: how full the context window of a session is, from an agent that says so outside of events.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Usage {
    /// The agent's name for the session.
    pub session: String,
    /// The used part, from 0 to 1.
    pub used: f64,
}

impl Question for Usage {
    const COMMAND: &'static str = "fleet.usage";
    const ACCESS: Access = Access::Changes;
    type Answer = ();

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let session = arguments.needed_text("session");
        let used = arguments.needed_value("used", "a number from 0 to 1");
        let used = used.filter(|used| (0.0..=1.0).contains(used));
        if used.is_none() {
            arguments.issue("`used` is not from 0 to 1");
        }
        Some(Self {
            session: session?,
            used: used?,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<()> {
        store.continuity().set_usage(&self.session, self.used)
    }
}

/// `messages.list`: what was said in a session, oldest first; the last 100 by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Messages {
    /// The agent's name for the session.
    pub session: String,
    /// At most this many.
    pub limit: Option<usize>,
}

/// A message with its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// When.
    pub at: DateTime<Utc>,
    /// What.
    #[serde(flatten)]
    pub message: Message,
}

impl Question for Messages {
    const COMMAND: &'static str = "messages.list";
    type Answer = Vec<Said>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let (session, limit) = (arguments.needed_text("session"), arguments.limit("limit"));
        Some(Self {
            session: session?,
            limit,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let limit = self.limit.unwrap_or(DEFAULT_MESSAGES);
        let said = store.continuity().messages(&self.session, limit)?;
        let said = said.into_iter();
        Ok(said.map(|(at, message)| Said { at, message }).collect())
    }
}
