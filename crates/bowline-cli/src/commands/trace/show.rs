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
use crate::ui::{Format, Paragraph, Text, Ui, clipped, masked, reveal, style};

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
        Format::Text => ui.paragraphs(shown(&trace, &events)),
    }
    Ok(Outcome::Clean)
}

/// All that is known of a call, for people.
pub(in crate::commands) fn shown(call: &Trace, events: &[RecordedEvent]) -> Vec<Paragraph> {
    let mut shown = facts(call, events);
    let own = call.native_input();
    let own = own.map(|it| ("As the agent said it", Some(it), ""));
    let input = ("Input", call.input.as_ref(), "  not recorded");
    let output = ("Output", call.output.as_ref(), without_output(call));
    for (heading, value, without) in [input].into_iter().chain(own).chain([output]) {
        shown.push(Paragraph::blank());
        shown.push(Paragraph::plain(Text::styled(heading, style::HEADING)));
        match value {
            Some(value) => shown.extend(fields(value)),
            None => shown.push(Paragraph::plain(Text::styled(without, style::FAINT))),
        }
    }
    shown.extend(decisions(events));
    shown.extend(notes(events));
    shown
}

/// What was decided about the call, by which rule, and why.
fn decisions(events: &[RecordedEvent]) -> Vec<Paragraph> {
    let mut shown = Vec::new();
    let decided = |event: &&RecordedEvent| event.decided.decision != Decision::NoOpinion;
    for event in events.iter().filter(decided) {
        shown.push(Paragraph::blank());
        let mut line = Text::styled("Decision  ", style::HEADING).text(log::decision(event));
        if let Some(rule) = &event.decided.rule {
            line = line.with(format!("  {}", reveal::name(rule)), style::NAME);
        }
        shown.push(Paragraph::plain(line.with(
            format!("  on {}", reveal::name(&event.decided.event)),
            style::FAINT,
        )));
        if let Some(reason) = &event.decided.reason {
            let label = Text::from("          ");
            shown.push(Paragraph::labelled(label, clipped(reason)));
        }
    }
    shown
}

/// What hooks warned of and printed.
fn notes(events: &[RecordedEvent]) -> Vec<Paragraph> {
    let of_event = |event| log::notes(event).into_iter().map(move |note| (event, note));
    let notes: Vec<(&RecordedEvent, Text)> = events.iter().flat_map(of_event).collect();
    if notes.is_empty() {
        return Vec::new();
    }
    let heading = Paragraph::plain(Text::styled("Hooks", style::HEADING));
    let notes = notes.into_iter().map(|(event, note)| {
        let name = format!("  {}  ", reveal::name(&event.decided.event));
        Paragraph::labelled(Text::styled(name, style::FAINT), note)
    });
    [Paragraph::blank(), heading]
        .into_iter()
        .chain(notes)
        .collect()
}

/// What a call gave; of one that gave nothing, why.
fn without_output(call: &Trace) -> &'static str {
    match call.status {
        TraceStatus::Denied | TraceStatus::Refused => "  none: it never ran",
        TraceStatus::Started => "  none yet",
        _ => "  not recorded",
    }
}

/// Which call it is, when it was made, and what went wrong.
fn facts(call: &Trace, events: &[RecordedEvent]) -> Vec<Paragraph> {
    let head = Text::styled(reveal::name(&call.tool), style::NAME)
        .plain("  ")
        .text(call::status(call.status))
        .plain(call::after(call));
    let mut facts = vec![Paragraph::plain(head)];
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
    let label = |name: &str| Text::styled(format!("{name:<10}"), style::HEADING);
    for (name, value) in [
        ("Id", Some(call.tool_use_id.clone())),
        (
            "Tool",
            call.native_tool()
                .map(|it| format!("{it}, as the agent calls it")),
        ),
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
        let value = value.map(|value| reveal::name(&value));
        facts.extend(value.map(|value| Paragraph::labelled(label(name), value)));
    }
    let (name, why) = match call.status {
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
        facts.push(Paragraph::labelled(
            label(name),
            Text::styled(why, style::BAD),
        ));
    }
    facts
}

fn fields(value: &Value) -> Vec<Paragraph> {
    let Value::Object(fields) = value else {
        return vec![Paragraph::plain(indented(&text(value)))];
    };
    let mut shown = Vec::new();
    // Recorded values are already redacted, but more names may count as secret by now.
    for (name, value) in &masked::fields(fields) {
        let value = text(value);
        let name = Text::styled(format!("  {}", reveal::name(name)), style::NAME);
        if value.contains('\n') {
            shown.push(Paragraph::plain(name));
            shown.push(Paragraph::plain(indented(&value)));
        } else {
            shown.push(Paragraph::plain(name.plain(format!("  {value}"))));
        }
    }
    shown
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
