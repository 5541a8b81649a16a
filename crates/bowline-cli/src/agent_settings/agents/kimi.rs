//! Kimi Code: what `bowline_agents::kimi` cannot say without reading settings.

use bowline_agents::kimi::{AGENT, REGISTRATION};
use toml_edit::Item;

use crate::agent_settings::installable::Installable;
use crate::agent_settings::refusals::Refusal;
use crate::agent_settings::tables::{KIMI_TOML, Tables};

pub(super) const INSTALLABLE: Installable = Installable {
    agent: &AGENT,
    registration: &REGISTRATION,
    skills: Some("skills"),
    form: KIMI_TOML,
    trust: None,
    refusals,
    hooks_off: |_| None,
    entries_off: |_| None,
};

/// The keys of a hook.
const KEYS: [&str; 4] = ["event", "matcher", "command", "timeout"];

/// All events of 2.1.0.
#[rustfmt::skip]
const EVENTS: [&str; 20] = [
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionResult", "UserPromptSubmit",
    "UserPromptQueued", "TurnStarted", "Stop", "StopFailure", "Interrupt", "SessionStart", "SessionEnd", "SessionHeartbeat",
    "SubagentStart", "SubagentStop", "TaskStarted", "PreCompact", "PostCompact", "Notification",
];

/// Every part of a hook for which Kimi ignores all hooks.
fn refusals(text: &str) -> Vec<Refusal> {
    let Ok(tables) = Tables::read(text) else {
        return Vec::new();
    };
    let mut refusals = Vec::new();
    for hook in tables.hooks() {
        let mut refuse = |what: String| refusals.push(Refusal::new(hook.line, what));
        for (key, _) in hook.fields() {
            if !KEYS.contains(&key) {
                let known = KEYS.join("`, `");
                refuse(format!("a hook with the key `{key}`; known are `{known}`"));
            }
        }
        let text = |name: &str| hook.field(name)?.as_str();
        match text("event") {
            Some(event) if EVENTS.contains(&event) => {}
            Some(event) => refuse(format!("a hook for `{event}`, which is no event")),
            None => refuse("a hook without an `event`".to_owned()),
        }
        if text("command").is_none_or(str::is_empty) {
            refuse("a hook without a `command`".to_owned());
        }
        let seconds = hook.field("timeout").map(Item::as_integer);
        if seconds.is_some_and(|it| it.is_none_or(|it| !(1..=600).contains(&it))) {
            refuse("a hook whose `timeout` is not 1 to 600 whole seconds".to_owned());
        }
    }
    refusals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_kimi_ignore_all_hooks_is_told() {
        for (text, expected) in [
            ("", &[][..]),
            ("a = [", &[]),
            (
                "[[hooks]]\nevent = 'Stop'\nmatcher = 'x'\ncommand = 'y'\ntimeout = 600\n",
                &[],
            ),
            (
                "\n[[hooks]]\nevent = 'Stop'\ncommand = 'y'\nfail_mode = 'closed'\n",
                &[
                    "line 2: a hook with the key `fail_mode`; known are `event`, `matcher`, `command`, `timeout`",
                ],
            ),
            (
                "[[hooks]]\nevent = 'Setup'\ncommand = ''\ntimeout = 0\n",
                &[
                    "line 1: a hook for `Setup`, which is no event",
                    "line 1: a hook without a `command`",
                    "line 1: a hook whose `timeout` is not 1 to 600 whole seconds",
                ],
            ),
            (
                "hooks = [{ command = 'x', timeout = 1.5 }]\n",
                &[
                    "line 1: a hook without an `event`",
                    "line 1: a hook whose `timeout` is not 1 to 600 whole seconds",
                ],
            ),
        ] {
            let told: Vec<String> = refusals(text).iter().map(Refusal::told).collect();
            assert_eq!(told, expected, "{text}");
        }
    }

    #[test]
    fn every_event_of_ours_is_one_of_kimis() {
        for (event, _) in AGENT.events {
            assert!(EVENTS.contains(event), "{event}");
        }
    }
}
