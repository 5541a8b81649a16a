//! The calls that failed, by tool.

use bowline_store::ToolFailures;
use serde_json::json;

use super::Answers;
use super::section::Section;
use crate::commands::trace;
use crate::ui::{Column, Text, reveal, style};

const COLUMNS: &[Column] = &[
    Column::whole("Tool", 8).at_least(10),
    Column::whole("Times", 5),
    Column::rest("The last one"),
];

pub(super) fn section(answers: &Answers) -> Section {
    let failures = &answers.digest.failures;
    Section {
        key: "failed",
        title: "Failed calls",
        columns: COLUMNS,
        rows: failures.iter().map(row).collect(),
        document: failures.iter().map(document).collect(),
    }
}

fn row(it: &ToolFailures) -> Vec<Text> {
    let mut what = Text::from(trace::summary(&it.last));
    if let Some(error) = &it.last.error {
        what = what.with(format!(": {}", trace::one_line(error)), style::BAD);
    }
    vec![
        Text::styled(reveal::name(&it.tool), style::NAME),
        Text::styled(it.count.to_string(), style::BAD),
        what,
    ]
}

fn document(it: &ToolFailures) -> serde_json::Value {
    json!({
        "tool": it.tool,
        "count": it.count,
        "last": {
            "time": it.last.started_at,
            "project": it.last.project,
            "session": it.last.session,
            "tool_use_id": it.last.tool_use_id,
            "status": it.last.status,
            "what": trace::summary(&it.last),
            "error": it.last.error,
        },
    })
}
