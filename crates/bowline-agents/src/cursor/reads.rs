//! What Cursor makes of an answer, by the hook runtime in its SDK.

use serde_json::Value;

use super::{ASKING, asks};
use crate::answer::Answer;
use crate::claude_code::reads::text_at;
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::reading::Reading;
use crate::reported::Reported;
use crate::spelling::plain;

pub(super) fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    let stdout = answer.stdout.trim();
    let asks_permission = matches!(
        reported.event,
        HookEvent::PreToolUse | HookEvent::SubagentStart
    );
    match answer.exit {
        0 => {}
        2 if asks_permission => {
            let text = if stdout.is_empty() {
                answer.stderr.trim()
            } else {
                stdout
            };
            return Some(Reading::decided(Decision::Deny, Some(text.to_owned())));
        }
        _ => return None,
    }
    if stdout.is_empty() {
        return Some(Reading::silence());
    }
    let said: Option<Value> = serde_json::from_str(stdout).ok();
    let Some(said) = said.filter(|said| said.is_object() && is_valid(said)) else {
        // It blocks what it cannot read, where it asked for a permission.
        return asks_permission.then(|| Reading::decided(Decision::Deny, None));
    };
    let at = |name: &str| text_at(&said, &format!("/{name}"));
    let blocked = |reason: Option<String>| Reading::decided(Decision::Deny, reason);
    let context = || Reading {
        context: at("additional_context"),
        ..Reading::silence()
    };
    Some(match reported.event {
        HookEvent::PreToolUse => before_tool(reported, &said),
        HookEvent::SubagentStart if at("permission").as_deref() == Some("deny") => {
            blocked(at("user_message"))
        }
        HookEvent::UserPromptSubmit | HookEvent::SessionStart
            if said.get("continue") == Some(&Value::Bool(false)) =>
        {
            blocked(at("user_message"))
        }
        HookEvent::Stop | HookEvent::SubagentStop => {
            let by_claude = at("decision").as_deref() == Some("block");
            let followup = at("followup_message").or_else(|| at("reason").filter(|_| by_claude));
            match followup.filter(|text| !text.is_empty()) {
                Some(text) => blocked(Some(text)),
                None => Reading::silence(),
            }
        }
        HookEvent::UserPromptSubmit
        | HookEvent::SessionStart
        | HookEvent::PostToolUse
        | HookEvent::PostToolUseFailure => context(),
        _ => Reading::silence(),
    })
}

fn is_valid(said: &Value) -> bool {
    said.get("permission").is_none_or(|word| {
        word.as_str()
            .is_some_and(|word| ["allow", "deny", "ask"].contains(&word))
    })
}

/// A question counts where it is put to a person, now or by the event that follows.
fn before_tool(reported: &Reported<'_>, said: &Value) -> Reading {
    let text = |name: &str| text_at(said, &format!("/{name}"));
    let name = plain(reported.name);
    let decision = match text("permission").as_deref() {
        Some("deny") => Decision::Deny,
        Some("ask") if ASKING.contains(&name.as_str()) || asks(reported) => Decision::Ask,
        Some("allow") => Decision::Grant,
        _ => Decision::NoOpinion,
    };
    let is_first = name == "pretooluse";
    Reading {
        input: said.get("updated_input").filter(|_| is_first).cloned(),
        context: text("additional_context").filter(|_| is_first),
        ..Reading::decided(
            decision,
            text("agent_message").or_else(|| text("user_message")),
        )
    }
}
