//! How Bowline is put into Windsurf's `hooks.json`: flat entries without a matcher and without a time limit.

use serde_json::{Value, json};

use crate::event::HookEvent;
use crate::registration::{
    Canary, CanaryAnswer, CanaryCall, ClientProgram, Registration, SettingsFiles, UserFolder,
};
use crate::reported::Reported;
use crate::version::ClientVersion;

pub(super) const REGISTRATION: Registration = Registration {
    folder: UserFolder {
        variable: None,
        in_home: ".codeium/windsurf",
    },
    files: SettingsFiles {
        user: "hooks.json",
        project: Some(".windsurf/hooks.json"),
        local: None,
    },
    transcripts: &[],
    client: ClientProgram {
        name: "windsurf",
        in_folder: None,
        // The first that is said to have all these events.
        oldest: ClientVersion::new(1, 12, 36),
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
        event: "pre_run_command",
        tool: "run_command",
        payload,
        meaning: |answer| {
            let reported = Reported::of(HookEvent::PreToolUse);
            CanaryAnswer::read(super::reads(&reported, answer))
        },
    },
};

fn payload(call: &CanaryCall<'_>) -> Value {
    json!({
        "agent_action_name": REGISTRATION.canary.event,
        "trajectory_id": call.session,
        "execution_id": "bowline-doctor",
        "timestamp": "2026-01-01T00:00:00Z",
        "model_name": "none",
        "tool_info": {"command_line": call.command, "cwd": call.folder},
    })
}
