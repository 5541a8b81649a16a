//! Gemini CLI: its own names of events, and a decision at the top level of an answer.
//!
//! Built against 0.61.0.

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

/// Gemini CLI.
pub const AGENT: Agent = Agent {
    name: "gemini",
    title: "Gemini CLI",
    events: EVENTS,
    marks: &["GEMINI_CLI"],
    // It waits for ever where nobody can answer; exit code 2 with a reason denies.
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
    project_variable: Some("GEMINI_PROJECT_DIR"),
    limits: &[
        "It could ask a person about a tool call, and waits for ever where there is no terminal, also in yolo mode. So questions are denied.",
        "By its documentation a changed input is laid over the model's. So a change that leaves a field out is denied.",
        "It reports a compaction before every request to the model, even if there is none. So Bowline is not registered for that event, and \
         does not see when it compacts by itself.",
        "In a folder that it does not trust it runs no hooks at all, not even the user's.",
        "What is blocked after a tool ran is hidden from the model: it reads the reason instead.",
        "The reason for which it is kept going at the end is reported as a prompt.",
    ],
    claude_hooks: ClaudeHooks::Bridge,
    borrows: None,
    registration: Some(&REGISTRATION),
};

/// How Bowline is put into its settings.
pub const REGISTRATION: Registration = registration::REGISTRATION;

const EVENTS: Spellings = &[
    ("SessionStart", HookEvent::SessionStart),
    ("SessionEnd", HookEvent::SessionEnd),
    ("BeforeAgent", HookEvent::UserPromptSubmit),
    ("AfterAgent", HookEvent::Stop),
    ("BeforeTool", HookEvent::PreToolUse),
    ("AfterTool", HookEvent::PostToolUse),
    ("PreCompress", HookEvent::PreCompact),
    ("Notification", HookEvent::Notification),
];

const WORDS: Words = Words {
    events: EVENTS,
    fields: &[("prompt_response", "last_assistant_message")],
    tools: TOOLS,
};

const TOOLS: &[OwnTool] = &[
    OwnTool {
        name: "activate_skill",
        is: "Skill",
        fields: &[("name", "skill")],
    },
    OwnTool::alike("ask_user", "AskUserQuestion"),
    OwnTool::alike("enter_plan_mode", "EnterPlanMode"),
    OwnTool::alike("exit_plan_mode", "ExitPlanMode"),
    OwnTool {
        name: "glob",
        is: "Glob",
        fields: &[("dir_path", "path")],
    },
    OwnTool::alike("google_web_search", "WebSearch"),
    OwnTool {
        name: "grep_search",
        is: "Grep",
        fields: SEARCHED,
    },
    OwnTool {
        name: "invoke_agent",
        is: "Agent",
        fields: &[("agent_name", "subagent_type")],
    },
    OwnTool {
        name: "list_directory",
        is: "LS",
        fields: &[("dir_path", "path")],
    },
    OwnTool::alike("list_mcp_resources", "ListMcpResourcesTool"),
    OwnTool::alike("read_file", "Read"),
    OwnTool::alike("read_mcp_resource", "ReadMcpResourceTool"),
    OwnTool {
        name: "replace",
        is: "Edit",
        fields: &[("allow_multiple", "replace_all")],
    },
    OwnTool {
        name: SHELL,
        is: "Bash",
        fields: &[("is_background", "run_in_background")],
    },
    // The older name of the search.
    OwnTool {
        name: "search_file_content",
        is: "Grep",
        fields: SEARCHED,
    },
    OwnTool::alike("web_fetch", "WebFetch"),
    OwnTool::alike("write_file", "Write"),
    OwnTool::alike("write_todos", "TodoWrite"),
];

const SHELL: &str = "run_shell_command";

/// Reads several files, which lists of names and patterns tell.
const READ_MANY: &str = "read_many_files";

/// Where a search looks.
const SEARCHED: &[(&str, &str)] = &[("dir_path", "path"), ("include_pattern", "glob")];

/// It is said to lay the new input over the old one, where a field that is left out would stay. Version 0.61.0 takes it as it is.
fn rewrites(reported: &Reported<'_>, input: &Value) -> bool {
    reported.event == HookEvent::PreToolUse && WORDS.keeps_all_fields(reported, input)
}

const fn enforces(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::PostToolUseFailure
            | HookEvent::UserPromptSubmit
            | HookEvent::Stop
    )
}

#[cfg(test)]
mod tests;
