//! `bowline cost scan`: reads what is new in transcripts.

use std::path::PathBuf;
use std::{env, io};

use bowline::settings::Locations;
use bowline_agents::registrations;
use bowline_builtins::guidance::cost::Projects;
use bowline_builtins::guidance::cost::transcripts::{self, Found};
use bowline_daemon::rpc::costs;
use serde::Serialize;

use crate::Outcome;
use crate::ask::Records;
use crate::error::{Error, Result};
use crate::project;
use crate::ui::{self, Format, FormatArgs, Ui, counted};

/// So many marks are asked for at once.
const MARKS: usize = 1_000;
/// The width of the progress bar.
const BAR: u64 = 24;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline cost scan
  bowline cost scan ~/backup/claude/projects
  bowline cost scan --json

Only what is new is read. `bowline cost` does this by itself, for the folders of
all agents whose transcripts it can read")]
pub(super) struct ScanArgs {
    /// The folder with transcripts; those of all agents by default
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,

    #[command(flatten)]
    pub(super) format: FormatArgs,
}

/// What was read.
#[derive(Debug, Default, Serialize)]
struct Scanned {
    /// Where they were looked for.
    folders: Vec<PathBuf>,
    /// The transcripts that there are.
    files: usize,
    /// Those in which something was new.
    read_files: usize,
    read_bytes: u64,
    /// The messages in what was read.
    messages: usize,
    /// The files that could not be read, and why.
    unread: Vec<String>,
}

pub(super) fn run(args: &ScanArgs, ui: &mut Ui) -> Result<Outcome> {
    let folders = match &args.folder {
        Some(folder) => vec![project::folder(Some(folder))?],
        None => of_agents(),
    };
    let mut records = Records::open(ui)?.or_new()?;
    let scanned = scan(folders, &mut records, ui)?;
    match args.format.format() {
        Format::Json => ui.json(&scanned)?,
        Format::Text => {
            ui.line(format!(
                "Read {} of {} ({}): {}.",
                size(scanned.read_bytes),
                counted(scanned.files, "transcript"),
                counted(scanned.read_files, "new or longer file"),
                counted(scanned.messages, "message"),
            ));
            for file in &scanned.unread {
                ui.line(format!("Not read: {file}"));
            }
        }
    }
    Ok(if scanned.unread.is_empty() {
        Outcome::Clean
    } else {
        Outcome::Findings
    })
}

/// The records, after everything that is new in agents' transcripts was read.
pub(super) fn up_to_date(ui: &Ui) -> Result<Records> {
    let records = Records::open(ui)?;
    let folders = of_agents();
    if folders.is_empty() {
        return Ok(records);
    }
    let mut records = records.or_new()?;
    let scanned = scan(folders, &mut records, ui)?;
    for file in &scanned.unread {
        ui.note(format!("a transcript was not read: {file}"));
    }
    Ok(records)
}

/// The folders with transcripts that the agents on this machine have.
fn of_agents() -> Vec<PathBuf> {
    let home = Locations::from_env().home;
    let folders = registrations()
        .flat_map(|it| it.transcript_folders(|name| env::var_os(name), home.as_deref()));
    folders.filter(|folder| folder.is_dir()).collect()
}

fn scan(folders: Vec<PathBuf>, records: &mut Records, ui: &Ui) -> Result<Scanned> {
    let found: Vec<Found> = folders
        .iter()
        .flat_map(|folder| transcripts::find(folder))
        .collect();
    let mut scanned = Scanned {
        folders,
        files: found.len(),
        ..Scanned::default()
    };
    let mut news: Vec<(Found, u64)> = Vec::new();
    for some in found.chunks(MARKS) {
        let files = some.iter().map(|it| it.mark.clone()).collect();
        let marks = records.ask(&costs::Marks { files }, ui)?;
        let marks = marks.into_iter().chain(std::iter::repeat(0));
        let some = some.iter().cloned().zip(marks);
        news.extend(some.filter(|(file, mark)| file.length != *mark));
    }
    let mut progress = Progress {
        all: news
            .iter()
            .map(|(it, mark)| it.length.saturating_sub(*mark))
            .sum(),
        read: 0,
        shown: u64::MAX,
    };
    let mut projects = Projects::default();
    for (file, from) in news {
        let mut at = from;
        let read = transcripts::read(&file, from, |mut usage, mark| {
            for it in &mut usage {
                it.folder = projects.of(&it.folder);
            }
            scanned.messages += usage.len();
            progress.add(mark.offset.saturating_sub(at));
            at = mark.offset;
            let keep = costs::Keep {
                usage,
                mark: Some(mark),
            };
            records.ask(&keep, ui).map_err(Failure::Records)
        });
        match read {
            Ok(bytes) => {
                scanned.read_files += usize::from(bytes > 0);
                scanned.read_bytes += bytes;
            }
            Err(Failure::File(error)) => {
                let path = project::shown(&file.path);
                scanned.unread.push(format!("{path}: {error}"));
            }
            Err(Failure::Records(error)) => {
                ui::progress_done();
                return Err(error);
            }
        }
    }
    ui::progress_done();
    Ok(scanned)
}

enum Failure {
    File(io::Error),
    Records(Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

/// How far the reading is, for a person who watches.
struct Progress {
    all: u64,
    read: u64,
    shown: u64,
}

impl Progress {
    fn add(&mut self, bytes: u64) {
        self.read = self.read.saturating_add(bytes).min(self.all);
        let percent = self.read * 100 / self.all.max(1);
        if percent != self.shown {
            self.shown = percent;
            ui::progress(&format!(
                "Reading transcripts {} {percent} % of {}",
                bar(percent),
                size(self.all)
            ));
        }
    }
}

fn bar(percent: u64) -> String {
    let done = usize::try_from(percent * BAR / 100).unwrap_or(0);
    let left = usize::try_from(BAR).unwrap_or(0).saturating_sub(done);
    format!("{}{}", "█".repeat(done), "░".repeat(left))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => counted(bytes, "byte"),
        1_000..1_000_000 => format!("{} KB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_it_says() {
        assert_eq!(bar(0), "░".repeat(24));
        assert_eq!(bar(50), format!("{}{}", "█".repeat(12), "░".repeat(12)));
        assert_eq!(bar(100), "█".repeat(24));
    }
}
