//! Who works, and who waits.

use bowline_builtins::inbox::Question;
use bowline_builtins::machine::process;
use bowline_continuity::fleet::{AgentStatus, FleetAgent, Process};
use bowline_daemon::rpc::{Question as _, fleet};
use bowline_store::{GONE, Result};
use chrono::{DateTime, TimeDelta, Utc};

use crate::site::Sources;

/// One that ended is listed for so long.
const GONE_FOR: TimeDelta = TimeDelta::hours(1);

/// What an agent does, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    /// It needs a person.
    Waiting,
    /// Something failed.
    Failed,
    Working,
    Idle,
    /// Its process ended and said nothing.
    Gone,
}

impl State {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting for you",
            Self::Failed => "failed",
            Self::Working => "working",
            Self::Idle => "idle",
            Self::Gone => "gone",
        }
    }

    /// The class by which it gets its colour.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Waiting => "attention",
            Self::Failed | Self::Gone => "bad",
            Self::Working => "good",
            Self::Idle => "faint",
        }
    }

    fn of(agent: &FleetAgent, asks: bool, runs: impl Fn(Process) -> bool) -> Self {
        match (agent.ended_at, agent.process) {
            (Some(_), _) => Self::Gone,
            (None, Some(process)) if !runs(process) => Self::Gone,
            _ if asks => Self::Waiting,
            _ => match agent.status {
                AgentStatus::Attention => Self::Waiting,
                AgentStatus::Error => Self::Failed,
                AgentStatus::Working => Self::Working,
                AgentStatus::Checked | AgentStatus::Done => Self::Idle,
            },
        }
    }
}

/// One agent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) state: State,
    pub(crate) agent: FleetAgent,
    /// The questions of its session.
    pub(crate) questions: Vec<Question>,
}

/// All agents, those that wait for a person first.
pub(crate) fn read(sources: &Sources, now: DateTime<Utc>) -> Result<Vec<Row>> {
    let list = fleet::List {
        project: None,
        ended_since: Some(now - GONE_FOR),
    };
    let agents = list.answer(&*sources.store)?;
    Ok(rows(agents, &sources.questions.list(), process::runs))
}

fn rows(
    agents: Vec<FleetAgent>,
    questions: &[Question],
    runs: impl Fn(Process) -> bool,
) -> Vec<Row> {
    let listed = agents
        .into_iter()
        .filter(|agent| agent.ended_at.is_none() || agent.end_reason.as_deref() == Some(GONE));
    let mut rows: Vec<Row> = listed
        .map(|agent| {
            let of_it = questions.iter().filter(|it| it.session == agent.session);
            let questions: Vec<Question> = of_it.cloned().collect();
            Row {
                state: State::of(&agent, !questions.is_empty(), &runs),
                agent,
                questions,
            }
        })
        .collect();
    rows.sort_by(|a, b| {
        let since = b.agent.since.cmp(&a.agent.since);
        a.state
            .cmp(&b.state)
            .then(since)
            .then(a.agent.id.cmp(&b.agent.id))
    });
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::tests::{agent, question};

    #[test]
    fn those_who_wait_come_first() {
        let at = |id: &str, status, process: Option<u32>| FleetAgent {
            id: id.to_owned(),
            session: id.to_owned(),
            status,
            process: process.map(|id| Process { id, started: 1 }),
            ..agent()
        };
        let mut ended = at("ended", AgentStatus::Working, None);
        ended.ended_at = Some(ended.since);
        let agents = vec![
            at("idle", AgentStatus::Done, None),
            at("works", AgentStatus::Working, Some(1)),
            at("dead", AgentStatus::Attention, Some(2)),
            at("asks", AgentStatus::Working, Some(1)),
            at("failed", AgentStatus::Error, None),
            ended,
        ];
        let mut asked = question();
        asked.session = "asks".to_owned();
        let rows = rows(agents, &[asked], |process| process.id == 1);
        let found: Vec<_> = rows
            .iter()
            .map(|row| (row.agent.id.as_str(), row.state, row.questions.len()))
            .collect();
        assert_eq!(
            found,
            [
                ("asks", State::Waiting, 1),
                ("failed", State::Failed, 0),
                ("works", State::Working, 0),
                ("idle", State::Idle, 0),
                ("dead", State::Gone, 0),
            ]
        );
    }
}
