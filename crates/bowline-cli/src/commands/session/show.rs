//! `bowline session show`: one piece of work, from its first prompt to its last call.

use std::path::Path;

use bowline_daemon::rpc::{SessionKey, sessions, traces};
use bowline_store::{
    Delegation, DelegationStatus, Prompt, Session, SessionDetails, StatusFilter, Trace,
    TraceStatistics,
};
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{ShowArgs, no_session, status};
use crate::Outcome;
use crate::ask::Records;
use crate::commands::trace;
use crate::error::{Error, Result};
use crate::moment;
use crate::project::Paths;
use crate::ui::{Format, Table, Text, Ui, counted, reveal, style};

/// How many of the newest sessions are searched for the beginning of a name.
const SEARCHED: usize = 1_000;
/// How many errors are shown.
const ERRORS: usize = 10;

#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    details: SessionDetails,
    statistics: TraceStatistics,
    errors: Vec<Trace>,
    /// The last calls, newest first.
    traces: Vec<Trace>,
}

pub(super) fn run(args: &ShowArgs, records: &mut Records, ui: &mut Ui) -> Result<Outcome> {
    let (session, details) = find(&args.session, records, ui)?;
    let filter = traces::Filter {
        session: Some(session.clone()),
        ..traces::Filter::default()
    };
    let statistics = traces::Stats {
        filter: filter.clone(),
    };
    let errors = traces::List {
        filter: traces::Filter {
            status: Some(StatusFilter::AnyError),
            limit: Some(ERRORS),
            ..filter.clone()
        },
    };
    let calls = traces::List {
        filter: traces::Filter {
            limit: Some(usize::from(args.limit)),
            ..filter
        },
    };
    let report = Report {
        details,
        statistics: records.ask(&statistics, ui)?,
        errors: records.ask(&errors, ui)?,
        traces: records.ask(&calls, ui)?,
    };
    match args.format.format() {
        Format::Json => ui.json(&report)?,
        Format::Text => show(&report, ui),
    }
    Ok(Outcome::Clean)
}

/// The sessions of a name, or of the beginning of one.
pub(super) fn find(
    name: &str,
    records: &mut Records,
    ui: &Ui,
) -> Result<(SessionKey, SessionDetails)> {
    let SessionKey::Name(name) = &trace::session_key(name.to_owned(), records, ui)? else {
        return Err(no_session(name));
    };
    let named = |name: &str| sessions::Get {
        session: SessionKey::Name(name.to_owned()),
    };
    let question = named(name);
    if let Some(details) = records.ask(&question, ui)? {
        return Ok((question.session, details));
    }
    let newest = sessions::List {
        limit: Some(SEARCHED),
        ..sessions::List::default()
    };
    let mut names: Vec<String> = records
        .ask(&newest, ui)?
        .into_iter()
        .map(|session| session.newest.session)
        .filter(|known| known.starts_with(name.as_str()))
        .collect();
    names.sort();
    names.dedup();
    if let [only] = names.as_slice() {
        let question = named(only);
        if let Some(details) = records.ask(&question, ui)? {
            return Ok((question.session, details));
        }
    }
    Err(match names.as_slice() {
        [] => no_session(name),
        several => Error::input(format!(
            "{} sessions have a name that begins with `{}`",
            several.len(),
            reveal::name(name)
        ))
        .hint("give more of it"),
    })
}

fn show(report: &Report, ui: &mut Ui) {
    let details = &report.details;
    for session in details.sessions.iter().filter(|it| it.subagent.is_none()) {
        show_session(session, ui);
    }
    if !details.delegations.is_empty() {
        ui.blank();
        ui.line(Text::styled("Agents", style::HEADING));
        ui.table(&delegations(&details.delegations));
    }
    ui.blank();
    ui.line(Text::styled("Tools", style::HEADING));
    if report.statistics.tools.is_empty() {
        ui.line("No tool was called.");
    } else {
        ui.list(&trace::by_tool(&report.statistics));
    }
    if !report.errors.is_empty() {
        ui.blank();
        ui.line(Text::styled("Errors", style::BAD.bold()));
        for call in &report.errors {
            let time = Text::styled(moment::clock(call.started_at), style::FAINT);
            ui.labelled(time.plain("  "), &error(call));
        }
    }
    ui.blank();
    ui.line(Text::styled("What happened", style::HEADING));
    let hidden = report
        .statistics
        .looked_at
        .saturating_sub(report.traces.len());
    if hidden > 0 {
        let text = format!("… {hidden} earlier calls; --limit shows more");
        ui.line(Text::styled(text, style::FAINT));
    }
    for moment in timeline(&details.prompts, &report.traces) {
        ui.row(&moment);
    }
}

fn show_session(session: &Session, ui: &mut Ui) {
    ui.line(
        Text::styled(reveal::name(&session.session), style::NAME)
            .plain("  ")
            .text(status(session.status))
            .plain(format!("  {}", counted(session.events, "event"))),
    );
    let agent = match &session.model {
        Some(model) => format!("{} ({model})", session.agent),
        None => session.agent.clone(),
    };
    let project = session
        .project
        .as_ref()
        .map(|folder| Paths::of(Path::new("")).show_absolute(Path::new(folder)));
    let because = |why: &Option<String>| match why {
        Some(why) => format!(" ({why})"),
        None => String::new(),
    };
    let started = moment::full(session.started_at) + &because(&session.source);
    let ended = session
        .ended_at
        .map(|time| moment::full(time) + &because(&session.end_reason));
    for (label, value) in [
        ("Agent", Some(agent)),
        ("Project", project),
        ("Started", Some(started)),
        ("Ended", ended),
    ] {
        if let Some(value) = value {
            ui.line(
                Text::styled(format!("{label:<10}"), style::HEADING).plain(reveal::name(&value)),
            );
        }
    }
}

fn delegations(delegations: &[Delegation]) -> Table {
    let mut table = Table::new(["Agent", "Status", "Took", "Task"]);
    for delegation in delegations {
        let took = delegation
            .ended_at
            .map(|end| moment::took((end - delegation.started_at).num_milliseconds()));
        let colour = match delegation.status {
            DelegationStatus::Completed => style::GOOD,
            DelegationStatus::Failed => style::BAD,
            DelegationStatus::Cancelled => style::CAUTION,
            _ => style::FAINT,
        };
        table.row([
            Text::styled(reveal::name(&delegation.to), style::NAME),
            Text::styled(delegation.status.as_str(), colour),
            took.unwrap_or_else(|| "-".to_owned()).into(),
            trace::one_line(delegation.description.as_deref().unwrap_or_default()).into(),
        ]);
    }
    table
}

fn error(call: &Trace) -> Text {
    let why = call.error.as_deref().unwrap_or(call.status.shown());
    Text::styled(reveal::name(&call.tool), style::NAME)
        .plain("  ")
        .with(trace::one_line(why), style::BAD)
        .with(
            format!("  {}", reveal::name(&call.tool_use_id)),
            style::FAINT,
        )
}

/// Prompts and calls, oldest first. Prompts before the first call that is shown are shown too: they are what the
/// work was about.
fn timeline(prompts: &[Prompt], calls: &[Trace]) -> Vec<Text> {
    let mut moments: Vec<(DateTime<Utc>, Text)> = Vec::new();
    for prompt in prompts {
        let text = trace::one_line(prompt.text.as_deref().unwrap_or("a prompt"));
        let text = Text::styled(format!("❯ {text}"), style::HEADING);
        moments.push((prompt.time, text));
    }
    for call in calls {
        let indent = if call.parent.is_some() { "    " } else { "  " };
        let took = call
            .duration_ms
            .map(|took| format!("  {}", moment::took(took)));
        let text = Text::from(indent)
            .with(reveal::name(&call.tool), style::NAME)
            .plain("  ")
            .text(trace::status(call.status))
            .plain(took.unwrap_or_default())
            .with(format!("  {}", trace::summary(call)), style::FAINT);
        moments.push((call.started_at, text));
    }
    moments.sort_by_key(|(time, _)| *time);
    moments
        .into_iter()
        .map(|(time, text)| {
            Text::styled(moment::clock(time), style::FAINT)
                .plain("  ")
                .text(text)
        })
        .collect()
}
