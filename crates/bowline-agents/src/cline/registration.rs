//! How Bowline's scripts are put where Cline looks for some, and how they are tried out.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::registration::{
    Canary, CanaryAnswer, CanaryCall, ClientProgram, Registration, SettingsFiles, UserFolder,
};
use crate::reported::Reported;
use crate::version::ClientVersion;

/// The oldest client that it was tried with.
const OLDEST: ClientVersion = ClientVersion::new(3, 0, 65);

pub(super) const REGISTRATION: Registration = Registration {
    folder: UserFolder {
        variable: None,
        in_home: "Documents/Cline",
    },
    // Folders, with a script for each event.
    files: SettingsFiles {
        user: "Hooks",
        project: Some(".clinerules/hooks"),
        local: None,
    },
    transcripts: &[],
    client: ClientProgram {
        name: "cline",
        in_folder: None,
        oldest: OLDEST,
    },
    // VS Code's extension ends a script then, and lets the call run.
    timeout: 30,
    long_timeout: 30,
    short_timeouts: &[],
    replacing: &[],
    has_event: |_, _| true,
    is_entered: |_| true,
    // A script is for the shell.
    arguments: None,
    blocking: None,
    blocks_at: |_| false,
    blocks_on_silence: false,
    canary: Canary {
        event: "PreToolUse",
        tool: "run_commands",
        payload,
        meaning,
    },
};

fn payload(call: &CanaryCall<'_>) -> Value {
    json!({
        "taskId": "conv_bowline_doctor",
        "sessionContext": {"rootSessionId": call.session},
        "workspaceRoots": [call.folder],
        "parent_agent_id": null,
        "hookName": "tool_call",
        "tool_call": {
            "id": "call_bowline_doctor",
            "name": REGISTRATION.canary.tool,
            "input": {"commands": [call.command]},
        },
    })
}

fn meaning(answer: &Answer) -> Option<CanaryAnswer> {
    let mut reported = Reported::of(HookEvent::PreToolUse);
    reported.tool = Some(REGISTRATION.canary.tool);
    let read = super::reads(&reported, answer)?;
    Some(match (read.decision, read.context) {
        (Decision::Deny, _) => CanaryAnswer::Deny,
        (_, Some(_)) => CanaryAnswer::Told,
        (_, None) => CanaryAnswer::Silent,
    })
}
