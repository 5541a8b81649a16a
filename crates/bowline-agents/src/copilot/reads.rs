//! What Copilot makes of an answer, as it was seen with version 1.0.102.

use serde_json::Value;

use super::encode::is_in_own_words;
use crate::answer::Answer;
use crate::claude_code::reads::{permission, text_at};
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::reading::Reading;
use crate::reported::Reported;

pub(super) fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    if answer.exit != 0 {
        return failed(reported.event, answer);
    }
    // What is no JSON is passed over.
    let Ok(said) = serde_json::from_str::<Value>(answer.stdout.trim()) else {
        return Some(Reading::silence());
    };
    let at = |path: &str| text_at(&said, path);
    let blocks = at("/decision").as_deref() == Some("block");
    let blocked = |reason: Option<String>| Reading::decided(Decision::Deny, reason);
    Some(match reported.event {
        HookEvent::PreToolUse => before_tool(reported, &said),
        HookEvent::PermissionRequest => {
            let decision = match at("/behavior").as_deref() {
                Some("allow") => Decision::Grant,
                Some("deny") => Decision::Deny,
                // Its own dialog asks.
                _ => Decision::NoOpinion,
            };
            Reading::decided(decision, at("/message"))
        }
        HookEvent::PostToolUse | HookEvent::UserPromptSubmit if blocks => blocked(at("/reason")),
        // Without a reason there is nothing to go on with.
        HookEvent::Stop | HookEvent::SubagentStop if blocks => at("/reason")
            .filter(|reason| !reason.is_empty())
            .map_or_else(Reading::silence, |reason| blocked(Some(reason))),
        HookEvent::PostToolUse
        | HookEvent::PostToolUseFailure
        | HookEvent::UserPromptSubmit
        | HookEvent::SessionStart
        | HookEvent::SubagentStart
        | HookEvent::Notification => Reading {
            context: at("/additionalContext"),
            ..Reading::silence()
        },
        _ => Reading::silence(),
    })
}

/// A hook that ends with another code than 0.
fn failed(event: HookEvent, answer: &Answer) -> Option<Reading> {
    let denied = |reason: String| Some(Reading::decided(Decision::Deny, Some(reason)));
    match (event, answer.exit) {
        (HookEvent::PreToolUse, 2) => denied("hook exited with code 2".to_owned()),
        (HookEvent::PreToolUse, _) => denied("hook errored".to_owned()),
        (HookEvent::PermissionRequest, 2) => denied("Permission denied by hook.".to_owned()),
        (HookEvent::PostToolUseFailure, 2) => Some(Reading {
            context: Some(answer.stderr.trim().to_owned()),
            ..Reading::silence()
        }),
        _ => None,
    }
}

/// Under Claude Code's name of the event both forms are read, and under Copilot's its own only.
fn before_tool(reported: &Reported<'_>, said: &Value) -> Reading {
    let nested = said
        .get("hookSpecificOutput")
        .filter(|_| !is_in_own_words(reported));
    let said = nested.unwrap_or(said);
    let input = match nested {
        Some(said) => said.get("updatedInput"),
        None => said.get("modifiedArgs"),
    };
    let text = |name: &str| text_at(said, &format!("/{name}"));
    let decision = permission(text("permissionDecision").as_deref());
    Reading {
        input: input.cloned(),
        context: text("additionalContext"),
        ..Reading::decided(decision, text("permissionDecisionReason"))
    }
}
