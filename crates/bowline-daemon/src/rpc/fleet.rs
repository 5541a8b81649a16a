//! Questions about the agents that run.

use bowline_continuity::fleet::FleetAgent;
use bowline_continuity::message::Message;
use bowline_store::{DecisionFilter, EventFilter, Result, SessionRef, Store};
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use super::efforts::Asker;
use super::{Access, Question};

/// How many messages are listed by default.
const DEFAULT_MESSAGES: usize = 100;
/// What was denied before is no longer of interest where a session stands now.
const RECENT: TimeDelta = TimeDelta::hours(1);

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

/// `fleet.standing`: where the caller's session stands, for a line that people see all the time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Where {
    /// Who asks.
    #[serde(flatten)]
    pub asker: Asker,
}

/// Where a session stands. Every part may be unknown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The folder of its task.
    pub task: Option<String>,
    /// Its effort's skill.
    pub skill: Option<String>,
    /// Its effort's phase.
    pub phase: Option<String>,
    /// Calls since the last log entry.
    pub heartbeat: Option<u32>,
    /// How many are allowed, if the effort says it for itself.
    pub block_after: Option<u32>,
    /// The used part of its context window.
    pub context_usage: Option<f64>,
    /// What was denied last, within the last hour.
    pub denied: Option<Denied>,
}

/// A call that was denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Denied {
    /// When.
    pub at: DateTime<Utc>,
    /// By which rule.
    pub rule: Option<String>,
    /// Of which tool.
    pub tool: Option<String>,
}

impl Question for Where {
    const COMMAND: &'static str = "fleet.standing";
    type Answer = Standing;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let asker = Asker::read(arguments)?;
        Some(Self { asker })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let resolved = store.continuity().resolve(&self.asker.who())?;
        let mut standing = Standing::default();
        if let Some(effort) = resolved.effort {
            standing.task = Some(effort.task);
            standing.skill = Some(effort.skill);
            standing.phase = effort.phase;
            standing.block_after = effort.metadata.block_after;
            standing.heartbeat = Some(resolved.session.as_ref().map_or(0, |it| it.heartbeat));
        }
        standing.context_usage = resolved.session.and_then(|session| session.context_usage);
        if let Some(session) = &self.asker.session {
            let denials = store.find_events(&EventFilter {
                decisions: &[DecisionFilter::Deny],
                session: Some(SessionRef::Chain(session)),
                since: Some(Utc::now() - RECENT),
                limit: 1,
                ..EventFilter::default()
            })?;
            standing.denied = denials.into_iter().next().map(|event| Denied {
                at: event.decided.time,
                rule: event.decided.rule,
                tool: event.decided.tool,
            });
        }
        Ok(standing)
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
