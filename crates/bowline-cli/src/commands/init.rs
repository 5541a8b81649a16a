//! `bowline init`: puts Bowline into an agent's own hook settings.

mod preset;
mod told;

use std::path::{Path, PathBuf};

use bowline::settings::Preset;
use bowline_agents::ClientVersion;
use bowline_daemon::Places;
use bowline_wire::FailMode;
use serde::Serialize;

use super::installing::{cannot_edit, consent, one_or_all, settings_file, uninstall_in};
use crate::Outcome;
use crate::agent_settings::agents::{self, Surroundings};
use crate::agent_settings::backups::{Backups, Original};
use crate::agent_settings::client::Client;
use crate::agent_settings::diff::Diff;
use crate::agent_settings::effort_skill::{EffortSkill, SkillState, TEXT};
use crate::agent_settings::file::SettingsText;
use crate::agent_settings::preview::Preview;
use crate::agent_settings::refusals::Refusal;
use crate::agent_settings::{InstallScope, Installable, Plan, Shadowed, Unfit, places, program};
use crate::control;
use crate::error::{Error, ErrorKind, Result};
use crate::own_settings;
use crate::project::{self, Paths};
use crate::ui::{Format, FormatArgs, Text, Ui, YesOrNo, style};
use preset::{Asking, PresetReport, PresetState};

/// Put Bowline into your agents' hook settings
///
/// Shows what would change and asks first. Other people's hooks, comments and the order of the file stay as they are;
/// a copy of the old file is kept in Bowline's own folder. Running it again changes nothing, or brings older entries up to date
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline init
  bowline init --dry-run
  bowline init --scope project --yes
  bowline init --on-failure closed
  bowline init --with-efforts
  bowline init --with-statusline
  bowline init --preset solo
  bowline init --agent claude-code --client-version 2.1.197

User entries name bowline-hook by its absolute path. Project and local entries
work wherever bowline-hook is on the PATH, and do nothing where it is not;
where the user's settings have Bowline too, an event is still handled once")]
pub(crate) struct InitArgs {
    /// Only this agent [default: those that are on this machine]
    #[arg(long, value_name = "AGENT", value_parser = agents::by_name())]
    agent: Option<Installable>,

    /// Whose settings: yours, the project's, or yours for this project
    #[arg(long, value_name = "SCOPE", value_enum, default_value = "user")]
    scope: InstallScope,

    /// What the agent is told when Bowline itself fails: open (nothing), ask (the person) or closed (a denial)
    #[arg(long, value_name = "MODE", default_value_t = FailMode::Ask, value_parser = on_failure)]
    on_failure: FailMode,

    /// Write what this version of the agent knows, such as 2.1.197 [default: yours; for a project the oldest supported one]
    #[arg(long, value_name = "VERSION")]
    client_version: Option<ClientVersion>,

    /// Also install the skill that tells the agent how to use `bowline effort`
    #[arg(long)]
    with_efforts: bool,

    /// Also show Bowline in the agent's status line, beside what is shown there already
    #[arg(long)]
    with_statusline: bool,

    /// Also write this preset into Bowline's own settings of the same scope [default: asks, in a terminal]
    #[arg(long, value_name = "NAME", value_parser = own_settings::preset())]
    preset: Option<Preset>,

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

fn on_failure(word: &str) -> Result<FailMode, String> {
    let modes = "expected `open`, `ask` or `closed`";
    word.parse().map_err(|_| modes.to_owned())
}

#[derive(Debug, Serialize)]
struct Document {
    #[serde(flatten, serialize_with = "one_or_all")]
    agents: Vec<Report>,
    /// The preset that was written, if one was wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    preset: Option<PresetReport>,
}

#[derive(Debug, Serialize)]
struct Report {
    agent: &'static str,
    scope: InstallScope,
    client: Client,
    #[serde(serialize_with = "project::lossy")]
    file: PathBuf,
    state: State,
    events: Vec<&'static str>,
    /// What agents start.
    program: String,
    diff: Diff,
    /// What keeps the agent from reading the file.
    refusals: Vec<Refusal>,
    /// The entries that the agent does not read.
    shadowed: Vec<Shadowed>,
    /// The copy of the file as it was.
    #[serde(serialize_with = "project::lossy_option")]
    backup: Option<PathBuf>,
    /// What became of the skill for efforts, if it was asked for.
    effort_skill: Option<SkillReport>,
    notes: Vec<String>,
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
    AlreadyInstalled,
    WouldInstall,
    Installed,
    Declined,
    /// Another file is in its place, and stays there.
    Changed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// There was nothing to change.
    AlreadyInstalled,
    /// It was asked only what would change.
    WouldInstall,
    Installed,
    /// The agent will not read the file until it is repaired.
    Written,
    /// The answer was no.
    Declined,
}

/// A change of one agent's settings that is not written yet.
struct Prepared {
    agent: Installable,
    plan: Plan,
    current: SettingsText,
    wanted: String,
    backups: Backups,
    /// The skill for efforts, if it is to be installed.
    skill: Option<EffortSkill>,
    report: Report,
}

pub(crate) fn run(args: &InitArgs, ui: &mut Ui) -> Result<Outcome> {
    let surroundings = Surroundings::of_process()?;
    let places = Places::from_env().ok();
    run_in(&surroundings, &program_path, places.as_ref(), args, ui)
}

/// As [`run`], with `program` as what agents start.
pub(super) fn run_in(
    surroundings: &Surroundings,
    program: &dyn Fn() -> Result<String>,
    places: Option<&Places>,
    args: &InitArgs,
    ui: &mut Ui,
) -> Result<Outcome> {
    let agents = surroundings.chosen(args.agent, &[]);
    if args.client_version.is_some() && agents.len() > 1 {
        return Err(Error::usage("--client-version is for one agent")
            .hint("name the agent with --agent as well"));
    }
    // Every file is read before one is written, so that nothing is done by halves.
    let prepared: Vec<Prepared> = agents
        .into_iter()
        .map(|agent| Prepared::of(agent, surroundings, program, args))
        .collect::<Result<_>>()?;
    let paths = Paths::of(&surroundings.project);
    let format = args.format.format();
    let mut reports = Vec::new();
    for (index, prepared) in prepared.into_iter().enumerate() {
        if index > 0 && format == Format::Text {
            ui.blank();
        }
        let agent = prepared.agent;
        let report = prepared.carry_out(args, &paths, ui)?;
        if format == Format::Text {
            told::show(&report, &agent, &paths, ui);
        }
        reports.push(report);
    }
    let is_any = |states: &[State]| reports.iter().any(|it| states.contains(&it.state));
    let asking = if is_any(&[State::Installed, State::Written]) && !is_any(&[State::Declined]) {
        Asking::IfPossible
    } else {
        Asking::No
    };
    let preset = preset::settle(args, asking, surroundings, &paths, ui)?;
    if let Some(preset) = preset.as_ref().filter(|_| format == Format::Text) {
        preset::show(preset, args.scope, &paths, ui);
    }
    let is_preset_declined = preset
        .as_ref()
        .is_some_and(|it| it.state == PresetState::Declined);
    if let Some(places) = places.filter(|_| is_any(&[State::Installed, State::Written])) {
        control::tell(places, "daemon.reload");
    }
    let is_skill_declined = |it: &Report| {
        let skill = it.effort_skill.as_ref();
        skill.is_some_and(|skill| skill.state == SkillOutcome::Declined)
    };
    let outcome = if is_any(&[State::Declined, State::Written])
        || is_preset_declined
        || reports.iter().any(is_skill_declined)
    {
        Outcome::Findings
    } else {
        Outcome::Clean
    };
    if format == Format::Json {
        ui.json(&Document {
            agents: reports,
            preset,
        })?;
    }
    Ok(outcome)
}

impl Prepared {
    fn of(
        agent: Installable,
        surroundings: &Surroundings,
        program: &dyn Fn() -> Result<String>,
        args: &InitArgs,
    ) -> Result<Self> {
        let Surroundings {
            locations, project, ..
        } = surroundings;
        let file = settings_file(&agent, args.scope, surroundings)?;
        let client = Client::of(&agent, args.scope, args.client_version, locations);
        let hook_program = program()?;
        let plan = Plan {
            scope: args.scope,
            client: client.version,
            on_failure: args.on_failure,
            places: places::now(locations),
            status_line: (args.with_statusline)
                .then(|| status_line_program(&agent, args.scope, &hook_program))
                .transpose()?,
            program: hook_program,
        };
        let current = SettingsText::read(&file)?;
        let backups = Backups::of(current.target(), locations)?;
        let unfit = |unfit| cannot_edit(&file, &unfit);
        let wanted = agent.install(&current.text, &plan).map_err(unfit)?;
        let skill = if args.with_efforts {
            EffortSkill::find(&agent, args.scope, surroundings)?
        } else {
            None
        };
        let settings = bowline::settings::load(project, locations);
        let mut notes = notes(&agent, &plan, (agent.hooks_off)(&settings));
        if args.with_efforts && skill.is_none() {
            notes.push(format!(
                "{} has no skills; tell it yourself how to use `bowline effort`",
                agent.title()
            ));
        }
        let report = Report {
            agent: agent.name(),
            scope: args.scope,
            events: agent.events(client.version).collect(),
            client,
            state: State::AlreadyInstalled,
            program: plan.program.clone(),
            diff: Diff::between(&current.text, &wanted),
            refusals: (agent.refusals)(&wanted),
            shadowed: agent.shadowed(&wanted).map_err(unfit)?,
            backup: None,
            effort_skill: skill.as_ref().map(|skill| SkillReport {
                file: skill.file.clone(),
                state: match skill.state {
                    SkillState::Changed => SkillOutcome::Changed,
                    _ => SkillOutcome::AlreadyInstalled,
                },
            }),
            notes,
            file: file.clone(),
        };
        Ok(Self {
            agent,
            plan,
            current,
            wanted,
            backups,
            skill,
            report,
        })
    }

    /// Shows what would change, asks, and writes it.
    fn carry_out(self, args: &InitArgs, paths: &Paths, ui: &mut Ui) -> Result<Report> {
        let Self {
            agent,
            plan,
            current,
            wanted,
            backups,
            skill,
            mut report,
        } = self;
        let skill = skill.filter(EffortSkill::is_due);
        let is_wanted = wanted != current.text;
        if !is_wanted && skill.is_none() {
            return Ok(report);
        }
        let format = args.format.format();
        if format == Format::Text && is_wanted {
            let shown = paths.show_absolute(&report.file);
            let new = if current.exists() { "" } else { " (new file)" };
            ui.line(Text::styled(shown, style::HEADING).plain(new));
            let preview = if args.full {
                Preview::full(&current.text, &wanted)
            } else {
                let change = |is_shown: &dyn Fn(&str) -> bool| {
                    agent.install_at(&current.text, &plan, is_shown)
                };
                Preview::short(&agent, &current.text, &wanted, change)
                    .map_err(|unfit| cannot_edit(&report.file, &unfit))?
            };
            preview.show(ui);
            ui.blank();
            told::show_refusals(&report, &agent, paths, ui);
            told::show_shadowed(&report, &agent, ui);
        }
        if let Some(skill) = skill.as_ref().filter(|_| format == Format::Text) {
            let new = if skill.text().is_empty() {
                " (new file)"
            } else {
                ""
            };
            let shown = paths.show_absolute(&skill.file);
            ui.line(Text::styled(shown, style::HEADING).plain(new));
            Preview::full(skill.text(), TEXT).show(ui);
            ui.blank();
        }
        let question = if report.refusals.is_empty() {
            "Write this?"
        } else {
            "Write this anyway?"
        };
        let beforehand = args.yes.then_some(YesOrNo::Yes);
        let (state, of_skill) = if args.dry_run {
            (State::WouldInstall, SkillOutcome::WouldInstall)
        } else if consent(question, beforehand, format, ui)? == YesOrNo::No {
            (State::Declined, SkillOutcome::Declined)
        } else {
            if is_wanted {
                let original = original(&agent, &current, &backups)
                    .map_err(|unfit| cannot_edit(&report.file, &unfit))?;
                report.backup = current.install(&wanted, args.scope, &original, &backups)?;
            }
            if let Some(skill) = &skill {
                skill.install()?;
            }
            let state = match report.refusals.as_slice() {
                [] => State::Installed,
                _ => State::Written,
            };
            (state, SkillOutcome::Installed)
        };
        if is_wanted {
            report.state = state;
        }
        if let Some(told) = report.effort_skill.as_mut().filter(|_| skill.is_some()) {
            told.state = of_skill;
        }
        Ok(report)
    }
}

/// The file as it was before Bowline came: as it was noted then, else what is left without Bowline.
fn original(
    agent: &Installable,
    current: &SettingsText,
    backups: &Backups,
) -> Result<Original, Unfit> {
    if !current.exists() {
        return Ok(Original::NoFile);
    }
    match backups.original(&current.text) {
        Some(original) => Ok(original),
        None => agent.uninstall(&current.text).map(Original::Text),
    }
}

fn program_path() -> Result<String> {
    let program = program::find()?;
    program.to_str().map(str::to_owned).ok_or_else(|| {
        Error::new(
            ErrorKind::File,
            format!("{} is not UTF-8", project::shown(&program)),
        )
        .hint("settings files are UTF-8; install Bowline in another folder")
    })
}

/// The `bowline` beside the program that agents start. A project's settings are for everybody, and a status line is everybody's own.
fn status_line_program(
    agent: &Installable,
    scope: InstallScope,
    hook_program: &str,
) -> Result<String> {
    if scope == InstallScope::Project {
        return Err(
            Error::usage("--with-statusline is not for a project's settings")
                .hint("a status line is your own: use --scope user or --scope local"),
        );
    }
    if agent.form.status_line.is_none() {
        let title = agent.title();
        return Err(Error::usage(format!(
            "{title} has no status line that Bowline can be put into"
        ))
        .hint("leave --with-statusline out, or name other agents with --agent"));
    }
    let program = Path::new(hook_program).with_file_name("bowline");
    match program.to_str() {
        Some(path) if program::is_executable(&program) => Ok(path.to_owned()),
        _ => Err(Error::new(
            ErrorKind::File,
            format!("cannot find {}", project::shown(&program)),
        )
        .hint("install both programs in one folder")),
    }
}

fn notes(agent: &Installable, plan: &Plan, switched_off_by: Option<String>) -> Vec<String> {
    let (title, oldest) = (agent.title(), agent.registration.client.oldest);
    let mut notes = Vec::new();
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
    notes
}
