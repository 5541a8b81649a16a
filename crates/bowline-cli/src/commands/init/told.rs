//! What `bowline init` tells a person.

use super::{Report, SkillOutcome, SkillReport, State, TrustReport};
use crate::agent_settings::{InstallScope, Installable, Plan, program};
use crate::commands::installing::show_backups;
use crate::project::Paths;
use crate::ui::{Text, Ui, counted, style};

/// Shows what keeps the agent from reading the file, before the question.
pub(super) fn show_refusals(report: &Report, agent: &Installable, paths: &Paths, ui: &mut Ui) {
    for it in report.files.iter().filter(|it| !it.refusals.is_empty()) {
        let file = paths.show_absolute(&it.file);
        ui.line(Text::styled(
            format!(
                "{} runs no hooks of {file}, until these are gone:",
                agent.title()
            ),
            style::CAUTION,
        ));
        for refusal in &it.refusals {
            ui.line(format!("  {}", refusal.told()));
        }
        ui.blank();
    }
}

/// Shows what the agent does not read of the file, before the question.
pub(super) fn show_shadowed(report: &Report, agent: &Installable, ui: &mut Ui) {
    let mut shadowed = report.files.iter().flat_map(|it| &it.shadowed).peekable();
    if shadowed.peek().is_none() {
        return;
    }
    ui.line(Text::styled(
        format!(
            "Of a key that comes twice {} reads only the last, so that hooks are lost:",
            agent.title()
        ),
        style::CAUTION,
    ));
    for shadowed in shadowed {
        ui.line(format!("  {}", shadowed.told()));
    }
    ui.blank();
}

/// Shows what became of it.
pub(super) fn show(report: &Report, agent: &Installable, paths: &Paths, ui: &mut Ui) {
    let file = paths.show_absolute(&report.place);
    let events = counted(report.events.len(), "event");
    ui.line(match report.state {
        State::AlreadyInstalled if report.is_out_of_force() => Text::styled(
            format!(
                "Already installed, but not in force: {file} has Bowline for {events}; nothing was changed."
            ),
            style::CAUTION,
        ),
        State::AlreadyInstalled => Text::from(format!(
            "Already installed: {file} has Bowline for {events}; nothing was changed."
        )),
        State::LeftAlone => Text::styled("Not installed; nothing was changed.", style::CAUTION),
        State::WouldInstall => Text::from("Nothing was written (--dry-run)."),
        State::Declined => Text::from("Not installed; nothing was changed."),
        State::Written if !report.is_refused() => Text::styled(
            format!(
                "Written, but not in force: {} runs no hooks.",
                agent.title()
            ),
            style::CAUTION,
        ),
        State::Written => Text::styled(
            format!(
                "Written, but {} will not run it before what stands above is gone from the file.",
                agent.title()
            ),
            style::CAUTION,
        ),
        State::Installed if report.trust.as_ref().is_some_and(TrustReport::is_lacking) => {
            Text::from(format!(
                "Installed: {} is to ask Bowline at {events}.",
                agent.title()
            ))
        }
        State::Installed => Text::styled(
            format!("Installed: {} asks Bowline at {events}.", agent.title()),
            style::GOOD,
        ),
    });
    for it in report.files.iter().filter(|it| it.left_alone) {
        let file = paths.show_absolute(&it.file);
        ui.line(Text::styled(
            format!(
                "{file} is not Bowline's, or somebody has changed it: it stays as it is. Remove it and run this again to get \
                 Bowline's."
            ),
            style::CAUTION,
        ));
    }
    let backups = report.files.iter().filter_map(|it| it.backup.as_ref());
    show_backups(backups, paths, ui);
    if let Some(skill) = &report.effort_skill {
        show_skill(skill, paths, ui);
    }
    if report.state != State::Declined {
        ui.line(report.client.told());
    }
    if let Some(trust) = &report.trust {
        trust.show(agent, paths, ui);
    }
    for note in &report.notes {
        ui.line(Text::styled(note, style::CAUTION));
    }
    if report.state == State::AlreadyInstalled {
        show_refusals(report, agent, paths, ui);
        show_shadowed(report, agent, ui);
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

/// Adds what a person should know although nothing went wrong.
pub(super) fn add_notes(
    notes: &mut Vec<String>,
    agent: &Installable,
    plan: &Plan,
    switched_off_by: Option<&str>,
) {
    let (title, oldest) = (agent.title(), agent.registration.client.oldest);
    if plan.client < oldest {
        notes.push(format!(
            "Bowline is tried with {title} {oldest} and later; update the client if you can"
        ));
    }
    if let Some(by) = switched_off_by {
        notes.push(format!(
            "{title} runs no hooks, and so nothing of Bowline: {by}; change that setting, or ask whoever manages \
             this machine"
        ));
    }
    if plan.scope != InstallScope::User && !program::is_on_path() {
        notes.push(
            "bowline-hook is not on your PATH, so that these entries do nothing for you yet"
                .to_owned(),
        );
    }
}
