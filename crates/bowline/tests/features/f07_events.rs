//! Feature 7: event vocabulary and classes.

use bowline::hooks::{EventClass, HookEvent};

const GATES: &[&str] = &[
    "PreToolUse",
    "PermissionRequest",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SubagentStart",
    "PreModelSwitch",
    "TaskCreated",
    "TaskCompleted",
    "PreCompact",
    "ConfigChange",
    "Elicitation",
    "ElicitationResult",
    "WorktreeCreate",
];
const REDIRECTS: &[&str] = &[
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Stop",
    "SubagentStop",
    "TeammateIdle",
];
const OBSERVED: &[&str] = &[
    "PermissionDenied",
    "Setup",
    "SessionEnd",
    "StopFailure",
    "PostCompact",
    "Notification",
    "InstructionsLoaded",
    "WorktreeRemove",
    "CwdChanged",
    "FileChanged",
    "MessageDisplay",
    "DirectoryAdded",
    "PostModelSwitch",
];

#[test]
fn f07_a_all_events_are_known() {
    let documented = [
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "UserPromptSubmit",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "SessionStart",
        "SessionEnd",
        "Setup",
        "Notification",
        "PermissionRequest",
        "TeammateIdle",
        "TaskCompleted",
        "ConfigChange",
    ];
    for name in documented {
        assert_eq!(HookEvent::from_name(name).map(HookEvent::name), Some(name));
    }
}

#[test]
fn f07_b_every_event_of_claude_code_has_its_class() {
    let table = [
        (EventClass::Gate, GATES),
        (EventClass::Redirect, REDIRECTS),
        (EventClass::Observe, OBSERVED),
    ];
    for (class, names) in table {
        for name in names {
            let event = HookEvent::from_name(name).unwrap_or_else(|| panic!("{name} is unknown"));
            assert_eq!(event.class(), class, "{name}");
        }
    }
    assert_eq!(
        GATES.len() + REDIRECTS.len() + OBSERVED.len(),
        HookEvent::ALL.len()
    );
}
