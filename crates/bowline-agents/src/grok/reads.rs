//! What Grok makes of an answer.

use serde_json::Value;

use super::encode::LONGEST;
use super::has_approvals;
use crate::answer::Answer;
use crate::claude_code::reads::text_at;
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::reading::Reading;
use crate::reported::Reported;

pub(super) fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    let said = printed(answer);
    match reported.event {
        HookEvent::PreToolUse => match said {
            // What cannot be read is a failure, unless the exit code denies.
            Err(_) if answer.exit != 2 => None,
            said => before_tool(reported, answer, said.ok().flatten().as_ref()),
        },
        HookEvent::UserPromptSubmit => before_prompt(answer, said.ok().flatten().as_ref()),
        HookEvent::Stop | HookEvent::SubagentStop => at_end(answer, said.ok().flatten().as_ref()),
        HookEvent::PostToolUse => after_tool(answer, said.ok().flatten().as_ref()),
        HookEvent::PostToolUseFailure => {
            let context = context(said.ok().flatten().as_ref());
            succeeds(answer).then(|| Reading {
                context,
                ..Reading::silence()
            })
        }
        // It does not look at what others print.
        _ => succeeds(answer).then(Reading::silence),
    }
}

fn succeeds(answer: &Answer) -> bool {
    answer.exit == 0
}

/// The JSON of an answer; nothing for any other text. The error is what looks like JSON and is not.
fn printed(answer: &Answer) -> Result<Option<Value>, serde_json::Error> {
    let text = answer.stdout.trim();
    if !text.starts_with('{') {
        return Ok(None);
    }
    serde_json::from_str(text).map(Some)
}

fn context(said: Option<&Value>) -> Option<String> {
    text_at(said?, "/hookSpecificOutput/additionalContext")
}

/// A denial counts whatever the exit code is.
fn before_tool(reported: &Reported<'_>, answer: &Answer, said: Option<&Value>) -> Option<Reading> {
    let at = |path: &str| text_at(said?, path);
    let word = at("/hookSpecificOutput/permissionDecision").or_else(|| at("/decision"));
    let reason = at("/hookSpecificOutput/permissionDecisionReason").or_else(|| at("/reason"));
    let reason = reason.map(|it| it.chars().take(LONGEST).collect::<String>());
    let word = word.as_deref();
    if matches!(word, Some("deny" | "block")) {
        let reason = reason.unwrap_or_else(|| "denied by a hook".to_owned());
        return Some(Reading::decided(Decision::Deny, Some(reason)));
    }
    if answer.exit == 2 {
        let first = answer.stderr.lines().next().unwrap_or_default().to_owned();
        return Some(Reading::decided(Decision::Deny, Some(first)));
    }
    if !succeeds(answer) {
        return None;
    }
    let decision = match word {
        // Where approvals are off it answers the question itself.
        Some("ask") if has_approvals(reported.mode) => Decision::Ask,
        None | Some("allow" | "approve" | "ask") => Decision::NoOpinion,
        // Nothing else that is said counts.
        Some("defer") => return Some(Reading::silence()),
        Some(_) => return None,
    };
    let input = said.and_then(|said| said.pointer("/hookSpecificOutput/updatedInput"));
    if input.is_some_and(|input| !input.is_object()) {
        return None;
    }
    Some(Reading {
        input: input.cloned(),
        context: context(said),
        ..Reading::decided(decision, reason.filter(|_| decision == Decision::Ask))
    })
}

/// The reason of a block in JSON.
fn blocked(said: Option<&Value>) -> Option<String> {
    let said = said.filter(|it| text_at(it, "/decision").as_deref() == Some("block"))?;
    Some(text_at(said, "/reason").unwrap_or_default())
}

fn before_prompt(answer: &Answer, said: Option<&Value>) -> Option<Reading> {
    if let Some(reason) = blocked(said) {
        return Some(Reading::decided(Decision::Deny, Some(reason)));
    }
    match answer.exit {
        0 => Some(Reading::silence()),
        2 => Some(Reading::decided(
            Decision::Deny,
            Some(answer.stderr.trim().to_owned()),
        )),
        _ => None,
    }
}

/// JSON counts more than the exit code, and context keeps it going as a block does.
fn at_end(answer: &Answer, said: Option<&Value>) -> Option<Reading> {
    if let Some(said) = said {
        if said.get("continue") == Some(&Value::Bool(false)) {
            return Some(Reading::silence());
        }
        let (reason, context) = (blocked(Some(said)), context(Some(said)));
        if reason.is_some() || context.is_some() {
            return Some(Reading {
                context,
                ..Reading::decided(Decision::Deny, reason)
            });
        }
    }
    match answer.exit {
        0 => Some(Reading::silence()),
        2 => Some(Reading::decided(
            Decision::Deny,
            Some(answer.stderr.trim().to_owned()),
        )),
        _ => None,
    }
}

/// With an exit code other than 0 only the block counts.
fn after_tool(answer: &Answer, said: Option<&Value>) -> Option<Reading> {
    let reason = blocked(said);
    if let Some(reason) = reason {
        return Some(Reading {
            context: context(said).filter(|_| succeeds(answer)),
            ..Reading::decided(Decision::Deny, Some(reason))
        });
    }
    match answer.exit {
        0 => Some(Reading {
            context: context(said),
            ..Reading::silence()
        }),
        2 => Some(Reading::decided(
            Decision::Deny,
            Some(answer.stderr.trim().to_owned()),
        )),
        _ => None,
    }
}
