//! `bowline events`: every event that hooks can be for.

use bowline::hooks::{EventClass, HookEvent};
use serde::Serialize;

use crate::Outcome;
use crate::error::Result;
use crate::ui::{Format, FormatArgs, Table, Text, Ui, style};

/// List the events that hooks can be for
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline events
  bowline events --json | jq -r '.events[].name'")]
pub(crate) struct EventsArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Report {
    events: Vec<Event>,
}

#[derive(Debug, Serialize)]
struct Event {
    name: &'static str,
    snake_name: &'static str,
    class: EventClass,
    /// The payload field that a matcher is compared with.
    matcher: Option<&'static str>,
    fields: &'static [&'static str],
}

pub(crate) fn run(args: &EventsArgs, ui: &mut Ui) -> Result<Outcome> {
    let report = Report {
        events: HookEvent::ALL.iter().copied().map(Event::from).collect(),
    };
    match args.format.format() {
        Format::Json => ui.json(&report)?,
        Format::Text => show(&report, ui),
    }
    Ok(Outcome::Clean)
}

impl From<HookEvent> for Event {
    fn from(event: HookEvent) -> Self {
        Self {
            name: event.name(),
            snake_name: event.snake_name(),
            class: event.class(),
            matcher: event.subject_field(),
            fields: event.payload_fields(),
        }
    }
}

fn show(report: &Report, ui: &mut Ui) {
    let mut table = Table::new(["Event", "Class", "Matcher", "Payload fields"]);
    for event in &report.events {
        table.row([
            Text::styled(event.name, style::NAME),
            event.class.to_string().into(),
            event.matcher.unwrap_or("-").into(),
            event.fields.join(", ").into(),
        ]);
    }
    ui.table(&table);
    ui.blank();
    for (class, meaning) in [
        (
            EventClass::Gate,
            "a block prevents what the agent is about to do",
        ),
        (
            EventClass::Redirect,
            "nothing is undone; the reason of a block is given to the agent as an instruction",
        ),
        (EventClass::Observe, "a block is only recorded"),
    ] {
        ui.line(Text::styled(class.to_string(), style::HEADING).plain(format!(": {meaning}")));
    }
    ui.line("Matcher is the field that a hook's matcher is compared with; names are read in any casing.");
}
