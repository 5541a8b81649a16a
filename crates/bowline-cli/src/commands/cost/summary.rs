//! `bowline cost summary`: what a session cost, and how much it delegated.

use bowline_builtins::guidance::cost::prices;
use bowline_daemon::rpc::costs;
use bowline_guidance::cost::autonomy::Breaker;
use bowline_guidance::cost::delegation::Summary;
use bowline_guidance::cost::prices::Usd;
use bowline_guidance::cost::report::{By, Report, report};
use bowline_store::{SpentFilter, SpentOn};
use serde::Serialize;

use super::view::{Figures, short};
use super::{scan, session};
use crate::Outcome;
use crate::error::Result;
use crate::project;
use crate::ui::{Format, FormatArgs, Text, Ui, counted, reveal, style};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline cost summary
  bowline cost summary 8c2f51de
  bowline cost summary --json

How much was delegated is known where `predict = true` is set in `[cost]`")]
pub(super) struct SummaryArgs {
    /// The session, or the beginning of its name; the last active one in this project by default
    #[arg(value_name = "SESSION")]
    session: Option<String>,

    #[command(flatten)]
    pub(super) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Document<'a> {
    session: &'a str,
    models: Vec<Figures<'a>>,
    cost_usd: f64,
    /// What a person added to its budget.
    raised_usd: f64,
    /// Estimates.
    conduct: Option<&'a Summary>,
}

pub(super) fn run(args: &SummaryArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut records = scan::up_to_date(ui)?;
    let session = session(args.session.as_deref(), &mut records, ui)?;
    let filter = SpentFilter {
        by: By::Model,
        on: Some(SpentOn::Session(session.clone())),
        since: None,
    };
    let spent = records.ask(&costs::Spent { filter }, ui)?;
    let question = costs::Session {
        session: session.clone(),
    };
    let known = records.ask(&question, ui)?;
    let settings = project::load(&project::folder(None)?);
    let report = report(By::Model, &spent, &prices(&settings.config.cost));
    match args.format.format() {
        Format::Json => ui.json(&Document {
            session: &session,
            models: report.lines.iter().map(Figures::of).collect(),
            cost_usd: report.cost.dollars(),
            raised_usd: known.raised.dollars(),
            conduct: known.summary.as_ref(),
        })?,
        Format::Text => {
            ui.line(
                Text::styled("Session ", style::HEADING).with(reveal::name(&session), style::NAME),
            );
            used(ui, &report, known.raised);
            if let Some(summary) = &known.summary {
                ui.blank();
                conduct(ui, summary);
            }
        }
    }
    Ok(Outcome::Clean)
}

fn used(ui: &mut Ui, report: &Report, raised: Usd) {
    if report.lines.is_empty() {
        ui.line("No transcript says what it used.");
    }
    for line in &report.lines {
        let tokens = &line.tokens;
        ui.line(format!(
            "{}: {} for {}: {} input, {} output, {} cache write, {} cache read",
            reveal::name(&line.key),
            line.cost,
            counted(line.messages, "message"),
            short(tokens.input),
            short(tokens.output),
            short(tokens.cache_write),
            short(tokens.cache_read),
        ));
    }
    if !report.unpriced_models.is_empty() {
        ui.line("The price of a model is not known: `bowline cost prices` lists those that are.");
    }
    if raised.0 > 0 {
        ui.line(format!("{raised} were added to its budget."));
    }
}

fn conduct(ui: &mut Ui, summary: &Summary) {
    ui.line(Text::styled("Delegation (estimates)", style::HEADING));
    ui.line(format!(
        "{}, {} delegated, {} that should have been: {} % compliance, level {} of 3{}",
        counted(summary.calls, "call"),
        summary.delegations,
        summary.violations,
        summary.compliance,
        summary.level,
        match summary.breaker {
            Breaker::Open => ", breaker open",
            Breaker::Closed => "",
        }
    ));
    ui.line(format!(
        "{} tokens in the context window, {} of them wasted ({} % efficiency)",
        short(summary.tokens),
        short(summary.waste),
        summary.efficiency
    ));
    let patterns: u32 = summary.anti_patterns.values().sum();
    ui.line(format!(
        "{}; autonomy for the next session: {}",
        counted(patterns, "anti-pattern"),
        summary.autonomy.name()
    ));
}
