//! Qwen Code: Claude Code's events and answers, of which it follows fewer.
//!
//! Built against 0.24.4.

mod decode;
mod encode;
mod reads;
mod registration;

use serde_json::json;

use crate::agent::{Agent, ClaudeHooks, Protocol, Support};
use crate::answer::Answer;
use crate::event::HookEvent;
use crate::last_resort::{LastResort, Unjudged};
use crate::registration::Registration;
use crate::spelling::Spellings;
use crate::words::{OwnTool, Words};

/// Qwen Code.
pub const AGENT: Agent = Agent {
    name: "qwen",
    title: "Qwen Code",
    events: EVENTS,
    marks: &["QWEN_CODE"],
    last_resort: LastResort { ask, deny },
    support: Support::Full(PROTOCOL),
};

/// How its events are decided.
pub const PROTOCOL: Protocol = Protocol {
    decode: decode::decode,
    // Where there is no terminal it denies what it should ask.
    asks: |reported| {
        matches!(
            reported.event,
            HookEvent::PreToolUse | HookEvent::PermissionRequest
        )
    },
    rewrites: |reported, input| reported.event == HookEvent::PermissionRequest && input.is_object(),
    ends_turn: |_| false,
    encode: encode::encode,
    reads: reads::reads,
    enforces,
    repeats: &[],
    tools: TOOLS,
    project_variable: Some("QWEN_PROJECT_DIR"),
    limits: &[
        "Where there is no terminal it denies what it should ask about.",
        "It waits for at most 60 seconds before a tool, whatever its settings say, and runs the tool then. So a question waits no longer than \
         that in the inbox.",
        "It takes another input only where it would ask for permission. Before a tool, a change is denied.",
        "What is blocked after a tool ran is told to the model beside the result.",
        "Run without a terminal it does not report the end of a session.",
        "The reason for which it is kept going at the end is reported as a prompt.",
    ],
    claude_hooks: ClaudeHooks::Bridge,
    borrows: None,
    registration: Some(&REGISTRATION),
};

/// How Bowline is put into its settings.
pub const REGISTRATION: Registration = registration::REGISTRATION;

const EVENTS: Spellings = &[
    ("PreToolUse", HookEvent::PreToolUse),
    ("PermissionRequest", HookEvent::PermissionRequest),
    ("PermissionDenied", HookEvent::PermissionDenied),
    ("PostToolUse", HookEvent::PostToolUse),
    ("PostToolUseFailure", HookEvent::PostToolUseFailure),
    ("PostToolBatch", HookEvent::PostToolBatch),
    ("UserPromptSubmit", HookEvent::UserPromptSubmit),
    ("UserPromptExpansion", HookEvent::UserPromptExpansion),
    ("SessionStart", HookEvent::SessionStart),
    ("SessionEnd", HookEvent::SessionEnd),
    ("Stop", HookEvent::Stop),
    ("StopFailure", HookEvent::StopFailure),
    ("SubagentStart", HookEvent::SubagentStart),
    ("SubagentStop", HookEvent::SubagentStop),
    ("PreCompact", HookEvent::PreCompact),
    ("PostCompact", HookEvent::PostCompact),
    ("Notification", HookEvent::Notification),
    ("InstructionsLoaded", HookEvent::InstructionsLoaded),
    ("MessageDisplay", HookEvent::MessageDisplay),
];

const WORDS: Words = Words {
    events: EVENTS,
    fields: &[("crons", "session_crons")],
    tools: TOOLS,
};

const TOOLS: &[OwnTool] = &[
    OwnTool::alike("agent", "Agent"),
    OwnTool::alike("ask_user_question", "AskUserQuestion"),
    OwnTool::alike("edit", "Edit"),
    OwnTool::alike("enter_plan_mode", "EnterPlanMode"),
    OwnTool::alike("exit_plan_mode", "ExitPlanMode"),
    OwnTool::alike("glob", "Glob"),
    OwnTool::alike("grep_search", "Grep"),
    OwnTool::alike("list_directory", "LS"),
    OwnTool::alike("monitor", "Monitor"),
    OwnTool::alike("notebook_edit", "NotebookEdit"),
    OwnTool::alike("read_file", "Read"),
    OwnTool::alike("read_mcp_resource", "ReadMcpResourceTool"),
    OwnTool {
        name: SHELL,
        is: "Bash",
        fields: &[("is_background", "run_in_background")],
    },
    OwnTool::alike("skill", "Skill"),
    OwnTool::alike("task_stop", "TaskStop"),
    OwnTool::alike("todo_write", "TodoWrite"),
    OwnTool::alike("tool_search", "ToolSearch"),
    OwnTool::alike("web_fetch", "WebFetch"),
    OwnTool::alike("web_search", "WebSearch"),
    OwnTool::alike("write_file", "Write"),
];

const SHELL: &str = "run_shell_command";

const fn enforces(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PreToolUse
            | HookEvent::PermissionRequest
            | HookEvent::PostToolBatch
            | HookEvent::UserPromptSubmit
            | HookEvent::UserPromptExpansion
            | HookEvent::Stop
            | HookEvent::SubagentStop
    )
}

/// Beside a question, `continue` denies where another hook's answer replaces it.
fn ask(it: &Unjudged<'_>) -> Option<Answer> {
    match it.event? {
        HookEvent::PreToolUse => Some(Answer::line(&json!({
            "continue": false,
            "stopReason": it.text,
            "hookSpecificOutput": {
                "hookEventName": it.name,
                "permissionDecision": "ask",
                "permissionDecisionReason": it.text,
            },
        }))),
        // The dialog comes anyway.
        HookEvent::PermissionRequest => Some(Answer::default()),
        _ => None,
    }
}

/// Exit code 2 decides nothing where permission is asked for.
fn deny(it: &Unjudged<'_>) -> Option<Answer> {
    let denied = json!({
        "reason": it.text,
        "hookSpecificOutput": {
            "hookEventName": it.name,
            "decision": {"behavior": "deny", "message": it.text},
        },
    });
    (it.event == Some(HookEvent::PermissionRequest)).then(|| Answer::line(&denied))
}

#[cfg(test)]
mod tests;
