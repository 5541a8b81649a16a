//! `bowline init`: puts Bowline into an agent's own hook settings.

use std::path::PathBuf;

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
use crate::agent_settings::file::SettingsText;
use crate::agent_settings::preview::Preview;
use crate::agent_settings::refusals::Refusal;
use crate::agent_settings::{InstallScope, Installable, Plan, Shadowed, Unfit, places, program};
use crate::control;
use crate::error::{Error, ErrorKind, Result};
use crate::project::{self, Paths};
use crate::ui::{Format, FormatArgs, Text, Ui, YesOrNo, counted, style};

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
  bowline init --agent claude-code --client-version 2.1.197

User entries name bowline-hook by its absolute path. Project and local entries work wherever bowline-hook is on the
PATH, and do nothing where it is not; where the user's settings have Bowline too, an event is still handled once")]
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
    notes: Vec<String>,
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
            show(&report, &agent, &paths, ui);
        }
        reports.push(report);
    }
    let is_any = |states: &[State]| reports.iter().any(|it| states.contains(&it.state));
    if let Some(places) = places.filter(|_| is_any(&[State::Installed, State::Written])) {
        control::tell(places, "daemon.reload");
    }
    let outcome = if is_any(&[State::Declined, State::Written]) {
        Outcome::Findings
    } else {
        Outcome::Clean
    };
    if format == Format::Json {
        ui.json(&Document { agents: reports })?;
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
        let plan = Plan {
            scope: args.scope,
            client: client.version,
            program: program()?,
            on_failure: args.on_failure,
            places: places::now(locations),
        };
        let current = SettingsText::read(&file)?;
        let backups = Backups::of(current.target(), locations)?;
        let unfit = |unfit| cannot_edit(&file, &unfit);
        let wanted = agent.install(&current.text, &plan).map_err(unfit)?;
        let settings = bowline::settings::load(project, locations);
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
            notes: notes(&agent, &plan, (agent.hooks_off)(&settings)),
            file: file.clone(),
        };
        Ok(Self {
            agent,
            plan,
            current,
            wanted,
            backups,
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
            mut report,
        } = self;
        if wanted == current.text {
            return Ok(report);
        }
        let format = args.format.format();
        if format == Format::Text {
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
            show_refusals(&report, &agent, paths, ui);
            show_shadowed(&report, &agent, ui);
        }
        let question = if report.refusals.is_empty() {
            "Write this?"
        } else {
            "Write this anyway?"
        };
        report.state = if args.dry_run {
            State::WouldInstall
        } else if consent(question, args.yes.then_some(YesOrNo::Yes), format, ui)? == YesOrNo::Yes {
            let original = original(&agent, &current, &backups)
                .map_err(|unfit| cannot_edit(&report.file, &unfit))?;
            report.backup = current.install(&wanted, args.scope, &original, &backups)?;
            if report.refusals.is_empty() {
                State::Installed
            } else {
                State::Written
            }
        } else {
            State::Declined
        };
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

/// Shows what keeps the agent from reading the file, before the question.
fn show_refusals(report: &Report, agent: &Installable, paths: &Paths, ui: &mut Ui) {
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
fn show_shadowed(report: &Report, agent: &Installable, ui: &mut Ui) {
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

fn show(report: &Report, agent: &Installable, paths: &Paths, ui: &mut Ui) {
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
