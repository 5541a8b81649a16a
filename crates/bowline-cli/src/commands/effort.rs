//! `bowline effort`: work that outlives context windows, as an agent drives it and a person looks at it.

mod show;
mod view;

use std::fs;
use std::path::{Path, PathBuf};

use bowline_continuity::action::PhaseRequest;
use bowline_continuity::dehydration::MAX_BYTES;
use bowline_continuity::effort::{Effort, EffortId, PhaseChange};
use bowline_continuity::effort_command::EffortCommand;
use bowline_daemon::rpc::efforts::{Asker, EffortOf, Efforts, Perform};
use clap::Subcommand;
use serde::Serialize;

use super::caller::{asker, check_session, not_utf8, text};
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
/// agent that runs them (AGENT_ID, else its session), else the one that was started or resumed last in the project
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
    Log(LogArgs),
    /// Pin a line that every later session of the effort is told
    Note(NoteArgs),
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

A skill with a SKILL.md in .claude/skills or .agents/skills, of the project
or of your home, gives the effort its phases; without one any phase may
follow any other")]
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
    /// The task's name [default: that of the effort that commands mean]
    task: Option<String>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline effort list
  bowline effort list --all --json

The effort that commands without a number mean is listed as current")]
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
    /// Its number, as `bowline effort list` shows it [default: the current one]
    id: Option<i64>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline effort phase '2: Build' --proof 'The plan is in 1_PLAN.md'
  bowline effort phase 2.1
  bowline effort phase '4: Check' --reason 'Nothing is to be built'
  bowline effort phase 2 --effort 7")]
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
    which: Which,

    #[command(flatten)]
    format: FormatArgs,
}

/// Which effort is meant.
#[derive(Debug, Clone, Copy, clap::Args)]
struct Which {
    /// The effort's number, as `bowline effort list` shows it [default: the current one]
    #[arg(long, value_name = "N")]
    effort: Option<i64>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline effort log 'The cookie expires at once. Next: set its age'
  cargo test 2>&1 | tail -5 | bowline effort log -
  bowline effort log --effort 7 'The review is done'")]
struct LogArgs {
    /// What was done and found; `-`, or nothing where something is piped in, reads standard input
    text: Vec<String>,

    #[command(flatten)]
    which: Which,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline effort note 'No new dependency'
  bowline effort note < decision.md

Where no effort is active, the line is pinned to the project")]
struct NoteArgs {
    /// What it says; `-`, or nothing where something is piped in, reads standard input
    text: Vec<String>,

    #[command(flatten)]
    which: Which,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline effort dehydrate 'The parser is done. Next: the tests'
  bowline effort dehydrate --file summary.json
  bowline effort dehydrate <<'EOF'
  {\"summary\": \"what was done and found\", \"nextSteps\": [\"the tests\"]}
  EOF

JSON may have summary (required), lastAction, nextSteps,
handoverInstructions, userHistory and requiredFiles (at most 8)")]
struct DehydrateArgs {
    /// The summary, or JSON; `-`, or nothing where something is piped in, reads standard input
    text: Vec<String>,

    /// Read it from this file
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    file: Option<PathBuf>,

    #[command(flatten)]
    which: Which,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline effort finish
  bowline effort finish --effort 7")]
struct FinishArgs {
    #[command(flatten)]
    which: Which,

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
            Action::Log(args) => args.format,
            Action::Note(args) => args.format,
            Action::Dehydrate(args) => args.format,
            Action::Finish(args) => args.format,
        };
        format.format()
    }
}

pub(crate) fn run(args: EffortArgs, ui: &mut Ui) -> Result<Outcome> {
    let format = args.format();
    let (command, effort) = match args.action {
        Action::List(args) => return list(&args, format, ui),
        Action::Show(args) => return show::run(args.id, format, ui),
        Action::Start(args) => {
            let (task, skill, mode) = (args.task, args.skill, args.mode);
            (EffortCommand::Start { task, skill, mode }, None)
        }
        Action::Resume(args) => (EffortCommand::Resume { task: args.task }, None),
        Action::Phase(args) => {
            let request = PhaseRequest {
                to: args.phase,
                proof: args.proof,
                reason: args.reason,
            };
            (EffortCommand::Phase(request), args.which.effort)
        }
        Action::Log(args) => {
            let text = text(&args.text, "the log entry")?;
            (EffortCommand::Log { text }, args.which.effort)
        }
        Action::Note(args) => {
            let text = text(&args.text, "the note")?;
            (EffortCommand::Note { text }, args.which.effort)
        }
        Action::Dehydrate(args) => {
            let payload = summary(&args)?;
            (EffortCommand::Dehydrate { payload }, args.which.effort)
        }
        Action::Finish(args) => (EffortCommand::Finish, args.which.effort),
    };
    let asker = asker()?;
    let paths = Paths::of(Path::new(&asker.project));
    let mut records = Records::open(ui)?.or_new()?;
    check_session(&mut records, ui)?;
    let question = Perform {
        command,
        effort,
        asker,
    };
    let done = records.ask(&question, ui)?;
    let done = done.ok_or_else(|| Error::new(ErrorKind::Records, "nothing was done"))?;
    match format {
        Format::Json => ui.json(&done)?,
        Format::Text => {
            let history = match view::whose_phases(&done) {
                Some(effort) => history(effort, question.asker, &mut records, ui)?,
                None => Vec::new(),
            };
            view::done(&done, &history, &paths, ui);
        }
    }
    Ok(Outcome::Clean)
}

/// The phases that an effort entered.
fn history(
    effort: EffortId,
    asker: Asker,
    records: &mut Records,
    ui: &Ui,
) -> Result<Vec<PhaseChange>> {
    let question = EffortOf {
        effort: Some(effort.0),
        asker,
    };
    let details = records.ask(&question, ui)?;
    Ok(details.map(|it| it.history).unwrap_or_default())
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
struct Report {
    efforts: Vec<Effort>,
    /// The one that a command without a number means.
    current: Option<EffortId>,
}

fn list(args: &ListArgs, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let asker = asker()?;
    let question = Efforts {
        project: (!args.all).then(|| asker.project.clone()),
        limit: Some(usize::from(args.limit)),
    };
    let mut records = Records::open(ui)?;
    let efforts = records.ask(&question, ui)?;
    let meant = EffortOf {
        effort: None,
        asker,
    };
    let current = records.ask(&meant, ui)?.map(|details| details.effort.id);
    match format {
        Format::Json => ui.json(&Report { efforts, current })?,
        Format::Text if efforts.is_empty() => ui.line(match question.project {
            Some(_) => {
                "No effort was begun in this project. `bowline effort start TASK SKILL` begins one."
            }
            None => "No effort was begun yet. `bowline effort start TASK SKILL` begins one.",
        }),
        Format::Text => ui.list(&rows(&efforts, current)),
    }
    Ok(Outcome::Clean)
}
