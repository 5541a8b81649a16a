//! How Bowline is put into Grok: a file of its own among its hooks, in Claude Code's form.

use serde_json::{Value, json};

use super::reads;
use crate::event::HookEvent;
use crate::registration::{
    Canary, CanaryAnswer, CanaryCall, ClientProgram, Registration, SettingsFiles, UserFolder,
};
use crate::reported::Reported;
use crate::version::ClientVersion;

pub(super) const REGISTRATION: Registration = Registration {
    folder: UserFolder {
        variable: Some("GROK_HOME"),
        in_home: ".grok",
    },
    files: SettingsFiles {
        user: "hooks/bowline.json",
        project: Some(".grok/hooks/bowline.json"),
        local: None,
    },
    transcripts: &[],
    client: ClientProgram {
        name: "grok",
        in_folder: Some("bin"),
        oldest: ClientVersion::new(1, 0, 41),
    },
    // It would be five seconds.
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
        tool: "run_terminal_command",
        payload,
        meaning: |answer| {
            let reported = Reported::of(HookEvent::PreToolUse).in_mode(Some("default"));
            CanaryAnswer::read(reads::reads(&reported, answer))
        },
    },
};

fn payload(call: &CanaryCall<'_>) -> Value {
    let input = json!({"command": call.command, "description": "Tries Bowline out"});
    json!({
        "hookEventName": "pre_tool_use",
        "sessionId": call.session,
        "cwd": call.folder,
        "workspaceRoot": call.folder,
        "permissionMode": "default",
        "toolName": REGISTRATION.canary.tool,
        "toolUseId": "call_bowline_doctor",
        "toolInput": input,
        "toolInputTruncated": false,
        "hook_event_name": REGISTRATION.canary.event,
        "session_id": call.session,
        "permission_mode": "default",
        "tool_name": REGISTRATION.canary.tool,
        "tool_input": input,
        "tool_use_id": "call_bowline_doctor",
    })
}
