//! What was spent, by model, as far as transcripts were read.

use bowline_guidance::cost::report::Line;
use serde_json::json;

use super::Answers;
use super::section::Section;
use crate::commands::cost::short;
use crate::ui::{Column, Text, reveal, style};

const COLUMNS: &[Column] = &[
    Column::whole("Model", 24).at_least(12),
    Column::whole("Cost", 8),
    Column::optional("Messages", 8, 1),
    Column::rest("Tokens"),
];

pub(super) fn section(answers: &Answers) -> Section {
    let lines = &answers.cost.lines;
    Section {
        key: "cost",
        title: "Cost",
        columns: COLUMNS,
        rows: lines.iter().map(row).collect(),
        document: json!({
            "usd": answers.cost.cost.dollars(),
            "unpriced_models": answers.cost.unpriced_models,
            "models": lines.iter().map(document).collect::<Vec<_>>(),
        }),
    }
}

fn row(line: &Line) -> Vec<Text> {
    let tokens = &line.tokens;
    vec![
        Text::styled(reveal::name(&line.key), style::NAME),
        line.cost.to_string().into(),
        line.messages.to_string().into(),
        format!(
            "{} in, {} out, {} cache write, {} cache read",
            short(tokens.input),
            short(tokens.output),
            short(tokens.cache_write),
            short(tokens.cache_read)
        )
        .into(),
    ]
}

fn document(line: &Line) -> serde_json::Value {
    json!({
        "model": line.key,
        "usd": line.cost.dollars(),
        "messages": line.messages,
        "input_tokens": line.tokens.input,
        "output_tokens": line.tokens.output,
        "cache_write_tokens": line.tokens.cache_write,
        "cache_read_tokens": line.tokens.cache_read,
    })
}
