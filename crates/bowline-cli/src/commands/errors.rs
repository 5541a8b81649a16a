//! `bowline errors`: what failed, how often, and what put an end to it.

use std::path::PathBuf;

use bowline_daemon::rpc::errors::{self, FailureDetails, Filter};
use bowline_store::{Failure, FollowUpStatus};
use chrono::{DateTime, Utc};
use clap::Subcommand;
use serde::Serialize;

use super::meant;
use super::trace::limit;
use crate::Outcome;
use crate::ask::Records;
use crate::error::{Error, Result};
use crate::moment::{self, parse_time};
use crate::standing;
use crate::ui::{Column, Format, FormatArgs, List, Text, Ui, clipped, counted, reveal, style};

/// See what failed, how often, and what put an end to it
///
/// With `memory = true` in `[errors]`, failures of tools are remembered across sessions. One that came often enough has a follow-up
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  bowline errors
  bowline errors --project . --since 1w
  bowline errors --jsonl > errors.jsonl
  bowline errors show 3
  bowline errors done 3"
)]
pub(crate) struct ErrorsArgs {
    #[command(subcommand)]
    action: Option<Action>,

    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show a failure: when it came, and what put an end to it
    Show(ShowArgs),
    /// Note that you have dealt with a failure
    Done(DoneArgs),
    /// Remove a failure and all times that it came
    Forget(ForgetArgs),
}

#[derive(Debug, clap::Args)]
struct ListArgs {
    /// Only failures of this project, by its folder or its name; `.` is the current one
    #[arg(long, value_name = "PROJECT")]
    project: Option<PathBuf>,

    /// Only failures since then: 10m, 2h, 1w, yesterday, 2026-11-15
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<DateTime<Utc>>,

    /// Show at most N entries (maximum 10000)
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<u16>,

    /// Print each time that something failed as a line of JSON, oldest first
    #[arg(long, conflicts_with = "json")]
    jsonl: bool,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline errors show 3
  bowline errors show 3 --json")]
struct ShowArgs {
    /// Its number, as `bowline errors` shows it
    id: i64,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline errors done 3")]
struct DoneArgs {
    /// Its number, as `bowline errors` shows it
    id: i64,

    #[command(flatten)]
    format: FormatArgs,
}

/// Remove a failure and all times that it came
///
/// An agent cannot do this
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline errors forget 3")]
struct ForgetArgs {
    /// Its number, as `bowline errors` shows it
    id: i64,

    #[command(flatten)]
    format: FormatArgs,
}

impl ErrorsArgs {
    pub(crate) fn format(&self) -> Format {
        let format = match &self.action {
            None => self.list.format,
            Some(Action::Show(args)) => args.format,
            Some(Action::Done(args)) => args.format,
            Some(Action::Forget(args)) => args.format,
        };
        format.format()
    }
}

#[derive(Debug, Serialize)]
struct Report {
    failures: Vec<Failure>,
}

pub(crate) fn run(args: &ErrorsArgs, ui: &mut Ui) -> Result<Outcome> {
    let format = args.format();
    match &args.action {
        None => list(&args.list, format, ui),
        Some(Action::Show(args)) => show(args.id, format, ui),
        Some(Action::Done(args)) => done(args.id, format, ui),
        Some(Action::Forget(args)) => forget(args.id, format, ui),
    }
}

fn list(args: &ListArgs, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let mut records = Records::open(ui)?;
    let filter = Filter {
        project: (args.project.as_deref())
            .map(|folder| meant::main_project(folder, &mut records, ui))
            .transpose()?,
        since: args.since,
        limit: args.limit.map(usize::from),
    };
    let project = filter.project.clone();
    if args.jsonl {
        let times = records.ask(&errors::Times { filter }, ui)?;
        if times.is_empty() {
            meant::note_unknown_project(project.as_deref(), &mut records, ui)?;
        }
        for time in times {
            ui.json_line(&time)?;
        }
        return Ok(Outcome::Clean);
    }
    let failures = records.ask(&errors::List { filter }, ui)?;
    if failures.is_empty() {
        meant::note_unknown_project(project.as_deref(), &mut records, ui)?;
    }
    match format {
        Format::Json => ui.json(&Report { failures })?,
        Format::Text if failures.is_empty() => ui.line(
            "No failure is remembered. `memory = true` in `[errors]` of the settings remembers them.",
        ),
        Format::Text => ui.list(&rows(&failures)),
    }
    Ok(Outcome::Clean)
}

const COLUMNS: &[Column] = &[
    Column::whole("Id", 3),
    Column::whole("Times", 5),
    Column::optional("Sessions", 8, 1),
    Column::optional("Last seen", 11, 3),
    Column::whole("Follow-up", 9),
    Column::optional("Tool", 6, 4).at_most(20).at_least(4),
    Column::rest("Message"),
    Column::optional("Fixed by", 30, 2).at_most(50).at_least(10),
];

fn rows(failures: &[Failure]) -> List {
    let now = moment::now();
    let mut list = List::new(COLUMNS);
    for failure in failures {
        list.row([
            Text::styled(failure.id.to_string(), style::NAME),
            failure.count.to_string().into(),
            failure.sessions.to_string().into(),
            Text::styled(moment::when(failure.last_seen, now), style::FAINT),
            follow_up(failure),
            reveal::name(&failure.tool).into(),
            reveal::name(&clipped(message(failure))).into(),
            reveal::name(&clipped(failure.fixed_by.as_deref().unwrap_or("-"))).into(),
        ]);
    }
    list
}

fn follow_up(failure: &Failure) -> Text {
    match failure.follow_up.map(|it| it.status) {
        None => "-".into(),
        Some(FollowUpStatus::Open) => Text::styled("open", style::CAUTION),
        Some(FollowUpStatus::Done) => Text::styled("done", style::GOOD),
    }
}

fn message(failure: &Failure) -> &str {
    failure.message.as_deref().unwrap_or("(not kept)")
}

fn show(id: i64, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let found = Records::open(ui)?.ask(&errors::Get { id }, ui)?;
    let details = found.ok_or_else(|| unknown(id))?;
    match format {
        Format::Json => ui.json(&details)?,
        Format::Text => describe(&details, ui),
    }
    Ok(Outcome::Clean)
}

fn describe(details: &FailureDetails, ui: &mut Ui) {
    let failure = &details.failure;
    let now = moment::now();
    let label = |name: &str| Text::styled(format!("{name:<11}"), style::HEADING);
    let mut entry = |name: &str, text: Text| ui.labelled(label(name), &text);
    entry("Failure", failure.id.to_string().into());
    entry("Tool", reveal::name(&failure.tool).into());
    entry("Project", reveal::name(&failure.project).into());
    let times = format!(
        "{} in {}",
        counted(failure.count, "time"),
        counted(failure.sessions, "session")
    );
    entry("Seen", times.into());
    entry("First seen", moment::full(failure.first_seen).into());
    entry("Last seen", moment::full(failure.last_seen).into());
    let item = failure.follow_up.and_then(|it| it.work_item);
    let item = item.map(|id| format!(", work item {id}"));
    let follow_up = follow_up(failure).plain(item.unwrap_or_default());
    entry("Follow-up", follow_up);
    let fix = failure.fixed_by.as_deref().unwrap_or("-");
    entry("Fixed by", reveal::name(fix).into());
    entry("Message", reveal::name(message(failure)).into());
    ui.blank();
    for time in &details.times {
        let when = moment::when(time.time, now);
        let text = format!("  session {}", reveal::name(&time.session));
        ui.line(Text::styled(when, style::FAINT).plain(text));
    }
}

fn done(id: i64, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let mut records = Records::open(ui)?.or_error()?;
    let before = records.ask(&errors::Done { id }, ui)?;
    told(before.ok_or_else(|| unknown(id))?, "Done", format, ui)
}

fn forget(id: i64, format: Format, ui: &mut Ui) -> Result<Outcome> {
    standing::no_agent()?;
    let mut records = Records::open(ui)?.or_error()?;
    let before = records.ask(&errors::Forget { id }, ui)?;
    told(before.ok_or_else(|| unknown(id))?, "Forgot", format, ui)
}

fn told(failure: Failure, word: &str, format: Format, ui: &mut Ui) -> Result<Outcome> {
    match format {
        Format::Json => ui.json(&Report {
            failures: vec![failure],
        })?,
        Format::Text => {
            let text = format!(
                " {}: {}",
                failure.id,
                reveal::name(&clipped(message(&failure)))
            );
            ui.line(Text::styled(word, style::GOOD).plain(text));
        }
    }
    Ok(Outcome::Clean)
}

fn unknown(id: i64) -> Error {
    Error::input(format!("there is no failure {id}"))
        .hint("`bowline errors` lists those that there are")
}
