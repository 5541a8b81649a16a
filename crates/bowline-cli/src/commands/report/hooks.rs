//! The hooks that failed.

use serde_json::json;

use super::Answers;
use super::section::Section;
use crate::commands::trace;
use crate::ui::{Column, Text, reveal, style};

const COLUMNS: &[Column] = &[
    Column::whole("Hook", 16),
    Column::whole("Times", 5),
    Column::optional("Last", 9, 1),
    Column::rest("How"),
];

pub(super) fn section(answers: &Answers) -> Section {
    let failed = &answers.digest.failed_hooks;
    let row = |it: &bowline_store::FailedHook| {
        vec![
            Text::styled(reveal::name(&it.hook), style::NAME),
            Text::styled(it.count.to_string(), style::BAD),
            Text::styled(answers.when(it.last_failed), style::FAINT),
            trace::one_line(&it.failure).into(),
        ]
    };
    Section {
        key: "failed_hooks",
        title: "Hooks that failed",
        columns: COLUMNS,
        rows: failed.iter().map(row).collect(),
        document: json!(failed),
    }
}
