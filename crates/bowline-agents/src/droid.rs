//! Factory Droid: Claude Code's events and JSON, and exit codes that count more.
//!
//! Built against 0.225.2.

mod decode;
mod encode;
mod reads;
mod registration;

use serde_json::Value;

use crate::agent::{Agent, ClaudeHooks, Protocol, Support};
use crate::event::HookEvent;
use crate::last_resort::{LastResort, none};
use crate::registration::Registration;
use crate::reported::Reported;
use crate::spelling::Spellings;
use crate::words::{OwnTool, Words};

/// Factory Droid.
pub const AGENT: Agent = Agent {
    name: "droid",
    title: "Factory Droid",
    events: EVENTS,
    // It has none that a person's shell may not have, too.
    marks: &[],
    // It goes on where it should ask; exit code 2 denies.
    last_resort: LastResort {
        ask: none,
        deny: none,
    },
    support: Support::Full(PROTOCOL),
};

/// How its events are decided.
pub const PROTOCOL: Protocol = Protocol {
    decode: decode::decode,
    asks: |_| false,
    rewrites,
    ends_turn: encode::can_end_turn,
    encode: encode::encode,
    reads: reads::reads,
    enforces,
    repeats: &[],
    tools: TOOLS,
    project_variable: Some("FACTORY_PROJECT_DIR"),
    limits: &[
        "It goes on where a hook asks. So questions are denied.",
        "A changed input is laid over the model's. A change that leaves a field out is denied.",
        "It does not report what becomes of a call that fails, nor, in `droid exec`, what the person wrote.",
        "A sub-agent is a session of its own.",
        "In a folder that it does not trust yet it runs no hooks at all.",
    ],
    claude_hooks: ClaudeHooks::Bridge,
    borrows: None,
    registration: Some(&REGISTRATION),
};

/// How Bowline is put into its settings.
pub const REGISTRATION: Registration = registration::REGISTRATION;

const EVENTS: Spellings = &[
    ("PreToolUse", HookEvent::PreToolUse),
    ("PostToolUse", HookEvent::PostToolUse),
    ("UserPromptSubmit", HookEvent::UserPromptSubmit),
    ("SessionStart", HookEvent::SessionStart),
    ("SessionEnd", HookEvent::SessionEnd),
    ("Stop", HookEvent::Stop),
    ("SubagentStop", HookEvent::SubagentStop),
    ("PreCompact", HookEvent::PreCompact),
    ("Notification", HookEvent::Notification),
];

const WORDS: Words = Words {
    events: EVENTS,
    fields: &[
        ("task_name", "description"),
        ("task_result", "last_assistant_message"),
        ("task_error", "error"),
    ],
    tools: TOOLS,
};

const TOOLS: &[OwnTool] = &[
    // Which files are changed, and how, is in its text.
    OwnTool::alike(PATCH, "Edit"),
    OwnTool::alike("AskUser", "AskUserQuestion"),
    OwnTool::alike("Create", "Write"),
    OwnTool {
        name: "Edit",
        is: "Edit",
        fields: &[
            ("old_str", "old_string"),
            ("new_str", "new_string"),
            ("change_all", "replace_all"),
        ],
    },
    OwnTool {
        name: SHELL,
        is: "Bash",
        fields: &[("fireAndForget", "run_in_background")],
    },
    OwnTool::alike("ExitSpecMode", "ExitPlanMode"),
    OwnTool::alike("FetchUrl", "WebFetch"),
    OwnTool {
        name: "Glob",
        is: "Glob",
        fields: &[("patterns", "pattern"), ("folder", "path")],
    },
    OwnTool {
        name: "Grep",
        is: "Grep",
        fields: &[("glob_pattern", "glob")],
    },
    OwnTool {
        name: "LS",
        is: "LS",
        fields: &[("directory_path", "path")],
    },
    OwnTool::alike("Task", "Agent"),
];

const SHELL: &str = "Execute";

/// The tool of some models that changes several files by one text.
const PATCH: &str = "ApplyPatch";

/// A field that is left out stays as it was, because the new input is laid over the old one.
fn rewrites(reported: &Reported<'_>, input: &Value) -> bool {
    reported.event == HookEvent::PreToolUse && WORDS.keeps_all_fields(reported, input)
}

const fn enforces(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::UserPromptSubmit
            | HookEvent::Stop
            | HookEvent::PreCompact
    )
}

#[cfg(test)]
mod tests;
