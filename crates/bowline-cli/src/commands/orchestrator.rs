//! `bowline orchestrator`: who was stopped because it did the work itself, and the end of that.

use bowline::settings::{OrchestratorConfig, OrchestratorMode};
use bowline_daemon::rpc::efforts::SESSION_VARIABLES;
use bowline_daemon::rpc::orchestrator::{OfSession, Overview, Reset, Status, Switch};
use clap::Subcommand;
use serde::Serialize;

use super::caller::check_session;
use super::meant;
use crate::Outcome;
use crate::ask::Records;
use crate::error::Result;
use crate::moment;
use crate::project;
use crate::standing;
use crate::ui::{Format, FormatArgs, Table, Text, Ui, reveal, style};

/// See which sessions were stopped by orchestrator mode, and let them go on
///
/// With `mode = "strict"` in [orchestrator] of the settings, an agent hands work to sub-agents. After three violations nearly everything is
/// denied until a reset
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline orchestrator status
  bowline orchestrator reset
  bowline orchestrator off --session 8c2f51de-0d6b-4a3e-9f5c-1f2e3d4c5b6a
  bowline orchestrator on")]
pub(crate) struct OrchestratorArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show what counts against the sessions of this project
    Status(OfArgs),
    /// Forget what counts against a session; an agent may do this for itself
    Reset(OfArgs),
    /// Switch it off for the project, or for one session; an agent cannot do this
    Off(OfArgs),
    /// Let the settings decide again
    On(OfArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline orchestrator reset
  bowline orchestrator status --json
  bowline orchestrator off --session 8c2f51de-0d6b-4a3e-9f5c-1f2e3d4c5b6a")]
struct OfArgs {
    /// The agent's name for the session; by default an agent resets its own, and a person all of the project
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,

    #[command(flatten)]
    format: FormatArgs,
}

impl OrchestratorArgs {
    fn of(&self) -> &OfArgs {
        match &self.action {
            Action::Status(of) | Action::Reset(of) | Action::Off(of) | Action::On(of) => of,
        }
    }

    pub(crate) fn format(&self) -> Format {
        self.of().format.format()
    }
}

pub(crate) fn run(args: &OrchestratorArgs, ui: &mut Ui) -> Result<Outcome> {
    let settings = project::load(&project::folder(None)?);
    let project = settings.project.to_string_lossy().into_owned();
    let config = &settings.config.orchestrator;
    let session = args.of().session.clone();
    if let Some(session) = &session {
        meant::check_session(session, &mut Records::open(ui)?, ui)?;
    }
    let (word, overview) = match &args.action {
        Action::Status(_) => {
            let question = Status { project, session };
            (None, Records::open(ui)?.ask(&question, ui)?)
        }
        Action::Reset(_) => {
            let question = Reset { project, session };
            (Some("Reset."), reset(question, ui)?)
        }
        Action::Off(_) => {
            standing::no_agent()?;
            let off = true;
            let question = Switch {
                project,
                session,
                off,
            };
            (Some("Switched off."), switch(&question, ui)?)
        }
        Action::On(_) => {
            let off = false;
            let question = Switch {
                project,
                session,
                off,
            };
            (Some("The settings decide."), switch(&question, ui)?)
        }
    };
    let report = Report {
        mode: config.mode,
        off: overview.off,
        sessions: overview
            .sessions
            .iter()
            .map(|it| seen(it, config))
            .collect(),
    };
    match args.format() {
        Format::Json => ui.json(&report)?,
        Format::Text => {
            if let Some(word) = word {
                ui.line(Text::styled(word, style::GOOD));
            }
            describe(&report, config, ui);
        }
    }
    Ok(Outcome::Clean)
}

/// The session of the agent that runs this.
fn own_session() -> Option<String> {
    let variable = |name| std::env::var(name).ok();
    let mut known = SESSION_VARIABLES.into_iter().filter_map(variable);
    known.find(|name| !name.is_empty())
}

/// Resets the session that is named, else the agent's own, else all of the project.
fn reset(question: Reset, ui: &Ui) -> Result<Overview> {
    let mut records = Records::open(ui)?;
    if question.session.is_none()
        && let Some(session) = own_session()
    {
        check_session(&mut records, ui)?;
        let own = Reset {
            session: Some(session),
            ..question.clone()
        };
        let overview = records.ask(&own, ui)?;
        // Where nothing is known under the name that the shell was given, the agent has another one by now.
        if !overview.sessions.is_empty() {
            return Ok(overview);
        }
    }
    records.ask(&question, ui)
}

fn switch(question: &Switch, ui: &Ui) -> Result<Overview> {
    Records::open(ui)?.or_new()?.ask(question, ui)
}

#[derive(Debug, Serialize)]
struct Report {
    mode: OrchestratorMode,
    off: bool,
    sessions: Vec<Seen>,
}

/// A session as people see it.
#[derive(Debug, Serialize)]
struct Seen {
    session: String,
    state: &'static str,
    violations: usize,
    explorations: u32,
    resets: u32,
    at: chrono::DateTime<chrono::Utc>,
}

fn seen(of: &OfSession, config: &OrchestratorConfig) -> Seen {
    let state = of.state.clone();
    let word = match &state {
        None => "unreadable",
        Some(state) if state.off => "off",
        Some(state) if state.stopped_at.is_some() => "stopped",
        Some(_) => "fine",
    };
    let now = moment::now();
    let state = state.unwrap_or_default();
    let counts = |at: &&chrono::DateTime<chrono::Utc>| {
        let age = now.signed_duration_since(**at).to_std();
        age.is_ok_and(|age| age < config.decay)
    };
    Seen {
        session: of.session.clone(),
        state: word,
        violations: state.violations.iter().filter(counts).count(),
        explorations: state.explorations,
        resets: state.resets,
        at: of.at,
    }
}

/// Whether it is on, and what changes that.
const fn standing(report: &Report) -> &'static str {
    match (report.mode, report.off) {
        (OrchestratorMode::Strict, false) => "Orchestrator mode is strict.",
        (OrchestratorMode::Guidance, false) => "Orchestrator mode is guidance.",
        (OrchestratorMode::Strict, true) => {
            "Orchestrator mode is switched off for this project. `bowline orchestrator on` makes it strict again, as the settings say."
        }
        (OrchestratorMode::Guidance, true) => {
            "Orchestrator mode is switched off for this project. `bowline orchestrator on` makes it guidance again, as the settings say."
        }
        (_, false) => {
            "Orchestrator mode is off (`mode` in [orchestrator] of the settings switches it on)."
        }
        (_, true) => {
            "Orchestrator mode is off in the settings, and switched off for this project. `bowline orchestrator on` lets the settings decide again."
        }
    }
}

fn describe(report: &Report, config: &OrchestratorConfig, ui: &mut Ui) {
    ui.line(standing(report));
    if report.sessions.is_empty() {
        ui.line("Nothing counts against a session here.");
        return;
    }
    let now = moment::now();
    let mut table = Table::new(["Session", "State", "Violations", "Resets", "Last"]);
    for of in &report.sessions {
        let style = match of.state {
            "stopped" => style::BAD,
            "unreadable" => style::CAUTION,
            "off" => style::FAINT,
            _ => style::GOOD,
        };
        table.row([
            Text::styled(reveal::name(&of.session), style::NAME),
            Text::styled(of.state, style),
            format!("{} of {}", of.violations, config.breaker).into(),
            of.resets.to_string().into(),
            Text::styled(moment::when(of.at, now), style::FAINT),
        ]);
    }
    ui.table(&table);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_plainly_whether_it_is_on() {
        for (mode, off, expected) in [
            (OrchestratorMode::Strict, false, "is strict."),
            (OrchestratorMode::Guidance, false, "is guidance."),
            (OrchestratorMode::Off, false, "is off (`mode`"),
            (OrchestratorMode::Strict, true, "makes it strict again"),
            (OrchestratorMode::Guidance, true, "makes it guidance again"),
            (OrchestratorMode::Off, true, "is off in the settings, and"),
        ] {
            let report = Report {
                mode,
                off,
                sessions: Vec::new(),
            };
            let said = standing(&report);
            assert!(said.contains(expected), "{mode:?} {off}: {said}");
        }
    }
}
