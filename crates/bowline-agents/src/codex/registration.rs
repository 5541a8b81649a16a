//! How Bowline is put into Codex's `hooks.json`, and how it is tried out there.

use serde_json::{Value, json};

use super::reads::reads;
use crate::answer::Answer;
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::registration::{
    Canary, CanaryAnswer, CanaryCall, ClientProgram, Registration, SettingsFiles, UserFolder,
};
use crate::reported::Reported;
use crate::version::ClientVersion;

pub(super) const REGISTRATION: Registration = Registration {
    folder: UserFolder {
        variable: Some("CODEX_HOME"),
        in_home: ".codex",
    },
    files: SettingsFiles {
        user: "hooks.json",
        project: Some(".codex/hooks.json"),
        local: None,
    },
    transcripts: &["sessions", "archived_sessions"],
    client: ClientProgram {
        name: "codex",
        in_folder: None,
        oldest: ClientVersion::new(0, 166, 0),
    },
    timeout: 60,
    // Its own limit for hooks that say nothing.
    long_timeout: 600,
    // It waits no longer, whatever an entry says.
    short_timeouts: &[(HookEvent::SessionEnd, 3)],
    replacing: &[],
    has_event: |_, _| true,
    is_entered: |_| true,
    arguments: None,
    blocking: None,
    blocks_at: |_| false,
    blocks_on_silence: false,
    canary: Canary {
        event: "PreToolUse",
        tool: "Bash",
        payload,
        meaning,
    },
};

fn payload(call: &CanaryCall<'_>) -> Value {
    json!({
        "session_id": call.session,
        "turn_id": "turn-bowline-doctor",
        "transcript_path": null,
        "cwd": call.folder,
        "hook_event_name": REGISTRATION.canary.event,
        "model": "none",
        "permission_mode": "default",
        "tool_name": REGISTRATION.canary.tool,
        "tool_input": {"command": call.command},
        "tool_use_id": "call_bowline_doctor",
    })
}

fn meaning(answer: &Answer) -> Option<CanaryAnswer> {
    let reading = reads(&Reported::of(HookEvent::PreToolUse), answer)?;
    match (reading.decision, reading.message) {
        (Decision::Deny, _) => Some(CanaryAnswer::Deny),
        (Decision::Ask, _) => Some(CanaryAnswer::Ask(reading.reason.unwrap_or_default())),
        (Decision::NoOpinion, Some(_)) => Some(CanaryAnswer::Told),
        (Decision::NoOpinion, None) => Some(CanaryAnswer::Silent),
        (Decision::Grant, _) => None,
    }
}
