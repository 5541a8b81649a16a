//! `bowline fleet`: what all agents are doing, and which of them need a person.

mod seen;
mod shown;
mod tmux;
mod watch;

use std::path::PathBuf;

use bowline_builtins::guidance::Testing;
use bowline_daemon::Places;
use bowline_daemon::rpc::fleet;
use bowline_store::GONE;
use chrono::TimeDelta;
use clap::Subcommand;
use serde::Serialize;

use super::meant;
use crate::Outcome;
use crate::ask::Records;
use crate::error::Result;
use crate::moment;
use crate::ui::{Format, FormatArgs, Ui};
use shown::{Shown, in_order};
pub(super) use shown::{context, percent, place};

/// One that died is listed for so long.
const DEAD_FOR: TimeDelta = TimeDelta::hours(1);
/// With `--all`, those that ended are listed for so long.
const ENDED_FOR: TimeDelta = TimeDelta::days(1);

/// See what all agents are doing, and which of them need you
///
/// Lists the agents whose sessions are open, and those that died within the last hour, the most urgent first. What an agent does
/// follows from what it reports and from whether its process runs
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  bowline fleet
  bowline fleet --watch
  bowline fleet --project . --all
  bowline fleet seen
  bowline fleet --tmux --watch
  bowline fleet --json

Status:
  failed   a tool or the turn failed
  dead     the process is gone, and said nothing
  waiting  it waits for you: a permission, an answer
  working  it works on a prompt
  seen     it waited for you, and you have looked
  done     its turn is over

With --watch the list is drawn anew every second. Where the output is not a
terminal, it is printed again at each change; with --json that is one document
to a line

--tmux colours the panes in which agents run, and puts a summary into the
option @bowline_fleet of tmux. Show it with
`set -g status-right '#{@bowline_fleet}'`. A pane that you look at counts as
seen. Where there is no tmux, nothing happens"
)]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    action: Option<Action>,

    /// Only agents of this project, by its folder or its name; `.` is the current one
    #[arg(long, value_name = "PROJECT")]
    project: Option<PathBuf>,

    /// Also agents that ended within the last day
    #[arg(long)]
    all: bool,

    /// Go on, and show each change
    #[arg(long)]
    watch: bool,

    /// Colour the panes of tmux in which agents run
    #[arg(long, conflicts_with = "all")]
    tmux: bool,

    /// Take the colours away again
    #[arg(long, requires = "tmux", conflicts_with = "watch")]
    reset: bool,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Say that you have looked at agents that wait for you: all, or those that are named
    Seen(seen::SeenArgs),
}

impl FleetArgs {
    pub(crate) fn format(&self) -> Format {
        match &self.action {
            Some(Action::Seen(args)) => args.format.format(),
            None => self.format.format(),
        }
    }

    /// Whether the answer is one to leaf through.
    pub(crate) fn is_listing(&self) -> bool {
        self.action.is_none() && !self.watch && !self.tmux
    }
}

pub(crate) fn run(args: &FleetArgs, ui: &mut Ui) -> Result<Outcome> {
    match &args.action {
        Some(Action::Seen(args)) => seen::run(args, ui),
        None if args.tmux => tmux::run(args, ui),
        None if args.watch => watch::run(args, ui),
        None => {
            let agents = agents(args, ui)?;
            if agents.is_empty() {
                let mut records = Records::open(ui)?;
                let project = project(args, &mut records, ui)?;
                meant::note_unknown_project(project.as_deref(), &mut records, ui)?;
            }
            match args.format.format() {
                Format::Json => ui.json(&Report { agents: &agents })?,
                Format::Text => show(&agents, args, ui),
            }
            Ok(Outcome::Clean)
        }
    }
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    agents: &'a [Shown],
}

/// The agents that are listed, the most urgent first.
fn agents(args: &FleetArgs, ui: &Ui) -> Result<Vec<Shown>> {
    let mut records = Records::open(ui)?;
    let age = if args.all { ENDED_FOR } else { DEAD_FOR };
    let question = fleet::List {
        project: project(args, &mut records, ui)?,
        ended_since: Some(moment::now() - age),
    };
    let mut agents = records.ask(&question, ui)?;
    agents.retain(|agent| {
        args.all || agent.ended_at.is_none() || agent.end_reason.as_deref() == Some(GONE)
    });
    let testing = Places::from_env().map(|places| Testing::all(&places.data));
    Ok(in_order(agents, &testing.unwrap_or_default()))
}

/// The project whose agents are wanted.
fn project(args: &FleetArgs, records: &mut Records, ui: &Ui) -> Result<Option<String>> {
    let folder = args.project.as_deref();
    folder
        .map(|folder| meant::project(folder, records, ui))
        .transpose()
}

fn show(agents: &[Shown], args: &FleetArgs, ui: &mut Ui) {
    if agents.is_empty() {
        ui.line(nobody(args));
        return;
    }
    ui.list(&shown::list(agents));
}

/// What is said where no agent runs, and what to do.
fn nobody(args: &FleetArgs) -> &'static str {
    match (&args.project, args.all) {
        (Some(_), _) => {
            "No agent works in this project. `bowline fleet` lists those of all projects."
        }
        (None, false) => {
            "No agent is at work. Start one where Bowline is installed (`bowline init`), and it is listed here from its first \
             event on; `bowline fleet --all` also lists those that ended within the last day."
        }
        (None, true) => {
            "No agent was at work within the last day. Start one where Bowline is installed (`bowline init`), and it is listed here \
             from its first event on."
        }
    }
}
