//! `bowline trace show`: all that is known of one call.

use std::path::Path;

use bowline::hooks::Decision;
use bowline_daemon::rpc::events;
use bowline_store::{RecordedEvent, Trace, TraceStatus};
use serde::Serialize;
use serde_json::Value;

use super::call;
use crate::Outcome;
use crate::ask::Records;
use crate::commands::log;
use crate::error::Result;
use crate::moment;
use crate::project::Paths;
use crate::ui::{Format, Text, Ui, clipped, masked, reveal, style};

#[derive(Debug, Serialize)]
struct Report {
    trace: Trace,
    /// The decided events of the call, with what their hooks said.
    #[serde(rename = "triggers")]
    events: Vec<RecordedEvent>,
}

pub(super) fn run(id: &str, records: &mut Records, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let trace = call::find(id, records, ui)?;
    let question = events::Of {
        id: trace.tool_use_id.clone(),
    };
    let events = records.ask(&question, ui)?;
    match format {
        Format::Json => ui.json(&Report { trace, events })?,
        Format::Text => {
            show(&trace, &events, ui);
            show_decisions(&events, ui);
            show_notes(&events, ui);
        }
    }
    Ok(Outcome::Clean)
}

/// What was decided about the call, by which rule, and why.
fn show_decisions(events: &[RecordedEvent], ui: &mut Ui) {
    let decided = |event: &&RecordedEvent| event.decided.decision != Decision::NoOpinion;
    for event in events.iter().filter(decided) {
        ui.blank();
        let mut line = Text::styled("Decision  ", style::HEADING).text(log::decision(event));
        if let Some(rule) = &event.decided.rule {
            line = line.with(format!("  {}", reveal::name(rule)), style::NAME);
        }
        ui.line(line.with(
            format!("  on {}", reveal::name(&event.decided.event)),
            style::FAINT,
        ));
        if let Some(reason) = &event.decided.reason {
            ui.labelled(Text::from("          "), &Text::from(clipped(reason)));
        }
    }
}

/// What hooks warned of and printed.
fn show_notes(events: &[RecordedEvent], ui: &mut Ui) {
    let notes: Vec<(&RecordedEvent, Text)> = events
        .iter()
        .flat_map(|event| log::notes(event).into_iter().map(move |note| (event, note)))
        .collect();
    if notes.is_empty() {
        return;
    }
    ui.blank();
    ui.line(Text::styled("Hooks", style::HEADING));
    for (event, note) in notes {
        let name = format!("  {}  ", reveal::name(&event.decided.event));
        ui.labelled(Text::styled(name, style::FAINT), &note);
    }
}

/// What a call gave; of one that gave nothing, why.
fn without_output(call: &Trace) -> &'static str {
    match call.status {
        TraceStatus::Denied | TraceStatus::Refused => "  none: it never ran",
        TraceStatus::Started => "  none yet",
        _ => "  not recorded",
    }
}

fn show(call: &Trace, events: &[RecordedEvent], ui: &mut Ui) {
    ui.line(
        Text::styled(reveal::name(&call.tool), style::NAME)
            .plain("  ")
            .text(call::status(call.status))
            .plain(call::after(call)),
    );
    let now = moment::now();
    let started = format!(
        "{} ({})",
        moment::full(call.started_at),
        moment::when(call.started_at, now)
    );
    let project = call
        .project
        .as_ref()
        .map(|folder| Paths::of(Path::new("")).show_absolute(Path::new(folder)));
    for (label, value) in [
        ("Id", Some(call.tool_use_id.clone())),
        ("Part of", call.parent.clone()),
        ("Trace", Some(call.group.clone())),
        (
            "Session",
            Some(format!("{} ({})", call.session, call.agent)),
        ),
        ("Sub-agent", call.subagent.clone()),
        ("Project", project),
        ("Started", Some(started)),
        ("Ended", call.ended_at.map(moment::full)),
    ] {
        if let Some(value) = value {
            let label = Text::styled(format!("{label:<10}"), style::HEADING);
            ui.labelled(label, &reveal::name(&value).into());
        }
    }
    let (label, why) = match call.status {
        TraceStatus::Denied | TraceStatus::Refused => ("Never ran", &call.error),
        TraceStatus::Started => ("Asked", &call.asked),
        _ => ("Error", &call.error),
    };
    // The decision is shown below, with its reason.
    let is_told = |why: &String| {
        let mut reasons = events.iter().filter_map(|it| it.decided.reason.as_deref());
        reasons.any(|reason| reason.trim() == why.trim())
    };
    if let Some(why) = why.as_ref().filter(|why| !is_told(why)) {
        let label = Text::styled(format!("{label:<10}"), style::HEADING);
        ui.labelled(label, &Text::styled(why, style::BAD));
    }
    for (heading, value, without) in [
        ("Input", &call.input, "  not recorded"),
        ("Output", &call.output, without_output(call)),
    ] {
        ui.blank();
        ui.line(Text::styled(heading, style::HEADING));
        match value {
            Some(value) => show_value(value, ui),
            None => ui.line(Text::styled(without, style::FAINT)),
        }
    }
}

fn show_value(value: &Value, ui: &mut Ui) {
    let Value::Object(fields) = value else {
        return ui.line(indented(&text(value)));
    };
    // Recorded values are already redacted, but more names may count as secret by now.
    for (name, value) in &masked::fields(fields) {
        let value = text(value);
        let name = Text::styled(format!("  {}", reveal::name(name)), style::NAME);
        if value.contains('\n') {
            ui.line(name);
            ui.line(indented(&value));
        } else {
            ui.line(name.plain(format!("  {value}")));
        }
    }
}

/// A text as it reads, anything else as JSON.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim_end().to_owned(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

fn indented(text: &str) -> Text {
    let lines: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
    lines.join("\n").into()
}
