//! How Bowline is put into Qwen Code's settings.

use serde_json::{Value, json};

use super::{SHELL, reads};
use crate::event::HookEvent;
use crate::registration::{
    Canary, CanaryAnswer, CanaryCall, ClientProgram, Registration, SettingsFiles, UserFolder,
};
use crate::reported::Reported;
use crate::version::ClientVersion;

/// It waits for 60 seconds, whatever an entry says, and goes on then.
const TIMEOUT: u32 = 50;

pub(super) const REGISTRATION: Registration = Registration {
    folder: UserFolder {
        variable: Some("QWEN_HOME"),
        in_home: ".qwen",
    },
    files: SettingsFiles {
        user: "settings.json",
        project: Some(".qwen/settings.json"),
        local: None,
    },
    transcripts: &["projects"],
    client: ClientProgram {
        name: "qwen",
        in_folder: None,
        oldest: ClientVersion::new(0, 24, 4),
    },
    timeout: TIMEOUT,
    long_timeout: TIMEOUT,
    short_timeouts: &[(HookEvent::PostToolBatch, 15)],
    // It is reported for every piece of text.
    replacing: &[HookEvent::MessageDisplay],
    has_event: |_, _| true,
    is_entered: |_| true,
    arguments: None,
    blocking: None,
    blocks_at: |_| false,
    blocks_on_silence: false,
    canary: Canary {
        event: "PreToolUse",
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
        "permission_mode": "default",
        "tool_name": SHELL,
        "tool_input": {"command": call.command, "is_background": false},
        "tool_use_id": "toolu_bowline_doctor",
    })
}
