//! `bowline hooks --live`: which hooks really fire, what they say, and how long they take.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bowline::hooks::{HookEvent, humane_duration};
use bowline_daemon::rpc::triggers;
use bowline_store::HookFigures;
use chrono::Utc;
use serde::Serialize;

use crate::Outcome;
use crate::ask::Records;
use crate::commands::log;
use crate::error::Result;
use crate::hook_view::{HookView, StatusName};
use crate::moment;
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
    /// Nothing if it never fired.
    figures: Option<&'a HookFigures>,
}

pub(super) fn run(
    hooks: &[HookView],
    event: Option<HookEvent>,
    format: Format,
    ui: &mut Ui,
) -> Result<Outcome> {
    let mut records = Records::open(ui)?;
    let figures = records.ask(&triggers::HookFigures {}, ui)?;
    let mut hooks = lives(hooks, &figures);
    hooks.retain(|life| event.is_none_or(|event| life.events.contains(&event.name())));
    let report = Report { hooks };
    match format {
        Format::Json => ui.json(&report)?,
        Format::Text => show(&report, ui),
    }
    Ok(Outcome::Clean)
}

/// The project's hooks that are in force, in the order in which they are listed, then all others that fired.
fn lives<'a>(hooks: &'a [HookView], figures: &'a [HookFigures]) -> Vec<Life<'a>> {
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
                figures: by_name.get(hook.id.as_str()).copied(),
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
        figures: Some(figures),
    }));
    lives
}

fn show(report: &Report<'_>, ui: &mut Ui) {
    let now = Utc::now();
    let mut table = Table::new([
        "Hook",
        "Fired",
        "Last",
        "Said",
        "p50",
        "p99",
        "Last failure",
    ]);
    let micros = |micros: u32| humane_duration(Duration::from_micros(u64::from(micros)));
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
                Text::styled("never fired", style::CAUTION),
                Text::new(),
                Text::new(),
                Text::new(),
                Text::new(),
                Text::new(),
            ]);
            continue;
        };
        let failure = figures.last_failure.as_ref().map(|(time, failure)| {
            Text::styled(moment::when(*time, now), style::BAD)
                .plain(format!(": {}", clipped(failure)))
        });
        table.row([
            name,
            figures.fired.to_string().into(),
            moment::when(figures.last_fired, now).into(),
            log::decided(figures.last_decision),
            micros(figures.p50_us).into(),
            micros(figures.p99_us).into(),
            failure.unwrap_or_default(),
        ]);
    }
    ui.table(&table);
    ui.blank();
    ui.line(Text::styled(
        "Counted over all projects; percentiles are those of the last 256 runs.",
        style::FAINT,
    ));
}
