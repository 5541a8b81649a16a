//! `bowline init`: puts Bowline into an agent's own hook settings.

mod change;
mod closing;
mod preset;
mod programs;
mod told;
mod trust;

use std::path::PathBuf;

use bowline::settings::Preset;
use bowline_agents::ClientVersion;
use bowline_daemon::Places;
use bowline_wire::FailMode;
use serde::Serialize;

use super::installing::{
    Attempt, Failure, LeftOut, consent, is_of_one_agent, one_file_or_all, one_or_all,
    settings_file, uninstall_in, with_settings_of,
};
use crate::Outcome;
use crate::agent_settings::agents::{self, Surroundings};
use crate::agent_settings::client::Client;
use crate::agent_settings::effort_skill::{EffortSkill, SkillState, TEXT};
use crate::agent_settings::entry_file::entry_files;
use crate::agent_settings::preview::{FilePreview, Preview};
use crate::agent_settings::{InstallScope, Installable, Plan, places};
use crate::control;
use crate::error::{Error, Result};
use crate::own_settings;
use crate::project::{self, Paths};
use crate::ui::{Format, FormatArgs, Text, Ui, YesOrNo, style};
use change::{Change, FileReport};
use preset::{Asking, PresetReport, PresetState};
use programs::{program_path, status_line_program};
use trust::{TrustOutcome, TrustReport, TrustStep};

/// Put Bowline into your agents' hook settings
///
/// Shows what would change and asks first. Other people's hooks, comments and the order of the file stay as they are;
/// a copy of the old file is kept in Bowline's own folder. Running it again changes nothing, or brings older entries up to date.
/// Each agent is started once with `--version`, also by --dry-run, because its version says which events it has; --client-version
/// says it instead. Copilot unpacks some 235 MB when it is started for the first time
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

    /// Leave it to you to trust the entries, where an agent runs no others
    #[arg(long)]
    no_trust: bool,

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
    agents: Vec<AgentReport>,
    /// The agents that have no settings of the scope.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOut>,
    /// The preset that was written, if one was wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    preset: Option<PresetReport>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum AgentReport {
    Tried(Box<Report>),
    Failed(Failure),
}

#[derive(Debug, Serialize)]
struct Report {
    agent: &'static str,
    /// Its name, for people.
    #[serde(skip)]
    title: &'static str,
    scope: InstallScope,
    client: Client,
    /// The file, or the folder of the files.
    #[serde(skip)]
    place: PathBuf,
    #[serde(flatten, serialize_with = "one_file_or_all")]
    files: Vec<FileReport>,
    state: State,
    events: Vec<&'static str>,
    /// What agents start.
    program: String,
    /// What became of the skill for efforts, if it was asked for.
    effort_skill: Option<SkillReport>,
    /// Whether the agent trusts the entries, if it wants to be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<TrustReport>,
    /// What keeps the agent from running any hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    switched_off: Option<String>,
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
    /// There was nothing to change but what is not as Bowline wrote it.
    LeftAlone,
    /// It was asked only what would change.
    WouldInstall,
    Installed,
    /// The agent does not run it: it does not read the file, or runs no hooks.
    Written,
    /// The answer was no.
    Declined,
}

/// A change of one agent's settings that is not written yet.
struct Prepared {
    agent: Installable,
    plan: Plan,
    changes: Vec<Change>,
    /// The skill for efforts, if it is to be installed.
    skill: Option<EffortSkill>,
    /// The trust that the agent wants, if Bowline can give it.
    trust: Option<TrustStep>,
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
    let (agents, left_out) = with_settings_of(args.scope, agents, args.agent)?;
    if args.client_version.is_some() && agents.len() > 1 {
        return Err(Error::usage("--client-version is for one agent")
            .hint("name the agent with --agent as well"));
    }
    let program = program()?;
    // Every file is read before one is written. What is wrong with one agent's is no reason to leave out the others.
    let is_alone = agents.len() == 1;
    let mut attempts = Vec::new();
    for agent in agents {
        attempts.push(match Prepared::of(agent, surroundings, &program, args) {
            Ok(prepared) => Ok(prepared),
            Err(error) if is_alone || !is_of_one_agent(&error) => return Err(error),
            Err(error) => Err(Failure::of(&agent, Attempt::Init, args.scope, &error, &[])),
        });
    }
    let paths = Paths::of(&surroundings.project);
    let format = args.format.format();
    if format == Format::Text && !left_out.is_empty() {
        for it in &left_out {
            it.show(ui);
        }
        ui.blank();
    }
    let mut agents = Vec::new();
    for (index, attempt) in attempts.into_iter().enumerate() {
        if index > 0 && format == Format::Text {
            ui.blank();
        }
        let failure = match attempt {
            Err(failure) => failure,
            Ok(prepared) => {
                let agent = prepared.agent;
                let mut written = Vec::new();
                match prepared.carry_out(args, surroundings, &paths, &mut written, ui) {
                    Ok(report) => {
                        if format == Format::Text {
                            told::show(&report, &agent, &paths, ui);
                        }
                        agents.push(AgentReport::Tried(Box::new(report)));
                        continue;
                    }
                    Err(error) if is_alone || !is_of_one_agent(&error) => return Err(error),
                    Err(error) => Failure::of(&agent, Attempt::Init, args.scope, &error, &written),
                }
            }
        };
        if format == Format::Text {
            failure.show(ui);
        }
        agents.push(AgentReport::Failed(failure));
    }
    let mut reports: Vec<&Report> = Vec::new();
    let mut failures: Vec<&Failure> = Vec::new();
    for agent in &agents {
        match agent {
            AgentReport::Tried(report) => reports.push(report),
            AgentReport::Failed(failure) => failures.push(failure),
        }
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
    if format == Format::Text {
        if !args.dry_run {
            closing::show_agents(&agents, ui);
        }
        closing::show_next(&agents, args.scope, ui);
    }
    let is_preset_declined = preset
        .as_ref()
        .is_some_and(|it| it.state == PresetState::Declined);
    let is_written =
        is_any(&[State::Installed, State::Written]) || failures.iter().any(|it| it.has_written());
    if let Some(places) = places.filter(|_| is_written) {
        control::tell(places, "daemon.reload");
    }
    let outcome =
        if !failures.is_empty() || is_preset_declined || reports.iter().any(|it| it.is_lacking()) {
            Outcome::Findings
        } else {
            Outcome::Clean
        };
    if format == Format::Json {
        ui.json(&Document {
            agents,
            left_out,
            preset,
        })?;
    }
    Ok(outcome)
}

impl Prepared {
    fn of(
        agent: Installable,
        surroundings: &Surroundings,
        program: &str,
        args: &InitArgs,
    ) -> Result<Self> {
        let Surroundings {
            locations, project, ..
        } = surroundings;
        let place = settings_file(&agent, args.scope, surroundings)?;
        let client = Client::of(&agent, args.scope, args.client_version, locations);
        // Of several agents, those without one do without.
        let has_status_line = agent.form.status_line.is_some();
        let wants_status_line = args.with_statusline && (has_status_line || args.agent.is_some());
        let plan = Plan {
            scope: args.scope,
            client: client.version,
            on_failure: args.on_failure,
            places: places::now(locations),
            status_line: wants_status_line
                .then(|| status_line_program(&agent, args.scope, program))
                .transpose()?,
            program: program.to_owned(),
        };
        let files = entry_files(&agent, place.clone());
        let mut notes = files.iter().filter_map(|it| it.limit(&agent)).collect();
        let files = files.into_iter();
        let changes = files.map(|file| Change::of(file, &agent, &plan, surroundings));
        let (changes, files) = changes.collect::<Result<(Vec<_>, Vec<_>)>>()?;
        let skill = if args.with_efforts {
            EffortSkill::find(&agent, args.scope, surroundings)?
        } else {
            None
        };
        let settings = bowline::settings::load(project, locations);
        let switched_off = (agent.hooks_off)(&settings);
        told::add_notes(&mut notes, &agent, &plan, switched_off.as_deref());
        notes.extend(trust::remarks(&agent, locations));
        if args.with_efforts && skill.is_none() {
            notes.push(format!(
                "{} has no skills; tell it yourself how to use `bowline effort`",
                agent.title()
            ));
        }
        if args.with_statusline && !wants_status_line {
            let title = agent.title();
            notes.push(format!(
                "{title} has no status line that Bowline can be put into"
            ));
        }
        let mut report = Report {
            agent: agent.name(),
            title: agent.title(),
            scope: args.scope,
            events: agent.events(client.version).collect(),
            client,
            state: if files.iter().any(|it| it.left_alone) {
                State::LeftAlone
            } else {
                State::AlreadyInstalled
            },
            program: plan.program.clone(),
            effort_skill: skill.as_ref().map(|skill| SkillReport {
                file: skill.file.clone(),
                state: match skill.state {
                    SkillState::Changed => SkillOutcome::Changed,
                    _ => SkillOutcome::AlreadyInstalled,
                },
            }),
            trust: None,
            switched_off,
            notes,
            place,
            files,
        };
        // An agent that runs no hooks lists none that could be trusted.
        let trust = if args.no_trust || report.is_out_of_force() {
            None
        } else {
            // Those that want it have one file.
            let change = changes.first().map(Change::texts).unwrap_or_default();
            TrustStep::of(&agent, &report.place, change, surroundings)?
        };
        if !report.is_out_of_force() {
            report.trust = TrustReport::of(&agent, args.scope, trust.as_ref());
        }
        Ok(Self {
            agent,
            plan,
            changes,
            skill,
            trust,
            report,
        })
    }

    /// Shows what would change, asks, and writes it. Every file that was written is added to `written`.
    fn carry_out(
        self,
        args: &InitArgs,
        surroundings: &Surroundings,
        paths: &Paths,
        written: &mut Vec<PathBuf>,
        ui: &mut Ui,
    ) -> Result<Report> {
        let Self {
            agent,
            plan,
            changes,
            skill,
            trust,
            mut report,
        } = self;
        let skill = skill.filter(EffortSkill::is_due);
        let trust = trust.filter(TrustStep::is_due);
        let is_wanted = changes.iter().any(Change::is_wanted);
        if !is_wanted && skill.is_none() && trust.is_none() {
            return Ok(report);
        }
        let format = args.format.format();
        if format == Format::Text && is_wanted {
            let wanted = changes.iter().filter(|it| it.is_wanted());
            let previews = wanted.map(|it| it.preview(&agent, &plan, args));
            FilePreview::show_all(&previews.collect::<Result<Vec<_>>>()?, paths, ui);
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
        if let Some(trust) = trust.as_ref().filter(|_| format == Format::Text) {
            trust.show(&agent, report.events.len(), paths, ui)?;
        }
        let question = if report.is_out_of_force() {
            "Write this anyway?"
        } else {
            "Write this?"
        };
        let beforehand = args.yes.then_some(YesOrNo::Yes);
        let of_trust = report.trust.as_mut().filter(|_| trust.is_some());
        let (state, of_skill) = if args.dry_run {
            if let Some(told) = of_trust {
                told.state = TrustOutcome::WouldTrust;
            }
            (State::WouldInstall, SkillOutcome::WouldInstall)
        } else if consent(question, beforehand, format, ui)? == YesOrNo::No {
            if let Some(told) = of_trust {
                told.state = TrustOutcome::Declined;
            }
            (State::Declined, SkillOutcome::Declined)
        } else {
            let changes = changes.iter().zip(&mut report.files);
            for (change, told) in changes.filter(|(change, _)| change.is_wanted()) {
                told.backup = change.carry_out(&agent, &plan)?;
                written.push(told.file.clone());
            }
            if let Some(skill) = &skill {
                skill.install()?;
                written.push(skill.file.clone());
            }
            if let (Some(trust), Some(told)) = (trust, of_trust) {
                trust.carry_out(&agent, surroundings, told)?;
            }
            let state = if report.is_out_of_force() {
                State::Written
            } else {
                State::Installed
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
