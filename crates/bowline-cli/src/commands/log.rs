//! `bowline log`: the last events that were decided, about what, and why.

use std::path::PathBuf;

use bowline::hooks::{Decision, humane_duration};
use bowline_daemon::rpc::{self, events, store};
use bowline_store::{DecisionFilter, Enforcement, Gap, HookFired, RecordedEvent};
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::meant::{self, Wanted};
use super::trace::{self, columns, limit, session_key};
use crate::Outcome;
use crate::ask::{NOTHING_YET, Records};
use crate::error::Result;
use crate::moment::{self, parse_time};
use crate::project::ProjectNames;
use crate::ui::{Column, Format, FormatArgs, List, Text, Ui, clipped, counted, reveal, style};

/// Show the last events that were decided: about what, by which rule, and why
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline log
  bowline log --decision deny,ask --since 1d --project .
  bowline log --rule 'git.*' --session last
  bowline log --agent codex --since 2h
  bowline log --long --limit 10
  bowline log --limit 1000 --json")]
pub(crate) struct LogArgs {
    /// Only these decisions: deny, ask, grant, observed, or nothing (`no_opinion` in JSON); several with commas
    #[arg(long, value_name = "DECISION", value_parser = parse_decision, value_delimiter = ',')]
    pub(super) decision: Vec<DecisionFilter>,

    /// Only events since then: 10m, 2h, 1w, yesterday, 2026-11-15 or a local time such as 10:30
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(super) since: Option<DateTime<Utc>>,

    /// Only events of this project, by its folder or its name; `.` is the current one
    #[arg(long, value_name = "PROJECT")]
    pub(super) project: Option<PathBuf>,

    /// Only events of this session, by the agent's name for it or its beginning; `last` is the newest
    #[arg(long, value_name = "SESSION")]
    pub(super) session: Option<String>,

    /// Only events of this agent, such as codex
    #[arg(long, value_name = "AGENT", value_parser = meant::agent)]
    pub(super) agent: Option<String>,

    /// Only this event, such as PreToolUse
    #[arg(long, value_name = "EVENT")]
    pub(super) event: Option<String>,

    /// Only events about this tool
    #[arg(long, value_name = "TOOL")]
    pub(super) tool: Option<String>,

    /// Only what this rule decided, such as git.push-force or 'git.*'
    #[arg(long, value_name = "RULE")]
    pub(super) rule: Option<String>,

    /// Show at most N entries (maximum 10000)
    #[arg(long, value_name = "N", value_parser = limit, default_value = "50")]
    pub(super) limit: u16,

    /// Show the whole reason, the hooks that ran and what they said
    #[arg(long)]
    pub(super) long: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

fn parse_decision(word: &str) -> Result<DecisionFilter, String> {
    rpc::parse_decision(word).ok_or_else(|| format!("expected {}", rpc::DECISIONS))
}

#[derive(Debug, Serialize)]
struct Report {
    #[serde(rename = "triggers")]
    events: Vec<RecordedEvent>,
}

pub(crate) fn run(args: &LogArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut records = Records::open(ui)?;
    let session = args.session.clone();
    let question = events::Last {
        decisions: args.decision.clone(),
        since: args.since,
        before: None,
        project: (args.project.as_deref())
            .map(|folder| meant::project(folder, &mut records, ui))
            .transpose()?,
        session: session
            .map(|name| session_key(name, &mut records, ui))
            .transpose()?,
        agent: args.agent.clone(),
        event: args.event.clone(),
        tool: args.tool.clone(),
        rule: args.rule.clone(),
        limit: Some(usize::from(args.limit)),
    };
    let events = records.ask(&question, ui)?;
    let gaps = records.ask(&store::Gaps {}, ui)?;
    let missing = missing(&gaps, &events, &question);
    if missing > 0 {
        let missing = counted(missing, "record");
        ui.note(format!(
            "{missing} of this time are missing; `bowline doctor` tells why"
        ));
    }
    match args.format.format() {
        Format::Json => {
            if events.is_empty() {
                Wanted::of_events(&question).note_unknown_project(&mut records, ui)?;
            }
            ui.json(&Report { events })?;
        }
        Format::Text if records.is_nothing() => ui.line(NOTHING_YET),
        Format::Text if events.is_empty() && question == unfiltered(&question) => {
            ui.line(
                "No event was decided yet. `bowline doctor` tells whether your agent asks Bowline.",
            );
        }
        Format::Text if events.is_empty() => {
            let nothing = Wanted::of_events(&question).nothing("event", &mut records, ui)?;
            ui.line(nothing);
        }
        Format::Text if args.long => show_long(&events, ui),
        Format::Text => ui.list(&list(&events)),
    }
    Ok(Outcome::Clean)
}

/// The question without its filters.
fn unfiltered(question: &events::Last) -> events::Last {
    events::Last {
        limit: question.limit,
        ..events::Last::default()
    }
}

/// How many records are missing among these; where they are all that there are, what was lost before them counts too.
fn missing(gaps: &[Gap], events: &[RecordedEvent], question: &events::Last) -> u64 {
    let is_full = question.limit.is_some_and(|limit| events.len() >= limit);
    let oldest = events
        .last()
        .filter(|_| is_full)
        .map(|oldest| oldest.decided.time);
    let from = oldest.max(question.since);
    let since = |gap: &&Gap| from.is_none_or(|from| gap.time >= from);
    gaps.iter().filter(since).map(|gap| gap.records).sum()
}

const COLUMNS: &[Column] = &[
    Column::whole("When", 9),
    columns::PROJECT,
    columns::AGENT,
    columns::SESSION,
    Column::optional("Event", 16, 7).at_most(20).at_least(6),
    columns::TOOL,
    Column::whole("Decision", 10),
    Column::optional("Rule", 16, 3),
    Column::rest("What"),
    columns::ID,
];

fn list(events: &[RecordedEvent]) -> List {
    let now = moment::now();
    let mut projects = ProjectNames::default();
    projects.learn(events.iter().filter_map(|it| it.decided.project.as_deref()));
    let mut list = List::new(COLUMNS);
    for event in events {
        list.row([
            Text::styled(moment::when(event.decided.time, now), style::FAINT),
            projects.of(event.decided.project.as_deref()).into(),
            Text::styled(reveal::name(&event.decided.agent), style::FAINT),
            Text::styled(reveal::name(&event.decided.session), style::FAINT),
            reveal::name(&event.decided.event).into(),
            Text::styled(tool(event), style::NAME),
            decision(event),
            Text::styled(
                reveal::name(event.decided.rule.as_deref().unwrap_or_default()),
                style::NAME,
            ),
            what(event),
            Text::styled(reveal::name(id(event)), style::FAINT),
        ]);
    }
    list
}

fn tool(event: &RecordedEvent) -> String {
    reveal::name(event.decided.tool.as_deref().unwrap_or_default())
}

/// What the event is about, the reason for the decision, and the warnings and failures of hooks.
fn what(event: &RecordedEvent) -> Text {
    let mut text = Text::from(about(event));
    let mut add = |words: &str, colour| {
        let gap = if text.is_empty() { "" } else { "  " };
        text = std::mem::take(&mut text).with(format!("{gap}{}", words.trim()), colour);
    };
    if let Some(reason) = &event.decided.reason {
        add(reason, style::FAINT);
    }
    for hook in &event.decided.hooks {
        if let Some(failure) = &hook.failure {
            add(
                &format!("{} failed ({failure})", reveal::name(&hook.name)),
                style::BAD,
            );
        }
        for warning in &hook.warnings {
            add(
                &format!("{} warns: {warning}", reveal::name(&hook.name)),
                style::CAUTION,
            );
        }
    }
    text
}

/// The command, the file or the prompt.
fn about(event: &RecordedEvent) -> String {
    match &event.prompt {
        Some(prompt) => prompt.trim().to_owned(),
        None => trace::about(event.input.as_ref(), event.decided.project.as_deref()),
    }
}

/// By what the call is found, else the event.
pub(super) fn id(event: &RecordedEvent) -> &str {
    event
        .decided
        .tool_use_id
        .as_deref()
        .unwrap_or(&event.decided.id)
}

/// All that is known of each event.
fn show_long(events: &[RecordedEvent], ui: &mut Ui) {
    let mut projects = ProjectNames::default();
    projects.learn(events.iter().filter_map(|it| it.decided.project.as_deref()));
    for (index, event) in events.iter().enumerate() {
        if index > 0 {
            ui.blank();
        }
        let mut head = Text::styled(moment::full(event.decided.time), style::FAINT)
            .plain("  ")
            .plain(reveal::name(&event.decided.event))
            .with(format!("  {}", tool(event)), style::NAME)
            .plain("  ")
            .text(decision(event));
        if let Some(rule) = &event.decided.rule {
            head = head.with(format!("  {}", reveal::name(rule)), style::NAME);
        }
        ui.line(head.plain(format!("  {}", humane_duration(event.decided.duration))));
        let agent = format!(
            "{}  {}  {}",
            projects.of(event.decided.project.as_deref()),
            event.decided.agent,
            event.decided.session
        );
        for (label, text) in [
            ("What", clipped(&about(event)).into()),
            (
                "Why",
                event
                    .decided
                    .reason
                    .as_deref()
                    .map(clipped)
                    .unwrap_or_default()
                    .into(),
            ),
            ("Hooks", hooks(event)),
            ("Where", reveal::name(agent.trim()).into()),
            ("Id", reveal::name(id(event)).into()),
        ] {
            if !Text::is_empty(&text) {
                ui.labelled(Text::styled(format!("  {label:<6}"), style::HEADING), &text);
            }
        }
        for note in notes(event) {
            ui.labelled(Text::from("        "), &note);
        }
    }
}

/// What was decided; what would have been, where the guard only observes.
pub(super) fn decision(event: &RecordedEvent) -> Text {
    match event.decided.enforcement {
        Enforcement::Observed => {
            Text::styled("would ", style::FAINT).text(decided(event.decided.decision))
        }
        Enforcement::Unenforced if event.decided.decision >= Decision::Ask => {
            decided(event.decided.decision).with(" (not enforced)", style::CAUTION)
        }
        _ => decided(event.decided.decision),
    }
}

/// A decision in its colour.
pub(super) fn decided(decision: Decision) -> Text {
    match decision {
        Decision::Deny => Text::styled("DENY", style::BAD.bold()),
        Decision::Ask => Text::styled("ASK", style::CAUTION.bold()),
        Decision::Grant => Text::styled("grant", style::GOOD),
        Decision::NoOpinion => Text::styled("-", style::FAINT),
    }
}

/// What the hooks of an event warned of and printed, a line for each.
pub(super) fn notes(event: &RecordedEvent) -> Vec<Text> {
    let of_hook = |hook: &HookFired| {
        let name = reveal::name(&hook.name);
        let warnings = hook.warnings.iter().map(|warning| {
            Text::styled(format!("{name} warns: "), style::CAUTION).plain(clipped(warning))
        });
        let message = hook.message.iter().map(|message| {
            let how = if hook.is_answer() {
                "answered"
            } else {
                "printed"
            };
            Text::styled(format!("{name} {how}: "), style::FAINT).plain(clipped(message))
        });
        warnings.chain(message).collect::<Vec<_>>()
    };
    event.decided.hooks.iter().flat_map(of_hook).collect()
}

/// The hooks that fired, by where they are defined; those that failed stand out.
fn hooks(event: &RecordedEvent) -> Text {
    let mut text = Text::new();
    for (index, hooks) in event
        .decided
        .hooks
        .chunk_by(|a, b| a.scope == b.scope)
        .enumerate()
    {
        let line = if index == 0 { "" } else { "\n" };
        let scope = hooks.first().and_then(|hook| hook.scope.as_deref());
        let label = match scope {
            Some(scope) => format!("{}: ", reveal::name(scope)),
            None if index == 0 => String::new(),
            None => "other: ".to_owned(),
        };
        text = text.with(format!("{line}{label}"), style::FAINT);
        for (index, hook) in hooks.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let name = format!("{comma}{}", reveal::name(&hook.name));
            text = match &hook.failure {
                Some(failure) => {
                    text.with(format!("{name} failed ({})", clipped(failure)), style::BAD)
                }
                None => text.plain(name),
            };
        }
    }
    text
}
