//! `bowline denied`: what was denied or asked about of late, as `bowline log` shows it.

use std::path::PathBuf;

use bowline_store::DecisionFilter;
use chrono::{DateTime, TimeDelta, Utc};

use super::log::{self, LogArgs};
use super::meant;
use super::trace::limit;
use crate::Outcome;
use crate::error::Result;
use crate::moment::{self, parse_time};
use crate::ui::{FormatArgs, Ui};

/// Show what was denied or asked about: `bowline log --decision deny,ask --since 1d`
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline denied
  bowline denied --since 1w --project .
  bowline denied --rule 'git.*' --session last --limit 10 --json")]
pub(crate) struct DeniedArgs {
    /// Only what was decided since then: 10m, 2h, 1w, yesterday, 2026-11-15; the last day by default
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<DateTime<Utc>>,

    /// Only events of this project, by its folder or its name; `.` is the current one
    #[arg(long, value_name = "PROJECT")]
    project: Option<PathBuf>,

    /// Only events of this session, by the agent's name for it or its beginning; `last` is the newest
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,

    /// Only events of this agent, such as codex
    #[arg(long, value_name = "AGENT", value_parser = meant::agent)]
    agent: Option<String>,

    /// Only events about this tool
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,

    /// Only what this rule decided, such as git.push-force or 'git.*'
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,

    /// Show at most N entries (maximum 10000)
    #[arg(long, value_name = "N", value_parser = limit, default_value = "50")]
    limit: u16,

    /// Show the whole reason, the hooks that ran and what they said
    #[arg(long)]
    long: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

pub(crate) fn run(args: DeniedArgs, ui: &mut Ui) -> Result<Outcome> {
    let day_ago = moment::now() - TimeDelta::days(1);
    let log = LogArgs {
        decision: vec![DecisionFilter::Deny, DecisionFilter::Ask],
        since: args.since.or(Some(day_ago)),
        project: args.project,
        session: args.session,
        agent: args.agent,
        event: None,
        tool: args.tool,
        rule: args.rule,
        limit: args.limit,
        long: args.long,
        format: args.format,
    };
    log::run(&log, ui)
}
