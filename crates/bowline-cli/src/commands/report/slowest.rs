//! The calls that took longest.

use bowline_store::Trace;
use serde_json::json;

use super::Answers;
use super::section::Section;
use crate::commands::trace;
use crate::moment;
use crate::ui::{Column, Text, reveal, style};

/// Less is not slow.
const SLOW_MS: i64 = 1_000;

const COLUMNS: &[Column] = &[
    Column::whole("Took", 7),
    Column::whole("Tool", 8).at_least(10),
    Column::optional("When", 9, 1),
    Column::rest("What"),
];

pub(super) fn section(answers: &Answers) -> Section {
    let slow = answers.digest.slowest.iter();
    let slow: Vec<&Trace> = slow
        .filter(|call| call.duration_ms.is_some_and(|took| took >= SLOW_MS))
        .collect();
    let row = |call: &&Trace| {
        let took = call.duration_ms.map(moment::took).unwrap_or_default();
        let when = answers.when(call.started_at);
        vec![
            took.into(),
            Text::styled(reveal::name(&call.tool), style::NAME),
            Text::styled(when, style::FAINT),
            trace::summary(call).into(),
        ]
    };
    let document = |call: &&Trace| {
        json!({
            "duration_ms": call.duration_ms,
            "tool": call.tool,
            "time": call.started_at,
            "project": call.project,
            "session": call.session,
            "tool_use_id": call.tool_use_id,
            "what": trace::summary(call),
        })
    };
    Section {
        key: "slowest",
        title: "Slowest calls",
        columns: COLUMNS,
        rows: slow.iter().map(row).collect(),
        document: slow.iter().map(document).collect(),
    }
}
