//! How Bowline is put into Factory Droid's settings.

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
        // `FACTORY_HOME_OVERRIDE` names another home, not this folder.
        variable: None,
        in_home: ".factory",
    },
    files: SettingsFiles {
        user: "hooks.json",
        project: Some(".factory/hooks.json"),
        local: None,
    },
    transcripts: &[],
    client: ClientProgram {
        name: "droid",
        in_folder: None,
        oldest: ClientVersion::new(0, 225, 2),
    },
    timeout: 60,
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
        "permission_mode": "off",
        "hook_event_name": REGISTRATION.canary.event,
        "tool_name": SHELL,
        "tool_input": {"command": call.command, "summary": "Try out Bowline", "riskLevel": "low", "riskLevelReason": "It is never run."},
    })
}
