//! Opinions that an agent cannot be told are said in a stricter way, never in a milder one.

use std::borrow::Cow;

use serde_json::Value;

use crate::claude_code::rules::can_end_turn;
use crate::decision::Decision;
use crate::event::{EventClass, HookEvent};
use crate::last_resort::Stake;
use crate::opinion::Opinion;

/// The nearest opinion that an agent of this name can be told about an event.
pub(crate) fn within<'o>(
    title: &str,
    event: HookEvent,
    opinion: &'o Opinion,
    asks: impl Fn() -> bool,
    ends_turn: impl Fn() -> bool,
    rewrites: impl Fn(&Value) -> bool,
) -> Cow<'o, Opinion> {
    let wants_end = opinion.end_turn.as_deref();
    let is_lost = |_: &&str| can_end_turn(event) && !ends_turn();
    let wants_end_in_vain = wants_end.filter(is_lost);
    let may_be_stopped = matches!(Stake::of(event), Stake::Action | Stake::Gate);
    // Where a permission is requested, another input goes only with the grant: else the agent asks about its own call.
    let is_heard = event != HookEvent::PermissionRequest || opinion.decision() == Decision::Grant;
    let runs = |input: &Value| is_heard && rewrites(input);
    let because = match opinion.decision() {
        _ if !may_be_stopped => None,
        Decision::Ask if !asks() => {
            let reason = opinion.stop_reason.as_deref().unwrap_or("a hook asks");
            Some(format!(
                "{reason}\nA person has to decide this, and {title} cannot ask them here, so that it is denied. Tell the user what \
                 you wanted to do: they can do it themselves or allow it."
            ))
        }
        Decision::Deny => None,
        _ if wants_end_in_vain.is_some() => {
            wants_end_in_vain.map(|reason| stop_here(title, reason))
        }
        _ if opinion.rewritten_input().is_some_and(|it| !runs(it)) => Some(format!(
            "A hook changed what this call would do, and {title} cannot run a changed call, so that it is denied. {}",
            instead(opinion)
        )),
        _ => None,
    };
    match because {
        Some(because) => Cow::Owned(Opinion {
            continue_execution: false,
            permission: None,
            stop_reason: Some(because),
            updated_input: None,
            ..opinion.clone()
        }),
        None => match wants_end_in_vain {
            // What has happened is not undone, and a turn that ends anyway is not kept going.
            Some(reason) if Stake::of(event) == Stake::Nothing => {
                let told = stop_here(title, reason);
                Cow::Owned(opinion.clone().context(told))
            }
            _ => Cow::Borrowed(opinion),
        },
    }
}

/// What the model is told where only that can end its turn.
fn stop_here(title: &str, reason: &str) -> String {
    format!(
        "{reason}\nA hook ends the turn here, and {title} cannot be told that. Do nothing more. Tell the user why you stopped."
    )
}

/// Why a hook stops something, or asks.
pub(crate) fn reason(opinion: &Opinion) -> &str {
    let reason = opinion.stop_reason.as_deref();
    reason
        .filter(|reason| !reason.trim().is_empty())
        .unwrap_or("a hook gave no reason")
}

/// The context for the model, and with it a block that an agent of this name does not follow.
pub(crate) fn with_unenforced(title: &str, event: HookEvent, opinion: &Opinion) -> Option<String> {
    let context = opinion.additional_context.clone();
    if opinion.decision() < Decision::Ask {
        return context;
    }
    let told = match event.class() {
        // There a block is an instruction, and nothing more.
        EventClass::Redirect => reason(opinion).to_owned(),
        EventClass::Gate | EventClass::Observe => format!(
            "A hook blocked {}, which {title} cannot enforce: {}\nDo not go on before you have told the user and the user has agreed.",
            event.name(),
            reason(opinion)
        ),
    };
    Some(match context {
        Some(context) => format!("{told}\n{context}"),
        None => told,
    })
}

/// What the model can do instead.
fn instead(opinion: &Opinion) -> String {
    let command = opinion
        .rewritten_input()
        .and_then(|it| it.get("command")?.as_str());
    match command {
        Some(command) => format!("Run this instead: {command}"),
        None => opinion.rewritten_input().map_or_else(String::new, |it| {
            format!("Call it with this input instead: {it}")
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn expressed(event: HookEvent, opinion: &Opinion, can: &[&str]) -> Opinion {
        let asks = || can.contains(&"ask");
        let ends_turn = || can.contains(&"end");
        let rewrites = |_: &Value| can.contains(&"rewrite");
        within("Codex", event, opinion, asks, ends_turn, rewrites).into_owned()
    }

    #[test]
    fn what_can_be_said_stays_as_it_is() {
        let rewritten = Opinion::allow().updated_input(json!({"command": "ls"}));
        for (event, opinion, can) in [
            (HookEvent::PreToolUse, Opinion::allow(), &[][..]),
            (HookEvent::PreToolUse, Opinion::grant(), &[]),
            (HookEvent::PreToolUse, Opinion::block("why"), &[]),
            (HookEvent::PreToolUse, Opinion::ask("why"), &["ask"]),
            (HookEvent::PreToolUse, rewritten.clone(), &["rewrite"]),
            // Nothing can be stopped any more.
            (HookEvent::PostToolUse, Opinion::ask("why"), &[]),
            (HookEvent::Notification, rewritten, &[]),
        ] {
            assert_eq!(expressed(event, &opinion, can), opinion, "{event}");
        }
    }

    #[test]
    fn a_block_that_is_not_followed_is_told_to_the_model() {
        let blocked = || Opinion::block("not on main");
        for (event, opinion, expected) in [
            (HookEvent::SessionStart, Opinion::allow(), None),
            (
                HookEvent::SessionStart,
                Opinion::allow().context("c"),
                Some("c"),
            ),
            (
                HookEvent::SessionStart,
                blocked(),
                Some(
                    "A hook blocked SessionStart, which Codex cannot enforce: not on main\nDo not",
                ),
            ),
            (
                HookEvent::PostToolUseFailure,
                blocked().context("c"),
                Some("not on main\nc"),
            ),
            (
                HookEvent::PostToolUseFailure,
                Opinion::block(" "),
                Some("a hook gave no reason"),
            ),
        ] {
            let told = with_unenforced("Codex", event, &opinion);
            let fits = match (&told, expected) {
                (Some(told), Some(expected)) => told.starts_with(expected),
                (told, expected) => told.is_none() && expected.is_none(),
            };
            assert!(fits, "{event}: {told:?}");
        }
    }

    #[test]
    fn where_the_turn_cannot_be_ended_the_call_is_denied_and_the_model_told_to_stop() {
        let end = || Opinion {
            end_turn: Some("enough".to_owned()),
            ..Opinion::allow()
        };
        for (event, can, denied, told) in [
            (HookEvent::PreToolUse, &["end"][..], false, false),
            (HookEvent::PreToolUse, &[], true, false),
            (HookEvent::UserPromptSubmit, &[], true, false),
            (HookEvent::PostToolUse, &[], false, true),
            (HookEvent::PostToolUse, &["end"], false, false),
            // It ends anyway.
            (HookEvent::Stop, &[], false, false),
            // Nobody could be told there.
            (HookEvent::Notification, &[], false, false),
        ] {
            let said = expressed(event, &end(), can);
            assert_eq!(said.decision() == Decision::Deny, denied, "{event}");
            let text =
                |it: Option<String>| it.is_some_and(|it| it.starts_with("enough\nA hook ends"));
            assert_eq!(text(said.stop_reason), denied, "{event}");
            assert_eq!(text(said.additional_context), told, "{event}");
        }
    }

    #[test]
    fn what_cannot_be_said_is_denied_with_the_reason() {
        let rewritten = Opinion::grant().updated_input(json!({"command": "trash a"}));
        let other = Opinion::allow().updated_input(json!({"path": "b"}));
        for (opinion, can, told) in [
            (
                Opinion::ask("it is shared"),
                &["rewrite"][..],
                "it is shared",
            ),
            (Opinion::ask("it is shared"), &[], "Codex cannot ask"),
            (rewritten, &["ask"], "Run this instead: trash a"),
            (other, &["ask"], r#"with this input instead: {"path":"b"}"#),
        ] {
            let expressed = expressed(HookEvent::PreToolUse, &opinion, can);
            assert_eq!(expressed.decision(), Decision::Deny);
            assert_eq!(expressed.rewritten_input(), None);
            let reason = expressed.stop_reason.unwrap();
            assert!(reason.contains(told), "{reason}");
        }
    }
}
