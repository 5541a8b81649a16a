//! The board: one row for each running session, with what it does and whether it needs a person.
//!
//! [`board`] makes it, a pure function of what is recorded and of the questions that wait. [`now`] looks both up.

mod kept;
#[cfg(test)]
mod tests;

use bowline::settings::{self, Locations};
use bowline_builtins::guidance::{LOOPS, cost};
use bowline_builtins::inbox::Question;
use bowline_builtins::machine::process;
use bowline_continuity::fleet::{AgentStatus, FleetAgent, Process};
use bowline_guidance::cost::prices::Usd;
use bowline_guidance::cost::report::{self, By};
use bowline_guidance::loops::Trail;
use bowline_store::{
    Doing, GONE, LastCall, MemoryOf, Result, Running, SpentFilter, SpentOn, Store, TraceStatus,
};
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

pub use kept::Kept;

/// A session whose process is gone is listed for so long.
const GONE_FOR: TimeDelta = TimeDelta::hours(1);
/// From so many times on, the same call with the same result is a loop. The hook for loops warns by default at the same number.
const LOOP: u32 = 3;

/// What all running sessions do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Board {
    /// When this was so.
    pub at: DateTime<Utc>,
    /// The sessions, those that need a person first.
    pub sessions: Vec<Row>,
}

/// One running session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The agent's own name for the session.
    pub session: String,
    /// What the agent is called, if it has a name of its own: its label, else `AGENT_ID`.
    pub name: Option<String>,
    /// Which program it is (`claude-code`).
    pub agent: String,
    /// The project's folder.
    pub project: Option<String>,
    /// The folder that it works in, if it differs (a worktree).
    pub worktree: Option<String>,
    /// The model, if it is known.
    pub model: Option<String>,
    /// The group of the calls that follow from the last prompt.
    #[serde(rename = "trace_id")]
    pub group: Option<String>,
    /// How the last prompt begins.
    pub prompt: Option<String>,
    /// What it does.
    pub state: State,
    /// Since when.
    pub since: DateTime<Utc>,
    /// How many calls were made, those of sub-agents included; at most [`bowline_store::MOST_CALLS`].
    pub calls: u64,
    /// How many of them failed, timed out or were cancelled.
    pub failed: u64,
    /// How many of them were denied.
    pub denied: u64,
    /// The used part of its context window.
    pub context_usage: Option<f64>,
    /// What it cost; absent where nothing is known of it. Programs read dollars.
    #[serde(rename = "cost_usd", with = "dollars")]
    pub cost: Option<Usd>,
    /// The questions that wait for a person in the inbox, the oldest first.
    pub questions: Vec<Question>,
}

/// What a session does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum State {
    /// It waits for a person.
    WaitingForYou {
        /// What for.
        #[serde(rename = "for")]
        what: String,
    },
    /// It was stopped, and did nothing since.
    Blocked {
        /// The call that was denied.
        on: Option<Doing>,
        /// Why.
        why: String,
    },
    /// It repeats itself.
    Looping {
        /// The call that it repeats.
        on: Option<Doing>,
        /// How often the same came of it.
        times: u32,
    },
    /// It works.
    Working {
        /// The newest call that runs; none while it thinks.
        on: Option<Doing>,
    },
    /// Its turn is over.
    Idle,
    /// Its process ended.
    Gone,
}

impl State {
    /// The word for it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::WaitingForYou { .. } => "waiting for you",
            Self::Blocked { .. } => "blocked",
            Self::Looping { .. } => "looping",
            Self::Working { .. } => "working",
            Self::Idle => "idle",
            Self::Gone => "gone",
        }
    }

    /// The more a person is needed, the smaller.
    const fn order(&self) -> u8 {
        match self {
            Self::WaitingForYou { .. } => 0,
            Self::Blocked { .. } => 1,
            Self::Looping { .. } => 2,
            Self::Working { .. } => 3,
            Self::Idle => 4,
            Self::Gone => 5,
        }
    }
}

/// What is known of a session from its records.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// Its agent, and its calls.
    pub running: Running,
    /// What it cost.
    pub cost: Option<Usd>,
    /// How often its last call gave the same result, if somebody counts it.
    pub repeated: u32,
}

/// Looks up what all sessions do; `questions` are those that wait in the inbox.
pub fn now(store: &dyn Store, questions: Vec<Question>) -> Result<Board> {
    let at = Utc::now();
    let running = store.continuity().running(at - GONE_FOR)?;
    // The prices of a person's own settings: a session's project says nothing about them.
    let locations = Locations::from_env();
    let settings = settings::load_without_project(std::path::Path::new("/"), &locations);
    let prices = cost::prices(&settings.config.cost);
    let mut facts = Vec::with_capacity(running.len());
    for running in running {
        let session = &running.agent.session;
        let spent = store.costs().spent(&SpentFilter {
            by: By::Model,
            on: Some(SpentOn::Session(session.clone())),
            since: None,
        })?;
        let trail = store.remembered(MemoryOf::Session, session, LOOPS)?;
        // What another version wrote may not be readable.
        let trail: Option<Trail> = trail.and_then(|it| serde_json::from_value(it).ok());
        facts.push(Facts {
            cost: (!spent.is_empty()).then(|| report::cost(&spent, &prices)),
            repeated: trail.map_or(0, |trail| trail.count()),
            running,
        });
    }
    Ok(board(facts, questions, at, process::runs))
}

/// The board of these sessions and questions. `runs` says whether a process does.
pub fn board(
    facts: Vec<Facts>,
    questions: Vec<Question>,
    at: DateTime<Utc>,
    runs: impl Fn(Process) -> bool,
) -> Board {
    let is_listed = |facts: &Facts| {
        let agent = &facts.running.agent;
        agent.ended_at.is_none() || agent.end_reason.as_deref() == Some(GONE)
    };
    let facts = facts.into_iter().filter(is_listed);
    let mut sessions: Vec<Row> = facts.map(|facts| row(facts, &runs)).collect();
    for question in questions {
        let asks = |row: &&mut Row| row.session == question.session;
        match sessions.iter_mut().find(asks) {
            Some(row) => row.ask(question),
            // Nothing of it is recorded yet.
            None => sessions.push(Row::of_question(question)),
        }
    }
    sessions.sort_by(|a, b| {
        let order = a.state.order().cmp(&b.state.order());
        order
            .then(b.since.cmp(&a.since))
            .then(a.session.cmp(&b.session))
    });
    Board { at, sessions }
}

impl Row {
    /// What the session is called: its agent's name, else its own.
    pub fn called(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.session)
    }

    fn of_question(question: Question) -> Self {
        let mut row = Self {
            session: question.session.clone(),
            name: None,
            agent: question.agent.clone(),
            project: Some(question.project.clone()),
            worktree: None,
            model: None,
            group: None,
            prompt: None,
            state: State::Idle,
            since: question.asked_at,
            calls: 0,
            failed: 0,
            denied: 0,
            context_usage: None,
            cost: None,
            questions: Vec::new(),
        };
        row.ask(question);
        row
    }

    /// A question of the session waits.
    fn ask(&mut self, question: Question) {
        if self.questions.is_empty() {
            let doing = Doing::of(&question.tool, Some(&question.input));
            let what = doing.what.unwrap_or(doing.tool);
            self.state = State::WaitingForYou { what };
            self.since = question.asked_at;
        }
        self.questions.push(question);
    }
}

fn row(facts: Facts, runs: impl Fn(Process) -> bool) -> Row {
    let (state, since) = state(&facts, runs);
    let running = facts.running;
    let agent = running.agent;
    let prompt = running.prompt;
    Row {
        name: (agent.label).or(Some(agent.id).filter(|id| *id != agent.session)),
        session: agent.session,
        agent: agent.agent,
        project: agent.project,
        worktree: agent.worktree,
        model: running.model,
        group: prompt.as_ref().map(|prompt| prompt.group.clone()),
        prompt: prompt.and_then(|prompt| prompt.text),
        state,
        since,
        calls: running.calls,
        failed: running.failed,
        denied: running.denied,
        context_usage: agent.context_usage,
        cost: facts.cost,
        questions: Vec::new(),
    }
}

/// What a session does, and since when.
fn state(facts: &Facts, runs: impl Fn(Process) -> bool) -> (State, DateTime<Utc>) {
    let Running {
        agent, open, last, ..
    } = &facts.running;
    if agent.ended_at.is_some() || agent.process.is_some_and(|it| !runs(it)) {
        // Nobody saw it end; it was last heard of then.
        return (State::Gone, agent.last_event_at);
    }
    let last_doing = || last.as_ref().map(|call| call.doing.clone());
    let denied = last.as_ref().filter(|call| is_denied(call));
    match agent.status {
        AgentStatus::Done => (State::Idle, agent.since),
        AgentStatus::Attention | AgentStatus::Checked => {
            let what = agent.waiting_for.clone();
            let what = what.unwrap_or_else(|| "an answer".to_owned());
            (State::WaitingForYou { what }, agent.since)
        }
        AgentStatus::Error if turn_failed(agent, facts) => {
            let why = "its turn ended by an error".to_owned();
            (State::Blocked { on: None, why }, agent.since)
        }
        AgentStatus::Working | AgentStatus::Error => match (open, denied) {
            _ if facts.repeated >= LOOP => {
                let times = facts.repeated;
                let on = last_doing();
                (State::Looping { on, times }, agent.since)
            }
            (Some(call), _) => {
                let on = Some(call.doing.clone());
                (State::Working { on }, call.since)
            }
            (None, Some(call)) => {
                let on = Some(call.doing.clone());
                let why = call.error.clone().unwrap_or_default();
                (State::Blocked { on, why }, call.started_at)
            }
            (None, None) => {
                let since = last.as_ref().and_then(|call| call.ended_at);
                let since = since.map_or(agent.since, |since| since.max(agent.since));
                (State::Working { on: None }, since)
            }
        },
    }
}

fn is_denied(call: &LastCall) -> bool {
    call.status == TraceStatus::Denied
}

/// Whether an error ended the turn. A tool that failed is the last thing that was heard of an agent that goes on.
fn turn_failed(agent: &FleetAgent, facts: &Facts) -> bool {
    let running = &facts.running;
    let last = running.last.as_ref().and_then(|call| call.ended_at);
    running.open.is_none() && last.is_none_or(|ended| agent.last_event_at > ended)
}

/// Amounts as programs read them.
mod dollars {
    use bowline_guidance::cost::prices::Usd;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    #[expect(clippy::ref_option, reason = "serde asks for it")]
    pub(super) fn serialize<S: Serializer>(cost: &Option<Usd>, to: S) -> Result<S::Ok, S::Error> {
        cost.map(Usd::dollars).serialize(to)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "what is too small or too large becomes the nearest amount"
    )]
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Usd>, D::Error> {
        let dollars = Option::<f64>::deserialize(from)?;
        Ok(dollars.map(|dollars| Usd((dollars * 1e9).round() as u64)))
    }
}
