//! `bowline doctor`: whether Bowline works here, and what to do where it does not.

mod abilities;
mod canary;
mod check;
mod copy;
mod facts;
mod installed;
mod project_checks;
mod waiting;
mod writing;

use bowline_daemon::{Pause, Places};
use chrono::Utc;
use serde::Serialize;

use super::pause::shown;
use crate::Outcome;
use crate::agent_settings::agents::{self, Surroundings};
use crate::agent_settings::{InstallScope, Installable};
use crate::control;
use crate::error::Result;
use crate::project;
use crate::ui::{self, Format, FormatArgs, Text, Ui, counted, style};
use canary::Due;
use check::{Check, Status};
use facts::{Expected, Facts};
use installed::Installed;

/// Check that Bowline works: installed, answering, sound
///
/// Runs the command in the agent's settings with a harmless and a destructive call, neither of which is executed, and
/// looks whether the answers are right. Exits with 1 when something is a problem; warnings do not count
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline doctor
  bowline doctor --json")]
pub(crate) struct DoctorArgs {
    /// Only this agent [default: those that are on this machine or have Bowline]
    #[arg(long, value_name = "AGENT", value_parser = agents::by_name())]
    agent: Option<Installable>,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Report {
    checks: Vec<Check>,
    summary: Summary,
}

#[derive(Debug, Default, Serialize)]
struct Summary {
    ok: usize,
    warnings: usize,
    problems: usize,
}

pub(crate) fn run(args: &DoctorArgs, ui: &mut Ui) -> Result<Outcome> {
    run_in(&Surroundings::of_process()?, &control::places()?, args, ui)
}

/// As [`run`], elsewhere.
pub(super) fn run_in(
    surroundings: &Surroundings,
    places: &Places,
    args: &DoctorArgs,
    ui: &mut Ui,
) -> Result<Outcome> {
    let checks = checks(surroundings, places, args);
    ui::progress_done();
    let count = |status| checks.iter().filter(|it| it.status == status).count();
    let report = Report {
        summary: Summary {
            ok: count(Status::Ok),
            warnings: count(Status::Warning),
            problems: count(Status::Problem),
        },
        checks,
    };
    match args.format.format() {
        Format::Json => ui.json(&report)?,
        Format::Text => show(&report, ui),
    }
    Ok(if report.summary.problems == 0 {
        Outcome::Clean
    } else {
        Outcome::Findings
    })
}

fn checks(surroundings: &Surroundings, places: &Places, args: &DoctorArgs) -> Vec<Check> {
    let Surroundings {
        project, locations, ..
    } = surroundings;
    let settings = bowline::settings::load(project, locations);
    ui::progress("looking at the agent's settings");
    let chosen = surroundings.chosen(args.agent, &InstallScope::ALL);
    let installed: Vec<_> = chosen
        .into_iter()
        .map(|agent| Installed::find(agent, surroundings))
        .collect();
    let is_anywhere = installed.iter().any(|it| !it.is_empty());
    let is_alone = installed.len() == 1;
    let name = |it: &Installed| (!is_alone).then_some(it.agent.name());
    let if_missing = if is_anywhere {
        Status::Warning
    } else {
        Status::Problem
    };
    let mut checks = Vec::new();
    for it in &installed {
        let of_agent = it.checks(&settings, locations).into_iter();
        let of_agent = of_agent.chain(it.check_missing(if_missing));
        checks.extend(of_agent.map(|check| check.about(name(it))));
    }
    let guards = project::builtins(&settings).guards;
    let due = |it: &Installed| Due::by_settings(&guards, &it.agent, project);
    let decides = decides(places, installed.first().map(due));
    let is_decided = decides.status == Status::Ok;
    checks.push(decides);
    let is_unread = settings.unread_files().next().is_some();
    for it in &installed {
        let due = if !is_decided {
            Due::Nothing
        } else if is_unread {
            Due::AllAsked
        } else {
            due(it)
        };
        for canary in it.canaries(project) {
            ui::progress("running the installed command");
            checks.push(canary::answers(canary, due).about(name(it)));
            ui::progress("measuring the installed command");
            checks.push(canary::speed(canary).about(name(it)));
        }
    }
    ui::progress("asking the daemon");
    let daemon = if is_anywhere {
        Expected::Soon
    } else {
        Expected::Already
    };
    let facts = Facts::gather(places, daemon);
    checks.push(facts.daemon(places, &installed::belonging(&installed)));
    ui::progress("checking the store");
    checks.push(writing::recording());
    checks.push(writing::writing(places));
    checks.push(facts.store(places));
    ui::progress("looking at the project");
    checks.extend(project_checks::all(&settings, &facts));
    checks
}

/// Whether events are decided at all, and what becomes of a verdict.
fn decides(places: &Places, due: Option<Due>) -> Check {
    let check = Check::new("deciding");
    if std::env::var_os("BOWLINE").is_some_and(|value| value == "off") {
        return check
            .warning("BOWLINE=off is set: events are recorded, nothing is decided")
            .advice("unset BOWLINE where the agent is started");
    }
    match Pause::read(&places.pause()) {
        Ok(Some(pause)) if pause.is_on(Utc::now()) => {
            let until = pause.until.map_or("somebody ends it".to_owned(), shown);
            check
                .warning(format!(
                    "paused until {until}: events are recorded, nothing is decided"
                ))
                .advice("run `bowline resume`")
        }
        Ok(_) => check.ok(match due {
            Some(Due::Observed) => {
                "not paused; the guard only observes: what it would deny or ask about is told, and passes"
            }
            Some(Due::DeniedOnce) => {
                "not paused; one strike: what is denied passes at the second attempt"
            }
            _ => "not paused",
        }),
        Err(error) => check
            .warning(error.to_string())
            .advice("run `bowline resume`"),
    }
}

fn show(report: &Report, ui: &mut Ui) {
    for check in &report.checks {
        show_check(check, ui);
    }
    ui.blank();
    repeat(&report.checks, ui);
    let Summary {
        ok,
        warnings,
        problems,
    } = report.summary;
    ui.line(format!(
        "{ok} ok, {}, {}",
        counted(warnings, "warning"),
        counted(problems, "problem")
    ));
}

/// Where there are many checks, because there are several agents, what is not ok comes again in the end.
fn repeat(checks: &[Check], ui: &mut Ui) {
    if checks.iter().all(|it| it.agent.is_none()) {
        return;
    }
    for status in [Status::Problem, Status::Warning] {
        for check in checks.iter().filter(|it| it.status == status) {
            show_message(check, ui);
        }
    }
}

fn show_check(check: &Check, ui: &mut Ui) {
    show_message(check, ui);
    for detail in &check.details {
        ui.labelled(
            Text::from("           "),
            &Text::styled(detail, style::FAINT),
        );
    }
    if let Some(advice) = &check.advice {
        let arrow = Text::styled("         → ", style::NAME);
        ui.labelled(arrow, &Text::from(advice.as_str()));
    }
}

fn show_message(check: &Check, ui: &mut Ui) {
    let (mark, colour) = match check.status {
        Status::Ok => ("ok       ", style::GOOD),
        Status::Warning => ("warning  ", style::CAUTION),
        Status::Problem => ("problem  ", style::BAD),
    };
    let agent = check.agent.map(|agent| format!("{agent}, "));
    let name = format!("{}{}: ", agent.unwrap_or_default(), check.name);
    ui.labelled(
        Text::styled(mark, colour),
        &Text::styled(name, style::HEADING).plain(&check.message),
    );
}
