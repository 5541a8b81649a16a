//! `bowline trace`: the tool calls of agents: what ran, how long it took, what failed, what belongs together.

pub(super) mod call;
pub(super) mod columns;
mod follow;
mod list;
mod show;
mod stats;
mod tree;

use std::path::{Path, PathBuf};
use std::time::Duration;

use bowline::settings::{Locations, find_project};
use bowline_daemon::rpc::{self, SessionKey, sessions, traces};
use bowline_store::StatusFilter;
use chrono::{DateTime, Utc};
use clap::Subcommand;

use super::meant::{self, Wanted};
use crate::Outcome;
use crate::ask::Records;
use crate::error::Result;
use crate::moment::{parse_duration, parse_time};
use crate::ui::{Format, FormatArgs, Ui};

pub(super) use call::{LAST, about, one_line, status, summary};
pub(super) use show::shown as shown_call;
pub(super) use stats::by_tool;
pub(super) use tree::drawn as drawn_tree;

/// See the tool calls of agents: what ran, what was slow, what failed
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline trace list --since 10m
  bowline trace list --project . --tool Bash --follow
  bowline trace show toolu_01AbC
  bowline trace slow --threshold 2s
  bowline trace errors
  bowline trace tree toolu_01AbC
  bowline trace stats --since 2026-11-15")]
pub(crate) struct TraceArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List tool calls, newest first
    List(ListArgs),
    /// Show everything about one call
    Show(ShowArgs),
    /// List the calls that took long, slowest first
    Slow(SlowArgs),
    /// List the calls that failed, timed out or were cancelled, newest first
    Errors(ErrorsArgs),
    /// Show what followed from one prompt: delegations and their tool calls
    Tree(TreeArgs),
    /// Count calls and errors by tool, and how long they take
    Stats(StatsArgs),
}

/// Which calls are meant.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct FilterArgs {
    /// Only calls of this session, by the agent's name for it or its beginning; `last` is the newest
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,

    /// Only calls of this agent, such as codex
    #[arg(long, value_name = "AGENT", value_parser = meant::agent)]
    agent: Option<String>,

    /// Only calls of this tool
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,

    /// Only calls since then: 10m, 2h, 1w, yesterday, 2026-11-15 or a local time such as 10:30
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<DateTime<Utc>>,

    /// Only calls of this project, by its folder or its name; `.` is the current one
    #[arg(long, value_name = "PROJECT")]
    project: Option<PathBuf>,

    /// Show at most N entries (maximum 10000)
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<u16>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline trace list
  bowline trace list --since 2h --status denied
  bowline trace list --agent codex --limit 20
  bowline trace list --session 8c2f51de --limit 20 --json
  bowline trace list --project . --follow")]
struct ListArgs {
    #[command(flatten)]
    filter: FilterArgs,

    /// Only calls with this status: started, ok, error, denied, refused, cancelled, timeout, or any-error; several with commas
    #[arg(long, value_name = "STATUS", value_parser = parse_status)]
    status: Option<StatusFilter>,

    /// Keep showing new and changed calls until Ctrl-C; with --json one document per line
    #[arg(long)]
    follow: bool,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline trace show toolu_01AbCdEf
  bowline trace show toolu_01Ab --json
  bowline trace show last

Of one of the last 1000 calls the beginning of the id is enough, where only one
begins so")]
struct ShowArgs {
    /// The call's id, or `last` for the newest
    #[arg(default_value = "last")]
    id: String,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline trace slow
  bowline trace slow --threshold 500ms --limit 10")]
struct SlowArgs {
    /// Calls that took at least this long: 500ms, 2s, 10m
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "1s")]
    threshold: Duration,

    /// Show at most N entries (maximum 10000)
    #[arg(long, value_name = "N", value_parser = limit)]
    limit: Option<u16>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline trace errors --since 1d
  bowline trace errors --tool Bash --json")]
struct ErrorsArgs {
    #[command(flatten)]
    filter: FilterArgs,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline trace tree toolu_01AbCdEf
  bowline trace tree last --json")]
struct TreeArgs {
    /// The id of any call in it, the trace id, or `last` for the newest
    #[arg(default_value = "last")]
    id: String,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline trace stats
  bowline trace stats --project . --since 1d

Looks at the newest 10000 calls, or at as many as --limit says")]
struct StatsArgs {
    #[command(flatten)]
    filter: FilterArgs,

    #[command(flatten)]
    format: FormatArgs,
}

impl TraceArgs {
    pub(crate) fn format(&self) -> Format {
        match &self.action {
            Action::List(args) => args.format.format(),
            Action::Show(args) => args.format.format(),
            Action::Slow(args) => args.format.format(),
            Action::Errors(args) => args.format.format(),
            Action::Tree(args) => args.format.format(),
            Action::Stats(args) => args.format.format(),
        }
    }
}

pub(crate) fn run(args: TraceArgs, ui: &mut Ui) -> Result<Outcome> {
    let format = args.format();
    let mut records = Records::open(ui)?;
    match args.action {
        Action::List(args) => {
            let filter = args.filter.with(args.status, &mut records, ui)?;
            if args.follow {
                follow::run(filter, &mut records, format, ui)
            } else {
                list_calls(filter, &mut records, format, ui)
            }
        }
        Action::Errors(args) => {
            let filter = (args.filter).with(Some(StatusFilter::AnyError), &mut records, ui)?;
            list_calls(filter, &mut records, format, ui)
        }
        Action::Slow(args) => {
            let question = traces::Slow {
                threshold_ms: i64::try_from(args.threshold.as_millis()).ok(),
                limit: args.limit.map(usize::from),
            };
            let about = list::About::CallsThatTook(args.threshold);
            list::run(&question, about, &mut records, format, ui)
        }
        Action::Show(args) => show::run(&args.id, &mut records, format, ui),
        Action::Tree(args) => tree::run(&args.id, &mut records, format, ui),
        Action::Stats(args) => {
            let filter = args.filter.with(None, &mut records, ui)?;
            stats::run(filter, &mut records, format, ui)
        }
    }
}

fn list_calls(
    filter: traces::Filter,
    records: &mut Records,
    format: Format,
    ui: &mut Ui,
) -> Result<Outcome> {
    let about = list::About::Calls(Wanted::of_calls(&filter));
    list::run(&traces::List { filter }, about, records, format, ui)
}

impl FilterArgs {
    fn with(
        self,
        status: Option<StatusFilter>,
        records: &mut Records,
        ui: &Ui,
    ) -> Result<traces::Filter> {
        Ok(traces::Filter {
            session: self
                .session
                .map(|name| session_key(name, records, ui))
                .transpose()?,
            agent: self.agent,
            tool: self.tool,
            status,
            since: self.since,
            project: (self.project.as_deref())
                .map(|folder| meant::project(folder, records, ui))
                .transpose()?,
            limit: self.limit.map(usize::from),
        })
    }
}

/// The session that a filter names; `last` is the newest.
pub(super) fn session_key(name: String, records: &mut Records, ui: &Ui) -> Result<SessionKey> {
    let name = name.trim_end_matches('…');
    if name != LAST {
        return Ok(SessionKey::Name(name.to_owned()));
    }
    let newest = sessions::List {
        limit: Some(1),
        ..sessions::List::default()
    };
    let newest = records.ask(&newest, ui)?.pop();
    let name = newest.map_or(name.to_owned(), |it| it.newest.session);
    Ok(SessionKey::Name(name))
}

/// How many rows at most, on the command line.
pub(super) fn limit(word: &str) -> Result<u16, String> {
    const MOST: u16 = 10_000;
    let limit = word.parse().ok().filter(|it| (1..=MOST).contains(it));
    limit.ok_or_else(|| format!("expected a number from 1 to {MOST}"))
}

/// A project as it is recorded. One that is gone is known by the path that it had.
pub(super) fn project_name(folder: &Path) -> Result<String> {
    let absolute = std::path::absolute(folder)
        .map_err(|source| crate::error::Error::file("find", folder, source))?;
    let project = if absolute.is_dir() {
        find_project(&absolute, &Locations::from_env())
    } else {
        absolute
    };
    Ok(project.to_string_lossy().into_owned())
}

fn parse_status(word: &str) -> Result<StatusFilter, String> {
    rpc::parse_status(word).ok_or_else(|| format!("expected {}", rpc::STATUSES))
}
