//! `bowline note`: lines that no session may forget.

use bowline_continuity::note::Note;
use bowline_continuity::{Code, RuleError};
use bowline_daemon::rpc::efforts::{AddNote, EffortOf, Notes, RemoveNote};
use clap::Subcommand;
use serde::Serialize;

use super::caller::{asker, check_session, text};
use crate::Outcome;
use crate::ask::Records;
use crate::error::{Error, ErrorKind, Result};
use crate::moment;
use crate::ui::{Format, FormatArgs, Table, Text, Ui, clipped, style};

/// Pin lines that every new session of a project is told
///
/// Goals and decisions survive compaction, clearing, resuming and crashes this way. [handover] in the settings says how much is told
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline note add 'The release is on Friday; no new dependency before'
  bowline note add --effort 'The API must stay as it is'
  bowline note list
  bowline note remove 3")]
pub(crate) struct NoteArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Pin a line to the project, or to its effort
    Add(AddArgs),
    /// List the notes of the project, then those of the current effort, each the oldest first
    List(ListArgs),
    /// Remove a note
    Remove(RemoveArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline note add 'No new dependency'
  bowline note add --effort < decision.md")]
struct AddArgs {
    /// What it says; `-`, or nothing where something is piped in, reads standard input
    text: Vec<String>,

    /// Pin it to the current effort instead of the project
    #[arg(long)]
    effort: bool,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline note list --json")]
struct ListArgs {
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline note remove 3")]
struct RemoveArgs {
    /// Its number, as `bowline note list` shows it
    id: i64,

    #[command(flatten)]
    format: FormatArgs,
}

impl NoteArgs {
    pub(crate) fn format(&self) -> Format {
        let format = match &self.action {
            Action::Add(args) => args.format,
            Action::List(args) => args.format,
            Action::Remove(args) => args.format,
        };
        format.format()
    }
}

pub(crate) fn run(args: &NoteArgs, ui: &mut Ui) -> Result<Outcome> {
    let format = args.format();
    match &args.action {
        Action::Add(args) => add(args, format, ui),
        Action::List(_) => list(format, ui),
        Action::Remove(args) => remove(args.id, format, ui),
    }
}

fn add(args: &AddArgs, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let text = text(&args.text, "the note")?;
    let asker = asker()?;
    let mut records = Records::open(ui)?.or_new()?;
    check_session(&mut records, ui)?;
    let effort = if args.effort {
        let question = EffortOf {
            effort: None,
            asker: asker.clone(),
        };
        let found = records.ask(&question, ui)?.ok_or_else(|| {
            let message = "No effort is active in this project.";
            Error::refused(RuleError::new(Code::NoActiveEffort, message)).hint(
                "pin it to the project without --effort, or begin an effort: `bowline effort start TASK SKILL`",
            )
        })?;
        Some(found.effort.id.0)
    } else {
        None
    };
    let question = AddNote {
        text,
        effort,
        asker,
    };
    let note = records.ask(&question, ui)?.ok_or_else(nothing_done)?;
    told(&note, "Pinned", format, ui)
}

#[derive(Debug, Serialize)]
struct Report {
    notes: Vec<Note>,
}

fn list(format: Format, ui: &mut Ui) -> Result<Outcome> {
    let question = Notes { asker: asker()? };
    let notes = Records::open(ui)?.ask(&question, ui)?;
    match format {
        Format::Json => ui.json(&Report { notes })?,
        Format::Text if notes.is_empty() => {
            ui.line("Nothing is pinned here. `bowline note add \"…\"` pins a line.");
        }
        Format::Text => ui.table(&table(&notes)),
    }
    Ok(Outcome::Clean)
}

fn table(notes: &[Note]) -> Table {
    let now = moment::now();
    let mut table = Table::new(["Id", "Of", "Pinned", "Note"]);
    for note in notes {
        table.row([
            Text::styled(note.id.to_string(), style::NAME),
            match note.effort {
                Some(effort) => format!("effort {}", effort.0).into(),
                None => "project".into(),
            },
            Text::styled(moment::when(note.at, now), style::FAINT),
            // Whole: where a note is told, it may have been cut.
            note.text.trim_end().into(),
        ]);
    }
    table
}

fn remove(id: i64, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let question = RemoveNote {
        project: asker()?.project,
        note: id,
    };
    let mut records = Records::open(ui)?.or_error()?;
    let note = records.ask(&question, ui)?.ok_or_else(nothing_done)?;
    told(&note, "Removed", format, ui)
}

fn told(note: &Note, word: &str, format: Format, ui: &mut Ui) -> Result<Outcome> {
    match format {
        Format::Json => ui.json(note)?,
        Format::Text => ui.line(Text::styled(word, style::GOOD).plain(format!(
            " note {}: {}",
            note.id,
            clipped(&note.text)
        ))),
    }
    Ok(Outcome::Clean)
}

fn nothing_done() -> Error {
    Error::new(ErrorKind::Records, "nothing was done")
}
