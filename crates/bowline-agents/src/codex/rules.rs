//! What Codex makes of an answer, by event. All of it was seen with the client.

use serde_json::Value;

use super::decode::PATCH;
use crate::event::HookEvent;
use crate::reported::Reported;

/// How an event is blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockForm {
    /// `permissionDecision`, which has to have a reason.
    PermissionDecision,
    /// `decision` of `hookSpecificOutput`.
    RequestDecision,
    /// `decision: block` with a reason. A prompt is not sent, a result is replaced by the reason, a turn goes on with it.
    TopLevel,
    /// `continue: false`, which ends the turn.
    EndTurn,
    /// It has no effect.
    Unenforceable,
}

pub(super) const fn block_form(event: HookEvent) -> BlockForm {
    match event {
        HookEvent::PreToolUse => BlockForm::PermissionDecision,
        HookEvent::PermissionRequest => BlockForm::RequestDecision,
        HookEvent::UserPromptSubmit
        | HookEvent::PostToolUse
        | HookEvent::Stop
        | HookEvent::SubagentStop => BlockForm::TopLevel,
        HookEvent::SessionStart | HookEvent::PreCompact => BlockForm::EndTurn,
        _ => BlockForm::Unenforceable,
    }
}

pub(super) fn enforces(event: HookEvent) -> bool {
    block_form(event) != BlockForm::Unenforceable
}

/// Whether Codex reads what a hook prints on this event.
pub(super) const fn is_read(event: HookEvent) -> bool {
    !matches!(block_form(event), BlockForm::Unenforceable)
        || matches!(event, HookEvent::SubagentStart | HookEvent::PostCompact)
}

/// Whether `additionalContext` reaches the model.
pub(super) const fn takes_context(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::SessionStart
            | HookEvent::SubagentStart
            | HookEvent::UserPromptSubmit
            | HookEvent::PreToolUse
            | HookEvent::PostToolUse
    )
}

/// Whether `continue: false` ends the turn. On a result it replaces it, and elsewhere it voids the answer.
pub(super) const fn can_end_turn(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::SessionStart
            | HookEvent::UserPromptSubmit
            | HookEvent::PreCompact
            | HookEvent::PostCompact
            | HookEvent::Stop
            | HookEvent::SubagentStop
    )
}

/// There is no "ask" that Codex follows: only where it asks by itself, silence leaves that to it.
pub(super) fn asks(reported: &Reported<'_>) -> bool {
    reported.event == HookEvent::PermissionRequest
}

/// A patch is one text, which says for several files what Bowline says of each.
pub(super) fn rewrites(reported: &Reported<'_>, _: &Value) -> bool {
    reported.event == HookEvent::PreToolUse && reported.tool != Some(PATCH)
}
