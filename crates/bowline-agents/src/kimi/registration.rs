//! How Bowline is put into Kimi's `config.toml`: tables `[[hooks]]`. Kimi ignores all of them if one has a key or an event that it does not
//! know.

use serde_json::{Value, json};

use crate::event::HookEvent;
use crate::registration::{
    Canary, CanaryAnswer, CanaryCall, ClientProgram, Registration, SettingsFiles, UserFolder,
};
use crate::reported::Reported;
use crate::version::ClientVersion;

pub(super) const REGISTRATION: Registration = Registration {
    folder: UserFolder {
        variable: Some("KIMI_CODE_HOME"),
        in_home: ".kimi-code",
    },
    files: SettingsFiles {
        user: "config.toml",
        project: None,
        local: None,
    },
    transcripts: &[],
    client: ClientProgram {
        name: "kimi",
        in_folder: Some("bin"),
        oldest: ClientVersion::new(2, 1, 0),
    },
    timeout: 60,
    // More is not allowed.
    long_timeout: 600,
    short_timeouts: &[],
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
        meaning: |answer| {
            let reported = Reported::of(HookEvent::PreToolUse);
            CanaryAnswer::read(super::reads(&reported, answer))
        },
    },
};

fn payload(call: &CanaryCall<'_>) -> Value {
    json!({
        "hook_event_name": REGISTRATION.canary.event,
        "session_id": call.session,
        "cwd": call.folder,
        "client_type": "kimi_code_cli",
        "tool_name": REGISTRATION.canary.tool,
        "tool_input": {"command": call.command},
        "tool_call_id": "call_bowline_doctor",
    })
}
