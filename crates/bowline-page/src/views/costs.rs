//! *Costs*: what agents used, by day, model and project.

use bowline_guidance::cost::report::{Line, Report};
use maud::{Markup, html};

use crate::charts::{Bar, columns, rows};
use crate::data::costs::{Costs, Period};
use crate::text::{folder_name, link, shown};

/// More bars do not help.
const MOST_BARS: usize = 12;
/// More days do not fit.
const MOST_DAYS: usize = 90;

pub(crate) fn view(costs: &Costs) -> Markup {
    let total = &costs.by_model;
    let name = |line: &Line| shown(&line.key);
    let folder = |line: &Line| folder_name(&line.key);
    html! {
        h1 { "Costs" }
        (periods(costs.period, "costs"))
        @if total.messages == 0 {
            p { "Nothing was used in this time, or no transcript was read yet: " code { "bowline cost" } " reads them." }
        } @else {
            p.summary { (total.cost) " for " (tokens(total.tokens.total())) " tokens in " (total.messages) " messages" }
            @if !total.unpriced_models.is_empty() {
                p.notice { "The prices of these models are not known: " (shown(&total.unpriced_models.join(", "))) }
            }
            h2 { "By day" }
            (columns("Costs by day", &days(&costs.by_day)))
            div.columns {
                section aria-label="By model" { h2 { "By model" } (rows("Costs by model", &bars(&costs.by_model, name))) (table("Model", &costs.by_model, name)) }
                section aria-label="By project" { h2 { "By project" } (rows("Costs by project", &bars(&costs.by_project, folder))) (table("Project", &costs.by_project, folder)) }
            }
            details {
                summary { "Days as a table" }
                (table("Day", &costs.by_day, name))
            }
        }
    }
}

/// Links to periods of time.
pub(crate) fn periods(chosen: Period, view: &str) -> Markup {
    html! {
        nav aria-label="Period" { ul {
            @for period in Period::ALL {
                li {
                    a href=(link(view, &[("period", period.word())])) aria-current=[(period == chosen).then_some("true")] { (period.name()) }
                }
            }
        } }
    }
}

fn days(report: &Report) -> Vec<Bar> {
    let from = report.lines.len().saturating_sub(MOST_DAYS);
    let lines = report.lines.iter().skip(from);
    lines
        .map(|line| Bar {
            // The year is the same nearly always.
            label: shown(line.key.get(5..).unwrap_or(&line.key)),
            value: line.cost.dollars(),
            shown: line.cost.to_string(),
        })
        .collect()
}

fn bars(report: &Report, name: impl Fn(&Line) -> String) -> Vec<Bar> {
    let lines = report.lines.iter().take(MOST_BARS);
    lines
        .map(|line| Bar {
            label: name(line),
            value: line.cost.dollars(),
            shown: line.cost.to_string(),
        })
        .collect()
}

fn table(what: &str, report: &Report, name: impl Fn(&Line) -> String) -> Markup {
    html! {
        table.cards role="table" {
            caption.hidden { "Costs by " (what.to_lowercase()) }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { (what) }
                th.number role="columnheader" scope="col" { "Cost" }
                th.number role="columnheader" scope="col" { "Tokens" }
                th.number role="columnheader" scope="col" { "Messages" }
            } }
            tbody role="rowgroup" { @for line in &report.lines { tr role="row" {
                td role="cell" data-label=(what) { @if line.key.is_empty() { span.faint { "unknown" } } @else { (name(line)) } }
                td.number role="cell" data-label="Cost" { (line.cost) @if line.unpriced.total() > 0 { " and more" } }
                td.number role="cell" data-label="Tokens" { (tokens(line.tokens.total())) }
                td.number role="cell" data-label="Messages" { (line.messages) }
            } } }
        }
    }
}

/// A number of tokens, short.
fn tokens(count: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "it is rounded anyway")]
    let number = count as f64;
    match count {
        0..10_000 => count.to_string(),
        10_000..1_000_000 => format!("{:.0}k", number / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1}M", number / 1e6),
        _ => format!("{:.2}G", number / 1e9),
    }
}
