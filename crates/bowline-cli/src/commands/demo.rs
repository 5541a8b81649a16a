//! `bowline demo`: a short session of an agent that is not there, decided and recorded by the real programs.

mod player;
mod script;
mod stage;

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use super::open;
use crate::Outcome;
use crate::error::{Error, ErrorKind, Result};
use crate::ui::{Format, FormatArgs, Text, Ui, style};
use player::{Played, Player};
use stage::Stage;

/// Watch a short session being decided and recorded; needs no agent and leaves nothing behind
///
/// A scripted agent reports what it does to the real `bowline-hook`, which asks a daemon with its own store in a
/// temporary folder. Nothing of the script is run: commands are judged as text
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline demo
  bowline demo --open
  bowline demo --json | jq '.events[] | select(.decision == \"deny\")'")]
pub(crate) struct DemoArgs {
    /// Open the page of the session afterwards, with others at work, until you press Enter
    #[arg(long)]
    open: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Report {
    events: Vec<Played>,
    tree: Value,
    slow: Value,
    errors: Value,
    next: [&'static str; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<Page>,
}

/// Where the page is, and the socket of the daemon that serves it.
#[derive(Debug, Serialize)]
struct Page {
    address: String,
    socket: PathBuf,
}

/// What is asked of the records afterwards.
const QUESTIONS: [(&str, &[&str]); 3] = [
    (
        "What followed from the prompt",
        &["trace", "tree", script::SHOWN],
    ),
    (
        "What was slow",
        &["trace", "slow", "--threshold", script::SLOW],
    ),
    ("What failed", &["trace", "errors"]),
];

const NEXT: [&str; 2] = ["bowline init --dry-run", "bowline init"];

pub(crate) fn run(args: &DemoArgs, ui: &mut Ui) -> Result<Outcome> {
    let format = args.format.format();
    let stage = Stage::new()?;
    if format == Format::Text {
        ui.line("An agent works on a small shop. Before and after everything it does, it asks Bowline; the time is what it waits.");
    }
    let events = Player::new(&stage, format, ui).play(&script::steps())?;
    match format {
        Format::Json => {
            let mut answers = QUESTIONS
                .iter()
                .map(|(_, question)| document(&stage, question));
            let mut next = || answers.next().unwrap_or(Ok(Value::Null));
            let mut report = Report {
                events,
                tree: next()?,
                slow: next()?,
                errors: next()?,
                next: NEXT,
                page: None,
            };
            if args.open {
                return with_page(&stage, ui, |page, ui| {
                    report.page = Some(page);
                    ui.json(&report)
                });
            }
            ui.json(&report)?;
        }
        Format::Text => {
            for (heading, question) in QUESTIONS {
                show(&stage, heading, question, ui)?;
            }
            if args.open {
                with_page(&stage, ui, |page, ui| {
                    ui.blank();
                    ui.line(Text::styled("The page of all this", style::HEADING));
                    open::show(&page.address, ui);
                    ui.line("Press Enter to end it.");
                    Ok(())
                })?;
            }
            show_next(ui);
        }
    }
    Ok(Outcome::Clean)
}

/// Lets others work, says where the page is, and waits until somebody has seen it.
fn with_page(
    stage: &Stage,
    ui: &mut Ui,
    say: impl FnOnce(Page, &mut Ui) -> Result<()>,
) -> Result<Outcome> {
    stage.furnish_for_the_page()?;
    let mut player = Player::new(stage, Format::Json, ui);
    player.play(&script::others())?;
    document(stage, &["cost"])?;
    let places = stage.places();
    let page = Page {
        address: open::address(&places)?,
        socket: places.socket,
    };
    say(page, player.ui())?;
    player.ui().flush()?;
    player.wait_for_enter();
    Ok(Outcome::Clean)
}

/// Lets the command itself answer, in this terminal.
fn show(stage: &Stage, heading: &str, question: &[&str], ui: &mut Ui) -> Result<()> {
    ui.blank();
    ui.line(
        Text::styled(heading, style::HEADING)
            .with(format!("  $ bowline {}", question.join(" ")), style::FAINT),
    );
    ui.flush()?;
    let status = stage.command(question).status();
    let status = status.map_err(|source| Error::file("start", stage.program(), source))?;
    if status.success() {
        Ok(())
    } else {
        Err(refused(question))
    }
}

fn document(stage: &Stage, question: &[&str]) -> Result<Value> {
    let output = stage.command(&[question, &["--json"]].concat()).output();
    let output = output.map_err(|source| Error::file("start", stage.program(), source))?;
    serde_json::from_slice(&output.stdout).map_err(|source| refused(question).caused_by(source))
}

fn refused(question: &[&str]) -> Error {
    let message = format!("`bowline {}` could not answer", question.join(" "));
    Error::new(ErrorKind::System, message)
}

fn show_next(ui: &mut Ui) {
    ui.blank();
    ui.line(Text::styled(
        "Nothing was run, and nothing is left of this.",
        style::HEADING,
    ));
    let [look, put] = NEXT;
    ui.line(
        Text::new()
            .with(put, style::NAME)
            .plain(" puts Bowline into Claude Code; ")
            .with(look, style::NAME)
            .plain(" shows what that would change."),
    );
}
