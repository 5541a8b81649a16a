//! What an agent is doing follows from its events, never from its screen.

use std::fmt;

use serde_json::Value;

use super::AgentStatus;
use crate::text::one_line;

/// What an agent waits for keeps at most so many characters.
const MAX_WAITING: usize = 160;

impl AgentStatus {
    /// The word for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Checked => "checked",
            Self::Working => "working",
            Self::Attention => "attention",
            Self::Error => "error",
        }
    }

    /// The word for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Checked => "seen",
            Self::Working => "working",
            Self::Attention => "waiting",
            Self::Error => "failed",
        }
    }
}

impl fmt::Display for AgentStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What happened to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// Its session began.
    Began,
    /// It got a prompt.
    Prompted,
    /// It is about to use a tool.
    ToolBegins,
    /// A tool did its work.
    ToolWorked,
    /// A tool failed.
    ToolFailed,
    /// The person stopped a tool or the turn.
    Interrupted,
    /// It asks a person for something.
    Asks,
    /// The person has answered.
    Answered,
    /// Its turn ended by an error.
    TurnFailed,
    /// Its turn or its session ended.
    Ended,
    /// It has waited for its next prompt for a while.
    Idle,
    /// A person has looked at it.
    Seen,
}

impl Signal {
    /// The signal of an event, by the event's name in Claude Code and its payload. Most notifications are none.
    pub fn of(event: &str, payload: &Value) -> Option<Self> {
        let signal = match event {
            "SessionStart" => Self::Began,
            "UserPromptSubmit" => Self::Prompted,
            "PreToolUse" => Self::ToolBegins,
            "PostToolUse" => Self::ToolWorked,
            "PostToolUseFailure" if is_interrupt(payload) => Self::Interrupted,
            "PostToolUseFailure" => Self::ToolFailed,
            "PermissionRequest" | "Elicitation" => Self::Asks,
            "PermissionDenied" | "ElicitationResult" => Self::Answered,
            "StopFailure" => Self::TurnFailed,
            "Stop" | "SessionEnd" | "TeammateIdle" => Self::Ended,
            "Notification" => match payload.get("notification_type")?.as_str()? {
                "permission_prompt"
                | "worker_permission_prompt"
                | "elicitation_dialog"
                | "elicitation_url_dialog"
                | "agent_needs_input" => Self::Asks,
                "elicitation_complete" | "elicitation_response" => Self::Answered,
                "idle_prompt" => Self::Idle,
                "turn_cancelled" => Self::Interrupted,
                _ => return None,
            },
            _ => return None,
        };
        Some(signal)
    }
}

fn is_interrupt(payload: &Value) -> bool {
    payload.get("is_interrupt").and_then(Value::as_bool) == Some(true)
}

/// The status after a signal. `None`: it stays as it is.
pub fn status_after(signal: Signal, now: Option<AgentStatus>) -> Option<AgentStatus> {
    use AgentStatus::{Attention, Checked, Done, Error, Working};
    let counts = match signal {
        // A compaction begins a session, too, in the middle of a turn.
        Signal::Began => now.is_none(),
        // Only a step that succeeds ends an error, and nobody may have seen it yet.
        Signal::ToolBegins | Signal::Idle => now != Some(Error),
        Signal::Answered => matches!(now, Some(Attention | Checked)),
        Signal::Seen => now == Some(Attention),
        _ => true,
    };
    let after = match signal {
        // An agent that uses a tool has been answered, if it had asked.
        Signal::Prompted | Signal::ToolBegins | Signal::ToolWorked | Signal::Answered => Working,
        Signal::ToolFailed | Signal::TurnFailed => Error,
        Signal::Asks => Attention,
        Signal::Seen => Checked,
        Signal::Began | Signal::Ended | Signal::Interrupted | Signal::Idle => Done,
    };
    (counts && now != Some(after)).then_some(after)
}

/// The status of several agents as one: the greatest.
pub fn combined(statuses: impl IntoIterator<Item = AgentStatus>) -> Option<AgentStatus> {
    statuses.into_iter().max()
}

/// What an agent waits for, in one line, from the payload of the event by which it asks.
pub fn waiting_for(event: &str, payload: &Value) -> Option<String> {
    if Signal::of(event, payload) != Some(Signal::Asks) {
        return None;
    }
    let text = |key: &str| payload.get(key).and_then(Value::as_str).unwrap_or_default();
    let line = match event {
        "PermissionRequest" => permission(
            text("tool_name"),
            payload.get("tool_input").unwrap_or(&Value::Null),
        ),
        "Elicitation" => {
            let server = text("mcp_server_name");
            format!("{server}: {}", text("message"))
        }
        _ => text("message").to_owned(),
    };
    let line = one_line(&line, MAX_WAITING);
    (!line.is_empty()).then_some(line)
}

fn permission(tool: &str, input: &Value) -> String {
    match tool {
        "AskUserQuestion" => {
            let question = input.pointer("/questions/0/question");
            let question = question.and_then(Value::as_str).unwrap_or_default();
            return format!("an answer: {question}");
        }
        "ExitPlanMode" => return "approval of its plan".to_owned(),
        _ => {}
    }
    let about = [
        "command",
        "file_path",
        "notebook_path",
        "path",
        "url",
        "query",
        "pattern",
        "description",
    ];
    match about.iter().find_map(|key| input.get(key)?.as_str()) {
        Some(about) => format!("permission for {tool}: {about}"),
        None => format!("permission for {tool}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::AgentStatus::{Attention, Checked, Done, Error, Working};
    use super::*;

    #[test]
    fn f38_a_events_are_signals() {
        let notification = |kind: &str| json!({"notification_type": kind});
        let none = json!({});
        for (event, payload, expected) in [
            ("SessionStart", none.clone(), Some(Signal::Began)),
            ("UserPromptSubmit", none.clone(), Some(Signal::Prompted)),
            ("PreToolUse", none.clone(), Some(Signal::ToolBegins)),
            ("PostToolUse", none.clone(), Some(Signal::ToolWorked)),
            ("PostToolUseFailure", none.clone(), Some(Signal::ToolFailed)),
            (
                "PostToolUseFailure",
                json!({"is_interrupt": false}),
                Some(Signal::ToolFailed),
            ),
            (
                "PostToolUseFailure",
                json!({"is_interrupt": true}),
                Some(Signal::Interrupted),
            ),
            ("StopFailure", none.clone(), Some(Signal::TurnFailed)),
            ("PermissionRequest", none.clone(), Some(Signal::Asks)),
            ("Elicitation", none.clone(), Some(Signal::Asks)),
            ("ElicitationResult", none.clone(), Some(Signal::Answered)),
            ("Stop", none.clone(), Some(Signal::Ended)),
            ("SessionEnd", none.clone(), Some(Signal::Ended)),
            ("TeammateIdle", none.clone(), Some(Signal::Ended)),
            (
                "Notification",
                notification("permission_prompt"),
                Some(Signal::Asks),
            ),
            (
                "Notification",
                notification("elicitation_dialog"),
                Some(Signal::Asks),
            ),
            (
                "Notification",
                notification("agent_needs_input"),
                Some(Signal::Asks),
            ),
            (
                "Notification",
                notification("elicitation_response"),
                Some(Signal::Answered),
            ),
            (
                "Notification",
                notification("idle_prompt"),
                Some(Signal::Idle),
            ),
            (
                "Notification",
                notification("turn_cancelled"),
                Some(Signal::Interrupted),
            ),
            ("Notification", notification("auth_success"), None),
            ("Notification", none.clone(), None),
            ("SubagentStop", none.clone(), None),
            ("PreCompact", none, None),
        ] {
            assert_eq!(Signal::of(event, &payload), expected, "{event} {payload}");
        }
    }

    #[test]
    fn f38_a_the_status_follows_from_signals() {
        // The status after a signal, for an agent that is new, done, checked, working, waiting, failed. `.`: as before.
        let statuses = [
            None,
            Some(Done),
            Some(Checked),
            Some(Working),
            Some(Attention),
            Some(Error),
        ];
        for (signal, expected) in [
            (Signal::Began, "d....."),
            (Signal::Prompted, "www.ww"),
            (Signal::ToolBegins, "www.w."),
            (Signal::ToolWorked, "www.ww"),
            (Signal::ToolFailed, "eeeee."),
            (Signal::TurnFailed, "eeeee."),
            (Signal::Interrupted, "d.dddd"),
            (Signal::Asks, "aaaa.a"),
            (Signal::Answered, "..w.w."),
            (Signal::Ended, "d.dddd"),
            (Signal::Idle, "d.ddd."),
            (Signal::Seen, "....c."),
        ] {
            let found: String = statuses
                .iter()
                .map(|now| {
                    status_after(signal, *now)
                        .map_or('.', |after| after.as_str().chars().next().unwrap())
                })
                .collect();
            assert_eq!(found, expected, "{signal:?}");
        }
    }

    #[test]
    fn f38_a_a_person_clears_attention_and_a_success_clears_an_error() {
        let run = |signals: &[Signal]| {
            signals
                .iter()
                .fold(None, |now, signal| status_after(*signal, now).or(now))
        };
        for (signals, expected) in [
            (
                vec![Signal::Prompted, Signal::ToolBegins, Signal::Asks],
                Attention,
            ),
            (
                vec![Signal::Prompted, Signal::Asks, Signal::ToolWorked],
                Working,
            ),
            (vec![Signal::Prompted, Signal::Asks, Signal::Seen], Checked),
            (vec![Signal::Asks, Signal::Seen, Signal::Asks], Attention),
            (
                vec![Signal::Prompted, Signal::ToolFailed, Signal::ToolBegins],
                Error,
            ),
            (
                vec![Signal::ToolFailed, Signal::ToolBegins, Signal::ToolWorked],
                Working,
            ),
            (
                vec![Signal::Prompted, Signal::TurnFailed, Signal::Idle],
                Error,
            ),
            (
                vec![Signal::Prompted, Signal::TurnFailed, Signal::Prompted],
                Working,
            ),
            (vec![Signal::Prompted, Signal::Ended, Signal::Idle], Done),
        ] {
            assert_eq!(run(&signals), Some(expected), "{signals:?}");
        }
    }

    #[test]
    fn f38_b_of_several_the_greatest_counts() {
        for (statuses, expected) in [
            (vec![], None),
            (vec![Done], Some(Done)),
            (vec![Done, Checked], Some(Checked)),
            (vec![Working, Checked, Done], Some(Working)),
            (vec![Done, Attention, Working], Some(Attention)),
            (vec![Attention, Error, Working], Some(Error)),
        ] {
            assert_eq!(combined(statuses.clone()), expected, "{statuses:?}");
        }
    }

    #[test]
    fn what_an_agent_waits_for_is_one_line() {
        for (event, payload, expected) in [
            (
                "PermissionRequest",
                json!({"tool_name": "Bash", "tool_input": {"command": "git push\n  origin", "description": "Push"}}),
                Some("permission for Bash: git push origin"),
            ),
            (
                "PermissionRequest",
                json!({"tool_name": "Edit", "tool_input": {"file_path": "/shop/a.rs"}}),
                Some("permission for Edit: /shop/a.rs"),
            ),
            (
                "PermissionRequest",
                json!({"tool_name": "mcp__x__y", "tool_input": 3}),
                Some("permission for mcp__x__y"),
            ),
            (
                "PermissionRequest",
                json!({"tool_name": "AskUserQuestion", "tool_input": {"questions": [{"question": "Which database?"}]}}),
                Some("an answer: Which database?"),
            ),
            (
                "PermissionRequest",
                json!({"tool_name": "ExitPlanMode", "tool_input": {"plan": "…"}}),
                Some("approval of its plan"),
            ),
            (
                "Notification",
                json!({"notification_type": "permission_prompt", "message": "Claude needs your permission"}),
                Some("Claude needs your permission"),
            ),
            (
                "Elicitation",
                json!({"mcp_server_name": "deploy", "message": "Which environment?"}),
                Some("deploy: Which environment?"),
            ),
            (
                "Notification",
                json!({"notification_type": "permission_prompt"}),
                None,
            ),
            (
                "Notification",
                json!({"notification_type": "idle_prompt", "message": "Waiting"}),
                None,
            ),
            ("PreToolUse", json!({"tool_name": "Bash"}), None),
        ] {
            assert_eq!(
                waiting_for(event, &payload).as_deref(),
                expected,
                "{event} {payload}"
            );
        }
        let long = json!({"tool_name": "Bash", "tool_input": {"command": "x".repeat(5000)}});
        let line = waiting_for("PermissionRequest", &long).unwrap();
        assert_eq!(line.chars().count(), MAX_WAITING);
    }

    #[test]
    fn a_word_is_the_same_for_programs_everywhere() {
        for status in [Done, Checked, Working, Attention, Error] {
            assert_eq!(json!(status), json!(status.as_str()), "{}", status.words());
        }
    }
}
