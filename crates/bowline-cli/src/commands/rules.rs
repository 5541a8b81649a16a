//! `bowline rules`: what the guard knows, and whether it does what it says.

mod cases;
mod catalogue;
mod test;

use std::path::PathBuf;

use clap::Subcommand;
use serde::Serialize;

use crate::Outcome;
use crate::error::{Error, Result};
use crate::ui::{Format, FormatArgs, Table, Text, Ui, style};
use catalogue::{Kind, RuleView};

/// See and test the rules of the guard
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline rules list --kind secret
  bowline rules show sensitive.environment-file
  bowline rules test
  bowline rules test cases.jsonl")]
pub(crate) struct RulesArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the rules
    List(ListArgs),
    /// Show all that is known of one rule
    Show(ShowArgs),
    /// Run the examples of every rule, and cases of your own
    Test(TestArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline rules list
  bowline rules list --kind effect --json")]
struct ListArgs {
    /// Only rules of this kind
    #[arg(long, value_enum)]
    kind: Option<Kind>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  bowline rules show jwt")]
struct ShowArgs {
    /// The rule's id, as a verdict or `bowline rules list` names it
    id: String,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline rules test
  bowline rules test cases.jsonl --dir ~/src/app

A case is a line of JSON:
  {\"command\": \"git push --force\", \"verdict\": \"deny\"}
  {\"tool\": \"Read\", \"tool_input\": {\"file_path\": \".env\"}, \"verdict\": \"deny\", \"cwd\": \"/srv/app\"}

Exits with 1 when an example or a case comes out differently")]
struct TestArgs {
    /// Cases of your own, as JSON lines
    file: Option<PathBuf>,

    /// Judge cases without a cwd as if in this folder instead of the current one
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    format: FormatArgs,
}

impl RulesArgs {
    pub(crate) fn format(&self) -> Format {
        match &self.action {
            Action::List(args) => args.format.format(),
            Action::Show(args) => args.format.format(),
            Action::Test(args) => args.format.format(),
        }
    }
}

pub(crate) fn run(args: &RulesArgs, ui: &mut Ui) -> Result<Outcome> {
    match &args.action {
        Action::List(args) => list(args, ui),
        Action::Show(args) => show(args, ui),
        Action::Test(args) => test::run(args, ui),
    }
}

#[derive(Debug, Serialize)]
struct List {
    rules: Vec<RuleView>,
}

fn list(args: &ListArgs, ui: &mut Ui) -> Result<Outcome> {
    let wanted = |rule: &RuleView| args.kind.is_none_or(|kind| rule.kind == kind);
    let list = List {
        rules: catalogue::all().into_iter().filter(wanted).collect(),
    };
    match args.format.format() {
        Format::Json => ui.json(&list)?,
        Format::Text => {
            let mut table = Table::new(["Rule", "Kind", "Category", "What it finds"]);
            for rule in &list.rules {
                table.row([
                    Text::styled(&rule.id, style::NAME),
                    rule.kind.name().into(),
                    rule.category.unwrap_or("-").into(),
                    rule.summary.as_str().into(),
                ]);
            }
            ui.table(&table);
            ui.blank();
            ui.line(format!("{} rules", list.rules.len()));
        }
    }
    Ok(Outcome::Clean)
}

fn show(args: &ShowArgs, ui: &mut Ui) -> Result<Outcome> {
    let rule = catalogue::all()
        .into_iter()
        .find(|rule| rule.id == args.id)
        .ok_or_else(|| unknown(&args.id))?;
    match args.format.format() {
        Format::Json => ui.json(&rule)?,
        Format::Text => {
            let mut head = Text::styled(&rule.id, style::NAME.bold());
            head = head.with(format!(" ({})", rule.kind.name()), style::FAINT);
            ui.line(head);
            ui.line(rule.summary.as_str());
            if let Some(category) = rule.category {
                ui.line(Text::styled("Category: ", style::HEADING).plain(category));
            }
            if let Some(instead) = &rule.instead {
                ui.line(Text::styled("Instead: ", style::GOOD).plain(instead));
            }
            examples("Finds a secret in", &rule.matches, ui);
            examples("Finds nothing in", &rule.ignores, ui);
        }
    }
    Ok(Outcome::Clean)
}

fn examples(heading: &str, examples: &[&str], ui: &mut Ui) {
    if examples.is_empty() {
        return;
    }
    ui.blank();
    let heading = format!("{heading} ({{a36}} stands for 36 letters and digits)");
    ui.line(Text::styled(heading, style::HEADING));
    for example in examples {
        ui.line(format!("  {example}"));
    }
}

fn unknown(id: &str) -> Error {
    let error = Error::usage(format!("there is no rule `{id}`"));
    let near: Vec<String> = catalogue::all()
        .into_iter()
        .map(|rule| rule.id)
        .filter(|known| !id.is_empty() && (known.contains(id) || id.contains(known.as_str())))
        .take(3)
        .collect();
    let error = match near.as_slice() {
        [] => error,
        near => error.hint(format!("did you mean {}?", near.join(" or "))),
    };
    error.hint("`bowline rules list` lists every rule")
}
