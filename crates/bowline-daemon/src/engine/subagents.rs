//! Sub-agents that have sessions of their own, as Grok's do: what happens in one belongs to the session that began it. Only that session
//! says so, when it begins. After a restart, and without a daemon, such a sub-agent counts as a session by itself.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bowline::hooks::{HookEvent, HookEventData, HookInput};

use super::SESSIONS;

/// The type of the notification that something began or ended in a sub-agent, where only a session would.
const TYPE: &str = "subagent_session";

/// The sessions in which sub-agents were begun, by the sub-agents' own.
#[derive(Debug, Default)]
pub(super) struct Subagents {
    begun_in: Mutex<HashMap<String, String>>,
}

impl Subagents {
    /// The input in the session that began the sub-agent, if it is from one.
    pub(super) fn place(&self, mut input: HookInput) -> HookInput {
        let Some(subagent) = input.agent_id().filter(|id| !id.is_empty()) else {
            return input;
        };
        if subagent != input.session_id {
            if input.event_type() == HookEvent::SubagentStart {
                self.remember(subagent, &input.session_id);
            }
            return input;
        }
        let Some(session) = self.lock().get(subagent).cloned() else {
            return input;
        };
        input.session_id = session;
        let message = match &input.data {
            // Nobody typed it, and nothing of the session ends.
            HookEventData::UserPromptSubmit { prompt } => Some(prompt.clone()),
            HookEventData::SessionEnd => Some("a sub-agent has ended".to_owned()),
            _ => None,
        };
        match message {
            Some(message) => {
                input.data = HookEventData::Other {
                    event: HookEvent::Notification,
                };
                input
                    .with_field("notification_type", TYPE)
                    .with_field("message", message)
            }
            None => input,
        }
    }

    fn remember(&self, subagent: &str, session: &str) {
        let mut begun_in = self.lock();
        // A sub-agent may begin others.
        let session = begun_in.get(session).map_or(session, String::as_str);
        let session = session.to_owned();
        if begun_in.len() >= SESSIONS {
            begun_in.clear();
        }
        begun_in.insert(subagent.to_owned(), session);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.begun_in.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(subagent: &str, input: HookInput) -> HookInput {
        HookInput {
            session_id: subagent.to_owned(),
            ..input
        }
        .with_field("agent_id", subagent)
        .with_field("agent_type", "explore")
    }

    #[test]
    fn what_happens_in_a_sub_agent_belongs_to_the_session_that_began_it() {
        let known = Subagents::default();
        let call = || HookInput::pre_tool_use("", "Bash", serde_json::json!({"command": "ls"}));
        assert_eq!(known.place(within("c", call())).session_id, "c");

        known.place(HookInput::subagent_start(
            "s",
            "c",
            "explore",
            "looks around",
        ));
        known.place(HookInput::subagent_start("c", "d", "explore", "looks on"));
        for subagent in ["c", "d"] {
            let placed = known.place(within(subagent, call()));
            assert_eq!(placed.session_id, "s");
            assert_eq!(placed.agent_id(), Some(subagent));
            assert_eq!(placed.event_type(), HookEvent::PreToolUse);
        }
        for (input, message) in [
            (HookInput::user_prompt_submit("", "look"), "look"),
            (HookInput::session_end(""), "a sub-agent has ended"),
        ] {
            let placed = known.place(within("c", input));
            assert_eq!(placed.event_type(), HookEvent::Notification);
            let said = placed.field("message").and_then(|it| it.as_str());
            assert_eq!(said, Some(message));
        }
        // Others name their sub-agents within a session.
        let claudes = HookInput::session_end("s").with_field("agent_id", "a");
        assert_eq!(known.place(claudes).event_type(), HookEvent::SessionEnd);
        let of_session = known.place(HookInput::user_prompt_submit("s", "hello"));
        assert_eq!(of_session.event_type(), HookEvent::UserPromptSubmit);
    }
}
