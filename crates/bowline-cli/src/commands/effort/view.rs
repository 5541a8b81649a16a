//! How efforts are shown to people and agents.

use std::path::Path;

use bowline_builtins::continuity::Done;
use bowline_continuity::action::How;
use bowline_continuity::briefing;
use bowline_continuity::effort::{Effort, EffortId, Lifecycle, PhaseChange};
use bowline_continuity::log_entry::MAX_ENTRY;
use bowline_continuity::task::name_of;

use crate::moment;
use crate::project::{Paths, ProjectNames};
use crate::ui::{Column, List, Text, Ui, reveal, style};

/// The effort whose phases are shown beside what was done.
pub(super) fn whose_phases(done: &Done) -> Option<EffortId> {
    match done {
        Done::Begun(begun) => Some(begun.effort.id),
        Done::Phase(effort) | Done::Shown(effort) => Some(effort.id),
        Done::Logged { .. } | Done::Noted(_) | Done::Dehydrated { .. } | Done::Finished(_) => None,
    }
}

/// What was done; `history` has the phases that were entered.
pub(super) fn done(done: &Done, history: &[PhaseChange], paths: &Paths, ui: &mut Ui) {
    match done {
        Done::Begun(begun) => {
            let word = match begun.how {
                How::Started => "Started",
                How::Resumed => "Resumed",
            };
            ui.line(said(word, &begun.effort));
            standing(&begun.effort, history, paths, ui);
            ui.line(
                "Log what you do and find with `bowline effort log \"…\"`; enter a phase with `bowline effort phase \"…\"`.",
            );
            if let Some(left) = &begun.left {
                ui.blank();
                for line in briefing::of_left(left).lines() {
                    ui.line(reveal::name(line));
                }
            }
        }
        Done::Logged { effort, file, cut } => {
            ui.line(said("Logged", effort).plain(format!(" in {}", paths.show(file))));
            if *cut {
                ui.note(format!(
                    "the entry was cut: at most {MAX_ENTRY} bytes of one are kept; log the rest in parts"
                ));
            }
        }
        Done::Phase(effort) => {
            ui.line(said("Phase", effort));
            ui.line(progress(effort, history));
        }
        Done::Noted(note) => {
            let lead = Text::styled("Pinned", style::GOOD);
            let place = format!(" to {} as note {}: ", note.pinned_to(), note.id);
            ui.line(lead.plain(place).plain(&note.text));
        }
        Done::Dehydrated { effort, .. } => {
            ui.line(said("Kept for the next session", effort));
            ui.line("The next session begins with this summary, once. End your turn now.");
        }
        Done::Finished(effort) => ui.line(said("Finished", effort)),
        Done::Shown(effort) => standing(effort, history, paths, ui),
    }
}

fn said(word: &str, effort: &Effort) -> Text {
    let label = Text::styled(word, style::GOOD).plain(": ");
    label.with(reveal::name(&effort.label()), style::HEADING)
}

/// Where an effort stands, and where its files are.
pub(super) fn standing(effort: &Effort, history: &[PhaseChange], paths: &Paths, ui: &mut Ui) {
    let log = Path::new(&effort.task).join(effort.log_file());
    let id = effort.id.0.to_string();
    fact("Id", Text::styled(id, style::NAME), ui);
    fact("Phases", progress(effort, history), ui);
    fact("Task", paths.show(Path::new(&effort.task)).into(), ui);
    fact("Log", paths.show(&log).into(), ui);
    if let Some(mode) = &effort.mode {
        fact("Mode", reveal::name(mode).into(), ui);
    }
}

pub(super) fn fact(label: &str, value: Text, ui: &mut Ui) {
    ui.labelled(Text::styled(format!("{label:<8}"), style::FAINT), &value);
}

/// The phases in a line: done or skipped, current, to come.
fn progress(effort: &Effort, history: &[PhaseChange]) -> Text {
    let current = effort.phase.as_deref();
    if effort.phases.is_empty() {
        return match current {
            Some(phase) => at(effort, phase),
            None => Text::styled("none yet; any may be entered", style::FAINT),
        };
    }
    // One that was entered by its label may have been added to the list since.
    let place = current.and_then(|phase| effort.phases.iter().position(|it| it == phase));
    let mut line = Text::new();
    for (index, phase) in effort.phases.iter().enumerate() {
        if index > 0 {
            line = line.plain("  ");
        }
        line = line.text(match place {
            Some(place) if index < place && !was_entered(phase, history) => skipped(phase),
            Some(place) if index < place => reached(phase),
            Some(place) if index == place => at(effort, phase),
            _ => Text::styled(format!("· {}", reveal::name(phase)), style::FAINT),
        });
    }
    line
}

fn at(effort: &Effort, phase: &str) -> Text {
    match effort.lifecycle {
        Lifecycle::Active => Text::styled(format!("▶ {}", reveal::name(phase)), style::NAME),
        Lifecycle::Finished => reached(phase),
    }
}

fn was_entered(phase: &str, history: &[PhaseChange]) -> bool {
    history.iter().any(|change| change.phase == phase)
}

fn skipped(phase: &str) -> Text {
    Text::styled(format!("↷ {} (skipped)", reveal::name(phase)), style::FAINT)
}

fn reached(phase: &str) -> Text {
    Text::styled("✓ ", style::GOOD).plain(reveal::name(phase))
}

/// Whether it goes on.
pub(super) fn lifecycle(effort: &Effort) -> Text {
    match effort.lifecycle {
        Lifecycle::Active => Text::styled("active", style::GOOD),
        Lifecycle::Finished => Text::styled("finished", style::FAINT),
    }
}

const COLUMNS: &[Column] = &[
    Column::whole("Id", 4),
    Column::whole("State", 8),
    Column::optional("Begun", 16, 1),
    Column::optional("Project", 14, 0)
        .at_most(20)
        .at_least(8)
        .telling_apart()
        .if_differing(3),
    Column::whole("Task", 16).at_most(32).at_least(12),
    Column::optional("Skill", 12, 4).at_most(20).at_least(8),
    Column::rest("Phase"),
];

/// A list of efforts, of which one may be the current one.
pub(in crate::commands) fn rows(efforts: &[Effort], current: Option<EffortId>) -> List {
    let now = moment::now();
    let mut projects = ProjectNames::default();
    projects.learn(efforts.iter().map(|effort| effort.project.as_str()));
    let mut list = List::new(COLUMNS);
    for effort in efforts {
        list.row([
            Text::styled(effort.id.0.to_string(), style::NAME),
            if current == Some(effort.id) {
                Text::styled("current", style::NAME)
            } else {
                lifecycle(effort)
            },
            Text::styled(moment::when(effort.created_at, now), style::FAINT),
            projects.of(Some(&effort.project)).into(),
            reveal::name(name_of(&effort.task)).into(),
            reveal::name(&effort.skill).into(),
            match &effort.phase {
                Some(phase) => reveal::name(phase).into(),
                None => Text::styled("-", style::FAINT),
            },
        ]);
    }
    list
}
