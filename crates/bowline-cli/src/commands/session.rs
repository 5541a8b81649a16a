//! `bowline session`: what agents worked on, and what happened in one piece of work.

mod show;

use std::path::{Path, PathBuf};

use bowline_daemon::rpc::sessions;
use bowline_store::{Session, SessionStatus};
use chrono::{DateTime, Utc};
use clap::Subcommand;
use serde::Serialize;

use super::trace::{limit, project_name};
use crate::Outcome;
use crate::ask::{NOTHING_YET, Records};
use crate::error::{Error, Result};
use crate::moment::{self, parse_time};
use crate::project::Paths;
use crate::ui::{Format, FormatArgs, Table, Text, Ui, clipped, reveal, style};

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
    /// List sessions, last heard of first
    List(ListArgs),
    /// Show one session: prompts, agents, tools, errors, and what happened when
    Show(ShowArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline session list
  bowline session list --agent claude-code --since 2h
  bowline session list --project . --limit 5 --json")]
struct ListArgs {
    /// Only sessions of this agent, such as claude-code
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,

    /// Only sessions heard of since then: 10m, 2h, 2026-11-15 or a time
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<DateTime<Utc>>,

    /// Only sessions of this folder's project; `.` is the current one
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,

    /// At most so many, up to 10000
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

Of one of the last 1000 sessions the beginning of the name is enough, where only one begins so")]
struct ShowArgs {
    /// The agent's name for the session
    session: String,

    /// Show so many of the last calls, up to 10000
    #[arg(long, value_name = "N", value_parser = limit, default_value = "50")]
    limit: u16,

    #[command(flatten)]
    format: FormatArgs,
}

impl SessionArgs {
    pub(crate) fn format(&self) -> Format {
        match &self.action {
            Action::List(args) => args.format.format(),
            Action::Show(args) => args.format.format(),
        }
    }
}

pub(crate) fn run(args: &SessionArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut records = Records::open(ui)?;
    match &args.action {
        Action::List(args) => list(args, &mut records, ui),
        Action::Show(args) => show::run(args, &mut records, ui),
    }
}

#[derive(Debug, Serialize)]
struct Report {
    sessions: Vec<Session>,
}

fn list(args: &ListArgs, records: &mut Records, ui: &mut Ui) -> Result<Outcome> {
    let question = sessions::List {
        project: args.project.as_deref().map(project_name).transpose()?,
        agent: args.agent.clone(),
        since: args.since,
        limit: args.limit.map(usize::from),
    };
    let sessions = records.ask(&question, ui)?;
    match args.format.format() {
        Format::Json => ui.json(&Report { sessions })?,
        Format::Text if records.is_nothing() => ui.line(NOTHING_YET),
        Format::Text if sessions.is_empty() => {
            ui.line("No session is like that. Ask for more: a longer --since, or no filter.");
        }
        Format::Text => ui.table(&table(&sessions)),
    }
    Ok(Outcome::Clean)
}

fn table(sessions: &[Session]) -> Table {
    let now = Utc::now();
    let paths = Paths::of(Path::new(""));
    let mut table = Table::new([
        "Last heard of",
        "Session",
        "Agent",
        "Status",
        "Events",
        "Project",
    ]);
    for session in sessions {
        let project = session.project.as_deref();
        table.row([
            Text::styled(moment::when(session.last_event_at, now), style::FAINT),
            Text::styled(reveal::name(&session.name), style::NAME),
            agent(session),
            status(session.status),
            session.events.to_string().into(),
            project
                .map(|folder| paths.show_absolute(Path::new(folder)))
                .unwrap_or_default()
                .into(),
        ]);
    }
    table
}

fn agent(session: &Session) -> Text {
    let text = Text::from(reveal::name(&session.agent));
    match &session.model {
        Some(model) => text.with(format!("\n{}", reveal::name(model)), style::FAINT),
        None => text,
    }
}

fn status(status: SessionStatus) -> Text {
    let colour = match status {
        SessionStatus::Active => style::GOOD,
        _ => style::FAINT,
    };
    Text::styled(status.as_str(), colour)
}

/// Nobody knows the name.
pub(super) fn no_session(name: &str) -> Error {
    Error::input(format!(
        "no recorded session is called `{}`",
        reveal::name(&clipped(name))
    ))
    .hint("`bowline session list` shows the names")
}
