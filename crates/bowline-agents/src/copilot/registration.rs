//! How Bowline is put into Copilot's hooks, and how it is tried out there.
//!
//! Its events are registered in Claude Code's spelling, because VS Code reads the same file: before a tool, only the answers to these are in
//! a form that both follow.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::event::HookEvent;
use crate::registration::{
    Canary, CanaryAnswer, CanaryCall, ClientProgram, Registration, SettingsFiles, UserFolder,
};
use crate::reported::Reported;
use crate::version::ClientVersion;

/// The oldest version that Bowline is tried with.
const OLDEST: ClientVersion = ClientVersion::new(1, 0, 102);

pub(super) const REGISTRATION: Registration = Registration {
    folder: UserFolder {
        variable: Some("COPILOT_HOME"),
        in_home: ".copilot",
    },
    files: SettingsFiles {
        user: "hooks/bowline.json",
        project: Some(".github/hooks/bowline.json"),
        local: None,
    },
    transcripts: &["session-state"],
    client: ClientProgram {
        name: "copilot",
        in_folder: None,
        oldest: OLDEST,
    },
    timeout: 60,
    long_timeout: 600,
    short_timeouts: &[],
    replacing: &[],
    has_event: |_, _| true,
    // A permission is requested for calls that were reported already.
    is_entered: |name| !["PermissionRequest", "agentStop", "userPromptSubmitted"].contains(&name),
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
        "hook_event_name": REGISTRATION.canary.event,
        "session_id": call.session,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "cwd": call.folder,
        "tool_name": REGISTRATION.canary.tool,
        "tool_input": {"command": call.command, "description": "Run"},
    })
}

fn meaning(answer: &Answer) -> Option<CanaryAnswer> {
    CanaryAnswer::read(super::reads::reads(
        &Reported::of(HookEvent::PreToolUse),
        answer,
    ))
}
