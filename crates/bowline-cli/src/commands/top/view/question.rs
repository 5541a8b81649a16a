//! A question that waits for a person.

use bowline_builtins::inbox::Question;
use chrono::{DateTime, Utc};

use crate::commands::trace;
use crate::moment;
use crate::ui::{Paragraph, Text, reveal, style};

/// More of a text that others write is not wrapped at each drawing.
pub(super) const LONGEST_TEXT: usize = 20_000;

/// Everything that a person has to know to answer.
pub(super) fn asked(question: &Question, now: DateTime<Utc>) -> Vec<Paragraph> {
    let project = Some(question.project.as_str());
    let what = trace::about(Some(&question.input), project);
    let what: String = what.chars().take(LONGEST_TEXT).collect();
    let agent = match &question.subagent {
        Some(subagent) => format!("{}, sub-agent {subagent}", question.agent),
        None => question.agent.clone(),
    };
    let mut asked = vec![Paragraph::blank()];
    for (name, text) in [
        (
            "Tool",
            Text::styled(reveal::name(&question.tool), style::NAME),
        ),
        ("What", Text::styled(reveal::code(&what), style::HEADING)),
        (
            "Why",
            Text::from(question.reason.as_deref().unwrap_or_default()),
        ),
        (
            "Rule",
            reveal::name(question.rule.as_deref().unwrap_or_default()).into(),
        ),
        ("Project", reveal::name(&question.project).into()),
        ("Agent", reveal::name(&agent).into()),
        ("Waits", waits(question, now)),
    ] {
        if !text.is_empty() {
            let label = Text::styled(format!("  {name:<9}"), style::HEADING);
            asked.push(Paragraph::labelled(label, text));
        }
    }
    asked
}

/// How long it waits, and if that is less than it should be, why.
fn waits(question: &Question, now: DateTime<Utc>) -> Text {
    let left = (question.until - now).num_seconds().max(0);
    let since = moment::lasting(question.asked_at, now);
    let waits = Text::from(format!("since {since}; the agent asks itself in {left} s"));
    match &question.cut_short {
        Some(why) => waits.with(format!(". It waits {why}"), style::CAUTION),
        None => waits,
    }
}
