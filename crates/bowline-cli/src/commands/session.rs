//! `bowline session`: what agents worked on, and what happened in one piece of work.

mod messages;
mod show;

use std::path::PathBuf;

use bowline_daemon::rpc::{SessionKey, sessions};
use bowline_store::{MOST_CALLS, SessionStatus, SessionSummary};
use chrono::{DateTime, Utc};
use clap::Subcommand;
use serde::Serialize;

use super::meant::{self, Wanted};
use super::trace::limit;
use crate::Outcome;
use crate::ask::{NOTHING_YET, Records};
use crate::error::{Error, Result};
use crate::moment::{self, parse_time};
use crate::project::ProjectNames;
use crate::ui::{Column, Format, FormatArgs, List, Text, Ui, clipped, reveal, style};

/// See the sessions of agents, and what happened in them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline session list --since 1d
  bowline session list --project .
  bowline session show 8c2f51de")]
pub(crate) struct SessionArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List sessions, the last active first: what they were about, how long they took, how they went
    List(ListArgs),
    /// Show one session: prompts, agents, tools, errors, and what happened when
    Show(ShowArgs),
    /// List what was said in a session: dialogues, failures, and in efforts the conversation
    Messages(MessagesArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline session list
  bowline session list --agent claude-code --since 2h
  bowline session list --project . --limit 5 --json")]
struct ListArgs {
    /// Only sessions of this agent, such as claude-code
    #[arg(long, value_name = "AGENT", value_parser = meant::agent)]
    agent: Option<String>,

    /// Only sessions active since then: 10m, 2h, 1w, yesterday, 2026-11-15 or a local time such as 10:30
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<DateTime<Utc>>,

    /// Only sessions of this project, by its folder or its name; `.` is the current one
    #[arg(long, value_name = "PROJECT")]
    project: Option<PathBuf>,

    /// Show at most N entries (maximum 10000)
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<u16>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline session show 8c2f51de-0d6b-4a3e-9f5c-1f2e3d4c5b6a
  bowline session show 8c2f --limit 200 --json
  bowline session show last

Of one of the last 1000 sessions the beginning of the name is enough, where
only one begins so")]
struct ShowArgs {
    /// The agent's name for the session, or `last` for the newest
    #[arg(default_value = "last")]
    session: String,

    /// Show the last N calls (maximum 10000)
    #[arg(long, value_name = "N", value_parser = limit, default_value = "50")]
    limit: u16,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline session messages
  bowline session messages 8c2f --limit 20 --json")]
struct MessagesArgs {
    /// The agent's name for the session, or `last` for the newest
    #[arg(default_value = "last")]
    session: String,

    /// Show the last N messages (maximum 10000)
    #[arg(long, value_name = "N", value_parser = limit, default_value = "100")]
    limit: u16,

    #[command(flatten)]
    format: FormatArgs,
}

impl SessionArgs {
    pub(crate) fn format(&self) -> Format {
        match &self.action {
            Action::List(args) => args.format.format(),
            Action::Show(args) => args.format.format(),
            Action::Messages(args) => args.format.format(),
        }
    }
}

pub(crate) fn run(args: &SessionArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut records = Records::open(ui)?;
    match &args.action {
        Action::List(args) => list(args, &mut records, ui),
        Action::Show(args) => show::run(args, &mut records, ui),
        Action::Messages(args) => messages::run(args, &mut records, ui),
    }
}

#[derive(Debug, Serialize)]
struct Report {
    sessions: Vec<SessionSummary>,
}

fn list(args: &ListArgs, records: &mut Records, ui: &mut Ui) -> Result<Outcome> {
    let question = sessions::List {
        project: (args.project.as_deref())
            .map(|folder| meant::project(folder, records, ui))
            .transpose()?,
        agent: args.agent.clone(),
        since: args.since,
        limit: args.limit.map(usize::from),
    };
    let sessions = records.ask(&question, ui)?;
    match args.format.format() {
        Format::Json => {
            if sessions.is_empty() {
                Wanted::of_sessions(&question).note_unknown_project(records, ui)?;
            }
            ui.json(&Report { sessions })?;
        }
        Format::Text if records.is_nothing() => ui.line(NOTHING_YET),
        Format::Text if sessions.is_empty() => {
            let nothing = Wanted::of_sessions(&question).nothing("session", records, ui)?;
            ui.line(nothing);
        }
        Format::Text => ui.list(&rows(&sessions)),
    }
    Ok(Outcome::Clean)
}

const COLUMNS: &[Column] = &[
    Column::whole("Last heard of", 16),
    Column::optional("Started", 16, 1),
    Column::optional("Length", 7, 2),
    Column::optional("Project", 14, 4)
        .at_most(20)
        .at_least(8)
        .telling_apart(),
    Column::optional("Agent", 11, 0),
    Column::whole("Status", 7),
    Column::optional("Calls", 5, 3),
    Column::optional("Errors", 6, 3),
    Column::optional("Denied", 6, 3),
    Column::rest("First prompt"),
    Column::whole("Session", 8).at_most(8).at_least(8).of_ids(),
];

fn rows(sessions: &[SessionSummary]) -> List {
    let now = moment::now();
    let mut projects = ProjectNames::default();
    projects.learn(
        sessions
            .iter()
            .filter_map(|it| it.newest.project.as_deref()),
    );
    let mut list = List::new(COLUMNS);
    for summary in sessions {
        let session = &summary.newest;
        let length = session.last_event_at - session.started_at;
        let count = |number: i64, colour| match number {
            0 => Text::styled("0", style::FAINT),
            number => Text::styled(number.to_string(), colour),
        };
        list.row([
            Text::styled(moment::when(session.last_event_at, now), style::FAINT),
            moment::minute(session.started_at).into(),
            moment::took(length.num_milliseconds()).into(),
            projects.of(session.project.as_deref()).into(),
            Text::styled(reveal::name(&session.agent), style::FAINT),
            status(session.status),
            calls(summary.calls.unsigned_abs()).into(),
            count(summary.errors, style::BAD),
            count(summary.denied, style::CAUTION),
            match summary.first_prompt.as_deref() {
                Some(prompt) => prompt.trim().into(),
                None => Text::styled("-", style::FAINT),
            },
            Text::styled(reveal::name(&session.session), style::NAME),
        ]);
    }
    list
}

/// More are not counted.
fn calls(count: u64) -> String {
    match count {
        MOST_CALLS.. => format!("{MOST_CALLS}+"),
        count => count.to_string(),
    }
}

fn status(status: SessionStatus) -> Text {
    let colour = match status {
        SessionStatus::Active => style::GOOD,
        _ => style::FAINT,
    };
    Text::styled(status.as_str(), colour)
}

/// The agent's own name of a session, from it or its beginning; `last` is the newest.
pub(super) fn named(name: &str, records: &mut Records, ui: &Ui) -> Result<String> {
    match show::find(name, records, ui)?.0 {
        SessionKey::Name(name) => Ok(name),
        SessionKey::Row(_) => Err(no_session(name)),
    }
}

/// The name is unknown.
pub(super) fn no_session(name: &str) -> Error {
    Error::input(format!(
        "no recorded session is called `{}`",
        reveal::name(&clipped(name))
    ))
    .hint("`bowline session list` shows the names")
}
