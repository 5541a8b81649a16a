//! `bowline rules`: a person's own rules and those of the guard, and whether they do what they say.

mod cases;
mod catalogue;
mod own;
mod test;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde::Serialize;

use crate::Outcome;
use crate::error::{Error, Result};
use crate::project::{self, Paths};
use crate::ui::{self, Column, Format, FormatArgs, Text, Ui, counted, reveal, style};
use catalogue::{Kind, RuleView};
use own::Own;

/// See and test your own rules and those of the guard
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline rules list --kind own
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
    /// Show everything about one rule
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

    /// Use this folder's project instead of the current one
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

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

    /// Use this folder's project instead of the current one
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

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
  {\"tool\": \"Read\", \"tool_input\": {\"file_path\": \".env\"}, \"verdict\": \"deny\"}
  {\"command\": \"make\", \"cwd\": \"/srv/app\", \"verdict\": \"allow\"}

Exits with 1 when an example or a case comes out differently")]
struct TestArgs {
    /// Cases of your own, as JSON lines
    file: Option<PathBuf>,

    /// Use this folder's project instead of the current one, also for cases without a cwd
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

/// The rules of the project's files, then those of the guard; and how the project's paths are shown.
fn every(dir: Option<&Path>) -> Result<(Vec<RuleView>, Paths)> {
    let settings = project::load(&project::folder(dir)?);
    let own = project::builtins(&settings).rules.rules;
    let mut rules: Vec<RuleView> = own.iter().map(own::view).collect();
    rules.extend(catalogue::all());
    Ok((rules, Paths::of(&settings.project)))
}

fn list(args: &ListArgs, ui: &mut Ui) -> Result<Outcome> {
    let (mut rules, paths) = every(args.dir.as_deref())?;
    rules.retain(|rule| args.kind.is_none_or(|kind| rule.kind == kind));
    let list = List { rules };
    match args.format.format() {
        Format::Json => ui.json(&list)?,
        Format::Text if list.rules.is_empty() => {
            ui.line("There is no such rule. `bowline rules list` lists all kinds.");
        }
        Format::Text => {
            let mut rows = ui::List::new(COLUMNS);
            for rule in &list.rules {
                rows.row([
                    Text::styled(&rule.id, style::NAME),
                    rule.verdict().into(),
                    rule.kind.name().into(),
                    rule.category.unwrap_or("-").into(),
                    found(rule, &paths),
                    Text::styled(example(rule), style::FAINT),
                ]);
            }
            ui.list(&rows);
            ui.blank();
            let count = counted(list.rules.len(), "rule");
            let all_own = list.rules.iter().all(|rule| rule.own.is_some());
            ui.line(if all_own {
                format!("{count} of your own. `bowline rules show RULE` tells more.")
            } else {
                format!("{count}. The guard says this without settings; `bowline allow RULE` lets one pass, `bowline rules show RULE` tells more.")
            });
        }
    }
    Ok(Outcome::Clean)
}

const COLUMNS: &[Column] = &[
    Column::whole("Rule", 24),
    Column::whole("Says", 4),
    Column::optional("Kind", 10, 0),
    Column::optional("Category", 10, 0),
    Column::rest("What it finds"),
    Column::optional("Example", 24, 2).at_most(32),
];

/// What a rule finds.
fn found(rule: &RuleView, paths: &Paths) -> Text {
    let summary = Text::from(reveal::code(&rule.summary));
    match &rule.own {
        Some(own) => own.remark_in_line(summary, paths),
        None => summary,
    }
}

fn example(rule: &RuleView) -> String {
    rule.example
        .as_deref()
        .map(reveal::code)
        .unwrap_or_default()
}

fn show(args: &ShowArgs, ui: &mut Ui) -> Result<Outcome> {
    let (rules, paths) = every(args.dir.as_deref())?;
    let Some(rule) = rules.iter().find(|rule| rule.id == args.id) else {
        return Err(unknown(&args.id, &rules));
    };
    match args.format.format() {
        Format::Json => ui.json(rule)?,
        Format::Text => {
            let mut head = Text::styled(&rule.id, style::NAME.bold());
            head = head.with(format!(" ({})", rule.kind.name()), style::FAINT);
            ui.line(head);
            let summary = Text::from(reveal::code(&rule.summary));
            match &rule.own {
                Some(own) => {
                    ui.line(own.remark(summary, &paths));
                    show_own(own, ui);
                }
                None => ui.line(summary),
            }
            if let Some(category) = rule.category {
                ui.line(Text::styled("Category: ", style::HEADING).plain(category));
            }
            if let Some(verdict) = rule.default_verdict {
                ui.line(Text::styled("Says: ", style::HEADING).plain(told(verdict)));
            }
            if let Some(example) = &rule.example {
                ui.line(Text::styled("Example: ", style::HEADING).plain(reveal::code(example)));
            }
            if let Some(allow) = &rule.allow {
                ui.line(Text::styled("To allow: ", style::HEADING).plain(format!("`{allow}`")));
            }
            if let Some(instead) = &rule.instead {
                ui.line(Text::styled("Instead: ", style::GOOD).plain(reveal::code(instead)));
            }
            let (finds, leaves) = match rule.own {
                Some(_) => ("Must apply to", "Must not apply to"),
                None => (
                    "Finds a secret in ({a36} stands for 36 letters and digits)",
                    "Finds nothing in ({a36} stands for 36 letters and digits)",
                ),
            };
            examples(finds, &rule.matches, ui);
            examples(leaves, &rule.ignores, ui);
        }
    }
    Ok(Outcome::Clean)
}

/// A default verdict, for people.
fn told(verdict: &str) -> &str {
    match verdict {
        "deny" => "deny, without settings",
        "ask" => "ask, without settings",
        "allow" => "nothing: it is noted, and passes",
        "redact" => "nothing: it is taken out of what is kept and shown",
        _ => "deny or ask, by what would be lost or cannot be seen",
    }
}

fn show_own(own: &Own, ui: &mut Ui) {
    let mut fields = vec![
        ("Verdict: ", own.verdict.to_owned()),
        ("Event: ", own.events.join(", ")),
    ];
    for condition in &own.conditions {
        let label = match condition.key {
            "tool" => "Tool: ",
            "command" => "Command: ",
            "effect" => "Effect: ",
            "path" => "Path: ",
            _ => "When: ",
        };
        fields.push((label, condition.values.join(" or ")));
    }
    fields.extend(own.rewrite.clone().map(|text| ("Rewrite: ", text)));
    fields.extend(own.message.clone().map(|text| ("Message: ", text)));
    for (label, text) in fields {
        ui.line(Text::styled(label, style::HEADING).plain(reveal::code(&text)));
    }
}

fn examples(heading: &str, examples: &[String], ui: &mut Ui) {
    if examples.is_empty() {
        return;
    }
    ui.blank();
    ui.line(Text::styled(heading, style::HEADING));
    for example in examples {
        ui.line(format!("  {}", reveal::code(example)));
    }
}

fn unknown(id: &str, rules: &[RuleView]) -> Error {
    let error = Error::usage(format!("there is no rule `{id}`"));
    let near: Vec<&str> = rules
        .iter()
        .map(|rule| rule.id.as_str())
        .filter(|known| !id.is_empty() && (known.contains(id) || id.contains(known)))
        .take(3)
        .collect();
    let error = match near.as_slice() {
        [] => error,
        near => error.hint(format!("did you mean {}?", near.join(" or "))),
    };
    error.hint("`bowline rules list` lists every rule")
}
