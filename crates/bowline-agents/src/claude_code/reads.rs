//! What Claude Code makes of an answer.

use serde_json::Value;

use super::rules::{
    BlockEffect, BlockForm, block_effect, block_form, can_end_turn, shows_system_message,
    stdout_is_context,
};
use crate::answer::Answer;
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::reading::Reading;
use crate::reported::Reported;

/// What the client does with an answer.
pub(super) fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    let event = reported.event;
    match answer.exit {
        0 => {}
        2 => return Some(refused(event, answer.stderr.trim())),
        _ => return None,
    }
    let text = answer.stdout.trim();
    if !text.starts_with('{') || event == HookEvent::WorktreeCreate {
        let context = Some(text).filter(|text| !text.is_empty() && stdout_is_context(event));
        return Some(Reading {
            context: context.map(str::to_owned),
            ..Reading::silence()
        });
    }
    let said: Value = serde_json::from_str(text).ok()?;
    let (decision, reason) = decided(event, &said);
    let message = text_at(&said, "/systemMessage").filter(|_| shows_system_message(event));
    Some(Reading {
        input: rewritten(event, &said).cloned(),
        context: text_at(&said, "/hookSpecificOutput/additionalContext"),
        message,
        ends_turn: can_end_turn(event) && said.get("continue") == Some(&Value::Bool(false)),
        ..Reading::decided(decision, reason)
    })
}

/// Exit code 2.
fn refused(event: HookEvent, reason: &str) -> Reading {
    match block_effect(event) {
        BlockEffect::Blocks => Reading::decided(Decision::Deny, Some(reason.to_owned())),
        BlockEffect::Shown => Reading {
            message: Some(reason.to_owned()),
            ..Reading::silence()
        },
        BlockEffect::Ignored => Reading::silence(),
    }
}

fn decided(event: HookEvent, said: &Value) -> (Decision, Option<String>) {
    let own = |path: &str| text_at(said, &format!("/hookSpecificOutput/{path}"));
    match block_form(event) {
        BlockForm::PermissionDecision => {
            let word = own("permissionDecision");
            (permission(word.as_deref()), own("permissionDecisionReason"))
        }
        BlockForm::RequestDecision => match own("decision/behavior").as_deref() {
            Some("allow") => (Decision::Grant, None),
            Some("deny") => (Decision::Deny, own("decision/message")),
            // Its own dialog asks.
            _ => (Decision::NoOpinion, None),
        },
        BlockForm::TopLevel | BlockForm::ExitTwo
            if text_at(said, "/decision").as_deref() == Some("block") =>
        {
            let follows = block_form(event) == BlockForm::TopLevel;
            let decision = if follows {
                Decision::Deny
            } else {
                Decision::NoOpinion
            };
            (decision, text_at(said, "/reason"))
        }
        BlockForm::Decline => match own("action").as_deref() {
            Some("accept") => (Decision::Grant, None),
            Some("decline" | "cancel") => (Decision::Deny, None),
            _ => (Decision::NoOpinion, None),
        },
        BlockForm::TopLevel | BlockForm::ExitTwo | BlockForm::Unenforceable => {
            (Decision::NoOpinion, None)
        }
    }
}

/// The meaning of a `permissionDecision`.
pub(crate) fn permission(word: Option<&str>) -> Decision {
    match word {
        Some("deny") => Decision::Deny,
        Some("ask") => Decision::Ask,
        Some("allow") => Decision::Grant,
        _ => Decision::NoOpinion,
    }
}

fn rewritten(event: HookEvent, said: &Value) -> Option<&Value> {
    let path = match event {
        HookEvent::PreToolUse => "/hookSpecificOutput/updatedInput",
        HookEvent::PermissionRequest => "/hookSpecificOutput/decision/updatedInput",
        _ => return None,
    };
    said.pointer(path)
}

/// A text in JSON.
pub(crate) fn text_at(said: &Value, path: &str) -> Option<String> {
    Some(said.pointer(path)?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_means_what_the_client_makes_of_it() {
        let silence = Some((Decision::NoOpinion, None));
        let denied = Some((Decision::Deny, Some("why")));
        for (event, exit, stdout, stderr, expected) in [
            (HookEvent::PreToolUse, 0, "", "", silence),
            (HookEvent::PreToolUse, 0, "hello", "", silence),
            (HookEvent::PreToolUse, 2, "", "why\n", denied),
            (HookEvent::PreToolUse, 1, "", "why", None),
            (HookEvent::PreToolUse, 0, "{", "", None),
            (
                HookEvent::Stop,
                0,
                r#"{"decision":"block","reason":"why"}"#,
                "",
                denied,
            ),
            (HookEvent::Notification, 2, "", "why", silence),
            (HookEvent::TaskCompleted, 2, "", "why", denied),
        ] {
            let answer = Answer {
                exit,
                stdout: stdout.to_owned(),
                stderr: stderr.to_owned(),
            };
            let read = reads(&Reported::of(event), &answer);
            let read = read.as_ref().map(|it| (it.decision, it.reason.as_deref()));
            assert_eq!(read, expected, "{event} {exit} {stdout}");
        }
    }
}
