//! `bowline uninstall`: takes Bowline out of an agent's hook settings, and stops its daemon.

mod purge;
mod told;
mod trust;

use std::path::PathBuf;

use bowline_daemon::Places;
use serde::Serialize;

use super::installing::{
    Attempt, Failure, LeftOut, cannot_edit, consent, is_of_one_agent, one_file_or_all, one_or_all,
    settings_file, with_settings_of,
};
use crate::Outcome;
use crate::agent_settings::agents::{self, Surroundings, names_bowline};
use crate::agent_settings::backups::{Backups, Original};
use crate::agent_settings::diff::Diff;
use crate::agent_settings::effort_skill::{EffortSkill, SkillState};
use crate::agent_settings::entry_file::{EntryFile, entry_files};
use crate::agent_settings::file::SettingsText;
use crate::agent_settings::preview::{Course, FilePreview, Preview};
use crate::agent_settings::{InstallScope, Installable, Unfit};
use crate::control::{self, Stopped};
use crate::error::{Error, Result};
use crate::own_settings;
use crate::project::{self, Paths};
use crate::ui::{Format, FormatArgs, Text, Ui, YesOrNo, style};
use purge::Kept;
use trust::{TrustReport, Trusted};

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
    /// The agents that have no settings of the scope.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOut>,
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
#[serde(untagged)]
enum AgentReport {
    Tried(Box<Tried>),
    Failed(Failure),
}

impl AgentReport {
    /// Whether the agent may ask Bowline even now.
    fn is_left(&self) -> bool {
        match self {
            Self::Tried(tried) => tried.state == State::LeftAlone,
            Self::Failed(_) => true,
        }
    }
}

#[derive(Debug, Serialize)]
struct Tried {
    agent: &'static str,
    scope: InstallScope,
    /// The file, or the folder of the files.
    #[serde(skip)]
    place: PathBuf,
    #[serde(flatten, serialize_with = "one_file_or_all")]
    files: Vec<FileReport>,
    state: State,
    /// What became of the skill for efforts, if there is one.
    effort_skill: Option<SkillReport>,
    /// What is taken back of the trust in Bowline's entries, if that was written down.
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<TrustReport>,
}

#[derive(Debug, Serialize)]
struct FileReport {
    #[serde(serialize_with = "project::lossy")]
    file: PathBuf,
    diff: Diff,
    #[serde(serialize_with = "project::lossy_option")]
    backup: Option<PathBuf>,
    /// It is not as Bowline wrote it, and stays.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    left_alone: bool,
    /// It stays, and still starts Bowline.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    still_starts: bool,
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
    /// The agent still asks Bowline, because somebody has changed what Bowline wrote.
    LeftAlone,
    /// The answer was no.
    Declined,
}

/// A change of one agent's settings that is not written yet.
struct Prepared {
    agent: Installable,
    changes: Vec<Change>,
    /// The skill for efforts, if it is Bowline's own.
    skill: Option<EffortSkill>,
    /// That Bowline's entries are trusted, if that is written down.
    trust: Option<Trusted>,
    report: Tried,
}

/// What becomes of one file.
struct Change {
    file: EntryFile,
    current: SettingsText,
    original: Original,
    backups: Backups,
    is_left_alone: bool,
    still_starts: bool,
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
    let (chosen, left_out) = with_settings_of(args.scope, chosen, args.agent)?;
    // Every file is read before one is written. What is wrong with one agent's is no reason to leave Bowline in the others.
    let is_alone = chosen.len() == 1;
    let mut prepared: Vec<Prepared> = Vec::new();
    let mut failures: Vec<Failure> = Vec::new();
    let failure = |agent: &Installable, error: Error, written: &[PathBuf]| {
        if is_alone || !is_of_one_agent(&error) {
            return Err(error);
        }
        let attempt = Attempt::Uninstall;
        Ok(Failure::of(agent, attempt, args.scope, &error, written))
    };
    for agent in chosen {
        match Prepared::of(agent, args.scope, surroundings) {
            Ok(it) => prepared.push(it),
            Err(error) => failures.push(failure(&agent, error, &[])?),
        }
    }
    let data = Kept::of(places)?;
    // The copies of the settings as they were are part of it. They stay until Bowline is out of all of them.
    let is_purge = args.purge && data.is_some() && failures.is_empty();
    let elsewhere = elsewhere(&prepared, &failures, args.scope, surroundings);
    let format = args.format.format();
    if format == Format::Text {
        for it in &left_out {
            it.show(ui);
        }
        for it in &failures {
            it.show(ui);
            ui.blank();
        }
        for it in &prepared {
            it.show_change(args, &paths, ui)?;
        }
        if let Some(data) = data.as_ref().filter(|_| is_purge) {
            data.show(&paths, ui);
        }
    }
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
        left_out,
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
            let mut written = Vec::new();
            if let Err(error) = it.carry_out(&mut written) {
                let failure = failure(&it.agent, error, &written)?;
                if format == Format::Text {
                    failure.show(ui);
                    ui.blank();
                }
                failures.push(failure);
            }
        }
        let is_purge = is_purge && failures.is_empty();
        prepared.retain(|it| !failures.iter().any(|failure| failure.is_of(&it.agent)));
        // An agent that still has Bowline elsewhere uses it; but it would go on writing to what is deleted.
        let is_used =
            !report.elsewhere.is_empty() || !failures.is_empty() || still_starts(&prepared);
        if !is_used || is_purge {
            match control::stop(places) {
                Ok(stopped) => report.daemon = Some(stopped),
                Err(error) if is_purge => return Err(error),
                Err(error) => report.daemon_trouble = Some(error.to_string()),
            }
        }
        if let Some(data) = report.data.as_ref().filter(|_| is_purge) {
            data.delete(places)?;
            report.purged = true;
            for file in prepared.iter_mut().flat_map(|it| &mut it.report.files) {
                file.backup = None;
            }
        }
    }
    let is_left = !failures.is_empty() || still_starts(&prepared);
    for mut it in prepared {
        let is_meant = it.is_changed() || is_purge;
        it.report.state = match state {
            State::Uninstalled | State::NotInstalled if it.still_starts() => State::LeftAlone,
            State::Uninstalled if !is_meant => State::NotInstalled,
            state => state,
        };
        if format == Format::Text {
            told::show_agent(&it.report, &it.agent, &paths, ui);
        }
        report.agents.push(AgentReport::Tried(Box::new(it.report)));
    }
    let failures = failures.into_iter().map(AgentReport::Failed);
    report.agents.extend(failures);
    match format {
        Format::Json => ui.json(&report)?,
        Format::Text => told::show(&report, state, &paths, ui),
    }
    Ok(match state {
        State::Declined => Outcome::Findings,
        _ if is_left => Outcome::Findings,
        _ => Outcome::Clean,
    })
}

/// Whether an agent asks Bowline even afterwards.
fn still_starts(prepared: &[Prepared]) -> bool {
    prepared.iter().any(Prepared::still_starts)
}

/// The other settings that still have Bowline afterwards.
fn elsewhere(
    prepared: &[Prepared],
    failures: &[Failure],
    meant: InstallScope,
    surroundings: &Surroundings,
) -> Vec<Elsewhere> {
    let mut elsewhere = Vec::new();
    for agent in surroundings.agents {
        for scope in InstallScope::ALL {
            let Some(file) = surroundings.file(agent, scope) else {
                continue;
            };
            let is_tried = prepared.iter().any(|it| it.report.place == file)
                || scope == meant && failures.iter().any(|it| it.is_of(agent));
            if !is_tried && names_bowline(agent, &file) {
                elsewhere.push(Elsewhere { scope, file });
            }
        }
    }
    elsewhere
}

impl Prepared {
    fn of(agent: Installable, scope: InstallScope, surroundings: &Surroundings) -> Result<Self> {
        let place = settings_file(&agent, scope, surroundings)?;
        let files = entry_files(&agent, place.clone()).into_iter();
        let changes = files.map(|file| Change::of(file, &agent, surroundings));
        let changes: Vec<Change> = changes.collect::<Result<_>>()?;
        let skill = EffortSkill::find(&agent, scope, surroundings)?
            .filter(|skill| skill.state != SkillState::Missing);
        let effort_skill = skill.as_ref().map(|skill| SkillReport {
            file: skill.file.clone(),
            state: match skill.state {
                SkillState::Changed => SkillOutcome::Changed,
                _ => SkillOutcome::Kept,
            },
        });
        let text = changes.first().map(|it| it.current.text.as_str());
        let trust = Trusted::of(&agent, &place, text.unwrap_or_default(), surroundings)?;
        let report = Tried {
            agent: agent.name(),
            scope,
            place,
            files: changes.iter().map(Change::report).collect(),
            state: State::NotInstalled,
            effort_skill,
            trust: trust.as_ref().map(Trusted::report),
        };
        Ok(Self {
            skill: skill.filter(EffortSkill::is_ours),
            trust,
            agent,
            changes,
            report,
        })
    }

    fn is_changed(&self) -> bool {
        let is_in_settings = self.changes.iter().any(Change::is_wanted);
        is_in_settings || self.skill.is_some() || self.trust.is_some()
    }

    /// Whether the agent asks Bowline even afterwards.
    fn still_starts(&self) -> bool {
        self.changes.iter().any(|it| it.still_starts)
    }

    /// Every file that was written or removed is added to `written`.
    fn carry_out(&mut self, written: &mut Vec<PathBuf>) -> Result<()> {
        let changes = self.changes.iter().zip(&mut self.report.files);
        for (change, told) in changes.filter(|(change, _)| change.is_wanted()) {
            told.backup = change.current.restore(&change.original, &change.backups)?;
            written.push(told.file.clone());
        }
        if let Some(skill) = &self.skill {
            skill.remove()?;
            written.push(skill.file.clone());
            if let Some(told) = &mut self.report.effort_skill {
                told.state = SkillOutcome::Removed;
            }
        }
        if let (Some(trust), Some(told)) = (&self.trust, &mut self.report.trust) {
            trust.take_back(told)?;
        }
        Ok(())
    }

    /// What would change, for those who are asked.
    fn show_change(&self, args: &UninstallArgs, paths: &Paths, ui: &mut Ui) -> Result<()> {
        let wanted = self.changes.iter().filter(|it| it.is_wanted());
        let previews = wanted.map(|it| it.preview(&self.agent, args));
        FilePreview::show_all(&previews.collect::<Result<Vec<_>>>()?, paths, ui);
        if let Some(skill) = &self.skill {
            let file = paths.show_absolute(&skill.file);
            ui.line(Text::styled(file, style::HEADING).plain(" (is removed)"));
            ui.blank();
        }
        if let Some(trust) = &self.trust {
            trust.show_change(paths, ui);
        }
        Ok(())
    }
}

impl Change {
    fn of(file: EntryFile, agent: &Installable, surroundings: &Surroundings) -> Result<Self> {
        let current = SettingsText::read(&file.path)?;
        let backups = Backups::of(current.target(), &surroundings.locations)?;
        let is_left_alone = agent.is_left_alone(&current.text);
        let original = if is_left_alone {
            Original::Text(current.text.clone())
        } else {
            original(agent, &current, &backups)
                .map_err(|unfit| cannot_edit(agent, &file.path, &unfit))?
        };
        Ok(Self {
            still_starts: agent.still_starts_bowline(&current.text),
            file,
            current,
            original,
            backups,
            is_left_alone,
        })
    }

    fn is_wanted(&self) -> bool {
        wanted(&self.original) != self.current.text
    }

    fn report(&self) -> FileReport {
        FileReport {
            file: self.file.path.clone(),
            diff: Diff::between(&self.current.text, wanted(&self.original)),
            backup: None,
            left_alone: self.is_left_alone,
            still_starts: self.still_starts,
        }
    }

    fn preview(&self, agent: &Installable, args: &UninstallArgs) -> Result<FilePreview> {
        let (before, wanted) = (&self.current.text, wanted(&self.original));
        let path = self.file.path.clone();
        let remark = match self.original {
            Original::NoFile => " (is removed)",
            Original::Text(_) => "",
        };
        if args.full {
            return Ok(Preview::full(before, wanted).of_file(path, remark, None));
        }
        let course = Course::of_file(agent, before, wanted);
        if self.original == Original::NoFile && agent.form.kind.is_bowlines() {
            return Ok(Preview::nothing().of_file(path, remark, course));
        }
        let first = self.backups.text_before();
        let change = |is_shown: &dyn Fn(&str) -> bool| agent.uninstall_at(before, is_shown, &first);
        let preview = Preview::short(agent, before, wanted, change)
            .map_err(|unfit| cannot_edit(agent, &path, &unfit))?;
        Ok(preview.of_file(path, remark, course))
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
    let without = agent.uninstall(&current.text, &backups.text_before())?;
    if without == current.text {
        return Ok(Original::Text(without));
    }
    let is_bowlines = || agent.form.kind.is_bowlines() || backups.is_made_by_bowline();
    Ok(match backups.original(&current.text) {
        Some(original) => original,
        None if (agent.form.is_blank)(&without) && is_bowlines() => Original::NoFile,
        None => Original::Text(without),
    })
}
