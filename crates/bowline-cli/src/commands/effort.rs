//! `bowline effort`: work that outlives context windows, as an agent drives it and a person looks at it.

mod show;
mod view;

use std::fs;
use std::path::{Path, PathBuf};

use bowline_continuity::action::PhaseRequest;
use bowline_continuity::dehydration::MAX_BYTES;
use bowline_continuity::effort_command::EffortCommand;
use bowline_daemon::rpc::efforts::{Efforts, Perform};
use clap::Subcommand;
use serde::Serialize;

use super::caller::{asker, not_utf8, text};
use super::trace::limit;
pub(super) use view::rows;

use crate::Outcome;
use crate::ask::Records;
use crate::error::{Error, ErrorKind, Result};
use crate::project::{self, Paths};
use crate::ui::{Format, FormatArgs, Ui};

/// Begin, log, move on and finish work that outlives a context window
///
/// An effort is one go at a task with one skill, in phases. The next session of the agent continues it. Commands mean the effort of the
/// agent that runs them (AGENT_ID, else its session), else the newest active one of the project
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline effort start fix-login implement
  bowline effort log 'The cookie expires at once. Next: set its age'
  bowline effort phase '2: Build' --proof 'The plan is in 1_PLAN.md'
  bowline effort show
  bowline effort finish

Exit codes:
  0  done
  1  a rule forbids it; its word is in the message, such as PHASE_NOT_SEQUENTIAL
  2  could not run: wrong arguments, bad input")]
pub(crate) struct EffortArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Begin an effort, or continue the active one of this task and skill
    Start(StartArgs),
    /// Continue an effort in this session
    Resume(ResumeArgs),
    /// List efforts, the newest first
    List(ListArgs),
    /// Show an effort: phases, sessions, notes and files
    Show(ShowArgs),
    /// Enter a phase
    Phase(PhaseArgs),
    /// Write into the effort's log
    Log(TextArgs),
    /// Pin a line that every later session of the effort is told
    Note(TextArgs),
    /// Leave a summary, or JSON, for the next session
    Dehydrate(DehydrateArgs),
    /// Finish the effort, for good
    Finish(FinishArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline effort start fix-login implement
  bowline effort start 'Fix the login' review --mode quick

A skill with a SKILL.md in .claude/skills or .agents/skills, of the project or of your home, gives the effort its phases; without one
any phase may follow any other")]
struct StartArgs {
    /// The task's name; it is made if there is none
    task: String,

    /// The skill that the work follows, such as implement
    skill: String,

    /// The skill's mode
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline effort resume
  bowline effort resume fix-login")]
struct ResumeArgs {
    /// The task's name [default: that of the project's newest active effort]
    task: Option<String>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline effort list
  bowline effort list --all --json")]
struct ListArgs {
    /// The efforts of all projects, not only of this one
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
  bowline effort show
  bowline effort show 7 --json")]
struct ShowArgs {
    /// Its number, as `bowline effort list` shows it [default: the active one]
    id: Option<i64>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline effort phase '2: Build' --proof 'The plan is in 1_PLAN.md'
  bowline effort phase 2.1
  bowline effort phase '4: Check' --reason 'Nothing is to be built'")]
struct PhaseArgs {
    /// The phase by its label, its name or both
    phase: String,

    /// What shows that the last phase is done
    #[arg(long, value_name = "TEXT")]
    proof: Option<String>,

    /// Why the order is left
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline effort log 'The cookie expires at once. Next: set its age'
  bowline effort note 'No new dependency'
  cargo test 2>&1 | tail -5 | bowline effort log -")]
struct TextArgs {
    /// What it says; `-`, or nothing where something is piped in, reads standard input
    text: Vec<String>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline effort dehydrate 'The parser is done. Next: the tests'
  bowline effort dehydrate --file summary.json
  bowline effort dehydrate <<'EOF'
  {\"summary\": \"what was done and found\", \"nextSteps\": [\"the tests\"], \"requiredFiles\": [\"src/parser.rs\"]}
  EOF

JSON may have summary (required), lastAction, nextSteps, handoverInstructions, userHistory and requiredFiles (at most 8)")]
struct DehydrateArgs {
    /// The summary, or JSON; `-`, or nothing where something is piped in, reads standard input
    text: Vec<String>,

    /// Read it from this file
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    file: Option<PathBuf>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline effort finish")]
struct FinishArgs {
    #[command(flatten)]
    format: FormatArgs,
}

impl EffortArgs {
    pub(crate) fn format(&self) -> Format {
        let format = match &self.action {
            Action::Start(args) => args.format,
            Action::Resume(args) => args.format,
            Action::List(args) => args.format,
            Action::Show(args) => args.format,
            Action::Phase(args) => args.format,
            Action::Log(args) | Action::Note(args) => args.format,
            Action::Dehydrate(args) => args.format,
            Action::Finish(args) => args.format,
        };
        format.format()
    }
}

pub(crate) fn run(args: EffortArgs, ui: &mut Ui) -> Result<Outcome> {
    let format = args.format();
    let command = match args.action {
        Action::List(args) => return list(&args, format, ui),
        Action::Show(args) => return show::run(args.id, format, ui),
        Action::Start(args) => EffortCommand::Start {
            task: args.task,
            skill: args.skill,
            mode: args.mode,
        },
        Action::Resume(args) => EffortCommand::Resume { task: args.task },
        Action::Phase(args) => EffortCommand::Phase(PhaseRequest {
            to: args.phase,
            proof: args.proof,
            reason: args.reason,
        }),
        Action::Log(args) => EffortCommand::Log {
            text: text(&args.text, "the log entry")?,
        },
        Action::Note(args) => EffortCommand::Note {
            text: text(&args.text, "the note")?,
        },
        Action::Dehydrate(args) => EffortCommand::Dehydrate {
            payload: summary(&args)?,
        },
        Action::Finish(_) => EffortCommand::Finish,
    };
    perform(command, format, ui)
}

fn perform(command: EffortCommand, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let asker = asker()?;
    let paths = Paths::of(Path::new(&asker.project));
    let question = Perform { command, asker };
    let done = Records::open(ui)?.or_new()?.ask(&question, ui)?;
    let done = done.ok_or_else(|| Error::new(ErrorKind::Records, "nothing was done"))?;
    match format {
        Format::Json => ui.json(&done)?,
        Format::Text => view::done(&done, &paths, ui),
    }
    Ok(Outcome::Clean)
}

/// What the next session is to know.
fn summary(args: &DehydrateArgs) -> Result<String> {
    let Some(file) = &args.file else {
        return text(&args.text, "the summary");
    };
    let size = fs::metadata(file).map_err(|source| Error::file("read", file, source))?;
    if size.len() > u64::try_from(MAX_BYTES).unwrap_or(u64::MAX) {
        let message = format!("{} is {} bytes long", project::shown(file), size.len());
        return Err(Error::input(message).hint(format!("shorten it to {MAX_BYTES} bytes")));
    }
    let bytes = fs::read(file).map_err(|source| Error::file("read", file, source))?;
    String::from_utf8(bytes).map_err(|source| not_utf8(&project::shown(file)).caused_by(source))
}

#[derive(Debug, Serialize)]
struct Report<T> {
    efforts: T,
}

fn list(args: &ListArgs, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let project = asker()?.project;
    let question = Efforts {
        project: (!args.all).then_some(project),
        limit: Some(usize::from(args.limit)),
    };
    let efforts = Records::open(ui)?.ask(&question, ui)?;
    match format {
        Format::Json => ui.json(&Report { efforts })?,
        Format::Text if efforts.is_empty() => ui.line(match question.project {
            Some(_) => {
                "No effort was begun in this project. `bowline effort start TASK SKILL` begins one."
            }
            None => "No effort was begun yet. `bowline effort start TASK SKILL` begins one.",
        }),
        Format::Text => ui.list(&rows(&efforts)),
    }
    Ok(Outcome::Clean)
}
