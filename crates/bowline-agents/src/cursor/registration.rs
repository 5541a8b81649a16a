//! How Bowline is put into Cursor's `hooks.json`, and how it is tried out there.
//!
//! One name that Cursor does not know makes it refuse the whole file.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::event::HookEvent;
use crate::registration::{
    Canary, CanaryAnswer, CanaryCall, ClientProgram, EntryPart, Registration, SettingsFiles,
    UserFolder,
};
use crate::reported::Reported;
use crate::version::ClientVersion;

/// The version whose payloads Bowline is built for.
const OLDEST: ClientVersion = ClientVersion::new(3, 12, 17);

/// Events that report a call once more and can do no more about it.
const LEFT_OUT: &[&str] = &[
    "beforeReadFile",
    "afterShellExecution",
    "afterMCPExecution",
    "afterFileEdit",
];

pub(super) const REGISTRATION: Registration = Registration {
    folder: UserFolder {
        variable: None,
        in_home: ".cursor",
    },
    files: SettingsFiles {
        user: "hooks.json",
        project: Some(".cursor/hooks.json"),
        local: None,
    },
    transcripts: &[],
    client: ClientProgram {
        name: "cursor",
        in_folder: None,
        oldest: OLDEST,
    },
    timeout: 60,
    long_timeout: 600,
    short_timeouts: &[],
    replacing: &[],
    has_event: |_, _| true,
    is_entered: |name| !LEFT_OUT.contains(&name),
    arguments: None,
    blocking: Some(EntryPart {
        name: "failClosed",
        since: OLDEST,
    }),
    blocks_at,
    blocks_on_silence: true,
    canary: Canary {
        event: "preToolUse",
        tool: "Shell",
        payload,
        meaning,
    },
};

/// Where a block has an effect and something would go on.
const fn blocks_at(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PreToolUse | HookEvent::SubagentStart | HookEvent::UserPromptSubmit
    )
}

fn payload(call: &CanaryCall<'_>) -> Value {
    json!({
        "conversation_id": call.session,
        "generation_id": "bowline-doctor",
        "model": "none",
        "tool_name": REGISTRATION.canary.tool,
        "tool_input": {"command": call.command, "cwd": call.folder},
        "tool_use_id": "toolu_bowline_doctor",
        "session_id": call.session,
        "hook_event_name": REGISTRATION.canary.event,
        "cursor_version": OLDEST.to_string(),
        "workspace_roots": [call.folder],
        "user_email": null,
        "transcript_path": null,
    })
}

fn meaning(answer: &Answer) -> Option<CanaryAnswer> {
    let reported = Reported {
        name: REGISTRATION.canary.event,
        tool: Some(REGISTRATION.canary.tool),
        ..Reported::of(HookEvent::PreToolUse)
    };
    CanaryAnswer::read(super::reads::reads(&reported, answer))
}
