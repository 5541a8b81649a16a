//! What VS Code makes of an answer, by its documentation.

use serde_json::Value;

use crate::answer::Answer;
use crate::claude_code::reads::{permission, text_at};
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::reading::Reading;
use crate::reported::Reported;

pub(super) fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    let event = reported.event;
    match answer.exit {
        0 => {}
        2 => {
            let reason = answer.stderr.trim().to_owned();
            return Some(match event {
                HookEvent::SessionStart | HookEvent::SubagentStart | HookEvent::PreCompact => {
                    Reading {
                        message: Some(reason),
                        ..Reading::silence()
                    }
                }
                _ => Reading::decided(Decision::Deny, Some(reason)),
            });
        }
        _ => return None,
    }
    let Ok(said) = serde_json::from_str::<Value>(answer.stdout.trim()) else {
        return Some(Reading::silence());
    };
    let at = |path: &str| text_at(&said, path);
    let own = |name: &str| at(&format!("/hookSpecificOutput/{name}"));
    // What is meant for another event is passed over.
    let is_for_it = own("hookEventName").is_none_or(|name| name == event.name());
    let blocks = |path: &str| at(path).as_deref() == Some("block");
    let (decision, why) = match event {
        _ if said.get("continue") == Some(&Value::Bool(false)) => {
            (Decision::Deny, at("/stopReason"))
        }
        HookEvent::PreToolUse if is_for_it => (
            permission(own("permissionDecision").as_deref()),
            own("permissionDecisionReason"),
        ),
        HookEvent::PostToolUse if blocks("/decision") => (Decision::Deny, at("/reason")),
        HookEvent::Stop | HookEvent::SubagentStop
            if is_for_it && blocks("/hookSpecificOutput/decision") =>
        {
            (Decision::Deny, own("reason"))
        }
        _ => (Decision::NoOpinion, None),
    };
    let takes_context = matches!(
        event,
        HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::SessionStart
            | HookEvent::SubagentStart
    );
    let input = said.pointer("/hookSpecificOutput/updatedInput");
    Some(Reading {
        input: input
            .filter(|_| event == HookEvent::PreToolUse && is_for_it)
            .cloned(),
        context: own("additionalContext").filter(|_| takes_context && is_for_it),
        message: at("/systemMessage"),
        ..Reading::decided(decision, why)
    })
}
