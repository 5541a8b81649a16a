//! `bowline log`: the last events that were decided, and why.

use bowline::hooks::{Decision, humane_duration};
use bowline_daemon::rpc::{store, triggers};
use bowline_store::{Enforcement, Gap, HookFired, Trigger};
use chrono::Utc;
use serde::Serialize;

use super::trace::limit;
use crate::Outcome;
use crate::ask::{NOTHING_YET, Records};
use crate::error::Result;
use crate::moment;
use crate::ui::{Format, FormatArgs, Table, Text, Ui, clipped, counted, reveal, style};

/// Show the last events that were decided: which hooks ran, what they decided, and why
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline log
  bowline log --limit 10
  bowline log --limit 1000 --json")]
pub(crate) struct LogArgs {
    /// At most so many, up to 10000
    #[arg(long, value_name = "N", value_parser = limit, default_value = "50")]
    limit: u16,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Report {
    triggers: Vec<Trigger>,
}

pub(crate) fn run(args: &LogArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut records = Records::open(ui)?;
    let question = triggers::Last {
        limit: Some(usize::from(args.limit)),
    };
    let triggers = records.ask(&question, ui)?;
    let gaps = records.ask(&store::Gaps {}, ui)?;
    let missing = missing(&gaps, &triggers, usize::from(args.limit));
    if missing > 0 {
        let missing = counted(missing, "record");
        ui.note(format!(
            "{missing} of this time are missing; `bowline doctor` tells why"
        ));
    }
    match args.format.format() {
        Format::Json => ui.json(&Report { triggers })?,
        Format::Text if records.is_nothing() => ui.line(NOTHING_YET),
        Format::Text if triggers.is_empty() => {
            ui.line(
                "No event was decided yet. `bowline doctor` tells whether your agent asks Bowline.",
            );
        }
        Format::Text => ui.table(&table(&triggers)),
    }
    Ok(Outcome::Clean)
}

/// How many records are missing among these; where they are all that there are, what was lost before them counts too.
fn missing(gaps: &[Gap], triggers: &[Trigger], limit: usize) -> u64 {
    let oldest = triggers.last().filter(|_| triggers.len() >= limit);
    let since = |gap: &&Gap| oldest.is_none_or(|oldest| gap.time >= oldest.time);
    gaps.iter().filter(since).map(|gap| gap.records).sum()
}

fn table(triggers: &[Trigger]) -> Table {
    let now = Utc::now();
    let mut table = Table::new(["When", "Event", "Decision", "Took", "Hooks", "Why"]);
    for trigger in triggers {
        let event = Text::from(reveal::name(&trigger.event));
        let event = match &trigger.tool {
            Some(tool) => event.with(format!("\n{}", reveal::name(tool)), style::NAME),
            None => event,
        };
        table.row([
            Text::styled(moment::when(trigger.time, now), style::FAINT),
            event,
            decision(trigger),
            humane_duration(trigger.duration).into(),
            hooks(trigger),
            why(trigger),
        ]);
    }
    table
}

fn decision(trigger: &Trigger) -> Text {
    let decision = decided(trigger.decision);
    match trigger.enforcement {
        Enforcement::Unenforced if trigger.decision >= Decision::Ask => {
            decision.with("\nnot enforced", style::CAUTION)
        }
        Enforcement::Observed => decision.with("\nobserved", style::FAINT),
        _ => decision,
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

/// The reason, and what the hooks said beside it.
fn why(trigger: &Trigger) -> Text {
    let reason = trigger.reason.as_deref().map(clipped).unwrap_or_default();
    notes(trigger).into_iter().fold(reason.into(), Text::line)
}

/// What the hooks of an event warned of and printed, a line for each.
pub(super) fn notes(trigger: &Trigger) -> Vec<Text> {
    let of_hook = |hook: &HookFired| {
        let name = reveal::name(&hook.name);
        let warnings = hook.warnings.iter().map(|warning| {
            Text::styled(format!("{name} warns: "), style::CAUTION).plain(clipped(warning))
        });
        let message = hook.message.iter().map(|message| {
            Text::styled(format!("{name} printed: "), style::FAINT).plain(clipped(message))
        });
        warnings.chain(message).collect::<Vec<_>>()
    };
    trigger.hooks.iter().flat_map(of_hook).collect()
}

/// The hooks that fired, by where they are defined; those that failed stand out.
fn hooks(trigger: &Trigger) -> Text {
    let mut text = Text::new();
    for (index, hooks) in trigger
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
