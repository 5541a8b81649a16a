//! How Bowline is put into Gemini CLI's settings.

use serde_json::{Value, json};

use super::{SHELL, reads};
use crate::event::HookEvent;
use crate::registration::{
    Canary, CanaryAnswer, CanaryCall, ClientProgram, Registration, SettingsFiles, UserFolder,
};
use crate::reported::Reported;
use crate::version::ClientVersion;

pub(super) const REGISTRATION: Registration = Registration {
    folder: UserFolder {
        // `GEMINI_CLI_HOME` names another home, not this folder.
        variable: None,
        in_home: ".gemini",
    },
    files: SettingsFiles {
        user: "settings.json",
        project: Some(".gemini/settings.json"),
        local: None,
    },
    transcripts: &["tmp"],
    client: ClientProgram {
        name: "gemini",
        in_folder: None,
        oldest: ClientVersion::new(0, 61, 0),
    },
    timeout: 60,
    long_timeout: 600,
    short_timeouts: &[],
    replacing: &[],
    // It comes before every request to the model, and does not say whether anything is compacted.
    has_event: |event, _| event != HookEvent::PreCompact,
    is_entered: |_| true,
    arguments: None,
    blocking: None,
    blocks_at: |_| false,
    blocks_on_silence: false,
    canary: Canary {
        event: "BeforeTool",
        tool: SHELL,
        payload,
        meaning: |answer| {
            let reported = Reported::of(HookEvent::PreToolUse);
            CanaryAnswer::read(reads::reads(&reported, answer))
        },
    },
};

fn payload(call: &CanaryCall<'_>) -> Value {
    json!({
        "session_id": call.session,
        "transcript_path": "/dev/null",
        "cwd": call.folder,
        "hook_event_name": REGISTRATION.canary.event,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "tool_name": SHELL,
        "tool_input": {"command": call.command},
    })
}
