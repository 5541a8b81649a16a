//! Agents as they are listed.

use std::path::Path;

use bowline_builtins::guidance::Testing;
use bowline_builtins::machine::process;
use bowline_continuity::fleet::{AgentStatus, FleetAgent, Process};
use bowline_continuity::task;
use bowline_store::GONE;
use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::moment;
use crate::project::{self, ProjectNames};
use crate::ui::{Column, List, Text, reveal, style};

/// An agent with what is known of it besides its records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Shown {
    #[serde(flatten)]
    pub(super) agent: FleetAgent,
    /// Its status, unless it is dead or has ended.
    pub(super) state: State,
    /// The tests that its work has to pass, while they run.
    pub(super) testing: Option<Testing>,
}

/// What is said about an agent, the most urgent last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    /// Its session ended as it should.
    Ended,
    /// Its process is gone, and it said nothing.
    Dead,
    /// It is as it reports.
    #[serde(untagged)]
    Reports(AgentStatus),
}

impl State {
    fn of(agent: &FleetAgent, runs: impl Fn(Process) -> bool) -> Self {
        match (agent.ended_at, agent.process) {
            (Some(_), _) if agent.end_reason.as_deref() == Some(GONE) => Self::Dead,
            (Some(_), _) => Self::Ended,
            (None, Some(process)) if !runs(process) => Self::Dead,
            (None, _) => Self::Reports(agent.status),
        }
    }

    /// The more urgent, the greater.
    fn urgency(self) -> u8 {
        match self {
            Self::Ended => 0,
            Self::Reports(AgentStatus::Done) => 1,
            Self::Reports(AgentStatus::Checked) => 2,
            Self::Reports(AgentStatus::Working) => 3,
            // It neither waits nor goes on by itself.
            Self::Dead => 4,
            Self::Reports(AgentStatus::Error) => 5,
            Self::Reports(AgentStatus::Attention) => 6,
        }
    }

    fn shown(self) -> Text {
        match self {
            Self::Ended => Text::styled("ended", style::FAINT),
            Self::Dead => Text::styled("dead", style::BAD.bold()),
            Self::Reports(status) => Text::styled(status.words(), style::of_status(status)),
        }
    }
}

/// The most urgent first, and among those the last that changed.
pub(super) fn in_order(agents: Vec<FleetAgent>, testing: &[Testing]) -> Vec<Shown> {
    ordered(agents, testing, process::runs)
}

fn ordered(
    agents: Vec<FleetAgent>,
    testing: &[Testing],
    runs: impl Fn(Process) -> bool,
) -> Vec<Shown> {
    let of_session = |session: &str| testing.iter().find(|it| it.session == session).cloned();
    let agents = agents.into_iter();
    let mut shown: Vec<Shown> = agents
        .map(|agent| Shown {
            state: State::of(&agent, &runs),
            testing: of_session(&agent.session),
            agent,
        })
        .collect();
    shown.sort_by(|a, b| {
        let urgency = b.state.urgency().cmp(&a.state.urgency());
        let since = since(&b.agent, b.state).cmp(&since(&a.agent, a.state));
        urgency.then(since).then(a.agent.id.cmp(&b.agent.id))
    });
    shown
}

/// More of a name is not shown, also in a pipe; `--json` has all of it.
const LONGEST_NAME: usize = 64;
/// The same for what an agent does.
const LONGEST_ACTION: usize = 160;

const COLUMNS: &[Column] = &[
    Column::whole("Status", 7),
    Column::optional("For", 8, 5),
    Column::whole("Agent", 8)
        .at_most(12)
        .at_least(8)
        .bounded(LONGEST_NAME)
        .of_ids(),
    Column::optional("Program", 11, 0)
        .bounded(LONGEST_NAME)
        .if_differing(6),
    Column::optional("Project", 14, 6)
        .at_most(28)
        .at_least(8)
        .bounded(LONGEST_NAME)
        .telling_apart(),
    Column::optional("Effort", 20, 4)
        .at_most(32)
        .at_least(12)
        .bounded(LONGEST_NAME)
        .if_filled(),
    Column::optional("Phase", 12, 3)
        .at_most(20)
        .at_least(8)
        .bounded(LONGEST_NAME)
        .if_filled(),
    Column::optional("Context", 9, 4).if_filled(),
    Column::rest("Waits for, or did last").bounded(LONGEST_ACTION),
];

/// A line for each.
pub(super) fn list(agents: &[Shown]) -> List {
    let now = moment::now();
    let mut projects = ProjectNames::default();
    projects.learn(agents.iter().filter_map(|it| it.agent.project.as_deref()));
    let mut list = List::new(COLUMNS);
    for shown in agents {
        let Shown { agent, state, .. } = shown;
        list.row([
            state.shown(),
            Text::styled(moment::lasting(since(agent, *state), now), style::FAINT),
            Text::styled(reveal::name(name(agent)), style::NAME),
            Text::styled(reveal::name(&agent.agent), style::FAINT),
            place(
                agent.project.as_deref(),
                agent.worktree.as_deref(),
                &mut projects,
            )
            .into(),
            reveal::name(&effort(agent)).into(),
            reveal::name(agent.phase.as_deref().unwrap_or_default()).into(),
            agent.context_usage.map(context).unwrap_or_default(),
            doing(shown, now),
        ]);
    }
    list
}

/// What an agent is called.
pub(super) fn name(agent: &FleetAgent) -> &str {
    agent.label.as_deref().unwrap_or(&agent.id)
}

/// Since when it has been so.
fn since(agent: &FleetAgent, state: State) -> DateTime<Utc> {
    match state {
        State::Reports(_) => agent.since,
        // Nobody saw it die; it was last heard of then.
        State::Dead => agent.last_event_at,
        State::Ended => agent.ended_at.unwrap_or(agent.since),
    }
}

/// The project, and where in it or beside it.
/// A worktree is named as in other lists.
pub(in crate::commands) fn place(
    folder: Option<&str>,
    worktree: Option<&str>,
    projects: &mut ProjectNames,
) -> String {
    let project = projects.of(folder).to_owned();
    let Some(worktree) = worktree.map(Path::new) else {
        return project;
    };
    let within = folder.and_then(|project| worktree.strip_prefix(project).ok());
    let last = || worktree.file_name().unwrap_or(worktree.as_os_str());
    match within {
        Some(below) => format!("{project}/{}", project::shown(below)),
        None if project.is_empty() => project::shown(Path::new(last())),
        None => format!("{project}@{}", project::shown(Path::new(last()))),
    }
}

/// The task, the number of the effort and its skill.
fn effort(agent: &FleetAgent) -> String {
    let task = agent.task.as_deref().map(task::name_of);
    let ordinal = agent.ordinal.map(|ordinal| format!("#{ordinal}"));
    let parts = [task, ordinal.as_deref(), agent.skill.as_deref()];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    parts.join(" ")
}

const BAR: usize = 5;

/// A bar and a figure.
pub(in crate::commands) fn context(used: f64) -> Text {
    let percent = percent(used);
    let filled = (usize::from(percent) * BAR).div_ceil(100).min(BAR);
    let colour = match percent {
        90.. => style::BAD,
        75.. => style::CAUTION,
        _ => style::GOOD,
    };
    Text::styled("█".repeat(filled), colour)
        .with("░".repeat(BAR - filled), style::FAINT)
        .plain(format!(" {percent:>3}%"))
}

/// A part from 0 to 1 in percent.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is from 0 to 100"
)]
pub(in crate::commands) fn percent(part: f64) -> u8 {
    (part.clamp(0.0, 1.0) * 100.0).floor() as u8
}

/// What runs for it, what it waits for, and what it did last.
fn doing(shown: &Shown, now: DateTime<Utc>) -> Text {
    let (agent, state) = (&shown.agent, shown.state);
    if let Some(testing) = &shown.testing {
        let line = testing.last_line.as_deref().unwrap_or_default();
        let gap = if line.is_empty() { "" } else { "  " };
        return Text::from(testing.words(now)).with(format!("{gap}{line}"), style::FAINT);
    }
    let waits = agent.waiting_for.as_deref();
    let waits = waits.filter(|_| matches!(state, State::Reports(_)));
    let action = agent.last_action.as_deref().unwrap_or_default();
    let action = project::relative(action, agent.project.as_deref());
    match waits {
        Some(waits) => {
            let waits = project::relative(waits, agent.project.as_deref());
            let rest = if waits.contains(action.as_str()) {
                String::new()
            } else {
                format!("  {action}")
            };
            Text::from(waits).with(rest, style::FAINT)
        }
        None if state == State::Ended => {
            let gap = if action.is_empty() { "" } else { "  " };
            let why = agent.end_reason.as_deref().unwrap_or_default();
            Text::from(action).with(format!("{gap}{why}"), style::FAINT)
        }
        None => action.into(),
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use serde_json::json;

    use super::*;

    fn agent(id: &str, change: serde_json::Value) -> FleetAgent {
        let mut agent = json!({
            "id": id, "agent": "claude-code", "session": id, "status": "working",
            "since": "2026-11-15T10:00:00Z", "last_event_at": "2026-11-15T10:00:00Z",
        });
        for (key, value) in change.as_object().unwrap() {
            agent[key] = value.clone();
        }
        serde_json::from_value(agent).unwrap()
    }

    #[test]
    fn f38_b_the_most_urgent_come_first() {
        let process = |id: u32| json!({"id": id, "started": 1});
        let ended = "2026-11-15T11:00:00Z";
        let agents = vec![
            agent("ended", json!({"ended_at": ended, "end_reason": "exit"})),
            agent("done", json!({"status": "done"})),
            agent("older", json!({})),
            agent(
                "newer",
                json!({"since": "2026-11-15T10:00:01Z", "process": process(1)}),
            ),
            agent("checked", json!({"status": "checked"})),
            agent("killed", json!({"process": process(2)})),
            agent("gone", json!({"ended_at": ended, "end_reason": "gone"})),
            agent("attention", json!({"status": "attention"})),
            agent("error", json!({"status": "error"})),
            // What a dead one did last counts, not since when it said so.
            agent(
                "killed earlier",
                json!({"process": process(2), "since": ended, "last_event_at": "2026-11-15T09:00:00Z"}),
            ),
        ];
        let shown = ordered(agents, &[], |process| process.id == 1);
        let ids: Vec<&str> = shown.iter().map(|it| it.agent.id.as_str()).collect();
        assert_eq!(
            ids,
            [
                "attention",
                "error",
                "gone",
                "killed",
                "killed earlier",
                "newer",
                "older",
                "checked",
                "done",
                "ended"
            ]
        );
        let document = serde_json::to_value(&shown).unwrap();
        for (place, state) in [(1, "error"), (2, "dead"), (5, "working"), (9, "ended")] {
            assert_eq!(document[place]["state"], state, "{place}");
        }
    }

    #[test]
    fn of_several_programs_each_row_says_which() {
        let programs = ["claude-code", "codex", "gemini", "opencode"];
        let agents = programs.map(|program| {
            let action =
                "Bash: cargo test --workspace --all-features --no-fail-fast -- --nocapture";
            let project = "/home/dev/a-project-with-a-long-name";
            let change = json!({"agent": program, "project": project, "last_action": action});
            agent(&format!("{program}-0d6b-4a77"), change)
        });
        let shown = ordered(agents.to_vec(), &[], |_| true);
        for columns in [80, 100] {
            let lines = list(&shown).lines(Some(columns));
            let head = lines.first().unwrap().content();
            let words: Vec<&str> = head.split_whitespace().take(5).collect();
            let expected = ["Status", "For", "Agent", "Program", "Project"];
            assert_eq!(words, expected, "{columns}: {head}");
            assert!(
                !head.contains("Effort") && !head.contains("Context"),
                "{head}"
            );
        }
    }

    #[test]
    fn what_an_agent_does_is_told_in_one_line() {
        for (change, state, expected) in [
            (json!({}), State::Reports(AgentStatus::Done), ""),
            (
                json!({"project": "/p", "last_action": "Edit: /p/src/a.rs"}),
                State::Reports(AgentStatus::Working),
                "Edit: src/a.rs",
            ),
            (
                json!({"last_action": "Bash: ls", "waiting_for": "permission for Bash: ls"}),
                State::Reports(AgentStatus::Attention),
                "permission for Bash: ls",
            ),
            (
                json!({"last_action": "Bash: ls", "waiting_for": "an answer: which one?"}),
                State::Reports(AgentStatus::Attention),
                "an answer: which one?  Bash: ls",
            ),
            (
                json!({"last_action": "Bash: ls", "waiting_for": "an answer"}),
                State::Dead,
                "Bash: ls",
            ),
        ] {
            let shown = Shown {
                agent: agent("a", change.clone()),
                state,
                testing: None,
            };
            let told = doing(&shown, moment::now()).content();
            assert_eq!(told, expected, "{change}");
        }
    }

    #[test]
    fn tests_that_run_are_told_in_the_row_of_their_session() {
        let since: DateTime<Utc> = "2026-11-15T10:00:00Z".parse().unwrap();
        let testing = Testing {
            session: "a".to_owned(),
            project: "/p".to_owned(),
            command: "cargo test".to_owned(),
            step: 1,
            steps: 1,
            since,
            until: since + TimeDelta::minutes(1),
            last_line: Some("test adds ... ok".to_owned()),
            process: None,
        };
        let agents = vec![agent("a", json!({})), agent("b", json!({}))];
        let shown = ordered(agents, std::slice::from_ref(&testing), |_| true);
        let told = |shown| doing(shown, since + TimeDelta::seconds(12)).content();
        let told: Vec<_> = shown.iter().map(told).collect();
        assert_eq!(told, ["testing: cargo test, 12 s  test adds ... ok", ""]);
    }

    #[test]
    fn places_efforts_and_context_are_short() {
        let mut projects = ProjectNames::default();
        for (change, expected) in [
            (json!({}), ""),
            (json!({"project": "/home/shop"}), "shop"),
            (
                json!({"project": "/home/shop", "worktree": "/home/shop/src/x"}),
                "shop/src/x",
            ),
            (
                json!({"project": "/home/shop", "worktree": "/trees/feature"}),
                "shop@feature",
            ),
            (json!({"worktree": "/trees/feature"}), "feature"),
        ] {
            let agent = agent("a", change.clone());
            let (folder, worktree) = (agent.project.as_deref(), agent.worktree.as_deref());
            assert_eq!(place(folder, worktree, &mut projects), expected, "{change}");
        }
        let within = json!({"task": "/p/.tasks/login/", "ordinal": 2, "skill": "implement"});
        assert_eq!(effort(&agent("a", within)), "login #2 implement");
        for (used, expected) in [
            (0.0, "░░░░░   0%"),
            (0.014, "█░░░░   1%"),
            (0.62, "████░  62%"),
            (0.999, "█████  99%"),
            (1.0, "█████ 100%"),
        ] {
            assert_eq!(context(used).content(), expected);
        }
    }
}
