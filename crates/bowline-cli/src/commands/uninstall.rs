//! `bowline uninstall`: takes Bowline out of an agent's hook settings, and stops its daemon.

mod purge;

use std::path::PathBuf;

use bowline_daemon::Places;
use serde::Serialize;

use super::installing::{cannot_edit, consent, one_or_all, settings_file, uninstall_in};
use crate::Outcome;
use crate::agent_settings::agents::{self, Surroundings, names_bowline};
use crate::agent_settings::backups::{Backups, Original};
use crate::agent_settings::diff::Diff;
use crate::agent_settings::effort_skill::{EffortSkill, SkillState};
use crate::agent_settings::file::SettingsText;
use crate::agent_settings::preview::Preview;
use crate::agent_settings::{InstallScope, Installable, Unfit};
use crate::control::{self, Stopped};
use crate::error::Result;
use crate::own_settings;
use crate::project::{self, Paths};
use crate::ui::{Format, FormatArgs, Text, Ui, YesOrNo, style};
use purge::Kept;

/// Take Bowline out of your agents' hook settings and stop its daemon
///
/// Restores the file as it was before. If others have written to it since, only Bowline's own entries are removed. The daemon keeps
/// running while other settings still have Bowline. Records stay, unless --purge is given
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline uninstall
  bowline uninstall --scope project --dry-run
  bowline uninstall --purge")]
pub(crate) struct UninstallArgs {
    /// Only this agent [default: those that are on this machine or have Bowline]
    #[arg(long, value_name = "AGENT", value_parser = agents::by_name())]
    agent: Option<Installable>,

    /// Whose settings: yours, the project's, or yours for this project
    #[arg(long, value_name = "SCOPE", value_enum, default_value = "user")]
    scope: InstallScope,

    /// Also delete everything that was recorded and remembered
    #[arg(long)]
    purge: bool,

    /// Only show what would change
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,

    /// Show every line that changes, also of events that change alike
    #[arg(long)]
    full: bool,

    /// Do not ask
    #[arg(long, short)]
    yes: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten, serialize_with = "one_or_all")]
    agents: Vec<AgentReport>,
    /// What happened to the daemon; nothing if it was not to be stopped.
    daemon: Option<Stopped>,
    /// Why it could not be stopped.
    daemon_trouble: Option<String>,
    /// What is kept, or was deleted with `--purge`.
    data: Option<Kept>,
    purged: bool,
    /// Other settings that still have Bowline.
    elsewhere: Vec<Elsewhere>,
    /// Bowline's own settings of the scope, which stay.
    #[serde(serialize_with = "project::lossy_option")]
    own_settings: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
struct AgentReport {
    agent: &'static str,
    scope: InstallScope,
    #[serde(serialize_with = "project::lossy")]
    file: PathBuf,
    state: State,
    diff: Diff,
    #[serde(serialize_with = "project::lossy_option")]
    backup: Option<PathBuf>,
    /// What became of the skill for efforts, if there is one.
    effort_skill: Option<SkillReport>,
}

#[derive(Debug, Serialize)]
struct SkillReport {
    #[serde(serialize_with = "project::lossy")]
    file: PathBuf,
    state: SkillOutcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum SkillOutcome {
    /// It is still there, because nothing was changed.
    Kept,
    Removed,
    /// It is not as Bowline wrote it, and stays.
    Changed,
}

#[derive(Debug, Serialize)]
struct Elsewhere {
    scope: InstallScope,
    #[serde(serialize_with = "project::lossy")]
    file: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    NotInstalled,
    WouldUninstall,
    Uninstalled,
    /// The answer was no.
    Declined,
}

/// A change of one agent's settings that is not written yet.
struct Prepared {
    agent: Installable,
    current: SettingsText,
    original: Original,
    backups: Backups,
    /// The skill for efforts, if it is Bowline's own.
    skill: Option<EffortSkill>,
    report: AgentReport,
}

pub(crate) fn run(args: &UninstallArgs, ui: &mut Ui) -> Result<Outcome> {
    run_in(&Surroundings::of_process()?, &control::places()?, args, ui)
}

/// As [`run`], elsewhere.
pub(super) fn run_in(
    surroundings: &Surroundings,
    places: &Places,
    args: &UninstallArgs,
    ui: &mut Ui,
) -> Result<Outcome> {
    let paths = Paths::of(&surroundings.project);
    let chosen = surroundings.chosen(args.agent, &[args.scope]);
    // Every file is read before one is written, so that nothing is done by halves.
    let mut prepared: Vec<Prepared> = chosen
        .into_iter()
        .map(|agent| Prepared::of(agent, args.scope, surroundings))
        .collect::<Result<_>>()?;
    let data = Kept::of(places)?;
    let elsewhere = elsewhere(&prepared, surroundings);
    let format = args.format.format();
    if format == Format::Text {
        for it in &prepared {
            it.show_change(args, &paths, ui)?;
        }
        if let Some(data) = data.as_ref().filter(|_| args.purge) {
            data.show(&paths, ui);
        }
    }
    let is_purge = args.purge && data.is_some();
    let is_changed = prepared.iter().any(Prepared::is_changed);
    let state = match is_changed || is_purge {
        _ if args.dry_run => State::WouldUninstall,
        true if consent("Write this?", args.yes.then_some(YesOrNo::Yes), format, ui)?
            == YesOrNo::No =>
        {
            State::Declined
        }
        true => State::Uninstalled,
        false => State::NotInstalled,
    };
    let mut report = Report {
        agents: Vec::new(),
        daemon: None,
        daemon_trouble: None,
        data,
        purged: false,
        elsewhere,
        own_settings: own_settings::file_of(
            args.scope,
            &surroundings.project,
            &surroundings.locations,
        )
        .filter(|file| file.exists()),
    };
    if matches!(state, State::Uninstalled | State::NotInstalled) {
        for it in &mut prepared {
            it.carry_out()?;
        }
        // An agent that still has Bowline elsewhere uses it; but it would go on writing to what is deleted.
        if report.elsewhere.is_empty() || is_purge {
            match control::stop(places) {
                Ok(stopped) => report.daemon = Some(stopped),
                Err(error) if is_purge => return Err(error),
                Err(error) => report.daemon_trouble = Some(error.to_string()),
            }
        }
        if let Some(data) = report.data.as_ref().filter(|_| is_purge) {
            data.delete(places)?;
            report.purged = true;
            for it in &mut prepared {
                it.report.backup = None;
            }
        }
    }
    for mut it in prepared {
        let is_meant = it.is_changed() || is_purge;
        it.report.state = match state {
            State::Uninstalled if !is_meant => State::NotInstalled,
            state => state,
        };
        if format == Format::Text {
            show_agent(&it.report, &it.agent, &paths, ui);
        }
        report.agents.push(it.report);
    }
    match format {
        Format::Json => ui.json(&report)?,
        Format::Text => show(&report, state, &paths, ui),
    }
    Ok(match state {
        State::Declined => Outcome::Findings,
        _ => Outcome::Clean,
    })
}

/// The settings that still have Bowline afterwards.
fn elsewhere(prepared: &[Prepared], surroundings: &Surroundings) -> Vec<Elsewhere> {
    let mut elsewhere = Vec::new();
    for agent in surroundings.agents {
        for scope in InstallScope::ALL {
            let Some(file) = surroundings.file(agent, scope) else {
                continue;
            };
            let is_prepared = prepared.iter().any(|it| it.report.file == file);
            if !is_prepared && names_bowline(agent, &file) {
                elsewhere.push(Elsewhere { scope, file });
            }
        }
    }
    elsewhere
}

impl Prepared {
    fn of(agent: Installable, scope: InstallScope, surroundings: &Surroundings) -> Result<Self> {
        let file = settings_file(&agent, scope, surroundings)?;
        let current = SettingsText::read(&file)?;
        let backups = Backups::of(current.target(), &surroundings.locations)?;
        let original =
            original(&agent, &current, &backups).map_err(|unfit| cannot_edit(&file, &unfit))?;
        let skill = EffortSkill::find(&agent, scope, surroundings)?
            .filter(|skill| skill.state != SkillState::Missing);
        let effort_skill = skill.as_ref().map(|skill| SkillReport {
            file: skill.file.clone(),
            state: match skill.state {
                SkillState::Changed => SkillOutcome::Changed,
                _ => SkillOutcome::Kept,
            },
        });
        let report = AgentReport {
            agent: agent.name(),
            scope,
            state: State::NotInstalled,
            diff: Diff::between(&current.text, wanted(&original)),
            backup: None,
            effort_skill,
            file,
        };
        Ok(Self {
            skill: skill.filter(EffortSkill::is_ours),
            agent,
            current,
            original,
            backups,
            report,
        })
    }

    fn is_changed(&self) -> bool {
        self.is_in_settings() || self.skill.is_some()
    }

    fn is_in_settings(&self) -> bool {
        wanted(&self.original) != self.current.text
    }

    fn carry_out(&mut self) -> Result<()> {
        if self.is_in_settings() {
            self.report.backup = self.current.restore(&self.original, &self.backups)?;
        }
        if let Some(skill) = &self.skill {
            skill.remove()?;
            if let Some(told) = &mut self.report.effort_skill {
                told.state = SkillOutcome::Removed;
            }
        }
        Ok(())
    }

    /// What would change, for those who are asked.
    fn show_change(&self, args: &UninstallArgs, paths: &Paths, ui: &mut Ui) -> Result<()> {
        let (before, wanted) = (&self.current.text, wanted(&self.original));
        let preview = if args.full {
            Preview::full(before, wanted)
        } else {
            let change =
                |is_shown: &dyn Fn(&str) -> bool| self.agent.uninstall_at(before, is_shown);
            Preview::short(&self.agent, before, wanted, change)
                .map_err(|unfit| cannot_edit(&self.report.file, &unfit))?
        };
        if !preview.is_empty() {
            let file = paths.show_absolute(&self.report.file);
            ui.line(Text::styled(file, style::HEADING));
            preview.show(ui);
            ui.blank();
        }
        if let Some(skill) = &self.skill {
            let file = paths.show_absolute(&skill.file);
            ui.line(Text::styled(file, style::HEADING).plain(" (is removed)"));
            ui.blank();
        }
        Ok(())
    }
}

fn wanted(original: &Original) -> &str {
    match original {
        Original::Text(text) => text,
        Original::NoFile => "",
    }
}

/// The file as it was before Bowline came. Where others have written to it since, only Bowline's entries go.
fn original(
    agent: &Installable,
    current: &SettingsText,
    backups: &Backups,
) -> Result<Original, Unfit> {
    let without = agent.uninstall(&current.text)?;
    if without == current.text {
        return Ok(Original::Text(without));
    }
    Ok(match backups.original(&current.text) {
        Some(original) => original,
        None if (agent.form.is_blank)(&without) && backups.is_made_by_bowline() => Original::NoFile,
        None => Original::Text(without),
    })
}

fn show_agent(report: &AgentReport, agent: &Installable, paths: &Paths, ui: &mut Ui) {
    let file = paths.show_absolute(&report.file);
    ui.line(match report.state {
        State::WouldUninstall => Text::from("Nothing was changed (--dry-run)."),
        State::Declined => Text::from("Not uninstalled; nothing was changed."),
        State::Uninstalled if report.diff != Diff::default() => Text::styled(
            format!("Uninstalled: {} no longer asks Bowline.", agent.title()),
            style::GOOD,
        ),
        State::NotInstalled | State::Uninstalled => Text::from(format!(
            "Bowline is not in {file}; the file was not changed."
        )),
    });
    if let Some(backup) = &report.backup {
        ui.line(format!(
            "The file as it was: {}",
            paths.show_absolute(backup)
        ));
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

fn show(report: &Report, state: State, paths: &Paths, ui: &mut Ui) {
    if report.daemon == Some(Stopped::Now) {
        ui.line("The daemon was stopped.");
    } else if state == State::Uninstalled && !report.elsewhere.is_empty() {
        ui.line("The daemon goes on, because other settings have Bowline.");
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
