//! How Bowline's plugin is put beside OpenCode's settings, and how it is tried out there.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::registration::{
    Canary, CanaryAnswer, CanaryCall, ClientProgram, EntryPart, Registration, SettingsFiles,
    UserFolder,
};
use crate::reported::Reported;
use crate::version::ClientVersion;

/// The oldest client that it was tried with.
const OLDEST: ClientVersion = ClientVersion::new(1, 18, 33);

pub(super) const REGISTRATION: Registration = Registration {
    folder: UserFolder {
        variable: None,
        in_home: ".config/opencode",
    },
    files: SettingsFiles {
        user: "plugin/bowline.js",
        project: Some(".opencode/plugin/bowline.js"),
        local: None,
    },
    transcripts: &[],
    client: ClientProgram {
        name: "opencode",
        in_folder: None,
        oldest: OLDEST,
    },
    // OpenCode waits for a plugin as long as it takes: the plugin has these limits by itself.
    timeout: 60,
    long_timeout: 600,
    short_timeouts: &[],
    replacing: &[],
    has_event: |_, _| true,
    // The plugin is ours.
    is_entered: |_| true,
    arguments: Some(EntryPart {
        name: "arguments",
        since: ClientVersion::new(0, 0, 0),
    }),
    blocking: None,
    blocks_at: |_| false,
    blocks_on_silence: false,
    canary: Canary {
        event: "tool.execute.before",
        tool: "bash",
        payload,
        meaning,
    },
};

fn payload(call: &CanaryCall<'_>) -> Value {
    json!({
        "event": REGISTRATION.canary.event,
        "sessionID": call.session,
        "callID": "call_bowline_doctor",
        "tool": REGISTRATION.canary.tool,
        "args": {"command": call.command},
        "directory": call.folder,
    })
}

fn meaning(answer: &Answer) -> Option<CanaryAnswer> {
    let read = super::reads(&Reported::of(HookEvent::PreToolUse), answer)?;
    Some(match (read.decision, read.message) {
        (Decision::Deny, _) => CanaryAnswer::Deny,
        (_, Some(_)) => CanaryAnswer::Told,
        (_, None) => CanaryAnswer::Silent,
    })
}
