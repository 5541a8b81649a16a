//! Fixed data for the tests of views.

use bowline_builtins::inbox::Question;
use bowline_continuity::fleet::{AgentStatus, FleetAgent};
use chrono::{DateTime, Utc};
use serde_json::json;

/// The time at which all tests happen.
pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-18T12:00:00Z".parse().unwrap()
}

pub(crate) fn agent() -> FleetAgent {
    FleetAgent {
        id: "b17e9a40-77c".to_owned(),
        label: None,
        agent: "claude-code".to_owned(),
        session: "b17e9a40-77c".to_owned(),
        project: Some("/home/ada/shop".to_owned()),
        worktree: None,
        task: None,
        effort: None,
        ordinal: None,
        skill: None,
        phase: None,
        heartbeat: None,
        status: AgentStatus::Working,
        since: now() - chrono::TimeDelta::seconds(12),
        last_event_at: now(),
        context_usage: Some(0.62),
        last_action: Some("Bash: cargo test".to_owned()),
        waiting_for: None,
        process: None,
        ended_at: None,
        end_reason: None,
    }
}

pub(crate) fn question() -> Question {
    Question {
        id: "k3f9a".to_owned(),
        asked_at: now() - chrono::TimeDelta::seconds(20),
        until: now() + chrono::TimeDelta::seconds(100),
        agent: "claude-code".to_owned(),
        session: "b17e9a40-77c".to_owned(),
        project: "/home/ada/shop".to_owned(),
        subagent: None,
        tool: "Bash".to_owned(),
        input: json!({"command": "terraform apply", "description": "Apply the plan"}),
        tool_use_id: Some("toolu_1".to_owned()),
        reason: Some("this changes what runs in production".to_owned()),
        rule: Some("cloud.apply".to_owned()),
    }
}
