//! The failures that came more than once, as far as they are remembered.

use bowline_store::{Failure, FollowUpStatus};
use serde_json::json;

use super::Answers;
use super::section::Section;
use crate::commands::trace;
use crate::ui::{Column, Text, reveal, style};

const COLUMNS: &[Column] = &[
    Column::whole("Id", 4),
    Column::whole("Times", 5),
    Column::whole("Tool", 8).at_least(10),
    Column::optional("Follow-up", 9, 1),
    Column::rest("Message, and what put an end to it"),
];

/// `bowline errors` has them all.
const SHOWN: usize = 5;

pub(super) fn section(answers: &Answers) -> Section {
    let mut repeated: Vec<&Failure> = answers.failures.iter().filter(|it| it.count > 1).collect();
    repeated.sort_by_key(|it| std::cmp::Reverse(it.count));
    repeated.truncate(SHOWN);
    Section {
        key: "repeated_failures",
        title: "Repeated failures",
        columns: COLUMNS,
        rows: repeated.iter().map(|it| row(it)).collect(),
        document: repeated.iter().map(|it| document(it)).collect(),
    }
}

fn row(it: &Failure) -> Vec<Text> {
    let is_open = it
        .follow_up
        .is_some_and(|it| it.status == FollowUpStatus::Open);
    let mut what = Text::from(trace::one_line(it.message.as_deref().unwrap_or_default()));
    if let Some(fix) = &it.fixed_by {
        what = what.with(format!(" ({})", trace::one_line(fix)), style::FAINT);
    }
    vec![
        it.id.to_string().into(),
        Text::styled(it.count.to_string(), style::BAD),
        Text::styled(reveal::name(&it.tool), style::NAME),
        if is_open { "open" } else { "" }.into(),
        what,
    ]
}

fn document(it: &Failure) -> serde_json::Value {
    json!({
        "id": it.id,
        "count": it.count,
        "sessions": it.sessions,
        "tool": it.tool,
        "project": it.project,
        "message": it.message,
        "follow_up": it.follow_up,
        "fixed_by": it.fixed_by,
        "last_seen": it.last_seen,
    })
}
