//! Questions about the agents that run.

use bowline_builtins::inbox;
use bowline_continuity::fleet::{AgentStatus, FleetAgent};
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

/// `fleet.list`: the agents whose sessions are open, and those that ended since a time. A daemon adds those that wait in its inbox.
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

impl List {
    /// The agents with what waits in the inbox: before its first event is decided, nothing of an agent is recorded.
    pub(crate) fn with_questions(
        &self,
        mut agents: Vec<FleetAgent>,
        questions: Vec<inbox::Question>,
    ) -> Vec<FleetAgent> {
        let is_wanted = |question: &inbox::Question| {
            let project = self.project.as_deref();
            project.is_none_or(|project| project == question.project)
        };
        for question in questions.into_iter().filter(is_wanted) {
            let asks = |agent: &&mut FleetAgent| agent.session == question.session;
            match agents.iter_mut().find(asks) {
                Some(agent) => ask(agent, &question),
                None => agents.push(asking(question)),
            }
        }
        agents
    }
}

/// A known agent asks. A person who has looked need not look again.
fn ask(agent: &mut FleetAgent, question: &inbox::Question) {
    // Its session goes on, in a process that is not known yet.
    if agent.ended_at.take().is_some() {
        (agent.end_reason, agent.process) = (None, None);
    }
    if !matches!(agent.status, AgentStatus::Attention | AgentStatus::Checked) {
        agent.status = AgentStatus::Attention;
        agent.since = question.asked_at;
        agent.waiting_for = Some(question.why());
    }
}

/// An agent of which only a question is known.
fn asking(question: inbox::Question) -> FleetAgent {
    let waiting_for = Some(question.why());
    FleetAgent {
        id: question.session.clone(),
        label: None,
        agent: question.agent,
        session: question.session,
        project: Some(question.project),
        worktree: None,
        task: None,
        effort: None,
        ordinal: None,
        skill: None,
        phase: None,
        heartbeat: None,
        status: AgentStatus::Attention,
        since: question.asked_at,
        last_event_at: question.asked_at,
        context_usage: None,
        last_action: None,
        waiting_for,
        process: None,
        ended_at: None,
        end_reason: None,
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

#[cfg(test)]
mod tests {
    use bowline_continuity::fleet::Process;
    use serde_json::json;

    use super::*;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).unwrap()
    }

    fn question(session: &str, second: i64) -> inbox::Question {
        serde_json::from_value(json!({
            "id": "abcde", "asked_at": at(second), "until": at(100), "agent": "codex", "session": session, "project": "/p",
            "tool": "Bash", "input": {"command": "make"},
        }))
        .unwrap()
    }

    fn agent(session: &str, status: AgentStatus) -> FleetAgent {
        FleetAgent {
            status,
            since: at(1),
            waiting_for: None,
            process: Some(Process { id: 1, started: 1 }),
            ..asking(question(session, 1))
        }
    }

    #[test]
    fn who_asks_in_the_inbox_waits() {
        use AgentStatus::{Attention, Checked, Working};
        let ended = FleetAgent {
            ended_at: Some(at(2)),
            end_reason: Some("gone".to_owned()),
            ..agent("ended", AgentStatus::Done)
        };
        let known = [
            agent("works", Working),
            agent("waits", Attention),
            agent("seen", Checked),
            ended,
            agent("asks nothing", Working),
        ];
        let sessions = ["works", "waits", "seen", "ended", "new", "new"];
        let questions = sessions.map(|session| question(session, 7));
        let agents = List::default().with_questions(known.to_vec(), questions.to_vec());
        let found: Vec<_> = (agents.iter())
            .map(|it| {
                (
                    it.session.as_str(),
                    it.status,
                    it.since,
                    it.process.is_some(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("works", Attention, at(7), true),
                ("waits", Attention, at(1), true),
                ("seen", Checked, at(1), true),
                ("ended", Attention, at(7), false),
                ("asks nothing", Working, at(1), true),
                ("new", Attention, at(7), false),
            ]
        );
        assert_eq!(agents[0].waiting_for.as_deref(), Some("Bash: make"));
        assert!(agents.iter().all(|it| it.ended_at.is_none()));
    }

    #[test]
    fn questions_of_other_projects_are_left_out() {
        for (project, count) in [(None, 1), (Some("/p"), 1), (Some("/q"), 0)] {
            let list = List {
                project: project.map(str::to_owned),
                ended_since: None,
            };
            let agents = list.with_questions(Vec::new(), vec![question("new", 7)]);
            assert_eq!(agents.len(), count, "{project:?}");
        }
    }
}
