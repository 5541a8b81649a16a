//! What the sections of denied, asked and observed events share.

use bowline_store::{Enforcement, RecordedEvent, RuleDigest};
use serde_json::{Value, json};

use crate::commands::trace;
use crate::ui::{Text, reveal, style};

/// Who decided so, and whether the agent could act on it.
pub(super) fn who(of_rule: &RuleDigest) -> Text {
    let who = rule_or_hook(of_rule);
    match of_rule.enforcement {
        Enforcement::Unenforced => who.with(" (not enforced)", style::CAUTION),
        _ => who,
    }
}

/// The rule, else the hook that decided so last.
fn rule_or_hook(of_rule: &RuleDigest) -> Text {
    if let Some(rule) = &of_rule.rule {
        return Text::styled(reveal::name(rule), style::NAME);
    }
    let mut hooks = of_rule.last.decided.hooks.iter();
    let decided = hooks.find(|hook| hook.decision == of_rule.decision);
    match decided {
        Some(hook) => reveal::name(&hook.name).into(),
        None => Text::styled("-", style::FAINT),
    }
}

/// What the newest event was about.
pub(super) fn what(event: &RecordedEvent) -> String {
    let about = match &event.prompt {
        Some(prompt) => prompt.trim().to_owned(),
        None => trace::about(event.input.as_ref(), event.decided.project.as_deref()),
    };
    trace::one_line(&about)
}

/// The newest event, for programs.
pub(super) fn last(event: &RecordedEvent) -> Value {
    let decided = &event.decided;
    json!({
        "time": decided.time,
        "project": decided.project,
        "session": decided.session,
        "event": decided.event,
        "tool": decided.tool,
        "tool_use_id": decided.tool_use_id,
        "what": what(event),
        "reason": decided.reason,
    })
}
