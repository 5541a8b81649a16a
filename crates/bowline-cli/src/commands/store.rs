//! `bowline store`: what is kept, how much it is, and how to get rid of it.

mod figures;
mod forget;

use std::path::{Path, PathBuf};

use bowline_daemon::rpc::store;
use bowline_store::Size;
use clap::Subcommand;
use serde::Serialize;

use crate::Outcome;
use crate::ask::{self, NOTHING_YET, Records};
use crate::error::{Error, Result};
use crate::moment;
use crate::project;
use crate::ui::{Format, FormatArgs, Text, Ui, counted, style};
use forget::ForgetArgs;

/// See, copy, compact and forget what is recorded
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline store path
  bowline store size
  bowline store backup ~/bowline-copy.db
  bowline store forget --before 7d
  bowline store compact")]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print where the database is
    Path(PathArgs),
    /// Show how much is kept
    Size(SizeArgs),
    /// Write a copy of the database to a new file
    Backup(BackupArgs),
    /// Give unused disk space back to the file system
    Compact(CompactArgs),
    /// Remove records for good
    Forget(ForgetArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  bowline store path")]
struct PathArgs {
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  bowline store size --json")]
struct SizeArgs {
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  bowline store backup ~/bowline-copy.db

The copy is readable by you alone; a file that is there already is left alone")]
struct BackupArgs {
    /// The file, which must not exist yet
    file: PathBuf,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  bowline store compact

Meanwhile events are decided as ever; their records wait in the spool beside
the database, and are taken afterwards")]
struct CompactArgs {
    #[command(flatten)]
    format: FormatArgs,
}

impl StoreArgs {
    pub(crate) fn format(&self) -> Format {
        match &self.action {
            Action::Path(args) => args.format.format(),
            Action::Size(args) => args.format.format(),
            Action::Backup(args) => args.format.format(),
            Action::Compact(args) => args.format.format(),
            Action::Forget(args) => args.format.format(),
        }
    }
}

pub(crate) fn run(args: StoreArgs, ui: &mut Ui) -> Result<Outcome> {
    match args.action {
        Action::Path(args) => path(args.format.format(), ui),
        Action::Size(args) => size(args.format.format(), ui),
        Action::Backup(args) => backup(&args.file, args.format.format(), ui),
        Action::Compact(args) => compact(args.format.format(), ui),
        Action::Forget(args) => forget::run(args, ui),
    }
}

#[derive(Debug, Serialize)]
struct DatabasePath {
    #[serde(serialize_with = "project::lossy")]
    database: PathBuf,
    exists: bool,
}

fn path(format: Format, ui: &mut Ui) -> Result<Outcome> {
    let database = ask::places()?.store().database();
    match format {
        Format::Json => ui.json(&DatabasePath {
            exists: database.exists(),
            database,
        })?,
        // For other programs too, so it is on one line however long it is.
        Format::Text => ui.verbatim(&format!("{}\n", database.display())),
    }
    Ok(Outcome::Clean)
}

fn size(format: Format, ui: &mut Ui) -> Result<Outcome> {
    let mut records = Records::open(ui)?;
    let size = records.ask(&store::Size {}, ui)?;
    let gaps = records.ask(&store::Gaps {}, ui)?;
    let missing = gaps.iter().map(|gap| gap.records).sum();
    match format {
        Format::Json => ui.json(&SizeReport { size, missing })?,
        Format::Text if records.is_nothing() => ui.line(NOTHING_YET),
        Format::Text => show_size(size, missing, ui),
    }
    Ok(Outcome::Clean)
}

#[derive(Debug, Serialize)]
struct SizeReport {
    #[serde(flatten)]
    size: Size,
    /// How many records were lost, as far as that is known.
    #[serde(rename = "missing_records")]
    missing: u64,
}

fn show_size(size: Size, missing: u64, ui: &mut Ui) {
    for (label, value) in [
        ("Kept", kept(size)),
        ("On disk", bytes(size.on_disk)),
        ("In use", bytes(size.in_use)),
    ] {
        ui.line(Text::styled(format!("{label:<9}"), style::HEADING).plain(value));
    }
    if size.spooled_records > 0 {
        let waiting = format!(
            "{} ({}) that the database could not take yet",
            counted(size.spooled_records, "record"),
            bytes(size.spooled)
        );
        show_trouble("Waiting", waiting, ui);
    }
    if missing > 0 {
        let records = counted(missing, "record");
        show_trouble(
            "Missing",
            format!("{records}; `bowline doctor` tells why"),
            ui,
        );
    }
}

/// "12 sessions, 3,400 calls since 2026-11-03".
fn kept(size: Size) -> String {
    let sessions = counted(grouped(size.sessions), "session");
    let calls = counted(grouped(size.calls), "call");
    let since = size.since.map(moment::day);
    let since = since.map(|day| format!(" since {day}"));
    format!("{sessions}, {calls}{}", since.unwrap_or_default())
}

/// A number with a comma between its thousands.
fn grouped(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1_000), number % 1_000),
    }
}

fn show_trouble(label: &str, trouble: String, ui: &mut Ui) {
    ui.line(Text::styled(format!("{label:<9}"), style::HEADING).with(trouble, style::CAUTION));
}

#[derive(Debug, Serialize)]
struct Copied<'a> {
    #[serde(serialize_with = "project::lossy")]
    backup: &'a Path,
}

fn backup(file: &Path, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let to = std::path::absolute(file).map_err(|source| Error::file("find", file, source))?;
    if to.to_str().is_none() {
        return Err(
            Error::input(format!("the name {} is no text", project::shown(file)))
                .hint("give the copy a name in UTF-8"),
        );
    }
    let question = store::Backup { to };
    Records::open(ui)?.or_error()?.ask(&question, ui)?;
    let backup = question.to.as_path();
    match format {
        Format::Json => ui.json(&Copied { backup })?,
        Format::Text => ui.line(format!("Copied to {}.", project::shown(backup))),
    }
    Ok(Outcome::Clean)
}

#[derive(Debug, Serialize)]
struct Compacted {
    before: Size,
    after: Size,
}

fn compact(format: Format, ui: &mut Ui) -> Result<Outcome> {
    let mut records = Records::open(ui)?.or_error()?;
    let before = records.ask(&store::Size {}, ui)?;
    ui.note("a large store takes a while; events are decided meanwhile, and their records wait beside the database");
    records.ask(&store::Compact {}, ui)?;
    let after = records.ask(&store::Size {}, ui)?;
    match format {
        Format::Json => ui.json(&Compacted { before, after })?,
        Format::Text => ui.line(format!(
            "{} on disk, {} before.",
            bytes(after.on_disk),
            bytes(before.on_disk)
        )),
    }
    Ok(Outcome::Clean)
}

/// A number of bytes as people read it.
pub(super) fn bytes(count: u64) -> String {
    if count < 1_000 {
        return counted(count, "byte");
    }
    let mut scaled = count / 100;
    let mut unit = "kB";
    for larger in ["MB", "GB", "TB"] {
        if scaled < 10_000 {
            break;
        }
        scaled /= 1_000;
        unit = larger;
    }
    format!("{}.{} {unit}", scaled / 10, scaled % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_well() {
        for (sessions, calls, expected) in [
            (0, 0, "0 sessions, 0 calls"),
            (1, 1, "1 session, 1 call"),
            (12, 3_400, "12 sessions, 3,400 calls"),
            (1_000, 1_002_003, "1,000 sessions, 1,002,003 calls"),
        ] {
            let mut size = Size::default();
            (size.sessions, size.calls) = (sessions, calls);
            assert_eq!(kept(size), expected);
        }
    }

    #[test]
    fn bytes_read_well() {
        for (count, expected) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (999, "999 bytes"),
            (1_000, "1.0 kB"),
            (123_456, "123.4 kB"),
            (1_234_567, "1.2 MB"),
            (1_073_741_824, "1.0 GB"),
            (u64::MAX, "18446744.0 TB"),
        ] {
            assert_eq!(bytes(count), expected, "{count}");
        }
    }
}
