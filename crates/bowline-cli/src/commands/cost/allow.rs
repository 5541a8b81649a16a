//! `bowline cost allow`: adds to a budget.

use bowline_builtins::guidance::cost::{limit, today};
use bowline_daemon::rpc::costs;
use bowline_guidance::cost::budget::BudgetOf;
use bowline_guidance::cost::prices::Usd;
use clap::ValueEnum;
use serde::Serialize;

use crate::Outcome;
use crate::ask::Records;
use crate::error::{Error, Result};
use crate::moment;
use crate::project;
use crate::standing;
use crate::ui::{Format, FormatArgs, Text, Ui, reveal, style};

/// Add to a budget
///
/// By as much as the budget was, unless `--usd` says otherwise. An agent cannot do this
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline cost allow session
  bowline cost allow session 8c2f51de --usd 2.50
  bowline cost allow effort
  bowline cost allow day --usd 20")]
pub(super) struct AllowArgs {
    /// Which budget
    #[arg(value_enum)]
    budget: Budget,

    /// The session that it is for, or the session whose effort it is for; the last active one in this project by default
    #[arg(value_name = "SESSION")]
    session: Option<String>,

    /// How many dollars are added
    #[arg(long, value_name = "DOLLARS", value_parser = parse_dollars)]
    usd: Option<Usd>,

    #[command(flatten)]
    pub(super) format: FormatArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Budget {
    /// Of a session
    Session,
    /// Of an effort
    Effort,
    /// Of today
    Day,
}

impl From<Budget> for BudgetOf {
    fn from(budget: Budget) -> Self {
        match budget {
            Budget::Session => Self::Session,
            Budget::Effort => Self::Effort,
            Budget::Day => Self::Day,
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is checked before"
)]
fn parse_dollars(text: &str) -> std::result::Result<Usd, String> {
    let number = text.trim_start_matches('$').parse::<f64>().ok();
    let number = number.filter(|it| *it > 0.0 && *it <= 1e6);
    let number = number.ok_or("expected an amount of dollars above 0, such as 2.50")?;
    Ok(Usd((number * 1e9).round() as u64))
}

#[derive(Debug, Serialize)]
struct Document {
    budget: BudgetOf,
    name: String,
    added_usd: f64,
    /// In all.
    raised_usd: f64,
    /// With what was added; null where the settings set no such budget.
    limit_usd: Option<f64>,
}

pub(super) fn run(args: &AllowArgs, ui: &mut Ui) -> Result<Outcome> {
    standing::no_agent()?;
    let budget = BudgetOf::from(args.budget);
    let settings = project::load(&project::folder(None)?);
    let limit = limit(&settings.config.cost, budget);
    let by = args.usd.or(limit).ok_or_else(|| {
        Error::input(format!("`{}` is not set in `[cost]`", budget.key()))
            .hint("say how much with `--usd`, or set it first")
    })?;
    let mut records = Records::open(ui)?.or_error()?;
    let name = name(args, budget, &mut records, ui)?;
    let question = costs::Raise {
        budget,
        name: name.clone(),
        by,
    };
    let raised = records.ask(&question, ui)?;
    let limit = limit.map(|limit| limit + raised);
    match args.format.format() {
        Format::Json => ui.json(&Document {
            budget,
            name,
            added_usd: by.dollars(),
            raised_usd: raised.dollars(),
            limit_usd: limit.map(Usd::dollars),
        })?,
        Format::Text => {
            let limit = limit.map(|limit| format!("; it is {limit} now"));
            let text = format!(
                " {by} to the budget of {} {}{}",
                budget.name(),
                reveal::name(&name),
                limit.unwrap_or_default()
            );
            ui.line(Text::styled("Added", style::GOOD).plain(text));
        }
    }
    Ok(Outcome::Clean)
}

fn name(args: &AllowArgs, budget: BudgetOf, records: &mut Records, ui: &Ui) -> Result<String> {
    if budget == BudgetOf::Day {
        return Ok(today(moment::now()).0);
    }
    let session = super::session(args.session.as_deref(), records, ui)?;
    if budget == BudgetOf::Session {
        return Ok(session);
    }
    let known = records.ask(
        &costs::Session {
            session: session.clone(),
        },
        ui,
    )?;
    let effort = known.effort.map(|effort| effort.to_string());
    effort.ok_or_else(|| {
        let session = reveal::name(&session);
        Error::input(format!("the session {session} is in no effort"))
            .hint("`bowline effort list` lists efforts; name a session of the one that you mean")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_read() {
        for (text, expected) in [
            ("2.50", Some(2_500_000_000)),
            ("$20", Some(20_000_000_000)),
            ("0", None),
            ("-1", None),
            ("nan", None),
            ("much", None),
        ] {
            assert_eq!(parse_dollars(text).ok().map(|it| it.0), expected, "{text}");
        }
    }
}
