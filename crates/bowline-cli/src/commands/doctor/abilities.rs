//! What an agent cannot be told, and what becomes of it.

use bowline_agents::HookEvent;
use bowline_agents::ability::{Heard, Said, heard};

use super::check::Check;
use crate::agent_settings::Installable;

/// What hooks may say that people count on.
const COUNTED_ON: &[(&str, HookEvent, Said)] = &[
    ("a denied tool call", HookEvent::PreToolUse, Said::Deny),
    (
        "a question before a tool call",
        HookEvent::PreToolUse,
        Said::Ask,
    ),
    ("a changed input", HookEvent::PreToolUse, Said::Rewrite),
    ("a denied prompt", HookEvent::UserPromptSubmit, Said::Deny),
    ("being kept going at the end", HookEvent::Stop, Said::Deny),
    (
        "text at the start of a session",
        HookEvent::SessionStart,
        Said::Context,
    ),
    (
        "text with a prompt",
        HookEvent::UserPromptSubmit,
        Said::Context,
    ),
    (
        "text before a tool call",
        HookEvent::PreToolUse,
        Said::Context,
    ),
    (
        "text after a tool call",
        HookEvent::PostToolUse,
        Said::Context,
    ),
];

/// What to know about an agent that cannot be told everything; nothing for one that can.
pub(super) fn check(agent: &Installable) -> Option<Check> {
    let lost = COUNTED_ON.iter().filter_map(|(what, event, said)| {
        match heard(agent.agent, *event, *said) {
            Heard::Done => None,
            Heard::Denied => Some(format!("{what} becomes a denial")),
            Heard::Nothing => Some(format!("{what} does not reach it")),
            Heard::NoEvent => Some(format!("{what} does not reach it: it has no such event")),
        }
    });
    let limits = agent.agent.protocol().map_or(&[][..], |it| it.limits);
    let limits = limits.iter().map(|limit| (*limit).to_owned());
    let details: Vec<String> = lost.chain(limits).collect();
    if details.is_empty() {
        return None;
    }
    let message = format!("{} cannot be told everything", agent.title());
    Some(Check::new("reach").ok(message).details(details))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_settings::agents::INSTALLABLE;

    #[test]
    fn only_what_is_lost_is_told() {
        for agent in INSTALLABLE {
            let check = check(agent);
            assert_eq!(
                check.is_none(),
                agent.name() == "claude-code",
                "{}",
                agent.name()
            );
            let told = check.map(|it| it.details.join("\n")).unwrap_or_default();
            assert!(!told.contains("a denied tool call does not"), "{told}");
        }
    }
}
