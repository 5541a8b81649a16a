//! `bowline report`: what happened of late, in a few tables. Each section is a file of its own: what was recorded → rows.

mod asked;
mod cost;
mod denied;
mod failed;
mod hooks;
mod observed;
mod repeated;
mod section;
mod slowest;
mod stopped;
mod totals;

use std::path::PathBuf;

use bowline_builtins::guidance;
use bowline_daemon::rpc::{costs, digest, errors, store};
use bowline_guidance::cost::report::{By, Report as Costs, report as add_up};
use bowline_store::{Digest, Failure, Gap, SpentFilter, SpentOn};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value, json};

use super::meant;
use crate::Outcome;
use crate::ask::{NOTHING_YET, Records};
use crate::error::Result;
use crate::moment::{self, parse_time};
use crate::project::{self, Paths};
use crate::ui::{Format, FormatArgs, Text, Ui, counted, style};
use section::Section;

/// Show what happened of late: what was denied and asked about, what failed, what was slow
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline report
  bowline report --since 1w --project
  bowline report --since yesterday --md > report.md
  bowline report --since 2026-11-15 --json

`bowline log` has the single events, `bowline trace` the calls")]
pub(crate) struct ReportArgs {
    /// From then on: 10m, 2h, 1w, yesterday, 2026-11-15; the last day by default
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<DateTime<Utc>>,

    /// Only this project, by its folder or its name; the current one if none is named
    #[arg(long, value_name = "PROJECT", num_args = 0..=1, default_missing_value = ".")]
    project: Option<PathBuf>,

    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    md: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// Everything that the sections are made from. A section that needs more asks for it in [`Answers::gather`].
#[derive(Debug)]
struct Answers {
    clock: Clock,
    since: DateTime<Utc>,
    /// The project's folder, if only one is meant.
    project: Option<String>,
    digest: Digest,
    /// The failures that came in the period.
    failures: Vec<Failure>,
    /// What was spent, by model.
    cost: Costs,
    /// How many records of the period are missing.
    missing: u64,
}

/// How times are told.
#[derive(Debug, Clone, Copy)]
enum Clock {
    /// How long ago, for who reads it now.
    Ago(DateTime<Utc>),
    /// By the calendar, for who reads it later.
    Calendar,
}

/// The sections, in their order.
const SECTIONS: &[fn(&Answers) -> Section] = &[
    totals::section,
    denied::section,
    asked::section,
    observed::section,
    failed::section,
    repeated::section,
    slowest::section,
    hooks::section,
    cost::section,
];

pub(crate) fn run(args: &ReportArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut records = Records::open(ui)?;
    let answers = Answers::gather(args, &mut records, ui)?;
    if answers.missing > 0 {
        let missing = counted(answers.missing, "record");
        ui.note(format!(
            "{missing} of this time are missing; `bowline doctor` tells why"
        ));
    }
    if answers.digest.events == 0 {
        meant::note_unknown_project(answers.project.as_deref(), &mut records, ui)?;
    }
    let sections: Vec<Section> = SECTIONS.iter().map(|section| section(&answers)).collect();
    match args.format.format() {
        Format::Json => ui.json(&document(&answers, &sections))?,
        Format::Text if records.is_nothing() => ui.line(NOTHING_YET),
        Format::Text if answers.digest.events == 0 => {
            ui.line(format!("Nothing happened {}.", answers.period()));
        }
        Format::Text if args.md => ui.verbatim(&markdown(&answers, &sections)),
        Format::Text => show(&answers, &sections, ui),
    }
    Ok(Outcome::Clean)
}

impl Answers {
    fn gather(args: &ReportArgs, records: &mut Records, ui: &Ui) -> Result<Self> {
        let now = moment::now();
        let since = args.since.unwrap_or(now - TimeDelta::days(1));
        let project = (args.project.as_deref())
            .map(|folder| meant::project(folder, records, ui))
            .transpose()?;
        let digest = digest::Of {
            since: Some(since),
            project: project.clone(),
        };
        let failures = errors::List {
            filter: errors::Filter {
                project: project.clone().map(meant::of_main_checkout),
                since: Some(since),
                limit: None,
            },
        };
        let spent = costs::Spent {
            filter: SpentFilter {
                by: By::Model,
                on: project.clone().map(SpentOn::Project),
                since: Some(since),
            },
        };
        let spent = records.ask(&spent, ui)?;
        let settings = project::load(&project::folder(None)?);
        let prices = guidance::cost::prices(&settings.config.cost);
        let gaps = records.ask(&store::Gaps {}, ui)?;
        let of_period = gaps.iter().filter(|gap: &&Gap| gap.time >= since);
        Ok(Self {
            clock: if args.md {
                Clock::Calendar
            } else {
                Clock::Ago(now)
            },
            since,
            digest: records.ask(&digest, ui)?,
            failures: records.ask(&failures, ui)?,
            cost: add_up(By::Model, &spent, &prices),
            missing: of_period.map(|gap| gap.records).sum(),
            project,
        })
    }

    fn when(&self, time: DateTime<Utc>) -> String {
        match self.clock {
            Clock::Ago(now) => moment::when(time, now),
            Clock::Calendar => moment::minute(time),
        }
    }

    /// Since when, and where.
    fn period(&self) -> String {
        let since = moment::minute(self.since);
        match &self.project {
            Some(project) => {
                let paths = Paths::of(std::path::Path::new(""));
                let project = paths.show_absolute(std::path::Path::new(project));
                format!("since {since} in {project}")
            }
            None => format!("since {since}"),
        }
    }
}

fn document(answers: &Answers, sections: &[Section]) -> Value {
    let mut document = Map::new();
    document.insert("since".to_owned(), json!(answers.since));
    document.insert("project".to_owned(), json!(answers.project));
    document.insert("missing_records".to_owned(), json!(answers.missing));
    for section in sections {
        document.insert(section.key.to_owned(), section.document.clone());
    }
    Value::Object(document)
}

fn show(answers: &Answers, sections: &[Section], ui: &mut Ui) {
    ui.line(format!("What happened {}", answers.period()));
    for section in sections.iter().filter(|section| !section.is_empty()) {
        ui.blank();
        ui.line(Text::styled(section.title, style::HEADING));
        ui.list(&section.list());
    }
}

fn markdown(answers: &Answers, sections: &[Section]) -> String {
    let mut text = format!("# What happened {}\n", answers.period());
    for section in sections.iter().filter(|section| !section.is_empty()) {
        text.push_str(&section.markdown());
    }
    text
}
