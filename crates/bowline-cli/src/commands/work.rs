//! `bowline work`: what is to be done in a project, and what is being done.

use bowline_continuity::{Code, RuleError};
use bowline_daemon::rpc::work::{Add, Change, Get, List};
use bowline_guidance::work::{NewItem, Priority, WorkItem, WorkKind, WorkStatus};
use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use serde::Serialize;

use super::caller::{asker, check_session, text};
use crate::Outcome;
use crate::ask::Records;
use crate::error::{Error, ErrorKind, Result};
use crate::moment;
use crate::ui::{Format, FormatArgs, Table, Text, Ui, clipped, reveal, style};

/// Keep a small list of what is to be done in a project
///
/// With `items = "require"` in [work] of the settings, files may only be changed while an item is in progress. People with another tracker
/// name its file or command there instead
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline work add 'Fix the login' --kind bug --start
  bowline work list
  bowline work start 3
  bowline work done 3")]
pub(crate) struct WorkArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Add an item
    Add(AddArgs),
    /// Say that work on an item begins, also again
    Start(IdArgs),
    /// Say that an item is done
    Done(IdArgs),
    /// Say that something stands in the way of an item
    Block(IdArgs),
    /// Say that an item will not be done
    Cancel(IdArgs),
    /// List the items that are still to be done, those in progress first
    List(ListArgs),
    /// Show an item
    Show(IdArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline work add 'Fix the login'
  bowline work add 'Find out why the cookie expires' --kind spike --start")]
struct AddArgs {
    /// What is to be done; `-`, or nothing where something is piped in, reads standard input
    title: Vec<String>,

    /// What kind of work it is
    #[arg(long, default_value = "feature", value_parser = words(WorkKind::ALL, WorkKind::as_str))]
    kind: String,

    /// How much it matters
    #[arg(long, default_value = "medium", value_parser = words(Priority::ALL, Priority::as_str))]
    priority: String,

    /// Begin with it at once
    #[arg(long)]
    start: bool,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline work start 3
  bowline work done 3 --json")]
struct IdArgs {
    /// Its number, as `bowline work list` shows it
    id: i64,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline work list
  bowline work list --all --json")]
struct ListArgs {
    /// Those that are done or cancelled, too
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    format: FormatArgs,
}

fn words<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> PossibleValuesParser {
    PossibleValuesParser::new(all.iter().map(|it| word(*it)))
}

impl WorkArgs {
    pub(crate) fn format(&self) -> Format {
        let format = match &self.action {
            Action::Add(args) => args.format,
            Action::List(args) => args.format,
            Action::Start(args)
            | Action::Done(args)
            | Action::Block(args)
            | Action::Cancel(args)
            | Action::Show(args) => args.format,
        };
        format.format()
    }
}

pub(crate) fn run(args: &WorkArgs, ui: &mut Ui) -> Result<Outcome> {
    let format = args.format();
    let change = |id, status, word, ui: &mut Ui| change(id, status, word, format, ui);
    match &args.action {
        Action::Add(args) => add(args, format, ui),
        Action::Start(args) => change(args.id, WorkStatus::InProgress, "Started", ui),
        Action::Done(args) => change(args.id, WorkStatus::Done, "Done:", ui),
        Action::Block(args) => change(args.id, WorkStatus::Blocked, "Blocked", ui),
        Action::Cancel(args) => change(args.id, WorkStatus::Cancelled, "Cancelled", ui),
        Action::List(args) => list(args, format, ui),
        Action::Show(args) => show(args.id, format, ui),
    }
}

fn add(args: &AddArgs, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let asker = asker()?;
    let unknown = |word: &str| Error::usage(format!("`{word}` is not known here"));
    let question = Add {
        project: asker.project,
        session: asker.session,
        item: NewItem {
            title: text(&args.title, "the title")?,
            kind: WorkKind::of_word(&args.kind).ok_or_else(|| unknown(&args.kind))?,
            priority: Priority::of_word(&args.priority).ok_or_else(|| unknown(&args.priority))?,
            status: if args.start {
                WorkStatus::InProgress
            } else {
                WorkStatus::Todo
            },
        },
    };
    let mut records = Records::open(ui)?.or_new()?;
    check_session(&mut records, ui)?;
    let item = records.ask(&question, ui)?.ok_or_else(nothing_done)?;
    let word = if args.start { "Started" } else { "Added" };
    told(&item, word, format, ui)
}

fn change(id: i64, status: WorkStatus, word: &str, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let asker = asker()?;
    let question = Change {
        project: asker.project,
        session: asker.session,
        id,
        status,
    };
    let mut records = Records::open(ui)?.or_error()?;
    check_session(&mut records, ui)?;
    let item = records.ask(&question, ui)?.ok_or_else(nothing_done)?;
    told(&item, word, format, ui)
}

#[derive(Debug, Serialize)]
struct Report {
    items: Vec<WorkItem>,
}

fn list(args: &ListArgs, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let question = List {
        project: asker()?.project,
        all: args.all,
        limit: None,
    };
    let items = Records::open(ui)?.ask(&question, ui)?;
    match format {
        Format::Json => ui.json(&Report { items })?,
        Format::Text if items.is_empty() => {
            ui.line("Nothing is to be done here. `bowline work add \"…\"` adds an item.");
        }
        Format::Text => ui.table(&table(&items)),
    }
    Ok(Outcome::Clean)
}

fn table(items: &[WorkItem]) -> Table {
    let now = moment::now();
    let mut table = Table::new(["Id", "Status", "Kind", "Priority", "Since", "Title"]);
    for item in items {
        let since = item.ended_at.or(item.started_at).unwrap_or(item.created_at);
        table.row([
            Text::styled(item.id.to_string(), style::NAME),
            status(item.status),
            item.kind.as_str().into(),
            item.priority.as_str().into(),
            Text::styled(moment::when(since, now), style::FAINT),
            clipped(&item.title).into(),
        ]);
    }
    table
}

fn status(status: WorkStatus) -> Text {
    let (word, style) = match status {
        WorkStatus::Todo => ("to do", style::FAINT),
        WorkStatus::InProgress => ("in progress", style::GOOD),
        WorkStatus::Blocked => ("blocked", style::CAUTION),
        WorkStatus::Done => ("done", style::FAINT),
        WorkStatus::Cancelled => ("cancelled", style::FAINT),
    };
    Text::styled(word, style)
}

fn show(id: i64, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let question = Get {
        project: asker()?.project,
        id,
    };
    let item = Records::open(ui)?.ask(&question, ui)?.ok_or_else(|| {
        let message = format!("There is no work item {id} in this project.");
        Error::refused(RuleError::new(Code::NotFound, message))
            .hint("`bowline work list --all` shows those that there are")
    })?;
    match format {
        Format::Json => ui.json(&item)?,
        Format::Text => describe(&item, ui),
    }
    Ok(Outcome::Clean)
}

fn describe(item: &WorkItem, ui: &mut Ui) {
    let now = moment::now();
    let heading = Text::styled(format!("{}  {}", item.id, item.title), style::HEADING);
    ui.line(heading.plain("  ").text(status(item.status)));
    let mut line = |label: &str, text: String| {
        let label = Text::styled(format!("{label:<10}"), style::FAINT);
        ui.labelled(label, &text.into());
    };
    line("Kind", item.kind.as_str().to_owned());
    line("Priority", item.priority.as_str().to_owned());
    line("Added", moment::when(item.created_at, now));
    if let Some(at) = item.started_at {
        line("Started", moment::when(at, now));
    }
    if let Some(at) = item.ended_at {
        line("Ended", moment::when(at, now));
    }
    if let Some(session) = &item.session {
        line("Session", reveal::name(session));
    }
}

fn told(item: &WorkItem, word: &str, format: Format, ui: &mut Ui) -> Result<Outcome> {
    match format {
        Format::Json => ui.json(item)?,
        Format::Text => ui.line(Text::styled(word, style::GOOD).plain(format!(
            " work item {}: {}",
            item.id,
            clipped(&item.title)
        ))),
    }
    Ok(Outcome::Clean)
}

fn nothing_done() -> Error {
    Error::new(ErrorKind::Records, "nothing was done")
}
