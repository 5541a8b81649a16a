//! Tool names that Claude Code renamed. Payloads carry the current name; matchers may still use an old one.

const RENAMED: &[(&str, &str)] = &[
    ("Task", "Agent"),
    ("KillShell", "TaskStop"),
    ("KillBash", "TaskStop"),
    ("ListPeers", "ListAgents"),
    ("Brief", "SendUserMessage"),
    ("ListMcpResources", "ListMcpResourcesTool"),
    ("ReadMcpResource", "ReadMcpResourceTool"),
    ("ReadMcpResourceDir", "ReadMcpResourceDirTool"),
    ("AgentOutputTool", "TaskOutput"),
    ("BashOutputTool", "TaskOutput"),
    ("AgentOutput", "TaskOutput"),
    ("BashOutput", "TaskOutput"),
];

/// Claude Code's own tools, by their current names.
const CURRENT: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "Bash",
    "Edit",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "LS",
    "ListAgents",
    "ListMcpResourcesTool",
    "Monitor",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "PowerShell",
    "Read",
    "ReadMcpResourceDirTool",
    "ReadMcpResourceTool",
    "SendUserMessage",
    "Skill",
    "SlashCommand",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// Every name that a tool of Claude Code has or had.
pub(crate) fn known_names() -> impl Iterator<Item = &'static str> {
    let old = RENAMED.iter().map(|(old, _)| *old);
    CURRENT.iter().copied().chain(old)
}

/// The current name of a tool.
pub(crate) fn current_name(name: &str) -> &str {
    RENAMED
        .iter()
        .find(|(old, _)| *old == name)
        .map_or(name, |(_, current)| current)
}

/// The names that a tool had before.
pub(super) fn old_names(current: &str) -> impl Iterator<Item = &'static str> {
    RENAMED
        .iter()
        .filter(move |(_, now)| *now == current)
        .map(|(old, _)| *old)
}
