//! `bowline supervise`: runs an agent, and starts it again when its context window is full.

use std::collections::VecDeque;
use std::process::Command;
use std::time::{Duration, Instant};

use bowline_continuity::fleet::FleetAgent;
use bowline_daemon::rpc::efforts::{Asker, EffortOf};
use bowline_daemon::rpc::fleet::{List, Messages, Said};
use bowline_daemon::rpc::{SessionKey, sessions};
use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::Outcome;
use crate::ask::Records;
use crate::attended::{AGENT_ID, Asked, Attendant, Ended, agent_id};
use crate::error::{Error, ErrorKind, Result};
use crate::project;
use crate::ui::{Ui, counted, reveal};

/// The reason for the end of a session whose context window was full.
const OVERFLOW: &str = "overflow";
/// What the engine notes when a transcript says the same.
const EXHAUSTED: &str = "context_exhausted";

/// Run an agent, and start it again with its effort when its context window is full
///
/// The agent has your terminal and gets your signals. It is started again if its session ended by overflow, if it left a summary for the
/// next session, or if its transcript says that the context is exhausted. Any other end is the end, with the agent's exit code
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline supervise -- claude
  bowline supervise --max-restarts 20 --within 3600 -- claude --model opus
  AGENT_ID=main:build bowline supervise -- claude

An agent without AGENT_ID gets one, by which its next session finds the effort.
`bowline effort dehydrate` leaves a summary; `on_auto_compaction = \"end\"` in
[effort] ends an agent whose context is compacted by itself")]
pub(crate) struct SuperviseArgs {
    /// Give up after so many restarts within the time
    #[arg(long, value_name = "N", default_value_t = 5)]
    max_restarts: u32,

    /// The time within which restarts are counted, in seconds
    #[arg(long, value_name = "SECS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..))]
    within: u64,

    /// The agent and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub(crate) fn run(args: &SuperviseArgs, ui: &mut Ui) -> Result<Outcome> {
    let [program, arguments @ ..] = args.command.as_slice() else {
        return Err(Error::usage("no agent is named").hint("bowline supervise -- claude"));
    };
    let agent_id = agent_id(program);
    let mut attendant = Attendant::start()?;
    let mut restarts = Restarts {
        most: usize::try_from(args.max_restarts).unwrap_or(usize::MAX),
        within: Duration::from_secs(args.within),
        times: VecDeque::new(),
    };
    loop {
        let began = Utc::now();
        let mut command = Command::new(program);
        command.args(arguments).env(AGENT_ID, &agent_id);
        let Ended { code, asked } = attendant.run(command).map_err(|source| {
            let message = format!("cannot run `{}`", reveal::name(program));
            Error::new(ErrorKind::System, message).caused_by(source)
        })?;
        if asked == Asked::ToEnd {
            return Ok(Outcome::Answered(code));
        }
        let Some(why) = overflow(&agent_id, began, ui)? else {
            return Ok(Outcome::Answered(code));
        };
        let (most, within) = (args.max_restarts, args.within);
        let Some(number) = restarts.another(Instant::now()) else {
            let times = counted(most, "time");
            ui.note(format!(
                "{why}, and the agent was started again {times} within {within} s; giving up (`bowline fleet --all` shows where it stood)"
            ));
            return Ok(Outcome::Answered(code.max(1)));
        };
        ui.note(format!(
            "{why}; starting the agent again ({number} of {most} within {within} s)"
        ));
    }
}

/// Counts restarts.
#[derive(Debug)]
struct Restarts {
    most: usize,
    within: Duration,
    times: VecDeque<Instant>,
}

impl Restarts {
    /// The number of the next one, if it is allowed.
    fn another(&mut self, now: Instant) -> Option<usize> {
        let within = self.within;
        self.times.retain(|time| now.duration_since(*time) < within);
        if self.times.len() >= self.most {
            return None;
        }
        self.times.push_back(now);
        Some(self.times.len())
    }
}

/// Why the agent of this run has to go on in another context window, if it has.
fn overflow(agent_id: &str, began: DateTime<Utc>, ui: &Ui) -> Result<Option<&'static str>> {
    let mut records = Records::open(ui)?;
    let since_then = List {
        project: None,
        ended_since: Some(began),
    };
    let fleet = records.ask(&since_then, ui)?;
    let mut fleet = fleet.into_iter();
    let is_meant = |it: &FleetAgent| it.id == agent_id && it.last_event_at >= began;
    let Some(agent) = fleet.find(is_meant) else {
        return Ok(None);
    };
    if agent.ended_at.is_some() && agent.end_reason.as_deref() == Some(OVERFLOW) {
        return Ok(Some("the context window was full"));
    }
    let said = Messages {
        session: agent.session.clone(),
        limit: None,
    };
    if is_exhausted(&records.ask(&said, ui)?, began) {
        return Ok(Some("the context was exhausted"));
    }
    if has_left_a_summary(&agent, &mut records, ui)? {
        return Ok(Some("the agent left a summary for its next session"));
    }
    Ok(None)
}

/// Whether the last thing that is known of a session is that its context is exhausted.
fn is_exhausted(said: &[Said], began: DateTime<Utc>) -> bool {
    let event = |said: &Said| -> Option<String> {
        let note: Value = serde_json::from_str(&said.message.content).ok()?;
        Some(note.get("event")?.as_str()?.to_owned())
    };
    let of_run = said.iter().filter(|it| it.at >= began);
    let last = of_run.rev().find(|it| {
        let is_note = it.message.role == "system";
        !is_note || event(it).as_deref() == Some(EXHAUSTED)
    });
    last.is_some_and(|it| it.message.role == "system")
}

/// Whether the agent's last context window has a summary for the next one.
fn has_left_a_summary(agent: &FleetAgent, records: &mut Records, ui: &Ui) -> Result<bool> {
    let Some(effort) = agent.effort else {
        return Ok(false);
    };
    let named = sessions::Get {
        session: SessionKey::Name(agent.session.clone()),
    };
    let windows = records.ask(&named, ui)?.map(|it| it.sessions);
    let own = windows.unwrap_or_default().into_iter();
    let last = own
        .filter(|it| it.subagent.is_none())
        .map(|it| it.row)
        .max();
    let folder = project::folder(None)?;
    let question = EffortOf {
        effort: Some(effort.0),
        asker: Asker {
            project: agent
                .project
                .clone()
                .unwrap_or_else(|| folder.to_string_lossy().into_owned()),
            ..Asker::default()
        },
    };
    let Some(details) = records.ask(&question, ui)? else {
        return Ok(false);
    };
    let mut sessions = details.sessions.iter();
    let of_agent = sessions.find(|it| Some(it.session) == last);
    Ok(of_agent.is_some_and(|it| it.dehydrated.is_some()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn restarts_are_counted_within_a_time() {
        let start = Instant::now();
        let mut restarts = Restarts {
            most: 2,
            within: Duration::from_secs(10),
            times: VecDeque::new(),
        };
        for (second, expected) in [
            (0, Some(1)),
            (4, Some(2)),
            (9, None),
            (10, Some(2)),
            (30, Some(1)),
        ] {
            let now = start + Duration::from_secs(second);
            assert_eq!(restarts.another(now), expected, "after {second} s");
        }
        restarts.most = 0;
        assert_eq!(restarts.another(start), None);
    }

    #[test]
    fn only_the_last_word_on_the_context_counts() {
        let began: DateTime<Utc> = "2026-11-15T12:00:00Z".parse().unwrap();
        let said = |second: u32, role: &str, content: &str| -> Said {
            serde_json::from_value(json!({
                "at": format!("2026-11-15T12:00:{second:02}Z"), "role": role, "content": content, "tool": null,
            }))
            .unwrap()
        };
        let full = r#"{"event":"context_exhausted"}"#;
        for (row, messages, expected) in [
            ("nothing", vec![], false),
            (
                "full",
                vec![said(1, "user", "go"), said(2, "system", full)],
                true,
            ),
            (
                "then something else",
                vec![
                    said(2, "system", full),
                    said(3, "system", r#"{"event":"tool_use_failure"}"#),
                ],
                true,
            ),
            (
                "it went on",
                vec![said(2, "system", full), said(3, "assistant", "done")],
                false,
            ),
            (
                "a limit",
                vec![said(2, "system", r#"{"event":"rate_limit"}"#)],
                false,
            ),
            ("in words", vec![said(2, "user", full)], false),
        ] {
            assert_eq!(is_exhausted(&messages, began), expected, "{row}");
        }
        let before = vec![said(0, "system", full)];
        assert!(!is_exhausted(
            &before,
            began + chrono::TimeDelta::seconds(1)
        ));
    }
}
