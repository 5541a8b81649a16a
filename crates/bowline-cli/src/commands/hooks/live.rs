//! `bowline hooks --live`: which hooks really fire, what they say, and how long they take.

use bowline::hooks::{HookEvent, humane_duration};
use bowline::settings::{Scope, Settings};
use bowline_daemon::rpc::events;
use bowline_store::{HookFigures, RecordedEvent};
use chrono::{DateTime, Utc};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

use crate::Outcome;
use crate::ask::Records;
use crate::commands::log;
use crate::error::Result;
use crate::hook_view::{HookView, StatusName};
use crate::moment;
use crate::project::is_run_by_bowline;
use crate::ui::{Format, Table, Text, Ui, clipped, reveal, style};

#[derive(Debug, Serialize)]
struct Report<'a> {
    hooks: Vec<Life<'a>>,
}

/// One hook of the project, or one that fired somewhere else.
#[derive(Debug, Serialize)]
struct Life<'a> {
    name: &'a str,
    /// The events that it is for in this project; none if it is not of this project.
    events: Vec<&'static str>,
    run_by: RunBy,
    /// Nothing if it never fired, or if that cannot be seen from here.
    figures: Option<&'a HookFigures>,
    /// Its last warning, if that was among the last events.
    last_warning: Option<Warning<'a>>,
}

/// Who runs a hook. What an agent runs by itself leaves no record here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum RunBy {
    Bowline,
    ClaudeCode,
}

impl RunBy {
    fn of(hook: &HookView, settings: &Settings) -> Self {
        if hook.scope == Scope::BuiltIn || is_run_by_bowline(settings, hook.file.as_deref()) {
            Self::Bowline
        } else {
            Self::ClaudeCode
        }
    }

    /// The text for a hook without records.
    fn unseen(self) -> Text {
        match self {
            Self::Bowline => Text::styled("never fired", style::CAUTION),
            Self::ClaudeCode => {
                Text::styled("run by Claude Code, not seen from here", style::FAINT)
            }
        }
    }
}

#[derive(Debug, Clone, Copy, Serialize)]
struct Warning<'a> {
    time: DateTime<Utc>,
    text: &'a str,
}

/// At most this many of the last events are searched for warnings.
const SEARCHED: usize = 1_000;

pub(super) fn run(
    settings: &Settings,
    hooks: &[HookView],
    event: Option<HookEvent>,
    format: Format,
    ui: &mut Ui,
) -> Result<Outcome> {
    let mut records = Records::open(ui)?;
    let figures = records.ask(&events::HookFigures {}, ui)?;
    let question = events::Last {
        limit: Some(SEARCHED),
        ..events::Last::default()
    };
    let last = records.ask(&question, ui)?;
    let mut hooks = lives(settings, hooks, &figures, &warnings(&last));
    hooks.retain(|life| event.is_none_or(|event| life.events.contains(&event.name())));
    let report = Report { hooks };
    match format {
        Format::Json => ui.json(&report)?,
        Format::Text => show(&report, ui),
    }
    Ok(Outcome::Clean)
}

/// The newest warning of each hook.
fn warnings(newest_first: &[RecordedEvent]) -> BTreeMap<&str, Warning<'_>> {
    let mut warnings = BTreeMap::new();
    for event in newest_first {
        for hook in &event.decided.hooks {
            if let Some(text) = hook.warnings.last() {
                let time = event.decided.time;
                warnings
                    .entry(hook.name.as_str())
                    .or_insert(Warning { time, text });
            }
        }
    }
    warnings
}

/// The project's hooks that are in force, in the order in which they are listed, then all others that fired.
fn lives<'a>(
    settings: &Settings,
    hooks: &'a [HookView],
    figures: &'a [HookFigures],
    warnings: &BTreeMap<&'a str, Warning<'a>>,
) -> Vec<Life<'a>> {
    let by_name: BTreeMap<&str, &HookFigures> =
        figures.iter().map(|it| (it.name.as_str(), it)).collect();
    let mut names = BTreeSet::new();
    let mut lives: Vec<Life<'a>> = Vec::new();
    for hook in hooks
        .iter()
        .filter(|hook| hook.status == StatusName::InForce)
    {
        if names.insert(hook.id.as_str()) {
            lives.push(Life {
                name: &hook.id,
                events: Vec::new(),
                run_by: RunBy::of(hook, settings),
                figures: by_name.get(hook.id.as_str()).copied(),
                last_warning: warnings.get(hook.id.as_str()).copied(),
            });
        }
        if let Some(life) = lives.iter_mut().find(|life| life.name == hook.id) {
            life.events.push(hook.event.name());
        }
    }
    let elsewhere = figures
        .iter()
        .filter(|it| !names.contains(it.name.as_str()));
    lives.extend(elsewhere.map(|figures| Life {
        name: &figures.name,
        events: Vec::new(),
        run_by: RunBy::Bowline,
        figures: Some(figures),
        last_warning: warnings.get(figures.name.as_str()).copied(),
    }));
    lives
}

fn show(report: &Report<'_>, ui: &mut Ui) {
    let now = moment::now();
    let mut table = Table::new([
        "Hook",
        "Fired",
        "Last",
        "Said",
        "p50",
        "p99",
        "Last failure or warning",
    ]);
    for life in &report.hooks {
        let of_project = match life.events.as_slice() {
            [] => "not of this project".to_owned(),
            [one, two, others @ ..] if others.len() > 1 => {
                format!("{one}, {two} and {} more", others.len())
            }
            events => events.join(", "),
        };
        let name = Text::styled(reveal::name(life.name), style::NAME)
            .with(format!("\n{of_project}"), style::FAINT);
        let Some(figures) = life.figures else {
            table.row([
                name,
                life.run_by.unseen(),
                Text::new(),
                Text::new(),
                Text::new(),
                Text::new(),
                Text::new(),
            ]);
            continue;
        };
        let mut trouble = Text::new();
        if let Some((time, failure)) = &figures.last_failure {
            trouble = trouble
                .with(moment::when(*time, now), style::BAD)
                .plain(format!(": {}", clipped(failure)));
        }
        if let Some(warning) = life.last_warning {
            let line = if trouble.is_empty() { "" } else { "\n" };
            trouble = trouble
                .plain(line)
                .with(moment::when(warning.time, now), style::CAUTION)
                .plain(format!(": {}", clipped(warning.text)));
        }
        table.row([
            name,
            figures.fired.to_string().into(),
            moment::when(figures.last_fired, now).into(),
            log::decided(figures.last_decision),
            humane_duration(figures.p50).into(),
            humane_duration(figures.p99).into(),
            trouble,
        ]);
    }
    ui.table(&table);
    ui.blank();
    ui.line(Text::styled(
        "Counted over all projects; percentiles are those of the last 256 runs.",
        style::FAINT,
    ));
}
