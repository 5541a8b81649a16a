//! `bowline uninstall`: takes Bowline out of an agent's hook settings, and stops its daemon.

mod purge;

use std::path::{Path, PathBuf};

use bowline::settings::{Locations, find_project};
use serde::Serialize;

use super::init::{cannot_edit, consent, settings_file, uninstall_in};
use crate::Outcome;
use crate::agent_settings::backups::{Backups, Original};
use crate::agent_settings::diff::Diff;
use crate::agent_settings::file::SettingsText;
use crate::agent_settings::preview::Preview;
use crate::agent_settings::{InstallScope, Installable, Unfit, is_blank};
use crate::control::{self, Stopped};
use crate::error::Result;
use crate::project::{self, Paths};
use crate::ui::{Format, FormatArgs, Text, Ui, YesOrNo, style};
use purge::Kept;

/// Take Bowline out of Claude Code's hook settings and stop its daemon
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
    agent: &'static str,
    scope: InstallScope,
    #[serde(serialize_with = "project::lossy")]
    file: PathBuf,
    state: State,
    diff: Diff,
    #[serde(serialize_with = "project::lossy_option")]
    backup: Option<PathBuf>,
    /// What happened to the daemon; nothing if it was not to be stopped.
    daemon: Option<Stopped>,
    /// Why it could not be stopped.
    daemon_trouble: Option<String>,
    /// What is kept, or was deleted with `--purge`.
    data: Option<Kept>,
    purged: bool,
    /// Other settings that still have Bowline.
    elsewhere: Vec<Elsewhere>,
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

pub(crate) fn run(args: &UninstallArgs, ui: &mut Ui) -> Result<Outcome> {
    let agent = Installable::CLAUDE_CODE;
    let locations = Locations::from_env();
    let project = find_project(&project::folder(None)?, &locations);
    let paths = Paths::of(&project);
    let file = settings_file(agent, args.scope, &project, &locations)?;
    let places = control::places()?;
    let current = SettingsText::read(&file)?;
    let backups = Backups::of(current.target(), &locations)?;
    let original =
        original(agent, &current, &backups).map_err(|unfit| cannot_edit(&file, &unfit))?;
    let wanted = match &original {
        Original::Text(text) => text.as_str(),
        Original::NoFile => "",
    };
    let others = InstallScope::ALL.into_iter().filter_map(|scope| {
        let path = agent.file(scope, &project, &locations)?;
        (path != file && has_bowline(agent, &path)).then_some(Elsewhere { scope, file: path })
    });
    let mut report = Report {
        agent: agent.name(),
        scope: args.scope,
        state: State::NotInstalled,
        diff: Diff::between(&current.text, wanted),
        backup: None,
        daemon: None,
        daemon_trouble: None,
        data: Kept::of(&places)?,
        purged: false,
        elsewhere: others.collect(),
        file,
    };
    let format = args.format.format();
    if format == Format::Text {
        let preview = if args.full {
            Preview::full(&current.text, wanted)
        } else {
            let change =
                |is_shown: &dyn Fn(&str) -> bool| agent.uninstall_at(&current.text, is_shown);
            Preview::short(agent, &current.text, wanted, change)
                .map_err(|unfit| cannot_edit(&report.file, &unfit))?
        };
        show_changes(&report, &preview, args, &paths, ui);
    }
    let is_changed = wanted != current.text;
    let is_purge = args.purge && report.data.is_some();
    report.state = match is_changed || is_purge {
        _ if args.dry_run => State::WouldUninstall,
        true if consent("Write this?", args.yes.then_some(YesOrNo::Yes), format, ui)?
            == YesOrNo::No =>
        {
            State::Declined
        }
        true => State::Uninstalled,
        false => State::NotInstalled,
    };
    if matches!(report.state, State::Uninstalled | State::NotInstalled) {
        if is_changed {
            report.backup = current.restore(&original, &backups)?;
        }
        // An agent that still has Bowline elsewhere uses it; but it would go on writing to what is deleted.
        if report.elsewhere.is_empty() || is_purge {
            match control::stop(&places) {
                Ok(stopped) => report.daemon = Some(stopped),
                Err(error) if is_purge => return Err(error),
                Err(error) => report.daemon_trouble = Some(error.to_string()),
            }
        }
        if let Some(data) = report.data.as_ref().filter(|_| is_purge) {
            data.delete(&places)?;
            report.purged = true;
            report.backup = None;
        }
    }
    match format {
        Format::Json => ui.json(&report)?,
        Format::Text => show(&report, agent, &paths, ui),
    }
    Ok(match report.state {
        State::Declined => Outcome::Findings,
        _ => Outcome::Clean,
    })
}

/// The file as it was before Bowline came. Where others have written to it since, only Bowline's entries go.
fn original(
    agent: Installable,
    current: &SettingsText,
    backups: &Backups,
) -> Result<Original, Unfit> {
    let without = agent.uninstall(&current.text)?;
    if without == current.text {
        return Ok(Original::Text(without));
    }
    Ok(match backups.original(&current.text) {
        Some(original) => original,
        None if is_blank(&without) && backups.is_made_by_bowline() => Original::NoFile,
        None => Original::Text(without),
    })
}

fn has_bowline(agent: Installable, file: &Path) -> bool {
    let text = SettingsText::read(file)
        .map(|it| it.text)
        .unwrap_or_default();
    agent.found(&text).is_ok_and(|found| !found.is_empty())
}

/// What would change, for those who are asked.
fn show_changes(
    report: &Report,
    preview: &Preview,
    args: &UninstallArgs,
    paths: &Paths,
    ui: &mut Ui,
) {
    if !preview.is_empty() {
        ui.line(Text::styled(
            paths.show_absolute(&report.file),
            style::HEADING,
        ));
        preview.show(ui);
        ui.blank();
    }
    if let Some(data) = report.data.as_ref().filter(|_| args.purge) {
        data.show(paths, ui);
    }
}

fn show(report: &Report, agent: Installable, paths: &Paths, ui: &mut Ui) {
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
    if report.daemon == Some(Stopped::Now) {
        ui.line("The daemon was stopped.");
    } else if report.state == State::Uninstalled && !report.elsewhere.is_empty() {
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
            if data.has_records()
                && !matches!(report.state, State::Declined | State::WouldUninstall) =>
        {
            ui.line(format!(
                "What was recorded stays in {}; `bowline uninstall --purge` deletes it.",
                paths.show_absolute(&data.folder)
            ));
        }
        _ => {}
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
