//! `bowline daemon`: the process that decides and records for all agents of a user.

mod log;
mod unit;

use std::path::Path;
use std::thread;
use std::time::Duration;

use bowline_daemon::{DaemonOptions, Idle, Places, StartError, Status, Stop, VERSION};
use clap::Subcommand;
use serde_json::json;

use crate::control::{self, Stopped};
use crate::error::{Error, ErrorKind, Result};
use crate::steered::start_unsteered;
use crate::ui::{Format, FormatArgs, Table, Text, Ui, counted, reveal, style};
use crate::{Outcome, project};

/// How often a daemon that waits for its turn looks.
const TURN: Duration = Duration::from_secs(1);

/// Run, start, stop and look at the daemon
///
/// It starts by itself with the first event, and exits after 30 minutes without one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline daemon status
  bowline daemon restart
  bowline daemon unit > ~/.config/systemd/user/bowline.service")]
pub(crate) struct DaemonArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Run it in this terminal until it is stopped
    #[command(after_help = "Examples:\n  bowline daemon run\n  bowline daemon run --keep")]
    Run {
        /// Leave the terminal, and log to a file
        #[arg(long, hide = true)]
        detached: bool,
        /// Do not exit when idle; if another daemon runs, wait until it has exited
        #[arg(long, conflicts_with = "detached")]
        keep: bool,
    },
    /// Start it in the background and replace an older one
    #[command(after_help = "Example:\n  bowline daemon start")]
    Start(FormatArgs),
    /// Stop it after it has finished what it has begun
    #[command(after_help = "Example:\n  bowline daemon stop")]
    Stop(FormatArgs),
    /// Stop it and start it again
    #[command(after_help = "Example:\n  bowline daemon restart")]
    Restart(FormatArgs),
    /// Show whether it runs, and what it does
    #[command(after_help = "Example:\n  bowline daemon status --json | jq .events")]
    Status(FormatArgs),
    /// Print a unit for systemd or launchd that keeps it running
    #[command(after_help = "\
Examples:
  bowline daemon unit > ~/.config/systemd/user/bowline.service
  cd ~/Library/LaunchAgents
  bowline daemon unit --launchd > dev.bowline.daemon.plist")]
    Unit {
        /// For launchd (macOS)
        #[arg(long, conflicts_with = "systemd")]
        launchd: bool,
        /// For systemd (Linux)
        #[arg(long)]
        systemd: bool,
    },
}

impl DaemonArgs {
    pub(crate) fn format(&self) -> Format {
        match &self.action {
            Action::Start(format)
            | Action::Stop(format)
            | Action::Restart(format)
            | Action::Status(format) => format.format(),
            Action::Run { .. } | Action::Unit { .. } => Format::Text,
        }
    }
}

pub(crate) fn run(args: &DaemonArgs, ui: &mut Ui) -> Result<Outcome> {
    let format = args.format();
    // What starts a daemon, or becomes one, hands on its own word for places.
    if matches!(args.action, Action::Start { .. } | Action::Run { .. }) {
        start_unsteered()?;
    }
    match &args.action {
        Action::Run { detached, keep } => {
            let mode = if *detached {
                DaemonMode::Background
            } else {
                DaemonMode::Terminal
            };
            let mut options = DaemonOptions::new(control::places()?);
            options.page = Some(bowline_page::make);
            if *keep {
                options.idle = Idle::Never;
            }
            serve(&options, mode)?;
        }
        Action::Start(_) => started(&control::start(&control::places()?)?, format, ui)?,
        Action::Restart(_) => {
            let places = control::places()?;
            control::stop(&places)?;
            say_unkept(control::unkept(&places), ui);
            started(&control::start(&places)?, format, ui)?;
        }
        Action::Stop(_) => {
            let places = control::places()?;
            let now = control::stop(&places)?;
            stopped(now, control::unkept(&places), format, ui)?;
        }
        Action::Status(_) => return show_status(&control::places()?, format, ui),
        Action::Unit { launchd, systemd } => {
            let for_launchd = *launchd || (cfg!(target_os = "macos") && !*systemd);
            ui.verbatim(&if for_launchd {
                unit::launchd()?
            } else {
                unit::systemd()?
            });
        }
    }
    Ok(Outcome::Clean)
}

/// Where a daemon runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DaemonMode {
    /// In a person's terminal, which shows its log.
    Terminal,
    /// On its own; it logs to a file.
    Background,
}

fn serve(options: &DaemonOptions, mode: DaemonMode) -> Result<()> {
    if mode == DaemonMode::Background {
        leave_terminal()?;
    }
    let _log = log::begin(&options.places, mode);
    let socket = &options.places.socket;
    tracing::info!("the daemon begins at {}", socket.display());
    match run_in_turn(options) {
        Ok(why) => {
            tracing::info!("the daemon ends: {why:?}");
            Ok(())
        }
        Err(error) => {
            tracing::error!("{error}");
            Err(cannot_run(&error, socket))
        }
    }
}

/// Runs it; one that is to stay waits for the end of another that a client has started.
fn run_in_turn(options: &DaemonOptions) -> Result<Stop, StartError> {
    let mut is_waiting = false;
    loop {
        match bowline_daemon::run(options.clone()) {
            Err(StartError::AlreadyRunning) if options.idle == Idle::Never => {
                if !is_waiting {
                    tracing::info!("another daemon runs: this one waits until that has ended");
                }
                is_waiting = true;
                thread::sleep(TURN);
            }
            ended => return ended,
        }
    }
}

fn cannot_run(error: &StartError, socket: &Path) -> Error {
    let hint = match error {
        StartError::AlreadyRunning => {
            "`bowline daemon status` shows it, `bowline daemon stop` ends it"
        }
        StartError::InTheWay(_) | StartError::NoLock(_) => {
            "move it away, or set BOWLINE_SOCKET to another path"
        }
        StartError::OpenFolder { .. } => {
            "run `chmod go-w` on it, or set BOWLINE_SOCKET to a path in a folder of your own"
        }
        StartError::ForeignFolder { .. } => "set BOWLINE_SOCKET to a path in a folder of your own",
        _ => "`bowline doctor` looks for the cause",
    };
    let message = format!("cannot run the daemon at {}: {error}", socket.display());
    Error::new(ErrorKind::System, message).hint(hint)
}

/// Becomes the leader of its own session, so that closing the terminal does not end it.
fn leave_terminal() -> Result<()> {
    if let Err(error) = rustix::process::setsid() {
        // A process that already leads a group cannot, and need not.
        tracing::debug!("no session of its own: {error}");
    }
    std::env::set_current_dir("/").map_err(|source| Error::file("enter", "/".as_ref(), source))
}

fn started(status: &Status, format: Format, ui: &mut Ui) -> Result<()> {
    match format {
        Format::Json => ui.json(status)?,
        Format::Text => {
            ui.line(format!("The daemon runs as process {}.", status.pid));
            if status.version != VERSION {
                let (theirs, ours) = (&status.version, VERSION);
                ui.line(format!(
                    "It is version {theirs}, this program {ours}; `bowline daemon restart` replaces it."
                ));
            }
        }
    }
    Ok(())
}

fn stopped(stopped: Stopped, unkept: u64, format: Format, ui: &mut Ui) -> Result<()> {
    match (format, stopped) {
        (Format::Json, _) => {
            ui.json(&json!({"stopped": stopped == Stopped::Now, "lost_records": unkept}))?;
        }
        (Format::Text, Stopped::Now) => ui.line("The daemon has stopped."),
        (Format::Text, Stopped::Before) => ui.line("No daemon was running."),
    }
    say_unkept(unkept, ui);
    Ok(())
}

/// Records for which there was no space were lost with their process.
fn say_unkept(records: u64, ui: &mut Ui) {
    if records > 0 {
        let records = counted(records, "record");
        ui.note(format!(
            "{records} could not be kept: neither the store nor a folder had room. `bowline doctor` will go on telling"
        ));
    }
}

fn show_status(places: &Places, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let status = control::status(places)?;
    match (format, &status) {
        (Format::Json, _) => {
            let socket = project::shown(&places.socket);
            ui.json(&json!({"running": status.is_some(), "socket": socket, "daemon": status}))?;
        }
        (Format::Text, Some(status)) => show(status, ui),
        (Format::Text, None) => {
            ui.line(format!("No daemon runs at {}.", places.socket.display()));
            ui.line("It starts with the next event of an agent, or with `bowline daemon start`.");
        }
    }
    Ok(match status {
        Some(_) => Outcome::Clean,
        None => Outcome::Findings,
    })
}

fn show(status: &Status, ui: &mut Ui) {
    let uptime = match status.uptime_ms {
        0..1_000 => "less than a second".to_owned(),
        ms => bowline::hooks::humane_duration(Duration::from_secs(ms / 1_000)),
    };
    ui.line(format!(
        "The daemon {} has been running for {uptime}, as process {}.",
        status.version, status.pid
    ));
    if let Some(pause) = &status.paused {
        let until = pause.until.map_or_else(String::new, |until| {
            format!(" until {}", crate::moment::full(until))
        });
        let text = format!("Paused{until}: events are recorded, nothing is decided.");
        ui.line(Text::styled(text, style::CAUTION));
    }
    ui.blank();
    let memory = status.memory_bytes.map_or_else(
        || "-".to_owned(),
        |bytes| format!("{} MB", bytes.div_ceil(1024 * 1024)),
    );
    if status.unkept > 0 {
        let text = format!(
            "The store takes too long: {} events were answered whose records are not safe yet.",
            status.unkept
        );
        ui.line(Text::styled(text, style::BAD));
        ui.blank();
    }
    let mut table = Table::new(["What", "Value"]);
    let waiting = match (status.waiting.records, status.waiting.in_memory) {
        (0, _) => "-".to_owned(),
        (records, 0) => counted(records, "record"),
        (records, in_memory) => {
            format!(
                "{}, {in_memory} of them in memory alone",
                counted(records, "record")
            )
        }
    };
    for (what, value) in [
        ("events", status.events.to_string()),
        ("in flight", status.in_flight.to_string()),
        ("not recorded yet", waiting),
        ("connections", status.connections.to_string()),
        ("memory", memory),
        ("socket", project::shown(&status.socket)),
        ("data", project::shown(&status.data)),
    ] {
        table.row([Text::styled(what, style::NAME), value.into()]);
    }
    ui.table(&table);
    if status.projects.is_empty() {
        return;
    }
    ui.blank();
    let mut table = Table::new(["Project", "Hooks", "Problems"]);
    for project in &status.projects {
        let problems = match project.problems.as_slice() {
            [] => "-".into(),
            problems => Text::styled(problems.join("; "), style::BAD),
        };
        table.row([
            reveal::name(&project.project).into(),
            project.hooks.to_string().into(),
            problems,
        ]);
    }
    ui.table(&table);
}
