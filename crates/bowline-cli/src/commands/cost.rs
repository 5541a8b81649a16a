//! `bowline cost`: what agents cost, by day, model, session and more; prices; budgets.

mod allow;
mod prices;
mod scan;
mod summary;
mod view;

use std::path::{Path, PathBuf};

use bowline::settings::Locations;
use bowline_builtins::continuity::project_of;
use bowline_builtins::guidance::cost;
use bowline_daemon::rpc::{costs, sessions};
use bowline_guidance::cost::report::{By, report};
use bowline_store::{SpentFilter, SpentOn};
use chrono::{DateTime, Utc};
use clap::{Subcommand, ValueEnum};

use super::meant;
use crate::Outcome;
use crate::ask::Records;
use crate::error::{Error, Result};
use crate::moment;
use crate::project;
use crate::ui::{Format, FormatArgs, Ui};
use allow::AllowArgs;
use prices::PricesArgs;
use scan::ScanArgs;
use summary::SummaryArgs;
pub(super) use view::short;

/// See what agents cost
///
/// Tokens are counted from agents' transcripts, each message once, and priced by a dated table of list prices. What a subscription covers is
/// not known here
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  bowline cost
  bowline cost --by model --since 7d
  bowline cost --by session --project
  bowline cost --by tool --csv
  bowline cost summary
  bowline cost allow session"
)]
pub(crate) struct CostArgs {
    #[command(subcommand)]
    action: Option<Action>,

    /// What costs are added up by
    #[arg(long, value_enum, default_value = "day")]
    by: Adding,

    /// Only what was used since then: 10m, 2h, 1w, yesterday, 2026-11-15 or a local time such as 10:30
    #[arg(long, value_name = "TIME", value_parser = moment::parse_time)]
    since: Option<DateTime<Utc>>,

    /// Only what was used in this project, by its folder or its name; the current one if none is named
    #[arg(long, value_name = "PROJECT", num_args = 0..=1, default_missing_value = ".")]
    project: Option<PathBuf>,

    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// Take what is known, and read no transcripts
    #[arg(long)]
    no_scan: bool,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Read the transcripts
    Scan(ScanArgs),
    /// List the prices, and where each comes from
    Prices(PricesArgs),
    /// Sum up a session: what it cost, and how much it delegated
    Summary(SummaryArgs),
    /// Add to a budget
    Allow(AllowArgs),
}

/// What costs are added up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Adding {
    Day,
    Model,
    Session,
    Effort,
    Tool,
    Agent,
    Project,
}

impl From<Adding> for By {
    fn from(by: Adding) -> Self {
        match by {
            Adding::Day => Self::Day,
            Adding::Model => Self::Model,
            Adding::Session => Self::Session,
            Adding::Effort => Self::Effort,
            Adding::Tool => Self::Tool,
            Adding::Agent => Self::Agent,
            Adding::Project => Self::Project,
        }
    }
}

impl CostArgs {
    pub(crate) fn format(&self) -> Format {
        match &self.action {
            None => self.format.format(),
            Some(Action::Scan(args)) => args.format.format(),
            Some(Action::Prices(args)) => args.format.format(),
            Some(Action::Summary(args)) => args.format.format(),
            Some(Action::Allow(args)) => args.format.format(),
        }
    }
}

pub(crate) fn run(args: &CostArgs, ui: &mut Ui) -> Result<Outcome> {
    match &args.action {
        None => show(args, ui),
        Some(Action::Scan(args)) => scan::run(args, ui),
        Some(Action::Prices(args)) => prices::run(args, ui),
        Some(Action::Summary(args)) => summary::run(args, ui),
        Some(Action::Allow(args)) => allow::run(args, ui),
    }
}

fn show(args: &CostArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut records = if args.no_scan {
        Records::open(ui)?
    } else {
        scan::up_to_date(ui)?
    };
    let project = match &args.project {
        None => None,
        Some(folder) if folder.is_dir() => {
            let folder = project_of(&project::folder(Some(folder))?, &Locations::from_env());
            Some(folder.to_string_lossy().into_owned())
        }
        Some(name) => Some(meant::project(name, &mut records, ui)?),
    };
    let by = args.by.into();
    let filter = SpentFilter {
        by,
        on: project.clone().map(SpentOn::Project),
        since: args.since,
    };
    let spent = records.ask(&costs::Spent { filter }, ui)?;
    if spent.is_empty() {
        meant::note_unknown_project(project.as_deref(), &mut records, ui)?;
    }
    let settings = project::load(&project::folder(None)?);
    let report = report(by, &spent, &cost::prices(&settings.config.cost));
    match args.format.format() {
        Format::Json => view::json(ui, args, &report)?,
        Format::Text if args.csv => view::csv(ui, by, &report),
        Format::Text => view::table(ui, by, &report),
    }
    Ok(Outcome::Clean)
}

/// The session of this name or beginning, else the one that was last active in the current project, else anywhere.
fn session(named: Option<&str>, records: &mut Records, ui: &Ui) -> Result<String> {
    let folder = project_of(&project::folder(None)?, &Locations::from_env());
    match named {
        Some(named) => by_beginning(named, records, ui),
        None => last_active(&folder, records, ui),
    }
}

fn by_beginning(named: &str, records: &mut Records, ui: &Ui) -> Result<String> {
    let filter = SpentFilter {
        by: By::Session,
        ..SpentFilter::default()
    };
    let spent = records.ask(&costs::Spent { filter }, ui)?;
    let used = spent.into_iter().map(|it| it.key);
    let known = records.ask(&sessions::List::default(), ui)?;
    let known = known.into_iter().map(|it| it.newest.session);
    let mut names: Vec<String> = used.chain(known).collect();
    names.sort();
    names.dedup();
    names.retain(|name| name.starts_with(named));
    if names.iter().any(|name| name == named) {
        return Ok(named.to_owned());
    }
    match names.as_slice() {
        [name] => Ok(name.clone()),
        [] => Err(Error::input(format!("no session begins with `{named}`"))
            .hint("`bowline cost --by session` lists sessions")),
        names => {
            let message = format!("{} sessions begin with `{named}`", names.len());
            Err(Error::input(message).hint("write more of the name"))
        }
    }
}

fn last_active(project: &Path, records: &mut Records, ui: &Ui) -> Result<String> {
    let project = project.to_string_lossy().into_owned();
    for project in [Some(project), None] {
        let question = sessions::List {
            project,
            limit: Some(1),
            ..sessions::List::default()
        };
        let found = records.ask(&question, ui)?;
        if let Some(session) = found.into_iter().next() {
            return Ok(session.newest.session);
        }
    }
    Err(Error::input("no session is recorded yet")
        .hint("name one; `bowline cost --by session` lists those that have transcripts"))
}
