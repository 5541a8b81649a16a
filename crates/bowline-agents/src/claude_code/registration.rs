//! How Bowline is put into Claude Code's `settings.json`, and how it is tried out there.

use serde_json::{Value, json};

use super::version::{Feature, OLDEST_SUPPORTED, has_event};
use crate::answer::Answer;
use crate::event::{EventClass, HookEvent};
use crate::registration::{
    Canary, CanaryAnswer, CanaryCall, ClientProgram, EntryPart, Registration, SettingsFiles,
    UserFolder,
};

/// A gate on which Claude Code does not look at `onFailure`.
const WITHOUT_ON_FAILURE: HookEvent = HookEvent::TaskCompleted;

pub(super) const REGISTRATION: Registration = Registration {
    folder: UserFolder {
        variable: Some(super::FOLDER_VARIABLE),
        in_home: ".claude",
    },
    files: SettingsFiles {
        user: "settings.json",
        project: Some(".claude/settings.json"),
        local: Some(".claude/settings.local.json"),
    },
    transcripts: &["projects"],
    client: ClientProgram {
        name: "claude",
        in_folder: Some("local"),
        oldest: OLDEST_SUPPORTED,
    },
    // `SessionEnd` would have a second and a half without one.
    timeout: 60,
    // Its own limit for hooks that say nothing.
    long_timeout: 600,
    short_timeouts: &[],
    replacing: &[HookEvent::WorktreeCreate, HookEvent::MessageDisplay],
    has_event,
    is_entered: |_| true,
    arguments: Some(EntryPart {
        name: "args",
        since: Feature::Args.since(),
    }),
    blocking: Some(EntryPart {
        name: "onFailure",
        since: Feature::OnFailure.since(),
    }),
    blocks_at,
    blocks_on_silence: false,
    canary: Canary {
        event: "PreToolUse",
        tool: "Bash",
        payload,
        meaning,
    },
};

fn blocks_at(event: HookEvent) -> bool {
    event.class() == EventClass::Gate && event != WITHOUT_ON_FAILURE
}

fn payload(call: &CanaryCall<'_>) -> Value {
    json!({
        "session_id": call.session,
        "transcript_path": "/dev/null",
        "cwd": call.folder,
        "permission_mode": "default",
        "hook_event_name": REGISTRATION.canary.event,
        "tool_name": REGISTRATION.canary.tool,
        "tool_input": {"command": call.command},
        "tool_use_id": "toolu_bowline_doctor",
    })
}

fn meaning(answer: &Answer) -> Option<CanaryAnswer> {
    if answer.exit == 2 {
        return Some(CanaryAnswer::Deny);
    }
    let said: Option<Value> = serde_json::from_str(answer.stdout.trim()).ok();
    let field = |path: &str| said.as_ref()?.pointer(path)?.as_str();
    let decision = field("/hookSpecificOutput/permissionDecision").unwrap_or_default();
    match (answer.exit, decision) {
        (_, "deny") => Some(CanaryAnswer::Deny),
        (_, "ask") => {
            let reason = field("/hookSpecificOutput/permissionDecisionReason");
            Some(CanaryAnswer::Ask(reason.unwrap_or_default().to_owned()))
        }
        (0, "") if field("/systemMessage").is_some() => Some(CanaryAnswer::Told),
        (0, "") if said.is_some() || answer.stdout.trim().is_empty() => Some(CanaryAnswer::Silent),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_apart() {
        let deny =
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
        let ask = r#"{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"why"}}"#;
        for (exit, stdout, expected) in [
            (0, "", Some(CanaryAnswer::Silent)),
            (0, "{}\n", Some(CanaryAnswer::Silent)),
            (0, r#"{"systemMessage":"why"}"#, Some(CanaryAnswer::Told)),
            (0, deny, Some(CanaryAnswer::Deny)),
            (1, deny, Some(CanaryAnswer::Deny)),
            (2, "", Some(CanaryAnswer::Deny)),
            (0, ask, Some(CanaryAnswer::Ask("why".to_owned()))),
            (0, "hello", None),
            (127, "", None),
        ] {
            let answer = Answer {
                exit,
                stdout: stdout.to_owned(),
                stderr: String::new(),
            };
            assert_eq!(meaning(&answer), expected, "{exit} {stdout}");
        }
    }
}
