//! `bowline metrics`: figures of a day as a file, and of some time as a table.

use bowline_builtins::guidance::metrics::write_with;
use bowline_daemon::rpc::metrics::{Day, Report};
use bowline_guidance::metrics::Line;
use chrono::{DateTime, NaiveDate, Utc};
use clap::Subcommand;
use serde_json::json;

use crate::Outcome;
use crate::ask::Records;
use crate::control::places;
use crate::error::{Error, ErrorKind, Result};
use crate::moment::parse_time;
use crate::ui::{Column, Format, FormatArgs, List, Text, Ui, reveal, style};

/// See figures of tools, sub-agents and days, or write those of a day to a file
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline metrics report --since 7d
  bowline metrics write")]
pub(crate) struct MetricsArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show figures by tool, sub-agent and day, with how sure one can be of them
    Report(ReportArgs),
    /// Write the figures of a day to a file in the data folder
    Write(WriteArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline metrics report
  bowline metrics report --since 7d --json")]
struct ReportArgs {
    /// Only what began since then: 10m, 2h, 1w, yesterday, 2026-11-15
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<DateTime<Utc>>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline metrics write
  bowline metrics write --day 2026-11-15

With `daily = true` in `[metrics]` this is done at the end of every turn")]
struct WriteArgs {
    /// The day, in UTC; today by default
    #[arg(long, value_name = "DAY")]
    day: Option<NaiveDate>,

    #[command(flatten)]
    format: FormatArgs,
}

impl MetricsArgs {
    pub(crate) fn format(&self) -> Format {
        match &self.action {
            Action::Report(args) => args.format.format(),
            Action::Write(args) => args.format.format(),
        }
    }
}

pub(crate) fn run(args: &MetricsArgs, ui: &mut Ui) -> Result<Outcome> {
    match &args.action {
        Action::Report(args) => report(args, ui),
        Action::Write(args) => write(args, ui),
    }
}

fn report(args: &ReportArgs, ui: &mut Ui) -> Result<Outcome> {
    let question = Report { since: args.since };
    let report = Records::open(ui)?.ask(&question, ui)?;
    match args.format.format() {
        Format::Json => ui.json(&report)?,
        Format::Text if report.days.is_empty() => {
            ui.line("No tool call was recorded in this time.");
        }
        Format::Text => {
            let mut list = List::new(COLUMNS);
            for (kind, lines) in [
                ("tool", &report.tools),
                ("sub-agent", &report.agents),
                ("day", &report.days),
            ] {
                for line in lines {
                    list.row(row(kind, line));
                }
            }
            ui.list(&list);
        }
    }
    Ok(Outcome::Clean)
}

const COLUMNS: &[Column] = &[
    Column::whole("By", 9),
    Column::rest("Name"),
    Column::whole("Samples", 7),
    Column::whole("Failed", 6),
    Column::whole("Mean", 9),
    Column::whole("Confidence", 10),
];

fn row(kind: &str, line: &Line) -> [Text; 6] {
    let mean = line.mean_ms.map(|mean| format!("{mean:.0} ms"));
    [
        Text::styled(kind, style::FAINT),
        Text::styled(reveal::name(&line.name), style::NAME),
        line.samples.to_string().into(),
        line.failed.to_string().into(),
        mean.unwrap_or_default().into(),
        format!("{:.2}", line.confidence).into(),
    ]
}

fn write(args: &WriteArgs, ui: &mut Ui) -> Result<Outcome> {
    let day = args.day.unwrap_or_else(|| Utc::now().date_naive());
    let data = places()?.data;
    let mut records = Records::open(ui)?;
    let make = || {
        let question = Day { day: Some(day) };
        records.ask(&question, ui).map_err(std::io::Error::other)
    };
    let file = write_with(&data, day, make).map_err(|source| {
        let message = format!("the figures of {day} could not be written");
        Error::new(ErrorKind::File, message).caused_by(source)
    })?;
    match args.format.format() {
        Format::Json => ui.json(&json!({ "file": file }))?,
        Format::Text => {
            ui.line(Text::styled("Wrote", style::GOOD).plain(format!(" {}", file.display())));
        }
    }
    Ok(Outcome::Clean)
}
