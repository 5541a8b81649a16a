//! `bowline task`: the tasks of a project, which efforts work on.

use std::path::Path;

use bowline_continuity::action::TaskSummary;
use bowline_continuity::task::{TaskState, name_of, task_folder};
use bowline_continuity::{Code, RuleError};
use bowline_daemon::rpc::efforts::{NewTask, TaskOf, Tasks};
use clap::Subcommand;
use serde::Serialize;

use super::caller::{asker, check_session};
use super::effort;
use super::trace::limit;
use crate::Outcome;
use crate::ask::Records;
use crate::error::{Error, ErrorKind, Result};
use crate::moment;
use crate::project::{Paths, ProjectNames};
use crate::ui::{Column, Format, FormatArgs, List, Text, Ui, clipped, reveal, style};

/// See the tasks of a project, and make one
///
/// A task is a folder of work below .tasks. It never finishes: it is active while an effort works on it, else dormant
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline task list
  bowline task show fix-login
  bowline task new fix-login --title 'Fix the login' --description 'See #12'")]
pub(crate) struct TaskArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List tasks, the newest first
    List(ListArgs),
    /// Show a task with its efforts
    Show(ShowArgs),
    /// Make a task with its folder; one that exists stays as it is
    New(NewArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline task list
  bowline task list --all --json")]
struct ListArgs {
    /// The tasks of all projects, not only of this one
    #[arg(long)]
    all: bool,

    /// Show at most N entries (maximum 10000)
    #[arg(long, value_name = "N", value_parser = limit, default_value = "100")]
    limit: u16,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline task show fix-login
  bowline task show .tasks/fix-login --json")]
struct ShowArgs {
    /// Its name, or its folder
    task: String,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline task new fix-login
  bowline task new fix-login --title 'Fix the login' --description 'See #12'")]
struct NewArgs {
    /// Its name, which also names its folder
    name: String,

    /// What people call it [default: its name]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// What it is about
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,

    #[command(flatten)]
    format: FormatArgs,
}

impl TaskArgs {
    pub(crate) fn format(&self) -> Format {
        let format = match &self.action {
            Action::List(args) => args.format,
            Action::Show(args) => args.format,
            Action::New(args) => args.format,
        };
        format.format()
    }
}

pub(crate) fn run(args: TaskArgs, ui: &mut Ui) -> Result<Outcome> {
    let format = args.format();
    match args.action {
        Action::List(args) => list(&args, format, ui),
        Action::Show(args) => show(&args.task, format, ui),
        Action::New(args) => new(args, format, ui),
    }
}

#[derive(Debug, Serialize)]
struct Report {
    tasks: Vec<TaskSummary>,
}

fn list(args: &ListArgs, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let project = asker()?.project;
    let question = Tasks {
        project: (!args.all).then_some(project),
        limit: Some(usize::from(args.limit)),
    };
    let tasks = Records::open(ui)?.ask(&question, ui)?;
    match format {
        Format::Json => ui.json(&Report { tasks })?,
        Format::Text if tasks.is_empty() => ui.line(match question.project {
            Some(_) => "This project has no tasks. `bowline task new NAME` makes one.",
            None => "There are no tasks yet. `bowline task new NAME` makes one.",
        }),
        Format::Text => ui.list(&rows(&tasks)),
    }
    Ok(Outcome::Clean)
}

const COLUMNS: &[Column] = &[
    Column::whole("Task", 16)
        .at_most(32)
        .at_least(16)
        .telling_apart(),
    Column::whole("State", 7),
    Column::optional("Project", 14, 0)
        .at_most(20)
        .at_least(8)
        .telling_apart()
        .if_differing(3),
    Column::optional("Efforts", 7, 4),
    Column::optional("Last phase", 16, 5)
        .at_most(30)
        .at_least(10),
    Column::optional("Made", 16, 1),
    Column::rest("Title"),
];

fn rows(tasks: &[TaskSummary]) -> List {
    let now = moment::now();
    let mut projects = ProjectNames::default();
    projects.learn(tasks.iter().map(|it| it.task.project.as_str()));
    let mut list = List::new(COLUMNS);
    for summary in tasks {
        let task = &summary.task;
        let last = summary.efforts.last().and_then(|it| it.phase.as_deref());
        list.row([
            Text::styled(reveal::name(name_of(&task.folder)), style::NAME),
            state(summary.state),
            projects.of(Some(&task.project)).into(),
            summary.efforts.len().to_string().into(),
            last.map_or_else(nothing, |phase| reveal::name(phase).into()),
            Text::styled(moment::when(task.created_at, now), style::FAINT),
            (task.title.as_deref()).map_or_else(nothing, |title| title.trim().into()),
        ]);
    }
    list
}

fn nothing() -> Text {
    Text::styled("-", style::FAINT)
}

fn state(state: TaskState) -> Text {
    match state {
        TaskState::Active => Text::styled("active", style::GOOD),
        TaskState::Dormant => Text::styled("dormant", style::FAINT),
    }
}

fn show(name: &str, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let project = asker()?.project;
    let folder = task_folder(&project, name).map_err(Error::refused)?;
    let question = TaskOf { folder };
    let found = Records::open(ui)?.ask(&question, ui)?;
    let found = found.ok_or_else(|| {
        let message = format!(
            "There is no task `{}` in this project.",
            name_of(&question.folder)
        );
        Error::refused(RuleError::new(Code::TaskNotFound, message))
            .hint("`bowline task list` shows the tasks; `bowline task new NAME` makes one")
    })?;
    match format {
        Format::Json => ui.json(&found)?,
        Format::Text => describe(&found, ui),
    }
    Ok(Outcome::Clean)
}

fn describe(summary: &TaskSummary, ui: &mut Ui) {
    let task = &summary.task;
    let paths = Paths::of(Path::new(&task.project));
    let name = Text::styled(reveal::name(name_of(&task.folder)), style::HEADING);
    ui.line(name.plain("  ").text(state(summary.state)));
    let is_own = |title: &&str| *title != name_of(&task.folder);
    if let Some(title) = task.title.as_deref().filter(is_own) {
        ui.line(title.trim());
    }
    if let Some(description) = &task.description {
        ui.line(clipped(description));
    }
    ui.line(Text::styled(
        paths.show(Path::new(&task.folder)),
        style::FAINT,
    ));
    ui.blank();
    if summary.efforts.is_empty() {
        let start = format!("bowline effort start {} SKILL", name_of(&task.folder));
        ui.line(format!(
            "Nobody has worked on it yet. `{start}` begins an effort."
        ));
    } else {
        ui.list(&effort::rows(&summary.efforts, None));
    }
}

fn new(args: NewArgs, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let question = NewTask {
        project: asker()?.project,
        name: args.name,
        title: args.title,
        description: args.description,
    };
    let mut records = Records::open(ui)?.or_new()?;
    check_session(&mut records, ui)?;
    let made = records.ask(&question, ui)?;
    let made = made.ok_or_else(|| Error::new(ErrorKind::Records, "no task was made"))?;
    match format {
        Format::Json => ui.json(&made)?,
        Format::Text => describe(&made, ui),
    }
    Ok(Outcome::Clean)
}
