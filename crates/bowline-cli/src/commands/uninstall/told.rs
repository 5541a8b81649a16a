//! What `bowline uninstall` tells a person.

use bowline_daemon::registration::HOOK_PROGRAM;

use super::{AgentReport, Report, SkillOutcome, State, Tried};
use crate::agent_settings::Installable;
use crate::agent_settings::diff::Diff;
use crate::commands::installing::{show_backups, uninstall_in};
use crate::control::Stopped;
use crate::project::Paths;
use crate::ui::{Text, Ui, style};

/// Shows what became of an agent's settings.
pub(super) fn show_agent(report: &Tried, agent: &Installable, paths: &Paths, ui: &mut Ui) {
    let file = paths.show_absolute(&report.place);
    let is_changed = report.files.iter().any(|it| it.diff != Diff::default());
    ui.line(match report.state {
        State::WouldUninstall => Text::from("Nothing was changed (--dry-run)."),
        State::Declined => Text::from("Not uninstalled; nothing was changed."),
        State::Uninstalled if is_changed => Text::styled(
            format!("Uninstalled: {} no longer asks Bowline.", agent.title()),
            style::GOOD,
        ),
        State::LeftAlone => Text::styled(
            format!(
                "Not all of it is uninstalled: {} still asks Bowline.",
                agent.title()
            ),
            style::CAUTION,
        ),
        State::NotInstalled | State::Uninstalled => Text::from(format!(
            "Bowline is not in {file}; the file was not changed."
        )),
    });
    for it in report.files.iter().filter(|it| it.left_alone) {
        let file = paths.show_absolute(&it.file);
        let told = if it.still_starts {
            format!(
                "{file} is not as Bowline wrote it; it was left as it is, and still starts {HOOK_PROGRAM}. Remove it, or the lines that \
                 start it."
            )
        } else {
            format!("{file} is not as Bowline wrote it; it was left as it is.")
        };
        ui.line(Text::styled(told, style::CAUTION));
    }
    let backups = report.files.iter().filter_map(|it| it.backup.as_ref());
    show_backups(backups, paths, ui);
    if let Some(trust) = report
        .trust
        .as_ref()
        .filter(|_| matches!(report.state, State::Uninstalled | State::LeftAlone))
    {
        trust.show(agent, paths, ui);
    }
    if let Some(skill) = &report.effort_skill {
        let file = paths.show_absolute(&skill.file);
        match skill.state {
            SkillOutcome::Removed => {
                ui.line(format!("The skill for efforts was removed: {file}"));
            }
            SkillOutcome::Changed => ui.line(Text::styled(
                format!("{file} is not as Bowline wrote it; it was left as it is."),
                style::CAUTION,
            )),
            SkillOutcome::Kept => {}
        }
    }
}

/// Shows what became of everything else.
pub(super) fn show(report: &Report, state: State, paths: &Paths, ui: &mut Ui) {
    if report.daemon == Some(Stopped::Now) {
        ui.line("The daemon was stopped.");
    } else if state == State::Uninstalled && !report.elsewhere.is_empty() {
        ui.line("The daemon goes on, because other settings have Bowline.");
    } else if report.agents.iter().any(AgentReport::is_left) {
        ui.line("The daemon goes on, because not all of Bowline is out of these settings.");
    }
    if let Some(reason) = &report.daemon_trouble {
        ui.line(Text::styled(
            format!("The daemon could not be stopped: {reason}"),
            style::CAUTION,
        ));
    }
    match &report.data {
        Some(_) if report.purged => ui.line("What was recorded has been deleted."),
        Some(data)
            if data.has_records() && !matches!(state, State::Declined | State::WouldUninstall) =>
        {
            ui.line(format!(
                "What was recorded stays in {}; `bowline uninstall --purge` deletes it.",
                paths.show_absolute(&data.folder)
            ));
        }
        _ => {}
    }
    if let Some(file) = &report.own_settings
        && state != State::Declined
    {
        ui.line(format!(
            "Bowline's own settings stay in {}.",
            paths.show_absolute(file)
        ));
    }
    for other in &report.elsewhere {
        ui.line(Text::styled(
            format!(
                "{} still has Bowline; `{}` takes it out.",
                paths.show_absolute(&other.file),
                uninstall_in(other.scope)
            ),
            style::CAUTION,
        ));
    }
}
