//! What `bowline init` tells a person.

use super::{Report, SkillOutcome, SkillReport, State, uninstall_in};
use crate::agent_settings::Installable;
use crate::project::Paths;
use crate::ui::{Text, Ui, counted, style};

/// Shows what keeps the agent from reading the file, before the question.
pub(super) fn show_refusals(report: &Report, agent: &Installable, paths: &Paths, ui: &mut Ui) {
    if report.refusals.is_empty() {
        return;
    }
    let file = paths.show_absolute(&report.file);
    ui.line(Text::styled(
        format!(
            "{} refuses the whole of {file}, until these are gone:",
            agent.title()
        ),
        style::CAUTION,
    ));
    for refusal in &report.refusals {
        ui.line(format!("  {}", refusal.told()));
    }
    ui.blank();
}

/// Shows what the agent does not read of the file, before the question.
pub(super) fn show_shadowed(report: &Report, agent: &Installable, ui: &mut Ui) {
    if report.shadowed.is_empty() {
        return;
    }
    ui.line(Text::styled(
        format!(
            "Of a key that comes twice {} reads only the last, so that hooks are lost:",
            agent.title()
        ),
        style::CAUTION,
    ));
    for shadowed in &report.shadowed {
        ui.line(format!("  {}", shadowed.told()));
    }
    ui.blank();
}

/// Shows what became of it.
pub(super) fn show(report: &Report, agent: &Installable, paths: &Paths, ui: &mut Ui) {
    let file = paths.show_absolute(&report.file);
    let events = counted(report.events.len(), "event");
    ui.line(match report.state {
        State::AlreadyInstalled => Text::from(format!(
            "Already installed: {file} has Bowline for {events}; nothing was changed."
        )),
        State::WouldInstall => Text::from("Nothing was written (--dry-run)."),
        State::Declined => Text::from("Not installed; nothing was changed."),
        State::Written => Text::styled(
            format!(
                "Written, but {} will not run it: the file has comments or trailing commas; remove them.",
                agent.title()
            ),
            style::CAUTION,
        ),
        State::Installed => Text::styled(
            format!(
                "Installed: {} asks Bowline at {events}.",
                agent.title()
            ),
            style::GOOD,
        ),
    });
    if let Some(backup) = &report.backup {
        ui.line(format!(
            "The file as it was: {}",
            paths.show_absolute(backup)
        ));
    }
    if let Some(skill) = &report.effort_skill {
        show_skill(skill, paths, ui);
    }
    if report.state != State::Declined {
        ui.line(report.client.told());
    }
    for note in &report.notes {
        ui.line(Text::styled(note, style::CAUTION));
    }
    if report.state == State::AlreadyInstalled {
        show_refusals(report, agent, paths, ui);
        show_shadowed(report, agent, ui);
    }
    if matches!(report.state, State::Installed | State::Written) {
        let uninstall = uninstall_in(report.scope);
        ui.line(format!(
            "`bowline doctor` checks that it works; `{uninstall}` takes it out again."
        ));
    }
}

fn show_skill(skill: &SkillReport, paths: &Paths, ui: &mut Ui) {
    let file = paths.show_absolute(&skill.file);
    match skill.state {
        SkillOutcome::AlreadyInstalled => {
            ui.line(format!("The skill for efforts is in {file} already."));
        }
        SkillOutcome::Installed => ui.line(Text::styled(
            format!("The skill for efforts is in {file} now."),
            style::GOOD,
        )),
        SkillOutcome::Changed => ui.line(Text::styled(
            format!(
                "{file} is not Bowline's, or somebody has changed it: it stays as it is. Remove it and run this again to get \
                 Bowline's."
            ),
            style::CAUTION,
        )),
        SkillOutcome::Declined => ui.line("The skill for efforts was not installed."),
        SkillOutcome::WouldInstall => {}
    }
}
