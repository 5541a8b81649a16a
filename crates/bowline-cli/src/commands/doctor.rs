//! `bowline doctor`: whether Bowline works here, and what to do where it does not.

mod canary;
mod check;
mod copy;
mod facts;
mod installed;
mod project_checks;
mod writing;

use std::path::Path;

use bowline::settings::{Locations, Settings, find_project};
use bowline_daemon::{Pause, Places};
use chrono::Utc;
use serde::Serialize;

use super::pause::shown;
use crate::Outcome;
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
    let folder = project::folder(None)?;
    let locations = Locations::from_env();
    let project = find_project(&folder, &locations);
    let settings = bowline::settings::load(&project, &locations);
    let places = control::places()?;
    let checks = checks(&project, &settings, &locations, &places);
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

fn checks(
    project: &Path,
    settings: &Settings,
    locations: &Locations,
    places: &Places,
) -> Vec<Check> {
    ui::progress("looking at the agent's settings");
    let installed = Installed::find(project, locations);
    let mut checks = installed.checks(settings, locations);
    let guards = project::builtins(settings).guards;
    let due = Due::by_settings(&guards, project);
    let decides = decides(places, due);
    let due = match decides.status {
        Status::Ok => due,
        Status::Warning | Status::Problem => Due::Nothing,
    };
    checks.push(decides);
    let due = match settings.unread_files().next() {
        Some(_) if due != Due::Nothing => Due::AllAsked,
        _ => due,
    };
    for (scope, entry) in installed.canaries() {
        ui::progress("running the installed command");
        checks.push(canary::answers(scope, entry, project, due));
        ui::progress("measuring the installed command");
        checks.push(canary::speed(scope, entry, project));
    }
    ui::progress("asking the daemon");
    let daemon = if installed.is_empty() {
        Expected::Already
    } else {
        Expected::Soon
    };
    let facts = Facts::gather(places, daemon);
    checks.push(facts.daemon(places, &installed.belonging()));
    ui::progress("checking the store");
    checks.push(writing::recording());
    checks.push(writing::writing(places));
    checks.push(facts.store(places));
    ui::progress("looking at the project");
    checks.extend(project_checks::all(settings, &facts));
    checks
}

/// Whether events are decided at all, and what becomes of a verdict.
fn decides(places: &Places, due: Due) -> Check {
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
            Due::Observed => {
                "not paused; the guard only observes: what it would deny or ask about is told, and passes"
            }
            Due::DeniedOnce => {
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
        let (mark, colour) = match check.status {
            Status::Ok => ("ok       ", style::GOOD),
            Status::Warning => ("warning  ", style::CAUTION),
            Status::Problem => ("problem  ", style::BAD),
        };
        ui.labelled(
            Text::styled(mark, colour),
            &Text::styled(format!("{}: ", check.name), style::HEADING).plain(&check.message),
        );
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
    let Summary {
        ok,
        warnings,
        problems,
    } = report.summary;
    ui.blank();
    ui.line(format!(
        "{ok} ok, {}, {}",
        counted(warnings, "warning"),
        counted(problems, "problem")
    ));
}
