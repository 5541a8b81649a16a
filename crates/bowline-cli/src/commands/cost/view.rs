//! A report of costs: as a table with bars, as JSON, as comma-separated values.

use std::path::Path;

use bowline_guidance::cost::prices::{CHECKED, Usd};
use bowline_guidance::cost::report::{By, Line, Report};
use bowline_guidance::cost::usage::Tokens;
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::CostArgs;
use crate::error::Result;
use crate::project::Paths;
use crate::ui::{Column, List, Text, Ui, reveal, style};

/// The longest bar.
const BAR: u64 = 20;

#[derive(Debug, Serialize)]
struct Document<'a> {
    by: By,
    since: Option<DateTime<Utc>>,
    lines: Vec<Figures<'a>>,
    total: Figures<'a>,
    /// Their tokens are counted, and cost nothing here.
    unpriced_models: &'a [String],
    prices_checked: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct Figures<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    messages: u64,
    input_tokens: u64,
    output_tokens: u64,
    cache_write_tokens: u64,
    cache_read_tokens: u64,
    total_tokens: u64,
    unpriced_tokens: u64,
    cost_usd: f64,
}

impl<'a> Figures<'a> {
    pub(super) fn of(line: &'a Line) -> Self {
        Self {
            key: Some(&line.key),
            messages: line.messages,
            unpriced_tokens: line.unpriced.total(),
            ..Self::new(&line.tokens, line.cost)
        }
    }

    fn total(report: &Report) -> Self {
        Self {
            messages: report.messages,
            unpriced_tokens: report.lines.iter().map(|it| it.unpriced.total()).sum(),
            ..Self::new(&report.tokens, report.cost)
        }
    }

    fn new(tokens: &Tokens, cost: Usd) -> Self {
        Self {
            key: None,
            messages: 0,
            input_tokens: tokens.input,
            output_tokens: tokens.output,
            cache_write_tokens: tokens.cache_write,
            cache_read_tokens: tokens.cache_read,
            total_tokens: tokens.total(),
            unpriced_tokens: 0,
            cost_usd: cost.dollars(),
        }
    }
}

pub(super) fn json(ui: &mut Ui, args: &CostArgs, report: &Report) -> Result<()> {
    ui.json(&Document {
        by: args.by.into(),
        since: args.since,
        lines: report.lines.iter().map(Figures::of).collect(),
        total: Figures::total(report),
        unpriced_models: &report.unpriced_models,
        prices_checked: CHECKED,
    })
}

/// For spreadsheets: exact numbers, and no total.
pub(super) fn csv(ui: &mut Ui, by: By, report: &Report) {
    let mut text = format!(
        "{},messages,input_tokens,output_tokens,cache_write_tokens,cache_read_tokens,unpriced_tokens,cost_usd\n",
        heading(by).to_lowercase()
    );
    for line in &report.lines {
        let tokens = &line.tokens;
        let numbers = [
            line.messages,
            tokens.input,
            tokens.output,
            tokens.cache_write,
            tokens.cache_read,
            line.unpriced.total(),
        ];
        let numbers = numbers.map(|it| it.to_string()).join(",");
        let (key, cost) = (quoted(&line.key), line.cost.dollars());
        text.extend([key, ",".to_owned(), numbers, format!(",{cost:.6}\n")]);
    }
    ui.verbatim(&text);
}

/// A value as RFC 4180 writes it.
fn quoted(text: &str) -> String {
    // A spreadsheet would calculate what begins so.
    let text = if text.starts_with(['=', '+', '-', '@']) {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

const fn heading(by: By) -> &'static str {
    match by {
        By::Day => "Day",
        By::Model => "Model",
        By::Session => "Session",
        By::Effort => "Effort",
        By::Tool => "Tool",
        By::Agent => "Agent",
        By::Project => "Project",
    }
}

/// What a line without a key is about.
const fn nothing(by: By) -> &'static str {
    match by {
        By::Tool => "(text alone)",
        By::Agent => "(main)",
        By::Effort => "(no effort)",
        By::Day | By::Model | By::Session | By::Project => "(unknown)",
    }
}

const fn columns(first: Column) -> [Column; 7] {
    [
        first,
        Column::whole("      Cost", 10),
        Column::optional("Share", 20, 4),
        Column::optional(" Input", 6, 3),
        Column::optional("Output", 6, 3),
        Column::optional(" Write", 6, 2),
        Column::optional("  Read", 6, 2),
    ]
}

static DAY: [Column; 7] = columns(Column::whole("Day", 10));
static MODEL: [Column; 7] = columns(Column::rest("Model"));
static SESSION: [Column; 7] = columns(Column::whole("Session", 8).at_most(8).at_least(8).of_ids());
static EFFORT: [Column; 7] = columns(Column::rest("Effort"));
static TOOL: [Column; 7] = columns(Column::rest("Tool"));
static AGENT: [Column; 7] = columns(Column::rest("Agent"));
static PROJECT: [Column; 7] = columns(Column::rest("Project"));

pub(super) fn table(ui: &mut Ui, by: By, report: &Report) {
    if report.lines.is_empty() {
        ui.line(
            "Nothing was used, as far as transcripts say. `bowline cost scan FOLDER` reads others.",
        );
        return;
    }
    let columns = match by {
        By::Day => &DAY,
        By::Model => &MODEL,
        By::Session => &SESSION,
        By::Effort => &EFFORT,
        By::Tool => &TOOL,
        By::Agent => &AGENT,
        By::Project => &PROJECT,
    };
    let paths = Paths::of(Path::new("/"));
    let mut list = List::new(columns);
    let weight = |line: &Line| match report.cost.0 {
        0 => line.tokens.total(),
        _ => line.cost.0,
    };
    let most = report.lines.iter().map(weight).max().unwrap_or(0);
    for line in &report.lines {
        let key = match (by, line.key.as_str()) {
            (_, "") => nothing(by).to_owned(),
            (By::Project, key) => paths.show_absolute(Path::new(key)),
            (_, key) => reveal::name(key),
        };
        list.row(row(
            Text::styled(key, style::NAME),
            line.cost,
            line.unpriced.total(),
            Text::styled(bar(weight(line), most), style::GOOD),
            &line.tokens,
        ));
    }
    let unpriced = report.lines.iter().map(|it| it.unpriced.total()).sum();
    list.row(row(
        Text::styled("Total", style::HEADING),
        report.cost,
        unpriced,
        Text::new(),
        &report.tokens,
    ));
    ui.list(&list);
    if !report.unpriced_models.is_empty() {
        ui.blank();
        ui.line(format!(
            "? Some tokens have no price: that of {} is not known. Set it in `[cost.prices]` of ~/.config/bowline/config.toml.",
            report.unpriced_models.join(", ")
        ));
    }
}

fn row(key: Text, cost: Usd, unpriced: u64, bar: Text, tokens: &Tokens) -> [Text; 7] {
    let unknown = if unpriced > 0 { "?" } else { "" };
    let cost = format!("{:>10}", format!("{cost}{unknown}"));
    let count = |number| Text::from(format!("{:>6}", short(number)));
    [
        key,
        cost.into(),
        bar,
        count(tokens.input),
        count(tokens.output),
        count(tokens.cache_write),
        count(tokens.cache_read),
    ]
}

fn bar(part: u64, most: u64) -> String {
    let length = u128::from(part) * u128::from(BAR) / u128::from(most.max(1));
    let length = usize::try_from(length).unwrap_or(0);
    // Something is more than nothing.
    "█".repeat(length.max(usize::from(part > 0)))
}

/// A number of tokens in a few characters: `999`, `12.3k`, `4.5M`.
pub(in crate::commands) fn short(number: u64) -> String {
    let tenths = |unit: u64, name: &str| {
        let tenths = number / (unit / 10);
        match tenths {
            0..1_000 => format!("{}.{}{name}", tenths / 10, tenths % 10),
            _ => format!("{}{name}", tenths / 10),
        }
    };
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => tenths(1_000, "k"),
        1_000_000..1_000_000_000 => tenths(1_000_000, "M"),
        _ => tenths(1_000_000_000, "G"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0k"),
            (12_345, "12.3k"),
            (123_456, "123k"),
            (999_999, "999k"),
            (4_500_000, "4.5M"),
            (7_000_000_000, "7.0G"),
        ] {
            assert_eq!(short(number), expected);
        }
    }

    #[test]
    fn values_are_quoted_where_they_must_be() {
        for (text, expected) in [
            ("a", "a"),
            ("a,b", "\"a,b\""),
            ("a\"b", "\"a\"\"b\""),
            ("=1+1", "'=1+1"),
            ("", ""),
        ] {
            assert_eq!(quoted(text), expected);
        }
    }

    #[test]
    fn bars_compare() {
        for (part, most, expected) in [
            (0, 0, 0),
            (0, 10, 0),
            (1, 1000, 1),
            (5, 10, 10),
            (10, 10, 20),
        ] {
            assert_eq!(bar(part, most).chars().count(), expected, "{part}/{most}");
        }
    }
}
