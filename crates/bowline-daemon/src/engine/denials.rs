//! The calls that were denied. Some agents (Kimi) report them as failed afterwards, although they never ran.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use bowline::hooks::{Decision, HookEvent, HookEventData, HookInput};

use super::SESSIONS;

/// The denied calls of which nothing more was heard.
#[derive(Debug, Default)]
pub(super) struct Denials {
    /// By session and id: some agents count their calls.
    calls: Mutex<HashSet<(String, String)>>,
}

impl Denials {
    /// Learns what was decided on a call.
    pub(super) fn note(&self, input: &HookInput, decision: Decision) {
        let is_denied = input.event_type() == HookEvent::PreToolUse && decision == Decision::Deny;
        let id = input.tool_use_id().filter(|id| is_denied && !id.is_empty());
        if let Some(id) = id {
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            if calls.len() >= SESSIONS {
                calls.clear();
            }
            calls.insert((input.session_id.clone(), id.to_owned()));
        }
    }

    /// The input, in which a denied call has not failed: it was denied.
    pub(super) fn settle(&self, mut input: HookInput) -> HookInput {
        let HookEventData::PostToolUseFailure { tool_name, error } = &input.data else {
            return input;
        };
        let id = input.tool_use_id().unwrap_or_default().to_owned();
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if !calls.remove(&(input.session_id.clone(), id)) {
            drop(calls);
            return input;
        }
        let (tool, reason) = (tool_name.clone(), error.clone());
        input.data = HookEventData::Other {
            event: HookEvent::PermissionDenied,
        };
        input
            .with_field("tool_name", tool)
            .with_field("reason", reason)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_denied_call_does_not_fail() {
        let denials = Denials::default();
        let call = |id: &str| {
            HookInput::pre_tool_use("s", "Bash", json!({"command": "ls"}))
                .with_field("tool_use_id", id)
        };
        let failure = |id: &str| {
            HookInput::post_tool_use_failure("s", "Bash", "no").with_field("tool_use_id", id)
        };
        denials.note(&call("a"), Decision::Deny);
        let elsewhere =
            HookInput::post_tool_use_failure("t", "Bash", "no").with_field("tool_use_id", "a");
        let settled = denials.settle(elsewhere);
        assert_eq!(settled.event_type(), HookEvent::PostToolUseFailure);
        denials.note(&call("b"), Decision::Ask);
        denials.note(&call(""), Decision::Deny);

        let settled = denials.settle(failure("a"));
        assert_eq!(settled.event_type(), HookEvent::PermissionDenied);
        assert_eq!(settled.tool_name(), Some("Bash"));
        assert_eq!(settled.reason(), Some("no"));
        for id in ["a", "b", "", "c"] {
            let settled = denials.settle(failure(id));
            assert_eq!(settled.event_type(), HookEvent::PostToolUseFailure, "{id}");
        }
    }
}
