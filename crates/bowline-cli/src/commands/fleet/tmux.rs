//! `bowline fleet --tmux`: agents in the panes of tmux.

use std::collections::HashSet;
use std::process::{Command, Stdio};

use bowline_builtins::machine::process::lineage;
use bowline_continuity::fleet::{
    AgentStatus, PANE_OPTION, Pane, Role, combined, segment_command, segment_reset, tmux_commands,
    tmux_reset,
};
use bowline_daemon::rpc::fleet;
use serde::Serialize;

use super::shown::{Shown, State};
use super::watch::PAUSE;
use super::{FleetArgs, agents};
use crate::Outcome;
use crate::ask::Records;
use crate::error::Result;
use crate::stream::{self, Reader};
use crate::ui::{Format, Ui};

#[derive(Debug, Serialize)]
struct Report {
    /// Whether there is a tmux.
    tmux: bool,
    panes: Vec<Coloured>,
}

/// A pane as it is coloured.
#[derive(Debug, Serialize)]
struct Coloured {
    pane: String,
    window: String,
    status: AgentStatus,
    /// The agents in it.
    agents: Vec<String>,
}

pub(super) fn run(args: &FleetArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut done = HashSet::new();
    loop {
        let found = panes();
        let report = match &found {
            None => Report {
                tmux: false,
                panes: Vec::new(),
            },
            Some(found) if args.reset => {
                let mut commands = tmux_reset(&coloured_before(found));
                commands.push(segment_reset());
                perform(&commands);
                Report {
                    tmux: true,
                    panes: Vec::new(),
                }
            }
            Some(found) => colour(found, args, &mut done, ui)?,
        };
        if !args.watch {
            if args.format.format() == Format::Json {
                ui.json(&report)?;
            }
            return Ok(Outcome::Clean);
        }
        if found.is_none() || stream::pause(PAUSE) == Reader::Gone {
            return Ok(Outcome::Clean);
        }
    }
}

/// Gives every pane the colours of its agents. `done` is what the last round did.
fn colour(
    found: &[TmuxPane],
    args: &FleetArgs,
    done: &mut HashSet<Vec<String>>,
    ui: &Ui,
) -> Result<Report> {
    let mut living = living(agents(args, ui)?);
    let looked_at: Vec<String> = within(found, &living)
        .filter(|(pane, _)| pane.looked_at == LookedAt::Yes)
        .flat_map(|(_, living)| living)
        .filter(|agent| agent.status == AgentStatus::Attention)
        .map(|agent| agent.id.clone())
        .collect();
    if !looked_at.is_empty() {
        for agent in living.iter_mut().filter(|it| looked_at.contains(&it.id)) {
            agent.status = AgentStatus::Checked;
        }
        Records::open(ui)?.ask(&fleet::Seen { agents: looked_at }, ui)?;
    }
    let panes: Vec<(Pane, Vec<String>)> = within(found, &living)
        .filter_map(|(pane, agents)| {
            let role = agents
                .iter()
                .map(|it| it.role)
                .max_by_key(|role| *role == Role::Coordinator);
            let pane = Pane {
                id: pane.id.clone(),
                window: pane.window.clone(),
                status: combined(agents.iter().map(|it| it.status))?,
                role: role.unwrap_or_default(),
            };
            Some((pane, agents.iter().map(|it| it.id.clone()).collect()))
        })
        .collect();
    let mut left = coloured_before(found);
    left.retain(|before| !panes.iter().any(|(pane, _)| pane.id == before.id));
    let mut wanted = tmux_reset(&left);
    let all: Vec<Pane> = panes.iter().map(|(pane, _)| pane.clone()).collect();
    wanted.extend(tmux_commands(&all));
    wanted.push(segment_command(living.iter().map(|it| it.status)));
    // A tab that loses its colours may get them again from another pane.
    let is_new = |command: &&Vec<String>| !left.is_empty() || !done.contains(*command);
    let new: Vec<Vec<String>> = wanted.iter().filter(is_new).cloned().collect();
    perform(&new);
    *done = wanted.into_iter().collect();
    let panes = panes.into_iter().map(|(pane, agents)| Coloured {
        pane: pane.id,
        window: pane.window,
        status: pane.status,
        agents,
    });
    Ok(Report {
        tmux: true,
        panes: panes.collect(),
    })
}

/// An agent that runs, and the processes that led to it.
#[derive(Debug)]
struct Living {
    id: String,
    status: AgentStatus,
    role: Role,
    /// Its own process first; nothing if the process is not known.
    lineage: Vec<u32>,
}

fn living(agents: Vec<Shown>) -> Vec<Living> {
    let mut living: Vec<Living> = agents
        .into_iter()
        .filter_map(|Shown { agent, state, .. }| match state {
            State::Reports(status) => Some(Living {
                id: agent.id,
                status,
                role: Role::Worker,
                lineage: agent.process.map(|it| lineage(it.id)).unwrap_or_default(),
            }),
            State::Dead | State::Ended => None,
        })
        .collect();
    let above: HashSet<u32> = living
        .iter()
        .flat_map(|it| it.lineage.iter().skip(1).copied())
        .collect();
    // One that has started others leads them.
    for agent in &mut living {
        if agent.lineage.first().is_some_and(|own| above.contains(own)) {
            agent.role = Role::Coordinator;
        }
    }
    living
}

/// The panes in which agents run, with these agents.
fn within<'a>(
    panes: &'a [TmuxPane],
    living: &'a [Living],
) -> impl Iterator<Item = (&'a TmuxPane, Vec<&'a Living>)> {
    let agents_of = |pane: &TmuxPane| -> Vec<&Living> {
        let is_within = |it: &&Living| it.lineage.contains(&pane.process);
        living.iter().filter(is_within).collect()
    };
    let panes = panes.iter().map(move |pane| (pane, agents_of(pane)));
    panes.filter(|(_, agents)| !agents.is_empty())
}

/// A pane as tmux lists it.
#[derive(Debug, PartialEq, Eq)]
struct TmuxPane {
    id: String,
    window: String,
    process: u32,
    looked_at: LookedAt,
    /// What its colours stand for, if they are Bowline's.
    coloured: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LookedAt {
    Yes,
    No,
}

/// The panes whose colours are Bowline's.
fn coloured_before(panes: &[TmuxPane]) -> Vec<Pane> {
    let coloured = panes.iter().filter(|it| it.coloured.is_some());
    coloured
        .map(|pane| Pane {
            id: pane.id.clone(),
            window: pane.window.clone(),
            status: AgentStatus::Done,
            role: Role::Worker,
        })
        .collect()
}

/// All panes; `None` where there is no tmux.
fn panes() -> Option<Vec<TmuxPane>> {
    let format = format!(
        "#{{pane_id}} #{{window_id}} #{{pane_pid}} #{{pane_active}}#{{window_active}} #{{session_attached}} #{{{PANE_OPTION}}}"
    );
    let listed = tmux(&["list-panes", "-a", "-F", &format])?;
    Some(listed.lines().filter_map(pane).collect())
}

fn pane(line: &str) -> Option<TmuxPane> {
    let mut words = line.split(' ');
    let (id, window) = (words.next()?.to_owned(), words.next()?.to_owned());
    let process = words.next()?.parse().ok()?;
    let is_in_front = words.next()? == "11";
    let has_clients = words.next()? != "0";
    let coloured = words.next().filter(|it| !it.is_empty());
    Some(TmuxPane {
        id,
        window,
        process,
        looked_at: if is_in_front && has_clients {
            LookedAt::Yes
        } else {
            LookedAt::No
        },
        coloured: coloured.map(str::to_owned),
    })
}

/// Performs commands of tmux: all at once, or each by itself if one of them fails, as for a pane that has just been closed.
fn perform(commands: &[Vec<String>]) {
    if commands.is_empty() {
        return;
    }
    let line: Vec<&str> = commands
        .iter()
        .flat_map(|command| command.iter().map(String::as_str).chain([";"]))
        .collect();
    if tmux(&line).is_none() {
        for command in commands {
            let words: Vec<&str> = command.iter().map(String::as_str).collect();
            tmux(&words);
        }
    }
}

/// What tmux says; `None` if it fails, is not installed, or has no server.
fn tmux(arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("tmux");
    command.args(arguments).stdin(Stdio::null());
    let output = command.output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_are_read_as_tmux_lists_them() {
        for (line, expected) in [
            (
                "%3 @1 4711 11 1 working",
                Some((4711, LookedAt::Yes, Some("working"))),
            ),
            ("%3 @1 4711 11 2 ", Some((4711, LookedAt::Yes, None))),
            ("%3 @1 4711 11 0 ", Some((4711, LookedAt::No, None))),
            ("%3 @1 4711 01 1", Some((4711, LookedAt::No, None))),
            ("%3 @1 x 11 1 ", None),
            ("", None),
        ] {
            let found = pane(line);
            let found = found.as_ref();
            let found = found.map(|it| (it.process, it.looked_at, it.coloured.as_deref()));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn an_agent_is_in_the_pane_that_its_process_came_from() {
        let pane = |id: &str, process| TmuxPane {
            id: id.to_owned(),
            window: "@1".to_owned(),
            process,
            looked_at: LookedAt::No,
            coloured: None,
        };
        let agent = |id: &str, lineage: &[u32]| Living {
            id: id.to_owned(),
            status: AgentStatus::Working,
            role: Role::Worker,
            lineage: lineage.to_vec(),
        };
        let panes = [pane("%1", 10), pane("%2", 20), pane("%3", 30)];
        let living = [
            agent("a", &[11, 10, 1]),
            agent("b", &[20, 1]),
            agent("c", &[15, 11, 10, 1]),
            agent("elsewhere", &[7, 1]),
            agent("unknown", &[]),
        ];
        let found: Vec<(&str, Vec<&str>)> = within(&panes, &living)
            .map(|(pane, agents)| {
                let ids = agents.iter().map(|it| it.id.as_str()).collect();
                (pane.id.as_str(), ids)
            })
            .collect();
        assert_eq!(found, [("%1", vec!["a", "c"]), ("%2", vec!["b"])]);
    }
}
