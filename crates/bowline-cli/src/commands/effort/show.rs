//! `bowline effort show`: everything about one effort.

use std::path::Path;

use bowline_builtins::continuity::artifacts;
use bowline_continuity::action::EffortDetails;
use bowline_continuity::effort::PhaseChange;
use bowline_continuity::session::SessionState;
use bowline_continuity::{Code, RuleError};
use bowline_daemon::rpc::efforts::EffortOf;
use serde::Serialize;

use super::super::caller::asker;
use super::view::{lifecycle, standing};
use crate::Outcome;
use crate::ask::Records;
use crate::error::{Error, Result};
use crate::moment;
use crate::project::Paths;
use crate::ui::{Format, Text, Ui, clipped, counted, reveal, style};

#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    details: EffortDetails,
    /// The files that it left in its task's folder.
    artifacts: Vec<String>,
}

pub(super) fn run(id: Option<i64>, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let question = EffortOf {
        effort: id,
        asker: asker()?,
    };
    let details = Records::open(ui)?.ask(&question, ui)?;
    let details = details.ok_or_else(|| nothing(id))?;
    let report = Report {
        artifacts: artifacts(&details.effort),
        details,
    };
    match format {
        Format::Json => ui.json(&report)?,
        Format::Text => show(&report, ui),
    }
    Ok(Outcome::Clean)
}

fn nothing(id: Option<i64>) -> Error {
    let (code, message) = match id {
        Some(id) => (Code::NotFound, format!("There is no effort {id}.")),
        None => (
            Code::NoActiveEffort,
            "No effort is active in this project.".to_owned(),
        ),
    };
    Error::refused(RuleError::new(code, message)).hint(
        "`bowline effort list` shows the efforts; `bowline effort start TASK SKILL` begins one",
    )
}

fn show(report: &Report, ui: &mut Ui) {
    let EffortDetails {
        effort,
        sessions,
        history,
        notes,
    } = &report.details;
    let now = moment::now();
    let paths = Paths::of(Path::new(&effort.project));
    let title = Text::styled(reveal::name(&effort.label()), style::HEADING);
    let title = title.plain("  ").text(lifecycle(effort));
    let begun = format!(", begun {}", moment::when(effort.created_at, now));
    let finished = effort.finished_at.map(|at| moment::when(at, now));
    let finished = finished.map(|at| format!(", finished {at}"));
    let since = format!("{begun}{}", finished.unwrap_or_default());
    ui.line(title.with(since, style::FAINT));
    standing(effort, history, &paths, ui);

    section("History", history, ui, entered);
    section("Sessions", sessions, ui, |session, ui| {
        ui.labelled(number(session.session), &of_session(session));
    });
    section("Notes", notes, ui, |note, ui| {
        ui.labelled(number(note.id), &clipped(&note.text).into());
    });
    section("Files", &report.artifacts, ui, |file, ui| {
        ui.line(format!("  {}", paths.show(Path::new(file))));
    });
}

fn section<T>(title: &str, entries: &[T], ui: &mut Ui, show: impl Fn(&T, &mut Ui)) {
    if entries.is_empty() {
        return;
    }
    ui.blank();
    ui.line(Text::styled(title, style::HEADING));
    for entry in entries {
        show(entry, ui);
    }
}

fn number(number: i64) -> Text {
    Text::styled(format!("  {number:<6}"), style::NAME)
}

fn entered(change: &PhaseChange, ui: &mut Ui) {
    let lead = Text::from("  ").with(moment::minute(change.at), style::FAINT);
    ui.labelled(lead.plain("  "), &reveal::name(&change.phase).into());
    for (label, text) in [("proof", &change.proof), ("reason", &change.reason)] {
        if let Some(text) = text {
            let label = Text::styled(format!("{:20}{label}: ", ""), style::FAINT);
            ui.labelled(label, &clipped(text).into());
        }
    }
}

/// "3 calls since the last log entry, 62% of the context used, 4 files read, left a summary".
fn of_session(session: &SessionState) -> Text {
    let mut facts = vec![format!(
        "{} since the last log entry",
        counted(session.heartbeat, "call")
    )];
    if let Some(used) = session.context_usage {
        facts.push(format!("{:.0}% of the context used", used * 100.0));
    }
    if !session.loaded_files.is_empty() {
        facts.push(format!(
            "{} read",
            counted(session.loaded_files.len(), "file")
        ));
    }
    if session.dehydrated.is_some() {
        facts.push("left a summary".to_owned());
    }
    facts.join(", ").into()
}
