//! All of what was denied. The list has room only for its beginning.

use bowline_store::RecordedEvent;
use chrono::{DateTime, Utc};

use super::question::LONGEST_TEXT;
use crate::commands::trace;
use crate::moment;
use crate::ui::{Paragraph, Text, reveal, style};

/// The call, the rule and the reason, and how it is let pass.
pub(super) fn whole(event: &RecordedEvent, way: String, now: DateTime<Utc>) -> Vec<Paragraph> {
    let decided = &event.decided;
    let text = |text: Option<&str>| -> Text { reveal::name(text.unwrap_or_default()).into() };
    let what = match &event.prompt {
        Some(prompt) => prompt.clone(),
        None => trace::about(event.input.as_ref(), decided.project.as_deref()),
    };
    let what: String = what.chars().take(LONGEST_TEXT).collect();
    let mut whole = vec![Paragraph::blank()];
    for (name, text) in [
        (
            "Tool",
            Text::styled(
                reveal::name(decided.tool.as_deref().unwrap_or(&decided.event)),
                style::NAME,
            ),
        ),
        ("What", Text::styled(reveal::code(&what), style::HEADING)),
        ("Why", text(decided.reason.as_deref())),
        ("Rule", text(decided.rule.as_deref())),
        ("Project", text(decided.project.as_deref())),
        ("Session", text(Some(&decided.session))),
        ("When", moment::when(decided.time, now).into()),
    ] {
        if !text.is_empty() {
            let label = Text::styled(format!("  {name:<9}"), style::HEADING);
            whole.push(Paragraph::labelled(label, text));
        }
    }
    whole.push(Paragraph::blank());
    whole.push(Paragraph::plain(Text::styled(way, style::FAINT)));
    whole
}
